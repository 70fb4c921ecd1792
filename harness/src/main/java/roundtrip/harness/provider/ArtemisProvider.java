package roundtrip.harness.provider;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.utils.VersionLoader;

/** Apache Artemis through its own (Core) protocol. */
public final class ArtemisProvider implements Provider {
  private final ActiveMQConnectionFactory factory;
  private final Credentials credentials;
  private final String url;

  /** @param url a URL as the Artemis client takes it, such as {@code tcp://host:61616} */
  public ArtemisProvider(String url, Credentials credentials) {
    this.url = url;
    this.credentials = credentials;
    this.factory = new ActiveMQConnectionFactory(url);
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
    facts.put("provider", "artemis");
    facts.put("client", "artemis-jakarta-client " + VersionLoader.getVersion().getFullVersion());
    facts.put("url", Urls.withoutSecrets(url));
    return facts;
  }
}
