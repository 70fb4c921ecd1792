package roundtrip.harness.broker;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.BridgeConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.amqpBrokerConnectivity.AMQPBrokerConnectConfiguration;
import org.apache.activemq.artemis.core.config.amqpBrokerConnectivity.AMQPBrokerConnectionElement;
import org.apache.activemq.artemis.core.config.amqpBrokerConnectivity.AMQPMirrorBrokerConnectionElement;
import org.apache.activemq.artemis.core.persistence.StorageManager;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.remoting.server.RemotingService;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.BrokerConnection;
import org.apache.activemq.artemis.core.server.JournalType;

/**
 * What is in effect, asked of the running server rather than of what it was told: a default may
 * differ, and an unavailable kind of journal is replaced silently.
 */
final class Effective {
  private static final Gson GSON = new Gson();

  private Effective() {}

  static JsonObject of(ActiveMQServer server, BrokerConfig config) {
    Configuration configuration = server.getConfiguration();
    JsonObject effective = new JsonObject();
    effective.addProperty("artemis", server.getVersion().getFullVersion());
    effective.addProperty("node_id", String.valueOf(server.getNodeID()));
    effective.addProperty("name", configuration.getName());
    effective.addProperty("persistent", configuration.isPersistenceEnabled());
    effective.addProperty("security", configuration.isSecurityEnabled());
    effective.addProperty("thread_pool", configuration.getThreadPoolMaxSize());
    effective.addProperty("global_max_bytes", configuration.getGlobalMaxSize());
    effective.addProperty("journal_class", journalClass(server));
    effective.add("journal", journal(configuration));
    effective.add("acceptor", acceptor(server, configuration));
    effective.add("bridges", bridges(configuration));
    if (config.pair() != null) {
      effective.add("pair", pair(server, configuration, config.pair()));
    }
    JsonArray mirrors = mirrors(server);
    if (!mirrors.isEmpty()) {
      effective.add("mirrors", mirrors);
    }
    if (server.getPostOffice() != null && server.isActive()) {
      effective.add("address", address(server));
      JsonArray queues = new JsonArray();
      server.getPostOffice().getAllBindings()
          .filter(LocalQueueBinding.class::isInstance)
          .map(binding -> String.valueOf(binding.getUniqueName())).sorted().forEach(queues::add);
      effective.add("queues", queues);
    }
    return effective;
  }

  private static String journalClass(ActiveMQServer server) {
    StorageManager storage = server.getStorageManager();
    // A replica writes the files of its primary's journal without having one of its own yet.
    return storage == null || storage.getMessageJournal() == null
        ? "none" : storage.getMessageJournal().getClass().getSimpleName();
  }

  /** The part in a pair: what the server has made of the policy, and whether both are in step. */
  private static JsonObject pair(
      ActiveMQServer server, Configuration configuration, PairConfig asked) {
    JsonObject pair = new JsonObject();
    pair.addProperty("policy", server.getHAPolicy().getClass().getSimpleName());
    pair.addProperty("role", server.getHAPolicy().isBackup() ? "backup" : "primary");
    pair.addProperty("shared_store", server.getHAPolicy().isSharedStore());
    pair.addProperty("active", server.isActive());
    if (server.getHAPolicy().isBackup()) {
      pair.addProperty("announced", Standby.isAnnounced(server));
    }
    if (asked.replicated() && server.getHAPolicy().isBackup()) {
      // A primary is in sync when a backup is, which starts after it.
      pair.addProperty("in_sync", server.isReplicaSync());
    }
    TransportConfiguration self = configuration.getConnectorConfigurations().get("self");
    pair.addProperty("announced_port", String.valueOf(self.getParams().get("port")));
    pair.addProperty("encrypted", self.getParams().get("sslEnabled") == Boolean.TRUE);
    return pair;
  }

