package roundtrip.harness.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One command-line option: the single place where its names, meaning, default and limits stand.
 *
 * @param longName name after two dashes, and the key under which it is reported
 * @param shortName name after one dash, as JMSPerfHarness and MQ-CPH spell it; may be null
 * @param kind what its value is
 * @param placeholder the value as the help shows it, or the allowed words separated by {@code |}
 * @param byDefault the value when it is not given; null means none
 * @param least smallest number allowed
 * @param most largest number allowed
 * @param help what it sets
 */
public record Option(
    String longName,
    String shortName,
    Kind kind,
    String placeholder,
    String byDefault,
    double least,
    double most,
    String help) {

  /** What an option's value is. */
  public enum Kind {
    FLAG,
    WHOLE,
    DECIMAL,
    TEXT,
    CHOICE
  }

  /** A switch; {@code true} or {@code false} may follow it, as in JMSPerfHarness. */
  public static Option flag(String longName, String shortName, String help) {
    return new Option(longName, shortName, Kind.FLAG, null, null, 0, 0, help);
  }

  /** A whole number. */
  public static Option whole(
      String longName, String shortName, String byDefault, long least, long most, String help) {
    return new Option(longName, shortName, Kind.WHOLE, "N", byDefault, least, most, help);
  }

  /** A number that may have a fraction. */
  public static Option decimal(
      String longName, String shortName, String byDefault, double least, double most, String help) {
    return new Option(longName, shortName, Kind.DECIMAL, "X", byDefault, least, most, help);
  }

  /** Any text. */
  public static Option text(
      String longName, String shortName, String placeholder, String byDefault, String help) {
    return new Option(longName, shortName, Kind.TEXT, placeholder, byDefault, 0, 0, help);
  }

  /** One of the words in {@code words}, which {@code |} separates. */
  public static Option choice(
      String longName, String shortName, String words, String byDefault, String help) {
    return new Option(longName, shortName, Kind.CHOICE, words, byDefault, 0, 0, help);
  }

  /** The names as a user types them. */
  public List<String> spellings() {
    List<String> names = new ArrayList<>();
    if (shortName != null) {
      names.add("-" + shortName);
    }
    names.add("--" + longName);
    return names;
  }

  /** Returns the value as it is kept, or says why it is not allowed. */
  String checked(String value) throws UsageException {
    switch (kind) {
      case FLAG -> {
        return value.toLowerCase(Locale.ROOT);
      }
      case CHOICE -> {
        String word = value.toLowerCase(Locale.ROOT);
        if (!List.of(placeholder.split("\\|")).contains(word)) {
          throw refused(value, "one of " + placeholder.replace("|", ", "));
        }
        return word;
      }
      case WHOLE, DECIMAL -> {
        checkNumber(value);
        return value;
      }
      default -> {
        return value;
      }
    }
  }

  private void checkNumber(String value) throws UsageException {
    String allowed =
        kind == Kind.WHOLE
            ? "a whole number from %d to %d".formatted((long) least, (long) most)
            : "a number from %s to %s".formatted(plain(least), plain(most));
    try {
      double number = kind == Kind.WHOLE ? Long.parseLong(value) : Double.parseDouble(value);
      if (!(number >= least && number <= most)) {
        throw refused(value, allowed);
      }
    } catch (NumberFormatException notANumber) {
      throw refused(value, allowed);
    }
  }

  private UsageException refused(String value, String allowed) {
    return new UsageException(
        "--%s is '%s'; it must be %s".formatted(longName, value, allowed));
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
