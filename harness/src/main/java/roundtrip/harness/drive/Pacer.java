package roundtrip.harness.drive;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * When the next exchange of a thread begins.
 *
 * <p>Closed loop: at once. Open loop: at moments fixed in advance, evenly spread over the threads.
 * A thread that is behind begins at once, and its time counts from the intended moment, so that a
 * stall is seen by all exchanges that it delays and not by one (no coordinated omission; as wrk2).
 */
final class Pacer {
  /** A sleeping thread looks this often whether the run is over. */
  private static final long LONGEST_SLEEP = 100_000_000L;

  private final double period;
  private final BooleanSupplier stopped;
  private double next;
  private long usualOversleep = 50_000;

  /**
   * @param rate exchanges per second of all threads; 0 for a closed loop
   * @param thread which thread, from 0
   * @param threads how many there are
   * @param stopped whether the run is over
   */
  Pacer(double rate, int thread, int threads, BooleanSupplier stopped) {
    this.period = rate > 0 ? 1e9 * threads / rate : 0;
    this.next = period * thread / threads;
    this.stopped = stopped;
  }

  /** Sets the moment from which the schedule counts. */
  void startAt(long nanoTime) {
    next += nanoTime;
  }

  /** Waits for the next moment and returns it, by {@link System#nanoTime}. */
  long await() {
    if (period == 0) {
      return System.nanoTime();
    }
    long intended = (long) next;
    sleepUntil(intended);
    next += period;
    return intended;
  }

  /** How many exchanges should have begun by now and have not. */
  long behind(long now) {
    return period == 0 || next > now ? 0 : (long) ((now - next) / period) + 1;
  }

  /**
   * Sleeps a little less than asked, since the system wakes a thread late by an amount that hardly
   * varies, and spins the rest: otherwise that delay would be counted as the broker's.
   */
  private void sleepUntil(long moment) {
    long left = moment - System.nanoTime();
    while (left > usualOversleep && !stopped.getAsBoolean()) {
      long asked = Math.min(left - usualOversleep, LONGEST_SLEEP);
      long before = System.nanoTime();
      LockSupport.parkNanos(asked);
      long oversleep = System.nanoTime() - before - asked;
      if (oversleep > 0 && oversleep < 1_000_000) {
        usualOversleep += (oversleep - usualOversleep) / 8;
      }
      left = moment - System.nanoTime();
    }
    while (System.nanoTime() < moment && !stopped.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }
}
