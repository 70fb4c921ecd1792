package roundtrip.harness.proxy;

/**
 * One direction of the link: all connections share its bandwidth, and everything arrives after the
 * same delay. Used by one thread only.
 */
final class Direction {
  /** A connection may have this much on its way at any rate, as a socket buffer would. */
  private static final long LEAST_CAPACITY = 4 << 20;

  private final long delayNanos;
  private final double nanosPerByte;
  private final long mostHeld;
  private long freeAt = Long.MIN_VALUE;
  private long held;
  private volatile long bytes;

  /**
   * @param delayMillis how long everything takes to cross
   * @param megabits bandwidth in 10^6 bit/s; 0 for no limit
   * @param mostHeld bytes of memory that all connections together may take before senders are held
   *     back
   */
  Direction(double delayMillis, double megabits, long mostHeld) {
    delayNanos = (long) (delayMillis * 1e6);
    nanosPerByte = megabits > 0 ? 8e3 / megabits : 0;
    this.mostHeld = mostHeld;
  }

  /** Whether it neither delays nor limits, so that data can pass at once. */
  boolean isTransparent() {
    return delayNanos == 0 && nanosPerByte == 0;
  }

  /** Puts data on the link and returns the moment at which its last byte arrives. */
  long arrival(int length, long now) {
    count(length);
    long begin = freeAt == Long.MIN_VALUE ? now : Math.max(now, freeAt);
    freeAt = begin + (long) (length * nanosPerByte);
    return freeAt + delayNanos;
  }

  /** Counts data that passes at once; only one thread writes the counter. */
  void count(int length) {
    bytes = bytes + length;
  }

  long bytes() {
    return bytes;
  }

  /** Notes memory that is taken, or given back where it is negative. */
  void hold(long memory) {
    held += memory;
  }

  /**
   * Whether a connection that has this much on its way may send more: not beyond what the link
   * itself holds, nor what there is memory for. One that has nothing on its way always may, since
   * nothing would wake it.
   */
  boolean takes(long waiting) {
    long capacity =
        nanosPerByte == 0
            ? Long.MAX_VALUE
            : Math.max(LEAST_CAPACITY, (long) (delayNanos / nanosPerByte));
    return waiting == 0 || (waiting < capacity && held < mostHeld);
  }
}
