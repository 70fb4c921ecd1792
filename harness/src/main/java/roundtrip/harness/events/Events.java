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

  /** @param out where the lines go */
  public Events(OutputStream out) {
    this.out = new PrintStream(out, false, StandardCharsets.UTF_8);
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
  public synchronized boolean write(JsonObject event) {
    out.println(gson.toJson(event));
    out.flush();
    return !out.checkError();
  }
}
