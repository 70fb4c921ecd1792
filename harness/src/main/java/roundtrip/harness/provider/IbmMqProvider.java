package roundtrip.harness.provider;

import com.ibm.mq.MQException;
import com.ibm.mq.jakarta.jms.MQConnectionFactory;
import com.ibm.mq.jmqi.JmqiException;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.payload.Compression;
import roundtrip.harness.tls.ObservedSocketFactory;
import roundtrip.harness.tls.TlsSettings;

/** IBM MQ through its classes for Jakarta Messaging, in client mode. */
public final class IbmMqProvider implements Provider {
  /** Length of a correlation ID in an MQ message descriptor. */
  private static final int CORRELATION_BYTES = 24;

  private final MQConnectionFactory factory;
  private final Credentials credentials;
  private final Map<String, String> facts = new LinkedHashMap<>();
  private ObservedSocketFactory sockets;

  /** Maps the options to the properties of a connection factory; nothing is connected yet. */
  public IbmMqProvider(Parsed options, Credentials credentials, TlsSettings tls)
      throws UsageException {
    this.credentials = credentials;
    configureClient();
    facts.put("provider", "ibmmq");
    facts.put("client", "com.ibm.mq.jakarta.client " + version());
    try {
      factory = new MQConnectionFactory();
      factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
      factory.setAppName("Roundtrip");
      factory.setQueueManager(options.text("queue-manager"));
      address(options);
      encryption(options.text("cipher-spec"), tls);
      compression(Compression.of(options.text("compression")));
    } catch (JMSException refused) {
      throw new UsageException("the IBM MQ client refuses an option: " + refused.getMessage());
    }
  }

  /** Sets what the client only takes from system properties; a user's own settings stay. */
  private static void configureClient() {
    // CipherSpecs are mapped to the suite names of the Java that runs this, not of IBM's own.
    if (!System.getProperty("java.vendor", "").contains("IBM")) {
      setDefault("com.ibm.mq.cfg.useIBMCipherMappings", "false");
    }
    // Otherwise it leaves its log and its reports of failures (FFDC) wherever it was started.
    Path own = Path.of(System.getProperty("java.io.tmpdir"), "roundtrip-ibmmq");
    setDefault("com.ibm.msg.client.commonservices.trace.outputName", own + "/");
    setDefault("com.ibm.msg.client.commonservices.log.outputName", own.resolve("mqjms.log") + "");
    try {
      Files.createDirectories(own);
    } catch (IOException unwritable) {
      // Then the client does without files, and the events tell the reasons all the same.
    }
  }

  private static void setDefault(String name, String value) {
    if (System.getProperty(name) == null) {
      System.setProperty(name, value);
    }
  }

  private void address(Parsed options) throws JMSException, UsageException {
    String table = options.text("ccdt");
    if (table != null) {
      try {
        factory.setCCDTURL(URI.create(table).toURL());
      } catch (MalformedURLException | IllegalArgumentException malformed) {
        throw new UsageException("--ccdt must be a URL such as file:///etc/mq/ccdt.json");
      }
      facts.put("ccdt", Urls.withoutSecrets(table));
    } else {
      factory.setHostName(options.text("host"));
      factory.setPort(options.whole("port"));
      factory.setChannel(options.text("channel"));
      facts.put("url", "%s(%s)".formatted(options.text("host"), options.text("port")));
      facts.put("channel", options.text("channel"));
    }
    facts.put("queue_manager", options.text("queue-manager"));
  }

  private void encryption(String cipher, TlsSettings tls) throws JMSException, UsageException {
    if (cipher == null) {
      if (tls != null) {
        throw new UsageException("IBM MQ encrypts by CipherSpec: name the channel's with -jl");
      }
      return;
    }
    factory.setSSLCipherSuite(cipher);
    facts.put("cipher_spec", cipher);
    SSLSocketFactory inner =
        tls == null
            ? (SSLSocketFactory) SSLSocketFactory.getDefault()
            : tls.context().getSocketFactory();
    sockets = new ObservedSocketFactory(inner, tls);
    factory.setSSLSocketFactory(sockets);
  }

  /** As the channel's COMPMSG has it: what client and queue manager have in common is used. */
  private void compression(Compression compression) throws JMSException {
    int code =
        switch (compression) {
          case NONE -> WMQConstants.WMQ_COMPMSG_NONE;
          case ZLIBFAST -> WMQConstants.WMQ_COMPMSG_ZLIBFAST;
          case ZLIBHIGH -> WMQConstants.WMQ_COMPMSG_ZLIBHIGH;
          case LZ4FAST -> WMQConstants.WMQ_COMPMSG_LZ4FAST;
          case LZ4HIGH -> WMQConstants.WMQ_COMPMSG_LZ4HIGH;
        };
    factory.setMsgCompList(List.of(code));
    facts.put("message_compression", compression.name());
  }

  @Override
  public boolean compresses() {
    return true;
  }

  @Override
  public Connection connect() throws JMSException {
    return credentials.user() == null
        ? factory.createConnection()
        : factory.createConnection(credentials.user(), credentials.password());
  }

  /** As bytes of the message descriptor, by which a queue manager finds a message fast. */
  @Override
  public String correlationId(String text) {
    byte[] id = new byte[CORRELATION_BYTES];
    byte[] given = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(given, 0, id, 0, Math.min(given.length, id.length));
    return "ID:" + HexFormat.of().formatHex(id);
  }

  @Override
  public Map<String, String> facts() {
    return facts;
  }

  @Override
  public Integer reasonCode(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 8; depth++) {
      if (cause instanceof MQException mq) {
        return mq.getReason();
      }
      if (cause instanceof JmqiException jmqi) {
        return jmqi.getReason();
      }
      boolean linked = cause instanceof JMSException jms && jms.getLinkedException() != null;
      cause = linked ? ((JMSException) cause).getLinkedException() : cause.getCause();
    }
    return null;
  }

  @Override
  public Map<String, String> encryption(Connection connection) {
    return sockets == null ? null : sockets.negotiated();
  }

  /** The factory as the options made it. */
  MQConnectionFactory factory() {
    return factory;
  }

  private static String version() {
    String version = MQConnectionFactory.class.getPackage().getImplementationVersion();
    return version == null ? "of unknown version" : version;
  }
}
