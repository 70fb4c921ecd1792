package roundtrip.harness.provider;

import java.util.regex.Pattern;

/** Connection URLs as they may be shown. */
public final class Urls {
  private static final Pattern USER = Pattern.compile("//[^/@?]*@");
  private static final Pattern PASSWORD =
      Pattern.compile("(?i)([?&;][^=&;]*(?:password|secret|token|passphrase)[^=&;]*=)[^&;)]*");

  private Urls() {}

  /** Leaves out a user with a password, and parameters that hold one. */
  public static String withoutSecrets(String url) {
    String bare = USER.matcher(url).replaceAll("//…@");
    return PASSWORD.matcher(bare).replaceAll("$1…");
  }
}
