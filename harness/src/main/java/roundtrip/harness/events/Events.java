package roundtrip.harness.events;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * What happens, one JSON object per line, each flushed at once: a reader sees every line that was
 * written before a crash.
 */
public final class Events {
  private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();
  private final PrintStream out;
  private final String id;
  private final Pattern hidden;

  /** @param out where the lines go */
  public Events(OutputStream out) {
    this(new PrintStream(out, false, StandardCharsets.UTF_8), null, null);
  }

  private Events(PrintStream out, String id, Pattern hidden) {
    this.out = out;
    this.id = id;
    this.hidden = hidden;
  }

  /** Events to the same place, each of which says whose it is. */
  public Events named(String name) {
    return new Events(out, name, hidden);
  }

  /** Events to the same place whose reasons leave a word out: brokers name the user they refuse. */
  public Events without(String word) {
    return word == null || word.isEmpty()
        ? this
        : new Events(
            out, id, Pattern.compile("(?<!\\w)" + Pattern.quote(word) + "(?!\\w)"));
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
    if (hidden != null && event.has("reason")) {
      String reason = event.get("reason").getAsString();
      event.addProperty("reason", hidden.matcher(reason).replaceAll("…"));
    }
    synchronized (out) {
      out.println(gson.toJson(event));
      out.flush();
      return !out.checkError();
    }
  }
}
