package roundtrip.harness.provider;

import java.util.regex.Pattern;

/** Connection URLs as they may be shown. */
public final class Urls {
  // To the last sign: a password may hold it, or others that should have been encoded.
  private static final Pattern USER = Pattern.compile("//\\S*@");
  // Behind the host, wherever clients look for options; a name that is encoded hides something.
  private static final Pattern HIDDEN =
      Pattern.compile(
          "(?i)([?&;#/](?:[^=&;]*(?:passw|passphrase|pwd|secret|token|credential|%)[^=&;]*"
              + "|[^=&;]*(?:path|location|user|username))=)"
              + "(?:[^&;)]|;(?![^=&;]*=)|\\)(?![\\s?,;:#]|$))*");
  private static final Pattern FILE = Pattern.compile("(?i)^file:.*");

  private Urls() {}

  /** Leaves out users, passwords and places of files. */
  public static String withoutSecrets(String url) {
    String bare = USER.matcher(url).replaceAll("//…@");
    return FILE.matcher(HIDDEN.matcher(bare).replaceAll("$1…")).replaceAll("…");
  }
}
