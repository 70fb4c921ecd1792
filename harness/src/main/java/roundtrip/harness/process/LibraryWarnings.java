package roundtrip.harness.process;

import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Keeps what the client libraries log out of the events, and remembers the latest failure among it.
 *
 * <p>Mostly their exceptions tell what matters. But the Artemis client only logs why a TLS
 * handshake failed, and then says that it cannot connect.
 */
public final class LibraryWarnings extends Handler {
  /** Loggers are kept only as long as someone holds them. */
  private static final Logger ROOT = Logger.getLogger("");

  private static final LibraryWarnings INSTANCE = new LibraryWarnings();

  private volatile Throwable latest;

  private LibraryWarnings() {}

  /** Takes the place of all other ways of logging. */
  public static void install() {
    LogManager.getLogManager().reset();
    ROOT.setLevel(Level.WARNING);
    ROOT.addHandler(INSTANCE);
  }

  /** Words for the failure that was logged last; empty when none was. */
  public static String latest(Function<Throwable, String> words) {
    Throwable failure = INSTANCE.latest;
    return failure == null ? "" : words.apply(failure);
  }

  @Override
  public void publish(LogRecord entry) {
    if (entry.getThrown() != null && entry.getLevel().intValue() >= Level.WARNING.intValue()) {
      latest = entry.getThrown();
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
