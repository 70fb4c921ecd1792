package roundtrip.harness.broker;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.Map;

/** The embedded broker inside the test. */
public final class TestBroker implements AutoCloseable {
  private final Broker broker;

  /** Starts it; {@code more} is put into its configuration and may be empty. */
  public TestBroker(Path folder, String more, Map<String, String> environment) throws Exception {
    String data = new com.google.gson.JsonPrimitive(folder.resolve("data").toString()).toString();
    String text = "{\"data\":" + data + (more.isEmpty() ? "" : "," + more) + "}";
    broker = Broker.of(BrokerConfig.parse(text, environment));
    broker.start();
  }

  /** Starts it without secrets. */
  public TestBroker(Path folder, String more) throws Exception {
    this(folder, more, Map.of());
  }

  public String url() {
    return broker.url();
  }

  public String amqpUrl() {
    return broker.amqpUrl();
  }

  public String localUrl() {
    return broker.localUrl();
  }

  /** Messages on a queue. */
  public long depth(String queue) {
    return broker.depths().getAsJsonObject("queues").getAsJsonObject(queue).get("messages")
        .getAsLong();
  }

  public int port() {
    return effective().getAsJsonObject("acceptor").get("port").getAsInt();
  }

  public JsonObject effective() {
    return broker.effective();
  }

  public JsonObject depths() {
    return broker.depths();
  }

  @Override
  public void close() {
    broker.stopQuietly();
  }
}
