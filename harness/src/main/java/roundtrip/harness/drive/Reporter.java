package roundtrip.harness.drive;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import roundtrip.harness.drive.Counters.Count;
import roundtrip.harness.events.Events;
import roundtrip.harness.events.Histograms;
import roundtrip.harness.process.Shutdown;

/** Cuts the run into intervals and says what happened in each, and in the end in all of it. */
final class Reporter implements AutoCloseable {
  /** Below this, what is left of a phase is a rounding error and not an interval. */
  private static final double SHORTEST = 1e-6;

  private final Run run;
  private final Shutdown shutdown;

  /** Given back for the next interval: a new one would have to grow while it records. */
  private Histogram used;

  private final Histogram measured = Histograms.empty();
  private final PrintStream logFile;
  private final HistogramLogWriter log;
  private double measuredSeconds;
  private long measuredRoundTrips;
  private Map<Count, Long> before;
  private long missingBefore;
  private long started;
  private long cut;

  /** @param logFile where the intervals go as a HdrHistogram log; null for nowhere */
  Reporter(Run run, Shutdown shutdown, Path logFile) throws IOException {
    this.run = run;
    this.shutdown = shutdown;
    this.before = run.counters.snapshot();
    this.logFile =
        logFile == null ? null : new PrintStream(logFile.toFile(), StandardCharsets.UTF_8);
    this.log = logFile == null ? null : new HistogramLogWriter(this.logFile);
  }

  /** Reports from the start of the load until its end. */
  void report(long startNanos) throws InterruptedException {
    started = startNanos;
    cut = startNanos;
    if (log != null) {
      long now = System.currentTimeMillis();
      log.outputComment("[Latencies " + run.settings.role().latency() + ", in nanoseconds]");
      log.outputLogFormatVersion();
      log.outputStartTime(now);
      log.setBaseTime(now);
      log.outputLegend();
    }
    Settings settings = run.settings;
    phase("warm-up", settings.warmUpSeconds());
    double length = settings.runSeconds() > 0 ? settings.runSeconds() : Double.MAX_VALUE;
    phase("measure", length);
  }

  private void phase(String name, double seconds) throws InterruptedException {
    double interval = run.settings.intervalSeconds();
    long begin = cut;
    for (int i = 1; !shutdown.isAsked() && (i - 1) * interval < seconds - SHORTEST; i++) {
      long end = begin + (long) (Math.min(i * interval, seconds) * 1e9);
      shutdown.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      interval(name);
    }
  }

  private void interval(String phase) {
    // All are cut together; taking the histogram may wait for threads, but after its cut.
    Map<Count, Long> counts = run.counters.snapshot();
    long nowMillis = System.currentTimeMillis();
    long now = System.nanoTime();
    used = run.latencies.getIntervalHistogram(used);
    Histogram histogram = used;
    double length = (now - cut) / 1e9;
    long roundTrips =
        run.isTimed()
            ? histogram.getTotalCount()
            : counts.get(Count.RECEIVED) - before.get(Count.RECEIVED);
    JsonObject event = Events.event("interval");
    event.addProperty("t_ms", nowMillis);
    event.addProperty("id", run.name);
    event.addProperty("elapsed_s", (now - started) / 1e9);
    event.addProperty("length_s", length);
    event.addProperty("phase", phase);
    event.addProperty("threads", run.active.get());
    event.addProperty("round_trips", roundTrips);
    event.addProperty("rate", roundTrips / length);
    Counters.describe(event, counts, before);
    long missing = run.missing();
    event.addProperty("lost", missing - missingBefore);
    missingBefore = missing;
    if (run.settings.rate() > 0) {
      event.addProperty("behind", run.behind(now));
    }
    describe(run.gaps.take(), now, nowMillis, event);
    event.addProperty("latency_unit", Histograms.UNIT);
    event.addProperty("histogram", Histograms.encode(histogram));
    if (!run.events.write(event)) {
      shutdown.ask("nobody reads the output");
    }
    if (phase.equals("measure")) {
      measured.add(histogram);
      measuredSeconds += length;
      measuredRoundTrips += roundTrips;
    }
    if (log != null) {
      histogram.setEndTimeStamp(nowMillis);
      histogram.setStartTimeStamp(nowMillis - (long) (length * 1000));
      log.outputIntervalHistogram(histogram);
    }
    before = counts;
    cut = now;
  }

  /** Adds the longest gap that ended in the interval, in milliseconds since 1970. */
  private static void describe(Gaps.Gap gap, long now, long nowMillis, JsonObject event) {
    if (gap != null) {
      event.addProperty("longest_gap_ms", gap.nanos() / 1e6);
      event.addProperty("gap_from_ms", nowMillis - (now - gap.from()) / 1e6);
      event.addProperty("gap_to_ms", nowMillis - (now - gap.to()) / 1e6);
    }
  }

  /**
   * Reports the end: what was measured, and the account of all messages of the run.
   *
   * @param unended threads that have not ended, whose last message is missing from the account
   */
  void end(long unended) {
    JsonObject event = Events.event("end");
    event.addProperty("id", run.name);
    event.addProperty("reason", shutdown.reason());
    event.addProperty("elapsed_s", (System.nanoTime() - started) / 1e9);
    event.addProperty("measured_s", measuredSeconds);
    event.addProperty("round_trips", measuredRoundTrips);
    event.addProperty("rate", measuredSeconds > 0 ? measuredRoundTrips / measuredSeconds : 0);
    JsonObject whole = new JsonObject();
    Counters.describe(whole, run.counters.snapshot(), Map.of());
    whole.addProperty("lost", run.missing());
    if (run.settings.role() == Role.RECEIVER) {
      whole.addProperty("distinct", run.sequences.distinct());
    }
    event.add("whole_run", whole);
    event.addProperty("unended", unended);
    event.addProperty("latency_unit", Histograms.UNIT);
    event.addProperty("histogram", Histograms.encode(measured));
    run.events.write(event);
  }

  @Override
  public void close() {
    if (logFile != null) {
      logFile.close();
    }
  }
}
