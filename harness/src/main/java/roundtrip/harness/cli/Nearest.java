package roundtrip.harness.cli;

import java.util.Collection;

/** Finds the name that someone who mistyped probably meant. */
public final class Nearest {
  private Nearest() {}

  /** Returns {@code "; nearest: NAME"}, or nothing when no known name is close. */
  public static String hint(String wrong, Collection<String> known) {
    String best = null;
    int least = Math.max(3, wrong.length() / 2);
    for (String name : known) {
      int distance = distance(wrong, name);
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    return best == null ? "" : "; nearest: " + best;
  }

  /** Counts the edits between two words (Levenshtein). */
  static int distance(String left, String right) {
    int[] previous = new int[right.length() + 1];
    for (int j = 0; j < previous.length; j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int[] row = new int[previous.length];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int change = previous[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, Math.min(previous[j], row[j - 1]) + 1);
      }
      previous = row;
    }
    return previous[right.length()];
  }
}
