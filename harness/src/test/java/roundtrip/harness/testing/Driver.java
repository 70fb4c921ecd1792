package roundtrip.harness.testing;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.drive.DriveCommand;
import roundtrip.harness.drive.DriveOptions;
import roundtrip.harness.events.Events;
import roundtrip.harness.payload.Payload;
import roundtrip.harness.process.Shutdown;
import roundtrip.harness.provider.Provider;
import roundtrip.harness.provider.Providers;

/** A load driver inside the test: the real command with its events kept. */
public final class Driver implements AutoCloseable {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Shutdown shutdown = new Shutdown();
  private final CompletableFuture<Integer> status = new CompletableFuture<>();

  private Driver() {}

  /** Starts a driver with a command line, which spaces separate. */
  public static Driver start(String commandLine, Map<String, String> environment) {
    return start(
        commandLine,
        options -> {
          Provider provider = Providers.of(options, environment);
          return payload -> provider;
        });
  }

  /** Starts a driver of a product of the test's own. */
  public static Driver of(String commandLine, Function<Payload, Provider> providers) {
    return start(commandLine, options -> providers);
  }

  private interface Products {
    Function<Payload, Provider> of(Parsed options) throws Exception;
  }

  private static Driver start(String commandLine, Products products) {
    Driver driver = new Driver();
    Thread thread =
        new Thread(
            () -> {
              try {
                Parsed options = DriveOptions.drive().parse(Arrays.asList(commandLine.split(" +")));
                Events events = new Events(driver.out);
                driver.status.complete(
                    new DriveCommand(options, products.of(options), events, driver.shutdown)
                        .execute());
              } catch (Exception failure) {
                driver.status.completeExceptionally(failure);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return driver;
  }

  /** Starts a driver without secrets. */
  public static Driver start(String commandLine) {
    return start(commandLine, Map.of());
  }

  /** Waits for the end and returns the exit status. */
  public int status() throws Exception {
    return status.get();
  }

  /** All that was written. */
  public String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  /** The events of one name so far. */
  public List<JsonObject> events(String name) {
    List<JsonObject> events = new ArrayList<>();
    String written = output();
    String complete = written.substring(0, written.lastIndexOf('\n') + 1);
    for (String line : complete.split("\n")) {
      if (!line.isEmpty()) {
        JsonObject event = JsonParser.parseString(line).getAsJsonObject();
        if (event.get("event").getAsString().equals(name)) {
          events.add(event);
        }
      }
    }
    return events;
  }

  /** Waits until an event is there; none comes once the driver has ended. */
  public JsonObject await(String name) throws InterruptedException {
    while (true) {
      boolean ended = hasEnded();
      List<JsonObject> found = events(name);
      if (!found.isEmpty()) {
        return found.get(0);
      }
      if (ended) {
        throw new AssertionError("no event " + name + " in " + output());
      }
      Thread.sleep(10);
    }
  }

  /** Waits until a count of all intervals together has reached a number. */
  public void awaitCount(String count, long least) throws InterruptedException {
    while (true) {
      boolean ended = hasEnded();
      if (total(count) >= least) {
        return;
      }
      if (ended) {
        throw new AssertionError(count + " stays below " + least + " in " + output());
      }
      Thread.sleep(20);
    }
  }

  private long total(String count) {
    return events("interval").stream().mapToLong(each -> each.get(count).getAsLong()).sum();
  }

  /** Asks the driver to stop, without waiting. */
  public void askToStop() {
    shutdown.ask("test");
  }

  /** Whether the driver has ended. */
  public boolean hasEnded() {
    return status.isDone();
  }

  /** The last event, after the end. */
  public JsonObject end() throws Exception {
    status();
    return await("end");
  }

  /** Asks the driver to stop and waits for its last event. */
  public JsonObject stop() throws Exception {
    shutdown.ask("test");
    return end();
  }

  @Override
  public void close() throws Exception {
    shutdown.ask("test");
    status.handle((value, failure) -> value).get();
  }
}
