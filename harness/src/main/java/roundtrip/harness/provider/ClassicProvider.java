package roundtrip.harness.provider;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQConnectionMetaData;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.tls.TlsSettings;

/** Apache ActiveMQ Classic through its own (OpenWire) protocol. */
public final class ClassicProvider implements Provider {
  private final ActiveMQConnectionFactory factory;
  private final Credentials credentials;
  private final String url;

  /**
   * Prepares the client.
   *
   * @param url a URL as the Classic client takes it, such as {@code tcp://host:61616}
   * @param tls must be null: encryption is set up in the URL
   */
  public ClassicProvider(String url, Credentials credentials, TlsSettings tls)
      throws UsageException {
    if (tls != null) {
      throw new UsageException("the TLS options are for the other providers, not for classic");
    }
    this.url = url;
    this.credentials = credentials;
    try {
      factory = new ActiveMQConnectionFactory(url);
    } catch (RuntimeException malformed) {
      throw new UsageException(
          "the Classic client takes URLs such as tcp://host:61616, not "
              + Urls.withoutSecrets(url));
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
    facts.put("provider", "classic");
    facts.put("client", "activemq-client " + ActiveMQConnectionMetaData.PROVIDER_VERSION);
    facts.put("url", Urls.withoutSecrets(url));
    facts.put("queue_prefetch", String.valueOf(factory.getPrefetchPolicy().getQueuePrefetch()));
    return facts;
  }
}
