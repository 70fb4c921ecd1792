package roundtrip.harness.drive;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import roundtrip.harness.events.Histograms;

/**
 * Records the time of every exchange, without locks and without allocation.
 *
 * <p>Threads share a few recorders: one each would cost 300 kB a thread, and the atomic addition of
 * a shared one costs nanoseconds.
 */
final class Latencies {
  private static final int STRIPES = 16;
  private final Recorder[] recorders;

  /** Given back for the next interval: a new one would have to grow while it records. */
  private final Histogram[] used;

  Latencies(int threads) {
    recorders = new Recorder[Math.min(threads, STRIPES)];
    used = new Histogram[recorders.length];
    for (int i = 0; i < recorders.length; i++) {
      recorders[i] = new Recorder(Histograms.DIGITS);
    }
  }

  /** The recorder of a thread. */
  Recorder of(int thread) {
    return recorders[thread % recorders.length];
  }

  /** Takes what was recorded since the last call. */
  Histogram take() {
    Histogram all = Histograms.empty();
    for (int i = 0; i < recorders.length; i++) {
      used[i] = recorders[i].getIntervalHistogram(used[i]);
      all.add(used[i]);
    }
    return all;
  }
}
