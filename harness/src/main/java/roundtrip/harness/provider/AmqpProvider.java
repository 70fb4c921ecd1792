package roundtrip.harness.provider;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.transports.TransportOptions;
import org.apache.qpid.jms.transports.TransportSupport;
import org.apache.qpid.jms.util.PropertyUtil;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.tls.ObservedContext;
import roundtrip.harness.tls.TlsSettings;

/** Any broker that speaks AMQP 1.0, through Qpid JMS. */
public final class AmqpProvider implements Provider {
  private final JmsConnectionFactory factory;
  private final Credentials credentials;
  private final String url;
  private ObservedContext context;

  /**
   * @param url such as {@code amqp://host:5672} or, encrypted, {@code amqps://host:5671}
   * @param tls how to encrypt; null for what the URL says
   */
  public AmqpProvider(String url, Credentials credentials, TlsSettings tls) throws UsageException {
    if (!url.matches("(amqps?|amqpwss?|failover):.*")) {
      throw new UsageException("an AMQP URL begins with amqp:// or amqps://");
    }
    if (tls != null && !url.startsWith("amqps:")) {
      throw new UsageException("encrypted AMQP needs a URL that begins with amqps://");
    }
    this.url = url;
    this.credentials = credentials;
    factory = new JmsConnectionFactory(withParameters(url, tls));
    if (url.startsWith("amqps:")) {
      context = ObservedContext.around(tls == null ? contextOf(url) : tls.context());
      factory.setSslContext(context);
    }
  }

  /** The context that the client would make of the URL's parameters, to be able to observe it. */
  private static SSLContext contextOf(String url) throws UsageException {
    try {
      Map<String, String> parameters = PropertyUtil.parseQuery(new URI(url));
      TransportOptions options = new TransportOptions();
      PropertyUtil.setProperties(
          options, PropertyUtil.filterProperties(parameters, "transport."));
      return TransportSupport.createJdkSslContext(options);
    } catch (Exception unusable) { // it declares no other
      throw new UsageException("the URL's parameters make no TLS: " + unusable.getMessage());
    }
  }

  private static String withParameters(String url, TlsSettings tls) {
    StringBuilder text = new StringBuilder(url);
    if (tls != null) {
      add(text, "transport.enabledProtocols", String.join(",", tls.protocols()));
      add(text, "transport.enabledCipherSuites", String.join(",", tls.suites()));
    }
    return text.toString();
  }

  private static void add(StringBuilder url, String name, String value) {
    if (!value.isEmpty()) {
      url.append(url.indexOf("?") < 0 ? '?' : '&').append(name).append('=').append(value);
    }
  }

  @Override
  public Connection connect() throws JMSException {
    return credentials.user() == null
        ? factory.createConnection()
        : factory.createConnection(credentials.user(), credentials.password());
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("provider", "amqp");
    facts.put("url", Urls.withoutSecrets(url));
    return facts;
  }

  @Override
  public Map<String, String> encryption(Connection connection) {
    return context == null ? null : context.negotiated();
  }
}
