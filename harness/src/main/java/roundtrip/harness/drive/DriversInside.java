package roundtrip.harness.drive;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import roundtrip.harness.broker.LocalDrivers;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.events.Events;
import roundtrip.harness.process.Shutdown;
import roundtrip.harness.provider.Provider;
import roundtrip.harness.provider.Providers;

/**
 * Load drivers inside the broker's process.
 *
 * <p>A line {@code {"drive": ["-tc", "requester", "-id", "requester-1", …]}} starts one, with the
 * options of the command {@code drive}; {@code {"stop": "requester-1"}} stops it. Its events carry
 * its id, and {@code ended} with its exit status is the last of them.
 */
public final class DriversInside implements LocalDrivers {
  private static final long LONGEST_END_MILLIS = 15_000;

  private record Driver(Shutdown shutdown, Thread thread) {}

  private final Events events;
  private final Map<String, String> environment;
  private final Map<String, Driver> drivers = new ConcurrentHashMap<>();

  /** @param environment where passwords are */
  public DriversInside(Events events, Map<String, String> environment) {
    this.events = events;
    this.environment = environment;
  }

  @Override
  public void command(String line) {
    try {
      JsonObject asked = JsonParser.parseString(line).getAsJsonObject();
      if (asked.keySet().equals(java.util.Set.of("stop"))) {
        Driver driver = drivers.get(asked.get("stop").getAsString());
        if (driver != null) {
          driver.shutdown().ask("signal");
        }
      } else if (asked.keySet().equals(java.util.Set.of("drive"))) {
        List<String> words = new ArrayList<>();
        for (JsonElement word : asked.getAsJsonArray("drive")) {
          words.add(word.getAsString());
        }
        start(words);
      } else {
        throw new UsageException("a line asks for drive or stop");
      }
    } catch (JsonParseException | IllegalStateException | UsageException wrong) {
      JsonObject event = Events.event("refused");
      event.addProperty("reason", String.valueOf(wrong.getMessage()));
      events.write(event);
    }
  }

  private void start(List<String> words) throws UsageException {
    int at = words.indexOf("-id");
    if (at < 0 || at + 1 >= words.size() || drivers.containsKey(words.get(at + 1))) {
      throw new UsageException("a driver inside needs an id of its own: -id NAME");
    }
    String id = words.get(at + 1);
    Events named = events.named(id);
    Shutdown shutdown = new Shutdown();
    Thread thread = new Thread(() -> run(words, named, shutdown), id);
    thread.setDaemon(true);
    drivers.put(id, new Driver(shutdown, thread));
    thread.start();
  }

  private void run(List<String> words, Events named, Shutdown shutdown) {
    int status = 1;
    try {
      Parsed options = DriveOptions.drive().parse(words);
      Provider provider = Providers.of(options, environment);
      status = new DriveCommand(options, payload -> provider, named, shutdown).execute();
    } catch (Exception failure) {
      JsonObject event = Events.event("failed");
      event.addProperty("reason", String.valueOf(failure.getMessage()));
      named.write(event);
    }
    JsonObject event = Events.event("ended");
    event.addProperty("status", status);
    named.write(event);
  }

  @Override
  public void stop() {
    drivers.values().forEach(driver -> driver.shutdown().ask("signal"));
    for (Driver driver : drivers.values()) {
      try {
        driver.thread().join(LONGEST_END_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
