package roundtrip.harness.broker;

import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** Says in one sentence why a broker did not start. */
final class StartFailure {
  private StartFailure() {}

  static String explain(Throwable failure, BrokerConfig config) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return "port %d of %s cannot be used: %s"
            .formatted(config.port(), config.host(), cause.getMessage());
      }
      if (cause instanceof AccessDeniedException) {
        return "the folder cannot be written: " + cause.getMessage();
      }
      if (cause instanceof FileSystemException) {
        return "the folder cannot be used: " + cause.getMessage();
      }
    }
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return "the broker did not start: " + root;
  }
}
