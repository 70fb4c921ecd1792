package roundtrip.harness.broker;

import java.net.URI;
import java.net.URISyntaxException;
import org.apache.activemq.artemis.core.config.amqpBrokerConnectivity.AMQPBrokerConnectConfiguration;
import org.apache.activemq.artemis.core.config.amqpBrokerConnectivity.AMQPMirrorBrokerConnectionElement;
import roundtrip.harness.cli.UsageException;

/**
 * A second broker that gets a copy of everything: messages, their removal, and the queues.
 *
 * @param name of the connection; its queue of what has still to be copied is named after it
 * @param url where the second broker is, {@code tcp://host:port}
 * @param sync whether whoever sends, consumes or commits waits for the second broker
 * @param retryMillis pause before a lost connection is tried again
 * @param connectSeconds how long the first connection may take
 */
record MirrorConfig(String name, String url, boolean sync, int retryMillis, int connectSeconds) {

  /** Reads it; null when there is no mirror. */
  static MirrorConfig read(ConfigReader reader) throws UsageException {
    if (reader == null) {
      return null;
    }
    Long retry = reader.whole("retry_ms", 1, 600_000);
    Long connect = reader.whole("connect_timeout_s", 1, 3600);
    MirrorConfig mirror =
        new MirrorConfig(
            reader.text("name", "mirror"),
            reader.needText("url"),
            reader.flag("sync", false),
            retry == null ? 100 : retry.intValue(),
            connect == null ? 30 : connect.intValue());
    reader.finish();
    mirror.check();
    return mirror;
  }

  /** An address with parameters could carry a password, which would be reported. */
  private void check() throws UsageException {
    if (!name.matches("[A-Za-z0-9-]{1,40}")) {
      throw new UsageException("mirror.name must consist of letters, digits and hyphens");
    }
    try {
      URI uri = new URI(url);
      if ("tcp".equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() > 0
          && uri.getUserInfo() == null && uri.getQuery() == null) {
        return;
      }
    } catch (URISyntaxException noUri) {
      // Refused below.
    }
    throw new UsageException("mirror.url must be tcp://host:port");
  }

  /** Says it to Artemis. */
  AMQPBrokerConnectConfiguration connection() {
    AMQPMirrorBrokerConnectionElement element =
        new AMQPMirrorBrokerConnectionElement()
            .setDurable(true)
            .setQueueCreation(true)
            .setQueueRemoval(true)
            .setMessageAcknowledgements(true)
            .setSync(sync);
    return new AMQPBrokerConnectConfiguration(name, url)
        .setReconnectAttempts(-1)
        .setRetryInterval(retryMillis)
        .addElement(element);
  }
}
