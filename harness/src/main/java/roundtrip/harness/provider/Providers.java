package roundtrip.harness.provider;

import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;

/** Chooses the client library that the options name. */
public final class Providers {
  private Providers() {}

  /** Makes the provider; nothing is connected yet. */
  public static Provider of(Parsed options, Credentials credentials) throws UsageException {
    String name = options.text("provider");
    String url = options.text("url");
    if (url == null && !name.equals("ibmmq")) {
      throw new UsageException("--url is missing: where is the broker?");
    }
    return switch (name) {
      case "artemis" -> new ArtemisProvider(url, credentials);
      default -> throw new UsageException("provider " + name + " is not there yet");
    };
  }
}
