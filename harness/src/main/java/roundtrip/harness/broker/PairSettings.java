package roundtrip.harness.broker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.ClusterConnectionConfiguration;
import org.apache.activemq.artemis.core.config.HAPolicyConfiguration;
import org.apache.activemq.artemis.core.config.ha.ReplicaPolicyConfiguration;
import org.apache.activemq.artemis.core.config.ha.ReplicatedPolicyConfiguration;
import org.apache.activemq.artemis.core.config.ha.SharedStoreBackupPolicyConfiguration;
import org.apache.activemq.artemis.core.config.ha.SharedStorePrimaryPolicyConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.server.cluster.impl.MessageLoadBalancingType;

/** Says to Artemis what a {@link PairConfig} asks for. */
final class PairSettings {
  /** The acceptor of the other broker, apart from that of the clients. */
  static final String ACCEPTOR = "pair";

  private static final String SELF = "self";
  private static final String PEER = "peer";

  private PairSettings() {}

  /** Adds acceptor, connectors, cluster connection and policy. */
  static void add(BrokerConfig config, ConfigurationImpl artemis) {
    PairConfig pair = config.pair();
    artemis.addAcceptorConfiguration(
        new TransportConfiguration(
            NettyAcceptorFactory.class.getName(), acceptor(config.host(), pair), ACCEPTOR));
    artemis.addConnectorConfiguration(SELF, connector(config.host(), pair.announced(), pair, SELF));
    ClusterConnectionConfiguration cluster =
        new ClusterConnectionConfiguration()
            .setName(pair.group())
            .setConnectorName(SELF)
            .setMessageLoadBalancingType(MessageLoadBalancingType.OFF)
            .setReconnectAttempts(-1)
            .setRetryInterval(100)
            .setStaticConnectors(List.of());
    if (pair.peer() != null) {
      String host = pair.peerHost() == null ? config.host() : pair.peerHost();
      artemis.addConnectorConfiguration(PEER, connector(host, pair.peer(), pair, PEER));
      cluster.setStaticConnectors(List.of(PEER));
    }
    artemis.addClusterConfiguration(cluster);
    artemis.setClusterUser("pair");
    artemis.setClusterPassword("pair");
    artemis.setHAPolicyConfiguration(policy(pair));
  }

  private static HAPolicyConfiguration policy(PairConfig pair) {
    if (pair.replicated() && pair.primary()) {
      return new ReplicatedPolicyConfiguration()
          .setGroupName(pair.group())
          .setCheckForActiveServer(false)
          .setVoteOnReplicationFailure(false);
    }
    if (pair.replicated()) {
      return new ReplicaPolicyConfiguration()
          .setGroupName(pair.group())
          .setMaxSavedReplicatedJournalsSize(0)
          .setRestartBackup(false)
          .setAllowFailBack(false);
    }
    if (pair.primary()) {
      return new SharedStorePrimaryPolicyConfiguration().setFailoverOnServerShutdown(false);
    }
    return new SharedStoreBackupPolicyConfiguration()
        .setRestartBackup(false)
        .setAllowFailBack(false);
  }

  private static Map<String, Object> acceptor(String host, PairConfig pair) {
    Map<String, Object> parameters = address(host, pair.port());
    parameters.put(TransportConstants.PROTOCOLS_PROP_NAME, "CORE");
    if (pair.tls() != null) {
      parameters.putAll(ArtemisSettings.encryption(pair.tls()));
    }
    return parameters;
  }

  private static TransportConfiguration connector(
      String host, int port, PairConfig pair, String name) {
    Map<String, Object> parameters = address(host, port);
    BrokerConfig.Tls tls = pair.tls();
    if (tls != null) {
      parameters.putAll(ArtemisSettings.encryption(tls));
      // The acceptor's key is this broker's; as a client it only has to trust.
      parameters.remove(TransportConstants.NEED_CLIENT_AUTH_PROP_NAME);
      // The key is made for the run and named by the trust store: the name in it proves nothing.
      parameters.put(TransportConstants.VERIFY_HOST_PROP_NAME, false);
    }
    return new TransportConfiguration(NettyConnectorFactory.class.getName(), parameters, name);
  }

  private static Map<String, Object> address(String host, int port) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put(TransportConstants.HOST_PROP_NAME, host);
    parameters.put(TransportConstants.PORT_PROP_NAME, port);
    return parameters;
  }
}
