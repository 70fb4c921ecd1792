package roundtrip.harness.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a command line says, with the defaults filled in. Values were checked when it was read. */
public final class Parsed {
  private final Map<String, String> given;
  private final Map<String, String> values = new LinkedHashMap<>();

  Parsed(List<Option> options, Map<String, String> given) {
    this.given = given;
    for (Option option : options) {
      String value = given.getOrDefault(option.longName(), option.byDefault());
      if (value == null && option.kind() == Option.Kind.FLAG) {
        value = "false";
      }
      values.put(option.longName(), value);
    }
  }

  /** Whether the user gave the option, rather than its default. */
  public boolean isGiven(String name) {
    return given.containsKey(name);
  }

  /** The value as text; null when there is none. */
  public String text(String name) {
    if (!values.containsKey(name)) {
      throw new IllegalArgumentException("no option is called " + name);
    }
    return values.get(name);
  }

  /** The value of a switch. */
  public boolean flag(String name) {
    return Boolean.parseBoolean(text(name));
  }

  /** The value of a whole number. */
  public int whole(String name) {
    return Integer.parseInt(text(name));
  }

  /** The value of a number. */
  public double decimal(String name) {
    return Double.parseDouble(text(name));
  }

  /** All options by name; those without a value are left out. */
  public Map<String, String> all() {
    Map<String, String> all = new LinkedHashMap<>(values);
    all.values().removeIf(value -> value == null);
    return all;
  }
}
