package roundtrip.harness.payload;

import java.util.Locale;

/** Ways to compress a message, with the names that IBM MQ gives them for its channels. */
public enum Compression {
  /** As it is. */
  NONE,
  /** zlib at its fastest level. */
  ZLIBFAST,
  /** zlib at the level that takes away most. */
  ZLIBHIGH,
  /** LZ4. */
  LZ4FAST,
  /** LZ4 with its thorough search for repeats; unpacked in the same way. */
  LZ4HIGH;

  /** The names as options, separated by {@code |}. */
  public static final String WORDS = "none|zlibfast|zlibhigh|lz4fast|lz4high";

  /** The one that an option names. */
  public static Compression of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /** Whether it is one of zlib's. */
  boolean isZlib() {
    return this == ZLIBFAST || this == ZLIBHIGH;
  }
}
