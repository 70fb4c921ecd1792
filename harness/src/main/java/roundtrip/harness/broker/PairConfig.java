package roundtrip.harness.broker;

import java.util.List;
import java.util.Map;
import roundtrip.harness.cli.UsageException;

/**
 * The part of one broker in a pair of which one serves and the other stands by.
 *
 * @param primary whether it serves first; otherwise it takes over when the other is lost
 * @param replicated whether the recovery log is copied to the backup; otherwise both use one store
 * @param group brokers of one group belong together
 * @param port where this broker takes connections of the other
 * @param announced where the other finds this one: its own port, or that of a link before it
 * @param peer where this broker looks for the other; null for a primary, which is found
 * @param peerHost address of the other; null where both have one
 * @param tls encryption between the two; null for none
 */
record PairConfig(
    boolean primary,
    boolean replicated,
    String group,
    int port,
    int announced,
    Integer peer,
    String peerHost,
    BrokerConfig.Tls tls) {

  /** Reads it; null when the broker is to be alone. */
  static PairConfig parse(ConfigReader reader, Map<String, String> environment)
      throws UsageException {
    if (reader == null) {
      return null;
    }
    boolean primary = "primary".equals(need(reader, "role", List.of("primary", "backup")));
    boolean replicated =
        "replicated".equals(need(reader, "store", List.of("replicated", "shared")));
    String group = reader.text("group", "pair");
    int port = needPort(reader, "port");
    Long announced = reader.whole("announced_port", 1, 65535);
    Long peer = reader.whole("peer_port", 1, 65535);
    if (!primary && peer == null) {
      throw new UsageException("the broker's configuration lacks pair.peer_port of a backup");
    }
    String peerHost = reader.text("peer_host", null);
    BrokerConfig.Tls tls = BrokerConfig.tls(reader.object("tls"), environment);
    if (tls != null && tls.truststore() == null) {
      throw new UsageException(
          "the broker's configuration lacks pair.tls.truststore: the two trust each other by it");
    }
    reader.finish();
    return new PairConfig(
        primary, replicated, group, port, announced == null ? port : announced.intValue(),
        peer == null ? null : peer.intValue(), peerHost, tls);
  }

  private static String need(ConfigReader reader, String key, List<String> allowed)
      throws UsageException {
    reader.needText(key);
    return reader.choice(key, null, allowed);
  }

  private static int needPort(ConfigReader reader, String key) throws UsageException {
    Long port = reader.whole(key, 1, 65535);
    if (port == null) {
      throw new UsageException("the broker's configuration lacks pair." + key);
    }
    return port.intValue();
  }
}
