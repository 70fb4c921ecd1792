package roundtrip.harness.drive;

import com.google.gson.JsonObject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Recorder;
import roundtrip.harness.events.Events;
import roundtrip.harness.events.Histograms;
import roundtrip.harness.payload.Payload;
import roundtrip.harness.payload.Stamp;
import roundtrip.harness.process.Shutdown;
import roundtrip.harness.provider.Provider;

/** What all threads of one run share. */
final class Run {
  /** After the end, a reply on its way is waited for as long as any, but not longer than this. */
  private static final double LONGEST_END_SECONDS = 10;

  /** Failures that are told one by one; further ones are counted. */
  private static final long MOST_REPORTS = 1000;

  final Settings settings;
  final Provider provider;
  final Payload payload;
  final Events events;
  final Counters counters = new Counters();
  /**
   * The times of all exchanges. One for all threads: their additions cost nanoseconds each, and all
   * that was recorded is cut at one moment.
   */
  final Recorder latencies = new Recorder(Histograms.DIGITS);

  final Sequences sequences = new Sequences();
  final Gaps gaps = new Gaps();
  /** Distinguishes this process from others that use the same queues. */
  final int id;

  /** What the user calls this process. */
  final String name;

  /** The threads' work, in the order of their numbers. */
  final List<Worker> workers = new ArrayList<>();

  /** How long each connection took to make, with its producers and consumers. */
  final ConcurrentHistogram connecting = new ConcurrentHistogram(Histograms.DIGITS);

  /** What the first connection negotiated; null when it is not encrypted. */
  private volatile Map<String, String> encryption;

  private volatile Map<String, String> metadata = Map.of();

  /** Threads that are connected now. */
  final AtomicInteger active = new AtomicInteger();

  final CountDownLatch ready;
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean stopped;
  private volatile long stoppedNanos;
  private final AtomicLong reports = new AtomicLong();
  private final AtomicLong claimed = new AtomicLong();
  private final Shutdown shutdown;
  private volatile String failure;
  private volatile long startNanos;

  Run(
      Settings settings, Provider provider, Payload payload, Events events, Shutdown shutdown,
      int id, String name) {
    this.settings = settings;
    this.shutdown = shutdown;
    this.provider = provider;
    this.payload = payload;
    this.events = events;
    this.id = id;
    this.name = name;
    this.ready = new CountDownLatch(settings.threads());
  }

  /** Takes one message of those that are to be sent; false when there is none left. */
  boolean claim() {
    return settings.messageCount() == 0 || claimed.incrementAndGet() <= settings.messageCount();
  }

  /** Ends the run, because everything that was to be done is done. */
  void complete() {
    shutdown.ask("all messages are sent");
  }

  /** Lets all threads begin. */
  void start(long nanoTime) {
    startNanos = nanoTime;
    started.countDown();
  }

  /** Waits for the start and returns its moment. */
  long awaitStart() throws InterruptedException {
    started.await();
    return startNanos;
  }

  void stop() {
    stoppedNanos = System.nanoTime();
    stopped = true;
    started.countDown();
    over.countDown();
  }

  /** Waits until the run is stopped; for a thread with nothing left to do. */
  void awaitStop() {
    try {
      over.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isStopped() {
    return stopped;
  }

  /** Whether the run has been over for so long that replies on their way are not waited for. */
  boolean isOverdue() {
    double seconds = Math.min(settings.timeoutSeconds(), LONGEST_END_SECONDS);
    return stopped && System.nanoTime() - stoppedNanos > seconds * 1e9;
  }

  /** Notes that the run cannot begin: a thread did not get its first connection. */
  void fail(String reason) {
    failure = reason;
    stop();
  }

  /** Ends a run that has begun and cannot be as it was asked for: a thread ended before its time. */
  void abort(String reason) {
    fail(reason);
    shutdown.ask(reason);
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Keeps what a connection says of itself. */
  void describe(Connection connection) throws JMSException {
    ConnectionMetaData said = connection.getMetaData();
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("provider", said.getJMSProviderName());
    facts.put("provider_version", said.getProviderVersion());
    facts.put("jms_version", said.getJMSVersion());
    metadata = facts;
    encryption = provider.encryption(connection);
  }

  Map<String, String> metadata() {
    return metadata;
  }

  Map<String, String> encryption() {
    return encryption;
  }

  /** Why the run cannot begin. */
  String failure() {
    return failure;
  }

  /** Whether latencies are recorded: a receiver needs stamped messages for that. */
  boolean isTimed() {
    return settings.role() != Role.RECEIVER || Stamp.fits(settings.messageBytes());
  }

  /** Messages that should have come and have not: replies of requesters, gaps of receivers. */
  long missing() {
    return counters.missing().sum() + sequences.missing();
  }

  /** Exchanges of an open loop that should have begun by now. */
  long behind(long now) {
    return workers.stream().mapToLong(worker -> worker.pacer.behind(now)).sum();
  }

  /** Reports a failure with its reason and, where the product has one, its code. */
  void report(int thread, String doing, Throwable failure) {
    report(thread, doing, failure, Reasons.of(failure));
  }

  /** Reports a failure with a reason that says more than the failure itself. */
  void report(int thread, String doing, Throwable failure, String reason) {
    counters.of(Counters.Count.ERRORS).increment();
    if (reports.incrementAndGet() > MOST_REPORTS) {
      return;
    }
    JsonObject event = Events.event("error");
    event.addProperty("thread", thread);
    event.addProperty("doing", doing);
    event.addProperty("reason", reason);
    Integer code = provider.reasonCode(failure);
    if (code != null) {
      event.addProperty("mq_reason", code);
    }
    events.write(event);
  }
}
