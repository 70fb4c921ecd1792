package roundtrip.harness.broker;

import com.google.gson.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import roundtrip.harness.cli.Option;
import roundtrip.harness.cli.OptionTable;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.events.Events;
import roundtrip.harness.process.Machine;
import roundtrip.harness.process.Shutdown;

/** Runs an embedded broker until it is told to stop, or its parent is gone. */
public final class BrokerCommand {
  private static final int MOST_CONFIG = 1 << 20;

  private final Parsed options;
  private final Map<String, String> environment;
  private final Events events;
  private final Shutdown shutdown;
  private final LocalDrivers local;

  /**
   * Prepares it.
   *
   * @param environment where the configuration's passwords are
   * @param local takes what the parent says after the configuration
   */
  public BrokerCommand(
      Parsed options, Map<String, String> environment, Events events, Shutdown shutdown,
      LocalDrivers local) {
    this.options = options;
    this.environment = environment;
    this.events = events;
    this.shutdown = shutdown;
    this.local = local;
  }

  /** The options of {@code broker}. */
  public static OptionTable options() {
    return new OptionTable("roundtrip-harness broker [--config FILE]")
        .group(
            "Configuration",
            Option.text(
                "config", null, "FILE", null,
                "JSON file; without it the first line of standard input is read"));
  }

  /** Runs the broker and returns the exit status. */
  public int execute() throws UsageException, IOException, InterruptedException {
    BrokerConfig config = BrokerConfig.parse(readConfig(), environment);
    Path log = config.log();
    Broker broker = Broker.of(config);
    try {
      Files.createDirectories(config.data());
      BrokerLog.to(log);
      broker.start();
    } catch (Exception failure) {
      broker.stopQuietly();
      JsonObject event = Events.event("failed");
      event.addProperty("reason", StartFailure.explain(failure, config));
      event.addProperty("log", log.toString());
      events.write(event);
      System.err.println("roundtrip-harness: " + StartFailure.explain(failure, config));
      return 1;
    }
    events.write(ready(broker, log));
    broker.whenItTakesOver(() -> events.write(Events.event("active")));
    if (Shutdown.inputIsHeldByParent()) {
      shutdown.whenClosed(System.in, local::command);
    }
    serve(broker, config.reportDepthsSeconds());
    local.stop();
    JsonObject event = Events.event("stopped");
    event.addProperty("reason", shutdown.reason());
    event.add("queues", broker.depths().get("queues"));
    boolean clean = broker.stopQuietly();
    event.addProperty("clean", clean);
    events.write(event);
    return clean ? 0 : 1;
  }

  /** Waits for the end, telling meanwhile how full the queues are where that is wanted. */
  private void serve(Broker broker, Double seconds) throws InterruptedException {
    if (seconds == null) {
      shutdown.await();
      return;
    }
    long interval = (long) (seconds * 1e9);
    long next = System.nanoTime() + interval;
    while (!shutdown.await(Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      if (!events.write(broker.depths())) {
        shutdown.ask("nobody reads the output");
      }
      next = Math.max(next + interval, System.nanoTime());
    }
  }

  private String readConfig() throws UsageException, IOException {
    String file = options.text("config");
    if (file != null) {
      if (!Files.isReadable(Path.of(file))) {
        throw new UsageException("the configuration file cannot be read: " + file);
      }
      return Files.readString(Path.of(file));
    }
    return firstLine(System.in);
  }

  /** Reads one line byte by byte: what follows it belongs to whoever watches for the end. */
  private static String firstLine(InputStream input) throws IOException, UsageException {
    var line = new ByteArrayOutputStream();
    for (int next = input.read(); next >= 0 && next != '\n'; next = input.read()) {
      line.write(next);
      if (line.size() > MOST_CONFIG) {
        throw new UsageException("the configuration is longer than 1 MiB");
      }
    }
    if (line.size() == 0) {
      throw new UsageException("no configuration: give one as a line of JSON, or --config FILE");
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static JsonObject ready(Broker broker, Path log) {
    JsonObject event = Events.event("ready");
    event.addProperty("pid", ProcessHandle.current().pid());
    event.addProperty("url", broker.url());
    if (broker.amqpUrl() != null) {
      event.addProperty("amqp_url", broker.amqpUrl());
    }
    if (broker.localUrl() != null) {
      event.addProperty("local_url", broker.localUrl());
    }
    event.addProperty("log", log.toString());
    JsonObject versions = new JsonObject();
    Machine.versions().forEach(versions::addProperty);
    event.add("versions", versions);
    event.add("effective", broker.effective());
    return event;
  }
}
