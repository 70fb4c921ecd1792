package roundtrip.harness.broker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.BridgeConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

/** Says to Artemis what a {@link BrokerConfig} asks for. */
final class ArtemisSettings {
  /** The name of the acceptor of the clients. */
  static final String ACCEPTOR = "clients";

  /** The name of the acceptor for clients in this process. */
  static final String LOCAL = "local";

  /** Number of the server for clients in this process: there is one server. */
  static final int LOCAL_SERVER = 0;

  private static final String ANY = "#";
  private static final long RETRY_MILLIS = 100;
  private static final String USERS = "users";

  private ArtemisSettings() {}

  static Configuration of(BrokerConfig config) throws Exception {
    ConfigurationImpl artemis = new ConfigurationImpl();
    artemis.setName(config.name());
    artemis.setPersistenceEnabled(config.persistent());
    // Nothing but what is asked for runs in the broker while it is measured.
    artemis.setJMXManagementEnabled(false);
    artemis.setMessageCounterEnabled(false);
    // A full disk is found by the run itself, which reports it; a percentage would stop at will.
    artemis.setMaxDiskUsage(-1);
    artemis.setBindingsDirectory(config.data().resolve("bindings").toString());
    artemis.setJournalDirectory(config.data().resolve("journal").toString());
    artemis.setPagingDirectory(config.data().resolve("paging").toString());
    artemis.setLargeMessagesDirectory(config.data().resolve("large-messages").toString());
    journal(config.journal(), artemis);
    artemis.addAcceptorConfiguration(acceptor(config));
    if (config.pair() != null) {
      PairSettings.add(config, artemis);
    }
    if (config.local()) {
      Map<String, Object> parameters = new HashMap<>();
      parameters.put(
          org.apache.activemq.artemis.core.remoting.impl.invm.TransportConstants
              .SERVER_ID_PROP_NAME,
          LOCAL_SERVER);
      artemis.addAcceptorConfiguration(
          new TransportConfiguration(InVMAcceptorFactory.class.getName(), parameters, LOCAL));
    }
    for (BrokerConfig.Bridge bridge : config.bridges()) {
      bridge(bridge, artemis);
    }
    artemis.addAddressSetting(ANY, address(config.address()));
    for (String queue : config.queues()) {
      artemis.addQueueConfiguration(
          QueueConfiguration.of(queue).setRoutingType(RoutingType.ANYCAST).setAutoCreated(false));
    }
    if (config.mirror() != null) {
      artemis.addAMQPConnection(config.mirror().connection());
    }
    artemis.setSecurityEnabled(config.security() != null);
    if (config.security() != null) {
      artemis.putSecurityRoles(ANY, Set.of(everything()));
    }
    return artemis;
  }

  /** The group that the user belongs to. */
  static String group() {
    return USERS;
  }

  private static void journal(BrokerConfig.Journal journal, ConfigurationImpl artemis) {
    artemis.setJournalType(JournalType.valueOf(journal.type()));
    artemis.setJournalSyncTransactional(journal.sync());
    artemis.setJournalSyncNonTransactional(journal.sync());
    artemis.setJournalDatasync(journal.datasync());
    if (journal.bufferTimeoutMicros() != null) {
      int nanos = (int) Math.min(Integer.MAX_VALUE, journal.bufferTimeoutMicros() * 1000);
      artemis.setJournalBufferTimeout_NIO(nanos);
      artemis.setJournalBufferTimeout_AIO(nanos);
    }
    if (journal.bufferBytes() != null) {
      artemis.setJournalBufferSize_NIO(journal.bufferBytes().intValue());
      artemis.setJournalBufferSize_AIO(journal.bufferBytes().intValue());
    }
    if (journal.fileBytes() != null) {
      artemis.setJournalFileSize(journal.fileBytes().intValue());
    }
    if (journal.minFiles() != null) {
      artemis.setJournalMinFiles(journal.minFiles().intValue());
    }
    if (journal.maxIo() != null) {
      artemis.setJournalMaxIO_NIO(journal.maxIo().intValue());
      artemis.setJournalMaxIO_AIO(journal.maxIo().intValue());
    }
  }

