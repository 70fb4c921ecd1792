package roundtrip.harness.payload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Instant;

/**
 * The first bytes of every message: which message this is.
 *
 * <p>A requester knows by it that a reply answers this very request and not an earlier one, a
 * receiver finds gaps and repeats, and no header field is spent, which would cost differently on
 * each product. Layout, big-endian: sequence number (8 bytes), sender (8), time of sending in
 * microseconds since 1970 (8).
 */
public final class Stamp {
  /** Its length; shorter messages go without. */
  public static final int BYTES = 24;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Stamp() {}

  /** Whether messages of this size carry a stamp. */
  public static boolean fits(int messageBytes) {
    return messageBytes >= BYTES;
  }

  /** The time of day in microseconds since 1970. */
  public static long nowMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
  }

  /** Writes a stamp over the first bytes. */
  public static void write(byte[] content, long sequence, long sender, long sentMicros) {
    LONGS.set(content, 0, sequence);
    LONGS.set(content, 8, sender);
    LONGS.set(content, 16, sentMicros);
  }

  /** The sequence number. */
  public static long sequence(byte[] content) {
    return (long) LONGS.get(content, 0);
  }

  /** Who sent the message: the process in the upper half, its thread in the lower one. */
  public static long sender(byte[] content) {
    return (long) LONGS.get(content, 8);
  }

  /** When it was sent, in microseconds since 1970. */
  public static long sentMicros(byte[] content) {
    return (long) LONGS.get(content, 16);
  }
}
