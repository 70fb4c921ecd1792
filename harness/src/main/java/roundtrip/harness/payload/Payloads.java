package roundtrip.harness.payload;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import roundtrip.harness.cli.UsageException;

/** Makes payloads: the same seed gives the same bytes on every machine. */
public final class Payloads {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final double AS_IT_COMES = 0.07;
  private static final int MOST_LETTERS = 1000;
  private static final int STEPS = 14;
  private static final int SAMPLE = 1 << 16;

  private Payloads() {}

  /**
   * Makes a payload.
   *
   * @param kind {@code json}, {@code random} or a file, which is repeated or cut to the size
   * @param bytes its size
   * @param compressibility the share that zlib should take away; NaN for what the kind has of
   *     itself. It is approached as far as the kind allows: text never gets below a quarter or so.
   * @param seed where the random parts come from
   */
  public static Payload make(String kind, int bytes, double compressibility, long seed)
      throws UsageException {
    boolean asked = !Double.isNaN(compressibility);
    if (kind.equals("json") || kind.equals("random")) {
      boolean text = kind.equals("json");
      double fresh = asked ? search(text, bytes, compressibility, seed) : text ? AS_IT_COMES : 1;
      return new Payload(kind, text ? json(bytes, fresh, seed) : binary(bytes, fresh, seed), seed);
    }
    if (asked) {
      throw new UsageException("a file has its own compressibility; leave --compressibility out");
    }
    return new Payload(Path.of(kind).getFileName().toString(), file(kind, bytes), seed);
  }

  /** Finds the share of fresh content whose compressibility comes closest: it falls steadily. */
  private static double search(boolean text, int bytes, double wanted, long seed) {
    int length = Math.min(bytes, SAMPLE);
    double low = 0;
    double high = 1;
    for (int step = 0; step < STEPS && length > 0; step++) {
      double middle = (low + high) / 2;
      byte[] sample = text ? json(length, middle, seed) : binary(length, middle, seed);
      double found = 1 - (double) Payload.deflated(sample, length) / length;
      if (found > wanted) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + high) / 2;
  }

  /** Blocks of fresh random bytes, each followed by zeros. */
  private static byte[] binary(int bytes, double fresh, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] content = new byte[bytes];
    byte[] block = new byte[256];
    int kept = (int) Math.round(fresh * block.length);
    for (int start = 0; start < bytes; start += block.length) {
      random.nextBytes(block);
      Arrays.fill(block, kept, block.length, (byte) 0);
      System.arraycopy(block, 0, content, start, Math.min(block.length, bytes - start));
    }
    return content;
  }

  /** Order records with the keys and words of business messages, and fresh letters in one field. */
  private static byte[] json(int bytes, double fresh, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int letters = (int) Math.round(fresh * MOST_LETTERS);
    StringBuilder text = new StringBuilder(bytes + 512).append("[\n");
    while (text.length() < bytes) {
      text.append("{\"order\":").append(fresh == 0 ? 100000 : 100000 + random.nextInt(900000));
      text.append(",\"customer\":{\"name\":\"Example Trading Company\",\"country\":\"DE\"}");
      text.append(",\"status\":\"CONFIRMED\",\"currency\":\"EUR\",\"amount\":");
      text.append(fresh == 0 ? 1000 : random.nextInt(1, 100000)).append(".00,\"reference\":\"");
      for (int i = 0; i < letters; i++) {
        text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
      text.append("\"},\n");
    }
    return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), bytes);
  }

  private static byte[] file(String name, int bytes) throws UsageException {
    byte[] content = new byte[bytes];
    try (var input = Files.newInputStream(Path.of(name))) {
      byte[] read = input.readNBytes(bytes);
      if (read.length == 0 && bytes > 0) {
        throw new UsageException("the payload file is empty: " + name);
      }
      for (int start = 0; start < bytes; start += read.length) {
        System.arraycopy(read, 0, content, start, Math.min(read.length, bytes - start));
      }
    } catch (IOException unreadable) {
      throw new UsageException(
          "the payload must be json, random or a file that can be read, not " + name);
    }
    return content;
  }
}
