package roundtrip.harness.drive;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The longest time in which no thread completed an exchange: how long nobody was served.
 *
 * <p>Intervals alone would only show it to their own length.
 */
final class Gaps {
  private static final long NEVER = Long.MIN_VALUE;

  /** A time without a completed exchange, by {@link System#nanoTime}. */
  record Gap(long from, long to) {
    long nanos() {
      return to - from;
    }
  }

  private final AtomicLong last = new AtomicLong(NEVER);
  private volatile long longest;
  private Gap found;

  /** Notes that an exchange is complete. */
  void completed(long now) {
    // A thread that was held up after it took the time does not move it back.
    long before = last.getAndAccumulate(now, Math::max);
    if (before != NEVER && now - before > longest) {
      keep(new Gap(before, now));
    }
  }

  private synchronized void keep(Gap gap) {
    if (gap.nanos() > longest) {
      longest = gap.nanos();
      found = gap;
    }
  }

  /** Gives the longest gap that has ended since the last call; null when there was none. */
  synchronized Gap take() {
    Gap gap = found;
    found = null;
    longest = 0;
    return gap;
  }
}
