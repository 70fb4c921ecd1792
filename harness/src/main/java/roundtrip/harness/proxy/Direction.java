package roundtrip.harness.proxy;

/**
 * One direction of the link: all connections share its bandwidth, and everything arrives after the
 * same delay. Used by one thread only.
 */
final class Direction {
  private final long delayNanos;
  private final double nanosPerByte;
  private long freeAt = Long.MIN_VALUE;
  private volatile long bytes;

  /**
   * @param delayMillis how long everything takes to cross
   * @param megabits bandwidth in 10^6 bit/s; 0 for no limit
   */
  Direction(double delayMillis, double megabits) {
    delayNanos = (long) (delayMillis * 1e6);
    nanosPerByte = megabits > 0 ? 8e3 / megabits : 0;
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

  /** Data that may wait on the link before its sender is held back: what the link itself holds. */
  long capacity(long least) {
    return nanosPerByte == 0 ? Long.MAX_VALUE : Math.max(least, (long) (delayNanos / nanosPerByte));
  }
}
