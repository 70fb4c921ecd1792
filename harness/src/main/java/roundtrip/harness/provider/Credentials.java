package roundtrip.harness.provider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import roundtrip.harness.cli.UsageException;

/**
 * Who connects. The password comes from the environment or a file, never from the command line,
 * where every user of the machine can read it.
 *
 * @param user the user name; null to connect without one
 * @param password the password; null when there is none
 */
public record Credentials(String user, String password) {
  /** The environment variable that holds the password. */
  public static final String VARIABLE = "ROUNDTRIP_PASSWORD";

  /** … and the one that holds the user, where the command line does not name one. */
  public static final String USER_VARIABLE = "ROUNDTRIP_BROKER_USER";

  /** Finds the password of a user. */
  public static Credentials find(String named, String file, Map<String, String> environment)
      throws UsageException {
    String user = named == null ? environment.get(USER_VARIABLE) : named;
    if (user == null) {
      if (file != null) {
        throw new UsageException("a password file needs a user: -us NAME");
      }
      return new Credentials(null, null);
    }
    if (file == null) {
      return new Credentials(user, environment.get(VARIABLE));
    }
    try {
      return new Credentials(user, Files.readString(Path.of(file)).strip());
    } catch (IOException unreadable) {
      throw new UsageException("the password file cannot be read: " + file);
    }
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + "]";
  }
}
