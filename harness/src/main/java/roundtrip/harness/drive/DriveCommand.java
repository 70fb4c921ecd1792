package roundtrip.harness.drive;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.events.Events;
import roundtrip.harness.events.Histograms;
import roundtrip.harness.payload.Codec;
import roundtrip.harness.payload.Payload;
import roundtrip.harness.payload.Payloads;
import roundtrip.harness.payload.Stamp;
import roundtrip.harness.process.Machine;
import roundtrip.harness.process.Shutdown;
import roundtrip.harness.provider.Provider;

/** Runs a load from its first connection to its last event. */
public final class DriveCommand {
  /** Threads that do not end by themselves are left behind after this time. */
  private static final long LONGEST_END_MILLIS = 14_000;

  private final Parsed options;
  private final Settings settings;
  private final Function<Payload, Provider> providers;
  private final Events events;
  private final Shutdown shutdown;
  private final CompletableFuture<String> start = new CompletableFuture<>();

  /** Reads the options; {@code providers} gives the product for the payload of the run. */
  public DriveCommand(
      Parsed options, Function<Payload, Provider> providers, Events events, Shutdown shutdown)
      throws UsageException {
    this.options = options;
    this.settings = Settings.of(options);
    this.providers = providers;
    this.events = events;
    this.shutdown = shutdown;
  }

  /** Whether it begins only at a moment that it is told. */
  public boolean awaitsStart() {
    return options.flag("await-start");
  }

  /** Takes a line of standard input: the first is the moment to begin at. */
  public void heed(String line) {
    start.complete(line.strip());
  }

  /** Runs it and returns the exit status: 0 unless it could not begin. */
  public int execute() throws UsageException, IOException, InterruptedException {
    String asked = options.text("compressibility");
    Payload payload =
        Payloads.make(
            options.text("payload"),
            settings.messageBytes(),
            asked == null ? Double.NaN : Double.parseDouble(asked),
            options.whole("seed"));
    Provider provider = providers.apply(payload);
    int id = new SecureRandom().nextInt();
    Run run = new Run(settings, provider, payload, events, shutdown, id, options.text("id"));
    String log = options.text("histogram-log");
    try (Reporter reporter = new Reporter(run, shutdown, log == null ? null : Path.of(log))) {
      events.write(startEvent(payload, provider));
      Thread[] threads = connect(run);
      JsonObject begun = awaitsStart() && !run.hasFailed() ? awaitStart() : null;
      if (run.hasFailed() || shutdown.isAsked()) {
        run.stop();
        if (run.hasFailed()) {
          return failed(run);
        }
        join(threads);
        return 0;
      }
      long now = System.nanoTime();
      run.start(now);
      if (begun != null) {
        events.write(begun);
      }
      reporter.report(now);
      run.stop();
      join(threads);
      reporter.end(Stream.of(threads).filter(Thread::isAlive).count());
      return run.hasFailed() ? failed(run) : 0;
    }
  }

  private int failed(Run run) {
    JsonObject event = Events.event("failed");
    event.addProperty("reason", run.failure());
    events.write(event);
    return 1;
  }

  /**
   * Starts the threads and waits until each has its connection.
   *
   * <p>The first connects alone. Client libraries set themselves up meanwhile, and some are not safe
   * then: where two threads began at once over AMQP, the TLS handshake of one sometimes never
   * started.
   */
  private Thread[] connect(Run run) throws InterruptedException {
    Thread[] threads = new Thread[settings.threads()];
    long began = System.nanoTime();
    for (int i = 0; i < threads.length; i++) {
      run.workers.add(worker(run, i));
    }
    for (int i = 0; i < threads.length && !run.hasFailed() && !shutdown.isAsked(); i++) {
      threads[i] = new Thread(run.workers.get(i), settings.role().word() + "-" + i);
      threads[i].setDaemon(true);
      threads[i].start();
      if (settings.startMillis() > 0) {
        shutdown.await(settings.startMillis(), TimeUnit.MILLISECONDS);
      }
      if (i == 0) {
        awaitConnections(run, threads.length - 1);
      }
    }
    awaitConnections(run, 0);
    if (!run.hasFailed() && !shutdown.isAsked()) {
      JsonObject event = Events.event("connected");
      event.addProperty("threads", run.active.get());
      event.addProperty("seconds", (System.nanoTime() - began) / 1e9);
      event.addProperty("latency_unit", Histograms.UNIT);
      event.addProperty("histogram", Histograms.encode(run.connecting.copy()));
      event.add("metadata", object(run.metadata()));
      if (run.encryption() != null) {
        event.add("encryption", object(run.encryption()));
      }
      events.write(event);
    }
    return threads;
  }

