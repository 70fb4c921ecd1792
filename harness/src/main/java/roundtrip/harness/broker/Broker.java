package roundtrip.harness.broker;

import com.google.gson.JsonObject;

/** A broker in this process, whichever product it is. */
interface Broker {
  /** Makes the product that the configuration names; nothing is started yet. */
  static Broker of(BrokerConfig config) {
    return switch (config.product()) {
      case ARTEMIS -> new EmbeddedBroker(config);
      case CLASSIC -> new ClassicBroker(config);
    };
  }

  /** Starts it and returns when it takes connections, or stands by for a primary. */
  void start() throws Exception;

  /** What is really in effect. */
  JsonObject effective();

  /** Where clients of the product's own protocol connect. */
  String url();

  /** Where clients in this process connect; null when it was not asked to take them. */
  String localUrl();

  /** Where AMQP clients connect; null when the broker does not speak AMQP. */
  String amqpUrl();

  /** Has something done when a backup has taken over. */
  default void whenItTakesOver(Runnable told) {}

  /** An event that says how many messages each queue holds now. */
  JsonObject depths();

  /** Stops it; false when that failed. */
  boolean stopQuietly();
}
