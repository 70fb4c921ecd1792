package roundtrip.harness.provider;

import java.util.regex.Pattern;

/** Connection URLs as they may be shown. */
public final class Urls {
  private static final Pattern USER = Pattern.compile("//[^/@?]*@");
  private static final Pattern HIDDEN =
      Pattern.compile(
          "(?i)([?&;](?:[^=&;]*(?:password|secret|token|passphrase)[^=&;]*"
              + "|[^=&;]*(?:path|location|user|username))=)[^&;)]*");
  private static final Pattern FILE = Pattern.compile("(?i)^file:.*");

  private Urls() {}

  /** Leaves out users, passwords and places of files. */
  public static String withoutSecrets(String url) {
    String bare = USER.matcher(url).replaceAll("//…@");
    return FILE.matcher(HIDDEN.matcher(bare).replaceAll("$1…")).replaceAll("…");
  }
}