  /** Waits for the moment to begin at, and says by how much it was missed. */
  private JsonObject awaitStart() throws UsageException, InterruptedException {
    while (!start.isDone() && !shutdown.await(10, TimeUnit.MILLISECONDS)) {}
    if (shutdown.isAsked()) {
      return null;
    }
    long moment;
    try {
      moment = Long.parseLong(start.join());
    } catch (NumberFormatException wrong) {
      throw new UsageException(
          "'%s' is no time to begin at; it must be milliseconds since 1970".formatted(start.join()));
    }
    long left = moment - System.currentTimeMillis();
    while (left > 0 && !shutdown.await(left, TimeUnit.MILLISECONDS)) {
      left = moment - System.currentTimeMillis();
    }
    JsonObject begun = Events.event("begun");
    begun.addProperty("late_ms", begun.get("t_ms").getAsLong() - moment);
    return begun;
  }

  /** Waits until only so many connections are missing; gives up when none is made for too long. */
  private void awaitConnections(Run run, int missing) throws InterruptedException {
    long left = run.ready.getCount();
    long progress = System.nanoTime();
    while (!run.hasFailed() && !shutdown.isAsked() && run.ready.getCount() > missing) {
      run.ready.await(10, TimeUnit.MILLISECONDS);
      long now = System.nanoTime();
      if (run.ready.getCount() < left) {
        left = run.ready.getCount();
        progress = now;
      } else if (now - progress > settings.connectSeconds() * 1e9) {
        run.fail(
            "no connection within %s s, and no refusal either: is it a broker of this kind?"
                .formatted(settings.connectSeconds()));
      }
    }
  }

  private static Worker worker(Run run, int thread) {
    return switch (run.settings.role()) {
      case REQUESTER -> new Requester(run, thread);
      case RESPONDER -> new Responder(run, thread);
      case SENDER -> new Sender(run, thread);
      case RECEIVER -> new Receiver(run, thread);
    };
  }

  private static void join(Thread[] threads) throws InterruptedException {
    long until = System.currentTimeMillis() + LONGEST_END_MILLIS;
    for (Thread thread : threads) {
      if (thread != null) {
        thread.join(Math.max(1, until - System.currentTimeMillis()));
      }
    }
  }

  private JsonObject startEvent(Payload payload, Provider provider) {
    JsonObject event = Events.event("start");
    event.addProperty("pid", ProcessHandle.current().pid());
    event.addProperty("id", options.text("id"));
    JsonObject said = new JsonObject();
    options.all().forEach(said::addProperty);
    Stream.of("url", "ccdt")
        .filter(said::has)
        .forEach(name -> said.addProperty(name, provider.facts().get(name)));
    // Raw files are published: they name nobody, and no place of the machine.
    said.remove("user");
    said.addProperty("payload", payload.kind());
    Stream.of("password-file", "trust-store", "key-store", "histogram-log")
        .filter(said::has)
        .forEach(name -> said.addProperty(name, "…"));
    said.addProperty("correlation-id", settings.correlate());
    if (settings.role() == Role.RESPONDER && settings.persistent() == null) {
      said.addProperty("persistent", "as the request");
    }
    event.add("options", said);
    event.add("provider", object(provider.facts()));
    event.add("versions", object(Machine.versions()));
    JsonObject content = new JsonObject();
    content.addProperty("kind", payload.kind());
    content.addProperty("bytes", payload.content().length);
    content.addProperty("seed", payload.seed());
    content.addProperty("compressibility", payload.compressibility());
    content.addProperty("stamped", Stamp.fits(payload.content().length));
    event.add("payload", content);
    JsonObject compression = new JsonObject();
    compression.addProperty("method", settings.compression().name());
    boolean channel = provider.compresses();
    compression.addProperty("by", channel ? "channel" : "driver");
    if (!channel) {
      compression.addProperty("with", Codec.implementation(settings.compression()));
    }
    event.add("compression", compression);
    event.addProperty("loop", settings.rate() > 0 ? "open" : "closed");
    event.addProperty("latency_of", settings.role().latency());
    event.addProperty("latency_unit", Histograms.UNIT);
    return event;
  }

  private static JsonObject object(Map<String, String> facts) {
    JsonObject object = new JsonObject();
    facts.forEach(object::addProperty);
    return object;
  }
}