  private static JsonObject journal(Configuration configuration) {
    boolean nio = configuration.getJournalType() != JournalType.ASYNCIO;
    JsonObject journal = new JsonObject();
    journal.addProperty("type", configuration.getJournalType().name());
    journal.addProperty("directory", configuration.getJournalDirectory());
    journal.addProperty("sync_transactional", configuration.isJournalSyncTransactional());
    journal.addProperty("sync_non_transactional", configuration.isJournalSyncNonTransactional());
    journal.addProperty("datasync", configuration.isJournalDatasync());
    journal.addProperty(
        "buffer_timeout_us",
        (nio
                ? configuration.getJournalBufferTimeout_NIO()
                : configuration.getJournalBufferTimeout_AIO())
            / 1000.0);
    journal.addProperty(
        "buffer_bytes",
        nio ? configuration.getJournalBufferSize_NIO() : configuration.getJournalBufferSize_AIO());
    journal.addProperty(
        "max_io", nio ? configuration.getJournalMaxIO_NIO() : configuration.getJournalMaxIO_AIO());
    journal.addProperty("file_bytes", configuration.getJournalFileSize());
    journal.addProperty("min_files", configuration.getJournalMinFiles());
    journal.addProperty("pool_files", configuration.getJournalPoolFiles());
    return journal;
  }

  private static JsonObject acceptor(ActiveMQServer server, Configuration configuration) {
    JsonObject acceptor = new JsonObject();
    for (TransportConfiguration each : configuration.getAcceptorConfigurations()) {
      if (each.getName().equals(ArtemisSettings.LOCAL)) {
        acceptor.addProperty("local", true);
        continue;
      }
      if (!each.getName().equals(ArtemisSettings.ACCEPTOR)) {
        continue;
      }
      Map<String, Object> parameters = new TreeMap<>(each.getCombinedParams());
      // Passwords stay where they came from.
      parameters.keySet().removeIf(key -> key.toLowerCase(Locale.ROOT).contains("password"));
      acceptor.add("parameters", GSON.toJsonTree(parameters));
    }
    NettyAcceptor running = acceptor(server);
    if (running != null) {
      acceptor.addProperty("port", running.getActualPort());
      acceptor.addProperty("threads", running.getRemotingThreads());
    }
    return acceptor;
  }

  /** The mirrors that run, with the queue of each and whether it is being sent. */
  private static JsonArray mirrors(ActiveMQServer server) {
    JsonArray mirrors = new JsonArray();
    for (BrokerConnection connection : server.getBrokerConnections()) {
      if (connection.getConfiguration() instanceof AMQPBrokerConnectConfiguration amqp) {
        for (AMQPBrokerConnectionElement element : amqp.getMirrors()) {
          AMQPMirrorBrokerConnectionElement mirror = (AMQPMirrorBrokerConnectionElement) element;
          JsonObject told = new JsonObject();
          told.addProperty("name", connection.getName());
          told.addProperty("url", amqp.getUri());
          told.addProperty("connected", connection.isConnected());
          told.addProperty("sync", mirror.isSync());
          told.addProperty("durable", mirror.isDurable());
          told.addProperty("acknowledgements", mirror.isMessageAcknowledgements());
          told.addProperty("queue_creation", mirror.isQueueCreation());
          told.addProperty("queue_removal", mirror.isQueueRemoval());
          told.addProperty("queue", String.valueOf(mirror.getMirrorSNF()));
          told.addProperty("retry_ms", amqp.getRetryInterval());
          told.addProperty("reconnect_attempts", amqp.getReconnectAttempts());
          mirrors.add(told);
        }
      }
    }
    return mirrors;
  }

  static NettyAcceptor acceptor(ActiveMQServer server) {
    RemotingService remoting = server.getRemotingService(); // a backup has none yet
    return remoting == null ? null
        : (NettyAcceptor) remoting.getAcceptor(ArtemisSettings.ACCEPTOR);
  }

  private static JsonArray bridges(Configuration configuration) {
    JsonArray bridges = new JsonArray();
    for (BridgeConfiguration each : configuration.getBridgeConfigurations()) {
      JsonObject bridge = new JsonObject();
      bridge.addProperty("queue", each.getQueueName());
      bridge.addProperty("connections", each.getConcurrency());
      bridge.addProperty("duplicate_detection", each.isUseDuplicateDetection());
      bridge.addProperty("confirmation_window_bytes", each.getConfirmationWindowSize());
      bridges.add(bridge);
    }
    return bridges;
  }

  private static JsonElement address(ActiveMQServer server) {
    String json = server.getAddressSettingsRepository().getMatch("ANY.QUEUE").toJSON();
    JsonObject all = JsonParser.parseString(json).getAsJsonObject();
    JsonObject sorted = new JsonObject();
    Set<String> keys = new TreeMap<>(all.asMap()).keySet();
    keys.forEach(key -> sorted.add(key, all.get(key)));
    return sorted;
  }
}
