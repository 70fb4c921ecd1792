package roundtrip.harness.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Sends all that the broker logs to one file. */
final class BrokerLog {
  private static final String FORMAT = "%1$tFT%1$tT.%1$tL %4$s %3$s %5$s%6$s%n";

  /** Loggers are kept only as long as someone holds them. */
  private static final Logger ROOT = Logger.getLogger("");

  /**
   * Audit lines are written at the level of information, two or more for each message: a broker
   * that writes them is many times slower. Artemis as installed has them off, too.
   */
  private static final Logger AUDIT = Logger.getLogger("org.apache.activemq.audit");

  private BrokerLog() {}

  /** Adds to the file, so that what a broker said before a restart stays. */
  static void to(Path file) throws IOException {
    System.setProperty("java.util.logging.SimpleFormatter.format", FORMAT);
    LogManager.getLogManager().reset();
    // The pattern of a FileHandler gives % a meaning.
    FileHandler handler = new FileHandler(file.toString().replace("%", "%%"), true);
    handler.setFormatter(new SimpleFormatter());
    handler.setEncoding("UTF-8");
    ROOT.addHandler(handler);
    ROOT.setLevel(Level.INFO);
    AUDIT.setLevel(Level.OFF);
  }
}