  /** Messages are kept until the other broker is there, and are passed on once. */
  private static void bridge(BrokerConfig.Bridge bridge, ConfigurationImpl artemis) {
    String connector = "to-" + bridge.host() + "-" + bridge.port();
    Map<String, Object> parameters = new HashMap<>();
    parameters.put(TransportConstants.HOST_PROP_NAME, bridge.host());
    parameters.put(TransportConstants.PORT_PROP_NAME, bridge.port());
    artemis.addConnectorConfiguration(
        connector,
        new TransportConfiguration(NettyConnectorFactory.class.getName(), parameters, connector));
    artemis.addBridgeConfiguration(
        new BridgeConfiguration()
            .setName("bridge-" + bridge.queue())
            .setQueueName(bridge.queue())
            .setForwardingAddress(bridge.queue())
            .setStaticConnectors(List.of(connector))
            .setConcurrency(bridge.connections())
            .setUseDuplicateDetection(true)
            .setInitialConnectAttempts(-1)
            .setReconnectAttempts(-1)
            .setRetryInterval(RETRY_MILLIS)
            .setMaxRetryInterval(RETRY_MILLIS));
  }

  private static TransportConfiguration acceptor(BrokerConfig config) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put(TransportConstants.HOST_PROP_NAME, config.host());
    parameters.put(TransportConstants.PORT_PROP_NAME, config.port());
    parameters.put(TransportConstants.PROTOCOLS_PROP_NAME, config.amqp() ? "CORE,AMQP" : "CORE");
    if (config.tls() != null) {
      parameters.putAll(encryption(config.tls()));
    }
    return new TransportConfiguration(NettyAcceptorFactory.class.getName(), parameters, ACCEPTOR);
  }

  /** Parameters of an encrypted acceptor or connector. */
  static Map<String, Object> encryption(BrokerConfig.Tls tls) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put(TransportConstants.SSL_ENABLED_PROP_NAME, true);
    parameters.put(TransportConstants.KEYSTORE_PATH_PROP_NAME, tls.keystore());
    parameters.put(TransportConstants.KEYSTORE_TYPE_PROP_NAME, tls.keystoreType());
    parameters.put(TransportConstants.KEYSTORE_PASSWORD_PROP_NAME, tls.password());
    parameters.put(TransportConstants.NEED_CLIENT_AUTH_PROP_NAME, tls.clientAuthentication());
    if (tls.truststore() != null) {
      parameters.put(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, tls.truststore());
      parameters.put(TransportConstants.TRUSTSTORE_TYPE_PROP_NAME, tls.keystoreType());
      parameters.put(TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME, tls.trustPassword());
    }
    if (!tls.protocols().isEmpty()) {
      parameters.put(
          TransportConstants.ENABLED_PROTOCOLS_PROP_NAME, String.join(",", tls.protocols()));
    }
    if (!tls.suites().isEmpty()) {
      parameters.put(
          TransportConstants.ENABLED_CIPHER_SUITES_PROP_NAME, String.join(",", tls.suites()));
    }
    return parameters;
  }

  private static AddressSettings address(BrokerConfig.Address address) {
    AddressSettings settings = new AddressSettings();
    settings.setAddressFullMessagePolicy(AddressFullMessagePolicy.valueOf(address.fullPolicy()));
    settings.setAutoCreateQueues(true);
    settings.setAutoCreateAddresses(true);
    // A queue that is empty between two runs must not vanish under a producer.
    settings.setAutoDeleteQueues(false);
    settings.setAutoDeleteAddresses(false);
    if (address.maxBytes() != null) {
      settings.setMaxSizeBytes(address.maxBytes());
    }
    if (address.pageMessages() != null) {
      settings.setMaxReadPageMessages(address.pageMessages().intValue());
    }
    if (address.pageBytes() != null) {
      settings.setPageSizeBytes(address.pageBytes().intValue());
    }
    return settings;
  }

  private static Role everything() {
    return new Role(USERS, true, true, true, true, true, true, true, true, true, true, true, true);
  }
}
