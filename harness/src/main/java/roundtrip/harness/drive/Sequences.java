package roundtrip.harness.drive;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds gaps and repeats in what receivers took, whichever thread took it, in bounded memory.
 *
 * <p>A gap is a loss only where this process is the only one that takes messages from the queue.
 */
final class Sequences {
  /** A gap this many messages old is not waited for any longer. */
  private static final int MOST_AHEAD = 100_000;

  private final Map<Long, Sender> senders = new ConcurrentHashMap<>();

  /**
   * Notes a message.
   *
   * @return false when it was there before
   */
  boolean note(long sender, long sequence) {
    return senders.computeIfAbsent(sender, any -> new Sender(sequence)).note(sequence);
  }

  /**
   * Notes a message whose transaction may or may not have been committed: it was seen, and may come
   * again without being a repeat.
   */
  void doubt(long sender, long sequence) {
    senders.computeIfAbsent(sender, any -> new Sender(sequence)).doubt(sequence);
  }

  /** How many different messages were seen, from all senders. */
  long distinct() {
    return senders.values().stream().mapToLong(Sender::distinct).sum();
  }

  /** Messages missing between the first and the last one seen of each sender. */
  long missing() {
    return senders.values().stream().mapToLong(Sender::missing).sum();
  }

  /** What came from one sender: all from the first one on below a number, and some above it. */
  private static final class Sender {
    private final TreeSet<Long> ahead = new TreeSet<>();
    private final Set<Long> beforeFirst = new HashSet<>();
    /** Seen, but not noted; one for each commit that failed, hence few. */
    private final Set<Long> doubtful = new HashSet<>();
    private final long first;
    private long below;
    private long givenUp;

    Sender(long first) {
      this.first = first;
      this.below = first;
    }

    synchronized boolean note(long sequence) {
      doubtful.remove(sequence);
      if (sequence < first) {
        return beforeFirst.size() >= MOST_AHEAD || beforeFirst.add(sequence);
      }
      if (sequence < below || !ahead.add(sequence)) {
        return false;
      }
      if (ahead.size() > MOST_AHEAD) {
        givenUp += ahead.first() - below;
        below = ahead.first();
      }
      while (!ahead.isEmpty() && ahead.first() == below) {
        ahead.pollFirst();
        below++;
      }
      return true;
    }

    synchronized void doubt(long sequence) {
      boolean noted = sequence < first ? beforeFirst.contains(sequence)
          : sequence < below || ahead.contains(sequence);
      if (!noted) {
        doubtful.add(sequence);
      }
    }

    synchronized long missing() {
      if (ahead.isEmpty()) {
        return givenUp;
      }
      long seen = doubtful.stream().filter(s -> s >= below && s < ahead.last()).count();
      return givenUp + ahead.last() + 1 - below - ahead.size() - seen;
    }

    synchronized long distinct() {
      return below - first - givenUp + ahead.size() + beforeFirst.size() + doubtful.size();
    }
  }
}
