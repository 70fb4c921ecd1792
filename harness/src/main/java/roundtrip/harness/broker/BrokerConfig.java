package roundtrip.harness.broker;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import roundtrip.harness.cli.UsageException;

/**
 * What the embedded broker is asked to be. Null numbers leave the broker's own default, which is
 * reported with everything else that is in effect.
 */
record BrokerConfig(
    String name,
    String host,
    int port,
    Path data,
    Path log,
    boolean persistent,
    Journal journal,
    List<String> queues,
    Security security,
    Tls tls,
    boolean amqp,
    Address address,
    Product product,
    boolean local,
    List<Bridge> bridges,
    PairConfig pair,
    MirrorConfig mirror,
    Double reportDepthsSeconds) {

  /**
   * A way for messages of one queue to the queue of the same name of another broker.
   *
   * @param connections how many of them there are side by side
   */
  record Bridge(String queue, String host, int port, int connections) {}

  /** The recovery log. */
  record Journal(
      String type, boolean sync, boolean datasync, Long bufferTimeoutMicros, Long bufferBytes,
      Long fileBytes, Long minFiles, Long maxIo) {}

  /** Who may use the broker: one user, whose password is in an environment variable. */
  record Security(String user, String password) {
    @Override
    public String toString() {
      return "Security[user=" + user + "]";
    }
  }

  /** Encryption of the acceptor. */
  record Tls(
      List<String> protocols, List<String> suites, String keystore, String keystoreType,
      String password, boolean clientAuthentication, String truststore, String trustPassword) {
    @Override
    public String toString() {
      return "Tls[protocols=" + protocols + ", suites=" + suites + "]";
    }
  }

  /** Limits of all queues. */
  record Address(Long maxBytes, Long pageBytes, String fullPolicy, Long pageMessages) {}

  private static final List<String> PRODUCTS = List.of("artemis", "classic");
  private static final List<String> POLICIES = List.of("PAGE", "BLOCK", "FAIL", "DROP");

  /**
   * Reads a configuration.
   *
   * @param text a JSON object
   * @param environment where the passwords are
   */
  static BrokerConfig parse(String text, Map<String, String> environment) throws UsageException {
    JsonElement json;
    try {
      json = JsonParser.parseString(text);
    } catch (JsonParseException malformed) {
      throw new UsageException("the broker's configuration is not JSON");
    }
    if (!json.isJsonObject()) {
      throw new UsageException("the broker's configuration must be a JSON object");
    }
    ConfigReader reader = new ConfigReader(json.getAsJsonObject(), "");
    Long port = reader.whole("port", 0, 65535);
    Path data = Path.of(reader.needText("data")).toAbsolutePath().normalize();
    String log = reader.text("log", null);
    BrokerConfig config =
        new BrokerConfig(
            reader.text("name", "roundtrip"),
            reader.text("host", "127.0.0.1"),
            port == null ? 0 : port.intValue(),
            data,
            // Two brokers may share their data, but not their logs.
            log == null ? data.resolveSibling("broker.log") : Path.of(log).toAbsolutePath(),
            reader.flag("persistent", true),
            journal(reader.object("journal")),
            reader.texts("queues"),
            security(reader.object("security"), environment),
            tls(reader.object("tls"), environment),
            reader.flag("amqp", false),
            address(reader.object("address")),
            Product.valueOf(
                reader.choice("product", "artemis", PRODUCTS).toUpperCase(Locale.ROOT)),
            reader.flag("local", false),
            bridges(reader),
            PairConfig.parse(reader.object("pair"), environment),
            MirrorConfig.read(reader.object("mirror")),
            reader.decimal("report_depths_s", 0.05, 3600));
    reader.finish();
    if (config.pair() != null && !config.persistent()) {
      throw new UsageException("pair in the broker's configuration needs persistent: true");
    }
    if (config.product() == Product.CLASSIC) {
      ClassicSettings.check(config);
    }
    return config;
  }

  private static List<Bridge> bridges(ConfigReader reader) throws UsageException {
    List<Bridge> bridges = new ArrayList<>();
    for (ConfigReader each : reader.objects("bridges")) {
      Long port = each.whole("port", 1, 65535);
      if (port == null) {
        throw new UsageException("a bridge in the broker's configuration lacks port");
      }
      Long connections = each.whole("connections", 1, 1000);
      bridges.add(
          new Bridge(
              each.needText("queue"), each.text("host", "127.0.0.1"), port.intValue(),
              connections == null ? 1 : connections.intValue()));
      each.finish();
    }
    return bridges;
  }

  private static Journal journal(ConfigReader reader) throws UsageException {
    if (reader == null) {
      return new Journal("NIO", true, true, null, null, null, null, null);
    }
    Journal journal =
        new Journal(
            reader.choice("type", "NIO", List.of("NIO", "ASYNCIO", "MAPPED")),
            reader.flag("sync", true),
            reader.flag("datasync", true),
            reader.whole("buffer_timeout_us", 0, 10_000_000),
            reader.whole("buffer_bytes", 4096, 1 << 30),
            reader.whole("file_bytes", 1 << 16, 1 << 30),
            reader.whole("min_files", 2, 1000),
            reader.whole("max_io", 1, 100_000));
    reader.finish();
    return journal;
  }

  private static Security security(ConfigReader reader, Map<String, String> environment)
      throws UsageException {
    if (reader == null) {
      return null;
    }
    Security security =
        new Security(reader.needText("user"), secret(reader, "password_env", environment));
    reader.finish();
    return security;
  }

  static Tls tls(ConfigReader reader, Map<String, String> environment)
      throws UsageException {
    if (reader == null) {
      return null;
    }
    boolean authenticate = reader.flag("client_authentication", false);
    String truststore = reader.text("truststore", null);
    Tls tls =
        new Tls(
            reader.texts("protocols"),
            reader.texts("cipher_suites"),
            reader.needText("keystore"),
            reader.text("keystore_type", "PKCS12"),
            secret(reader, "keystore_password_env", environment),
            authenticate,
            truststore,
            truststore == null ? null : secret(reader, "truststore_password_env", environment));
    reader.text("truststore_password_env", null);
    reader.finish();
    return tls;
  }

  private static Address address(ConfigReader reader) throws UsageException {
    if (reader == null) {
      return new Address(null, null, "PAGE", null);
    }
    Address address =
        new Address(
            reader.whole("max_size_bytes", -1, Long.MAX_VALUE),
            reader.whole("page_size_bytes", 1 << 12, 1 << 30),
            reader.choice("full_policy", "PAGE", POLICIES),
            reader.whole("page_messages", 1, 10_000_000));
    reader.finish();
    return address;
  }

  private static String secret(ConfigReader reader, String key, Map<String, String> environment)
      throws UsageException {
    String variable = reader.needText(key);
    String value = environment.get(variable);
    if (value == null) {
      throw new UsageException(
          "%s names the environment variable %s, which is not set".formatted(key, variable));
    }
    return value;
  }
}
