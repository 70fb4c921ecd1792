package roundtrip.harness.events;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What happens, one JSON object per line, each flushed at once: a reader sees every line that was
 * written before a crash.
 */
public final class Events {
  private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();
  private final PrintStream out;
  private final String id;

  /** @param out where the lines go */
  public Events(OutputStream out) {
    this(new PrintStream(out, false, StandardCharsets.UTF_8), null);
  }

  private Events(PrintStream out, String id) {
    this.out = out;
    this.id = id;
  }

  /** Events to the same place, each of which says whose it is. */
  public Events named(String name) {
    return new Events(out, name);
  }

  /** Starts an event; every event has its name and the time in milliseconds since 1970. */
  public static JsonObject event(String name) {
    JsonObject event = new JsonObject();
    event.addProperty("event", name);
    event.addProperty("t_ms", System.currentTimeMillis());
    return event;
  }

  /**
   * Writes one line.
   *
   * @return false when the reader has gone, so that the writer can stop as well
   */
  public boolean write(JsonObject event) {
    if (id != null) {
      event.addProperty("id", id);
    }
    synchronized (out) {
      out.println(gson.toJson(event));
      out.flush();
      return !out.checkError();
    }
  }
}
