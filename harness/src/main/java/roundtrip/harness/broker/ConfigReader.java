package roundtrip.harness.broker;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import roundtrip.harness.cli.Nearest;
import roundtrip.harness.cli.UsageException;

/**
 * Reads one JSON object key by key. Afterwards, {@link #finish} refuses keys that nobody asked for:
 * a misspelt setting would otherwise be measured as its default.
 */
final class ConfigReader {
  private final JsonObject object;
  private final String path;
  private final Set<String> known = new LinkedHashSet<>();

  ConfigReader(JsonObject object, String path) {
    this.object = object;
    this.path = path;
  }

  /** A value, or null when the key is absent or null. */
  private JsonElement find(String key) {
    known.add(key);
    JsonElement value = object.get(key);
    return value == null || value.isJsonNull() ? null : value;
  }

  private JsonPrimitive primitive(String key, String expected) throws UsageException {
    JsonElement value = find(key);
    if (value != null && !value.isJsonPrimitive()) {
      throw wrong(key, expected);
    }
    return (JsonPrimitive) value;
  }

  String text(String key, String byDefault) throws UsageException {
    JsonPrimitive value = primitive(key, "text");
    if (value != null && !value.isString()) {
      throw wrong(key, "text");
    }
    return value == null ? byDefault : value.getAsString();
  }

  String needText(String key) throws UsageException {
    String value = text(key, null);
    if (value == null || value.isEmpty()) {
      throw new UsageException("the broker's configuration lacks " + path + key);
    }
    return value;
  }

  String choice(String key, String byDefault, List<String> allowed) throws UsageException {
    String value = text(key, byDefault);
    if (!allowed.contains(value)) {
      throw wrong(key, "one of " + String.join(", ", allowed));
    }
    return value;
  }

  boolean flag(String key, boolean byDefault) throws UsageException {
    JsonPrimitive value = primitive(key, "true or false");
    if (value != null && !value.isBoolean()) {
      throw wrong(key, "true or false");
    }
    return value == null ? byDefault : value.getAsBoolean();
  }

  /** A whole number, or null when it is not given. */
  Long whole(String key, long least, long most) throws UsageException {
    String expected = "a whole number from " + least + " to " + most;
    JsonPrimitive value = primitive(key, expected);
    if (value == null) {
      return null;
    }
    try {
      long number = value.isNumber() ? Long.parseLong(value.getAsString()) : least - 1;
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException fraction) {
      // Refused below.
    }
    throw wrong(key, expected);
  }

  /** A number, or null when it is not given. */
  Double decimal(String key, double least, double most) throws UsageException {
    String expected = "a number from %s to %s".formatted(least, most);
    JsonPrimitive value = primitive(key, expected);
    if (value == null) {
      return null;
    }
    double number = value.isNumber() ? value.getAsDouble() : Double.NaN;
    if (number >= least && number <= most) {
      return number;
    }
    throw wrong(key, expected);
  }

  List<String> texts(String key) throws UsageException {
    JsonElement value = find(key);
    List<String> texts = new ArrayList<>();
    if (value == null) {
      return texts;
    }
    if (!(value instanceof JsonArray array)) {
      throw wrong(key, "a list of texts");
    }
    for (JsonElement element : array) {
      if (!(element instanceof JsonPrimitive text) || !text.isString()) {
        throw wrong(key, "a list of texts");
      }
      texts.add(text.getAsString());
    }
    return texts;
  }

  /** An object inside this one; null when it is not given. */
  ConfigReader object(String key) throws UsageException {
    JsonElement value = find(key);
    if (value == null) {
      return null;
    }
    if (!value.isJsonObject()) {
      throw wrong(key, "an object");
    }
    return new ConfigReader(value.getAsJsonObject(), path + key + ".");
  }

  /** The objects of a list; none when it is not given. */
  List<ConfigReader> objects(String key) throws UsageException {
    JsonElement value = find(key);
    List<ConfigReader> objects = new ArrayList<>();
    if (value == null) {
      return objects;
    }
    if (!(value instanceof JsonArray array)) {
      throw wrong(key, "a list of objects");
    }
    for (JsonElement element : array) {
      if (!element.isJsonObject()) {
        throw wrong(key, "a list of objects");
      }
      objects.add(new ConfigReader(element.getAsJsonObject(), path + key + "."));
    }
    return objects;
  }

  void finish() throws UsageException {
    for (String key : object.keySet()) {
      if (!known.contains(key)) {
        throw new UsageException(
            "the broker's configuration has an unknown key %s%s%s; known: %s"
                .formatted(path, key, Nearest.hint(key, known), String.join(", ", known)));
      }
    }
  }

  /** The value itself is not repeated: it may be a secret in the wrong place. */
  private UsageException wrong(String key, String expected) {
    return new UsageException(
        "%s%s in the broker's configuration must be %s".formatted(path, key, expected));
  }
}
