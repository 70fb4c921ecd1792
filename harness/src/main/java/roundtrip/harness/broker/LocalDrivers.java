package roundtrip.harness.broker;

/** Load drivers in the broker's own process: what programs with local bindings are to it. */
public interface LocalDrivers {
  /** Does what one line of standard input asks for. */
  void command(String line);

  /** Stops all that still run, and waits for their end. */
  void stop();
}
