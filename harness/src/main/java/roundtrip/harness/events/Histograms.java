package roundtrip.harness.events;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms as text: HdrHistogram's compressed V2 encoding in Base64, which every port reads. */
public final class Histograms {
  /** Significant decimal digits: 0.1 % of the value. */
  public static final int DIGITS = 3;

  /** Unit of the recorded values. */
  public static final String UNIT = "ns";

  private Histograms() {}

  /** Makes an empty histogram that grows as needed. */
  public static Histogram empty() {
    return new Histogram(DIGITS);
  }

  /** Encodes a histogram. */
  public static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  /** Decodes what {@link #encode} wrote. */
  public static Histogram decode(String text) throws DataFormatException {
    ByteBuffer buffer = ByteBuffer.wrap(Base64.getDecoder().decode(text));
    return Histogram.decodeFromCompressedByteBuffer(buffer, 0);
  }
}
