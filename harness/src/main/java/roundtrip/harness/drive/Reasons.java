package roundtrip.harness.drive;

import jakarta.jms.JMSException;
import java.util.LinkedHashSet;
import java.util.Set;
import roundtrip.harness.process.LibraryWarnings;
import roundtrip.harness.provider.Urls;

/** Failures in words: a client library often puts the cause two exceptions deep. */
public final class Reasons {
  private static final int MOST = 1000;

  private Reasons() {}

  /** Why there is no connection: with what the client library only logs, such as TLS refused. */
  static String ofConnecting(Throwable failure) {
    String text = of(failure);
    String logged = LibraryWarnings.latest(Reasons::of);
    return logged.isEmpty() || text.contains(logged) ? text : text + "; its cause: " + logged;
  }

  /** The messages of a failure and of what caused it, each once, outermost first. */
  public static String of(Throwable failure) {
    Set<String> messages = new LinkedHashSet<>();
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 8; depth++) {
      String message = cause.getMessage();
      messages.add(message == null ? cause.getClass().getSimpleName() : message.strip());
      boolean linked = cause instanceof JMSException && cause.getCause() == null;
      cause = linked ? ((JMSException) cause).getLinkedException() : cause.getCause();
    }
    String text = Urls.withoutSecrets(String.join("; caused by: ", messages));
    return text.length() > MOST ? text.substring(0, MOST) + "…" : text;
  }
}
