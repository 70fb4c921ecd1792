package roundtrip.harness.drive;

import com.google.gson.JsonObject;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What all threads have counted since the start of the run. */
final class Counters {
  /** What is counted. */
  enum Count {
    /** Messages handed to the broker. */
    SENT,
    /** Messages whose sending failed: the broker may have them or not. */
    IN_DOUBT,
    /** Messages taken from the broker. */
    RECEIVED,
    /** Messages whose identity, size and content were right. */
    VERIFIED,
    /** Messages with another content, size or correlation than they should have. */
    MISMATCHES,
    /** Replies that came after their requester had stopped waiting. */
    LATE,
    /** Messages that came a second time. */
    DUPLICATES,
    /** Replies that did not come in time. */
    TIMEOUTS,
    /** Failures of any kind. */
    ERRORS,
    /** Connections made anew after a loss. */
    RECONNECTS,
    /** Bytes of messages before the driver compressed them; 0 where it does not. */
    BYTES_BEFORE,
    /** Bytes of the same messages after. */
    BYTES_AFTER
  }

  private final Map<Count, LongAdder> adders = new EnumMap<>(Count.class);
  /** Requests whose reply is missing: the only count that can fall, when a reply comes late. */
  private final LongAdder missing = new LongAdder();

  Counters() {
    for (Count count : Count.values()) {
      adders.put(count, new LongAdder());
    }
  }

  /** The adder of a count, for a thread to keep: the map is not for the fast path. */
  LongAdder of(Count count) {
    return adders.get(count);
  }

  LongAdder missing() {
    return missing;
  }

  Map<Count, Long> snapshot() {
    Map<Count, Long> values = new EnumMap<>(Count.class);
    adders.forEach((count, adder) -> values.put(count, adder.sum()));
    return values;
  }

  /** Adds each count to an event, less what {@code before} had. */
  static void describe(JsonObject event, Map<Count, Long> now, Map<Count, Long> before) {
    now.forEach(
        (count, value) ->
            event.addProperty(
                count.name().toLowerCase(Locale.ROOT), value - before.getOrDefault(count, 0L)));
  }
}
