package roundtrip.harness.drive;

import roundtrip.harness.cli.UsageException;

/**
 * Spreads threads over numbered queues, as JMSPerfHarness does: {@code -d QUEUE -dn 3} gives QUEUE1
 * to QUEUE3 in turn, {@code -db 6 -dn 3} 6 to 8, {@code -dx 6 -dn 3} 4 to 6, and {@code -db 4 -dx 6
 * -dn 5} 4 to 6 beginning with 5.
 *
 * @param first smallest number
 * @param count how many there are; 0 for names without a number
 * @param start which number the first thread gets
 */
public record QueueNumbers(int first, int count, int start) {

  /** Reads the three options; 0 stands for one that is not given. */
  static QueueNumbers of(int base, int maximum, int range) throws UsageException {
    if (maximum > 0 && base > 0) {
      if (base > maximum || (range > 0 && (range < base || range > maximum))) {
        throw new UsageException(
            "with -db %d and -dx %d, -dn names the first number and lies between them"
                .formatted(base, maximum));
      }
      return new QueueNumbers(base, maximum - base + 1, range > 0 ? range : base);
    }
    if (maximum > 0) {
      int count = range > 0 ? range : maximum;
      if (count > maximum) {
        throw new UsageException("-dn %d is more than -dx %d".formatted(count, maximum));
      }
      return new QueueNumbers(maximum - count + 1, count, maximum - count + 1);
    }
    int first = base > 0 ? base : 1;
    return new QueueNumbers(first, range, first);
  }

  /** Whether names carry a number. */
  boolean exist() {
    return count > 0;
  }

  /** The queue of a thread, counted from 0. */
  String name(String prefix, int thread) {
    return exist() ? prefix + (first + (start - first + thread) % count) : prefix;
  }
}
