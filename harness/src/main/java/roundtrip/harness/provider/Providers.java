package roundtrip.harness.provider;

import java.util.Map;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.tls.TlsSettings;

/** Chooses the client library that the options name. */
public final class Providers {
  private Providers() {}

  /** Makes the provider; nothing is connected yet. */
  public static Provider of(Parsed options, Map<String, String> environment)
      throws UsageException {
    Credentials credentials =
        Credentials.find(options.text("user"), options.text("password-file"), environment);
    TlsSettings tls = TlsSettings.of(options, environment);
    String name = options.text("provider");
    String url = options.text("url");
    if (name.equals("ibmmq")) {
      if (url != null) {
        throw new UsageException("IBM MQ has no URL: use -jh, -jp, -jc and -jb, or --ccdt");
      }
      return new IbmMqProvider(options, credentials, tls);
    }
    if (url == null) {
      throw new UsageException("--url is missing: where is the broker?");
    }
    return switch (name) {
      case "amqp" -> new AmqpProvider(url, credentials, tls);
      case "classic" -> new ClassicProvider(url, credentials, tls);
      default -> new ArtemisProvider(url, credentials, tls);
    };
  }
}
