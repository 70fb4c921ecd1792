package roundtrip.harness.broker;

/** The products that can be run inside the harness. */
enum Product {
  /** Apache Artemis. */
  ARTEMIS,
  /** Apache ActiveMQ Classic. */
  CLASSIC
}
