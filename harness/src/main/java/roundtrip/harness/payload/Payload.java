package roundtrip.harness.payload;

import java.util.zip.Deflater;

/**
 * The content that every message carries, made before the load starts so that making it costs
 * nothing while it is measured.
 *
 * @param kind {@code json}, {@code random} or the name of a file
 * @param content the bytes
 * @param seed the seed it was made from
 */
public record Payload(String kind, byte[] content, long seed) {
  /** At most this many bytes are compressed to find out how compressible the content is. */
  private static final int SAMPLE = 1 << 20;

  /**
   * How compressible the content really is: the share that zlib at its default level takes away,
   * 0 for none.
   */
  public double compressibility() {
    int length = Math.min(content.length, SAMPLE);
    return length == 0 ? 0 : Math.max(0, 1 - (double) deflated(content, length) / length);
  }

  /** Counts the bytes that zlib at its default level makes of the first {@code length} bytes. */
  static long deflated(byte[] content, int length) {
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(content, 0, length);
      deflater.finish();
      byte[] out = new byte[8192];
      long total = 0;
      while (!deflater.finished()) {
        total += deflater.deflate(out);
      }
      return total;
    } finally {
      deflater.end();
    }
  }
}
