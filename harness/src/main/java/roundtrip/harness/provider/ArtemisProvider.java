package roundtrip.harness.provider;

import io.netty.handler.ssl.SslHandler;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnection;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnection;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.utils.VersionLoader;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.tls.Negotiated;
import roundtrip.harness.tls.TlsSettings;

/** Apache Artemis through its own (Core) protocol. */
public final class ArtemisProvider implements Provider {
  private final ActiveMQConnectionFactory factory;
  private final Credentials credentials;
  private final String url;

  /**
   * @param url a URL as the Artemis client takes it, such as {@code tcp://host:61616}
   * @param tls how to encrypt; null for what the URL says
   */
  public ArtemisProvider(String url, Credentials credentials, TlsSettings tls)
      throws UsageException {
    this.url = url;
    this.credentials = credentials;
    try {
      this.factory = new ActiveMQConnectionFactory(url);
    } catch (RuntimeException malformed) {
      throw new UsageException(
          "the Artemis client takes URLs such as tcp://host:61616, not "
              + Urls.withoutSecrets(url));
    }
    if (tls != null) {
      // A wrong password would only show as a handshake that fails.
      tls.context();
      for (var transport : factory.getServerLocator().getStaticTransportConfigurations()) {
        encrypt(transport, tls);
      }
    }
  }

  /** Puts the settings beside those of the URL: a password in a URL would be shown with it. */
  private static void encrypt(TransportConfiguration transport, TlsSettings tls) {
    Map<String, Object> parameters = transport.getParams();
    parameters.put(TransportConstants.SSL_ENABLED_PROP_NAME, true);
    if (tls.trustStore() != null) {
      parameters.put(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, tls.trustStore());
      put(parameters, TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME, tls.trustPassword());
      parameters.put(TransportConstants.TRUSTSTORE_TYPE_PROP_NAME, storeType(tls.trustStore()));
    }
    if (tls.keyStore() != null) {
      parameters.put(TransportConstants.KEYSTORE_PATH_PROP_NAME, tls.keyStore());
      put(parameters, TransportConstants.KEYSTORE_PASSWORD_PROP_NAME, tls.keyPassword());
      parameters.put(TransportConstants.KEYSTORE_TYPE_PROP_NAME, storeType(tls.keyStore()));
    }
    if (!tls.protocols().isEmpty()) {
      parameters.put(
          TransportConstants.ENABLED_PROTOCOLS_PROP_NAME, String.join(",", tls.protocols()));
    }
    if (!tls.suites().isEmpty()) {
      parameters.put(
          TransportConstants.ENABLED_CIPHER_SUITES_PROP_NAME, String.join(",", tls.suites()));
    }
  }

  private static void put(Map<String, Object> parameters, String name, char[] password) {
    if (password != null) {
      parameters.put(name, new String(password));
    }
  }

  private static String storeType(String file) {
    return file.endsWith(".jks") ? "JKS" : "PKCS12";
  }

  @Override
  public Connection connect() throws JMSException {
    return credentials.user() == null
        ? factory.createConnection()
        : factory.createConnection(credentials.user(), credentials.password());
  }

  @Override
  public String duplicateMark() {
    return Message.HDR_DUPLICATE_DETECTION_ID.toString();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("provider", "artemis");
    facts.put("client", "artemis-jakarta-client " + VersionLoader.getVersion().getFullVersion());
    facts.put("url", Urls.withoutSecrets(url));
    return facts;
  }

  @Override
  public Map<String, String> encryption(Connection connection) {
    var session = ((ActiveMQConnection) connection).getInitialSession();
    var transport = ((ClientSessionInternal) session).getConnection().getTransportConnection();
    if (!(transport instanceof NettyConnection netty)) {
      return null;
    }
    SslHandler handler = netty.getNettyChannel().pipeline().get(SslHandler.class);
    return handler == null ? null : Negotiated.describe(handler.engine().getSession());
  }
}
