package roundtrip.harness.tls;

import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import roundtrip.harness.cli.Nearest;
import roundtrip.harness.cli.Option;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;

/**
 * How a client encrypts: stores by path, their passwords from the environment.
 *
 * @param trustStore whom to trust; null for whom Java trusts
 * @param keyStore the client's own certificate; null for none
 * @param protocols enabled protocols; empty for Java's default
 * @param suites enabled cipher suites; empty for Java's default
 */
public record TlsSettings(
    String trustStore,
    char[] trustPassword,
    String keyStore,
    char[] keyPassword,
    List<String> protocols,
    List<String> suites) {
  /** Environment variables that hold the passwords of the stores. */
  public static final String TRUST_VARIABLE = "ROUNDTRIP_TRUST_STORE_PASSWORD";

  public static final String KEY_VARIABLE = "ROUNDTRIP_KEY_STORE_PASSWORD";

  /** The options that this reads. */
  public static Option[] options() {
    return new Option[] {
      Option.flag("tls", null, "encrypt; any of the following options turns it on as well"),
      Option.text(
          "trust-store", "ts", "FILE", null,
          "certificates to trust; password in " + TRUST_VARIABLE),
      Option.text("key-store", "kr", "FILE", null, "own certificate; password in " + KEY_VARIABLE),
      Option.text("tls-protocols", "tp", "LIST", null, "enabled protocols, separated by commas"),
      Option.text("cipher-suites", "cs", "LIST", null, "enabled suites, separated by commas"),
    };
  }

  /** Reads the options; null when none of them is given. */
  public static TlsSettings of(Parsed options, Map<String, String> environment)
      throws UsageException {
    boolean any = options.flag("tls");
    for (Option option : options()) {
      any |= option.kind() != Option.Kind.FLAG && options.isGiven(option.longName());
    }
    if (!any) {
      return null;
    }
    TlsSettings settings =
        new TlsSettings(
            options.text("trust-store"),
            password(environment, TRUST_VARIABLE),
            options.text("key-store"),
            password(environment, KEY_VARIABLE),
            list(options.text("tls-protocols")),
            list(options.text("cipher-suites")));
    settings.check();
    return settings;
  }

  /** Refuses protocols and suites that this Java does not have; they would be left out silently. */
  private void check() throws UsageException {
    try {
      var supported = SSLContext.getDefault().getSupportedSSLParameters();
      known("protocol", protocols, List.of(supported.getProtocols()));
      known("cipher suite", suites, List.of(supported.getCipherSuites()));
    } catch (GeneralSecurityException noTls) {
      throw new UsageException("this Java has no TLS: " + noTls.getMessage());
    }
  }

  private static void known(String what, List<String> names, List<String> known)
      throws UsageException {
    for (String name : names) {
      if (!known.contains(name)) {
        throw new UsageException(
            "this Java has no %s called '%s'%s".formatted(what, name, Nearest.hint(name, known)));
      }
    }
  }

  /** A context with the stores. */
  public SSLContext context() throws UsageException {
    try {
      TrustManager[] trust = null;
      if (trustStore != null) {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(load(trustStore, trustPassword, TRUST_VARIABLE));
        trust = factory.getTrustManagers();
      }
      KeyManager[] keys = null;
      if (keyStore != null) {
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(load(keyStore, keyPassword, KEY_VARIABLE), keyPassword);
        keys = factory.getKeyManagers();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException unusable) {
      throw new UsageException("the key stores cannot be used: " + unusable.getMessage());
    }
  }

  private static KeyStore load(String file, char[] password, String variable)
      throws UsageException, GeneralSecurityException {
    try {
      return KeyStore.getInstance(new File(file), password);
    } catch (IOException unreadable) {
      throw new UsageException(
          "the store %s cannot be read (its password is expected in %s): %s"
              .formatted(file, variable, unreadable.getMessage()));
    }
  }

  private static char[] password(Map<String, String> environment, String variable) {
    String value = environment.get(variable);
    return value == null ? null : value.toCharArray();
  }

  private static List<String> list(String text) {
    return text == null
        ? List.of()
        : Arrays.stream(text.split(","))
            .map(String::strip)
            .filter(each -> !each.isEmpty())
            .toList();
  }

  @Override
  public String toString() {
    return "TlsSettings[protocols=" + protocols + ", suites=" + suites + "]";
  }
}
