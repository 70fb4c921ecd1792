package roundtrip.harness.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of one subcommand: reads a command line with them and prints them as help. */
public final class OptionTable {
  private final String usage;
  private final Map<String, List<Option>> groups = new LinkedHashMap<>();
  private final Map<String, Option> bySpelling = new HashMap<>();
  private final Map<String, String> refused = new HashMap<>();

  /** @param usage the line that starts the help */
  public OptionTable(String usage) {
    this.usage = usage;
  }

  /** Adds options under a heading. */
  public OptionTable group(String heading, Option... options) {
    groups.put(heading, List.of(options));
    for (Option option : options) {
      for (String spelling : option.spellings()) {
        if (bySpelling.put(spelling, option) != null) {
          throw new IllegalStateException("two options are called " + spelling);
        }
      }
    }
    return this;
  }

  /** Lets another tool's name stand for an option. */
  public OptionTable alias(String spelling, String longName) {
    if (bySpelling.put(spelling, bySpelling.get("--" + longName)) != null) {
      throw new IllegalStateException("two options are called " + spelling);
    }
    return this;
  }

  /** Refuses a spelling that users of other tools may type, with the reason. */
  public OptionTable refuse(String spelling, String reason) {
    refused.put(spelling, reason);
    return this;
  }

  /** All options in the order of the help. */
  public List<Option> options() {
    return groups.values().stream().flatMap(List::stream).toList();
  }

  /**
   * Reads a command line.
   *
   * @throws UsageException naming the first thing that is wrong; it never repeats the value of an
   *     option it does not know, which may be a secret
   */
  public Parsed parse(List<String> arguments) throws UsageException {
    Map<String, String> given = new LinkedHashMap<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
      String spelling = equals < 0 ? argument : argument.substring(0, equals);
      Option option = find(spelling);
      String value;
      if (equals >= 0) {
        value = argument.substring(equals + 1);
      } else if (option.kind() == Option.Kind.FLAG) {
        boolean stated = i + 1 < arguments.size() && arguments.get(i + 1).matches("true|false");
        value = stated ? arguments.get(++i) : "true";
      } else if (i + 1 < arguments.size()) {
        value = arguments.get(++i);
      } else {
        throw new UsageException(spelling + " needs a value: " + option.placeholder());
      }
      if (given.put(option.longName(), option.checked(value)) != null) {
        throw new UsageException("--" + option.longName() + " is given twice");
      }
    }
    return new Parsed(options(), given);
  }

  private Option find(String spelling) throws UsageException {
    Option option = bySpelling.get(spelling);
    if (option != null) {
      return option;
    }
    if (refused.containsKey(spelling)) {
      throw new UsageException(spelling + ": " + refused.get(spelling));
    }
    if (!spelling.startsWith("-")) {
      throw new UsageException("a value stands where an option should be; see --help");
    }
    throw new UsageException(
        "unknown option " + spelling + Nearest.hint(spelling, bySpelling.keySet()));
  }

  /** The help text. */
  public String help() {
    StringBuilder text = new StringBuilder(usage).append('\n');
    groups.forEach(
        (heading, options) -> {
          text.append('\n').append(heading).append('\n');
          options.forEach(option -> describe(option, text));
        });
    return text.toString();
  }

  private static void describe(Option option, StringBuilder text) {
    List<String> left = new ArrayList<>(option.spellings());
    String names = String.join(", ", left);
    if (option.placeholder() != null) {
      names += " " + option.placeholder();
    }
    String help = option.help();
    if (option.byDefault() != null) {
      help += " [" + option.byDefault() + "]";
    }
    text.append("  ").append(names);
    text.append(names.length() > 34 ? "\n" + " ".repeat(38) : " ".repeat(36 - names.length()));
    text.append(help).append('\n');
  }
}
