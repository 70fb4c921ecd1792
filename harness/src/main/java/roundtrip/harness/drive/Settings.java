package roundtrip.harness.drive;

import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.payload.Compression;

/**
 * What to drive, checked as a whole.
 *
 * @param role what the threads do
 * @param threads how many there are, each with its own connection
 * @param messageBytes size of a message
 * @param persistent delivery mode; null for a responder that answers as it was asked
 * @param compression what is done to each message's body
 * @param transacted whether messages go in transactions
 * @param commitCount messages in a transaction
 * @param rate messages or round trips per second of all threads; 0 for as fast as possible
 * @param runSeconds length of the measurement; 0 for until stopped
 * @param warmUpSeconds time before the measurement
 * @param intervalSeconds time between two interval events
 * @param startMillis pause between the starts of two threads
 * @param requestQueue queue that requests go to, and senders send to
 * @param replyQueue queue that replies come from
 * @param numbers which numbers stand after the names of the queues
 * @param dedicated whether each requester has its own reply queue
 * @param correlate whether requesters select their replies by correlation ID
 * @param connectSeconds how long the next connection is waited for before the run is given up
 * @param timeoutSeconds how long a reply is waited for
 * @param reconnectSeconds how long a lost connection is tried again; negative for all the run
 */
public record Settings(
    Role role,
    int threads,
    int messageBytes,
    Boolean persistent,
    Compression compression,
    boolean transacted,
    int commitCount,
    double rate,
    double runSeconds,
    double warmUpSeconds,
    double intervalSeconds,
    int startMillis,
    String requestQueue,
    String replyQueue,
    QueueNumbers numbers,
    boolean dedicated,
    boolean correlate,
    double connectSeconds,
    double timeoutSeconds,
    double reconnectSeconds) {

  /** Reads them from a command line and refuses what does not fit together. */
  public static Settings of(Parsed options) throws UsageException {
    Role role = Role.of(options.text("test-class"));
    boolean dedicated = options.flag("dedicated-reply-queue");
    boolean correlate =
        options.isGiven("correlation-id") ? options.flag("correlation-id") : !dedicated;
    boolean transacted = options.flag("transacted");
    int commitCount = options.whole("commit-count");
    if (commitCount > 1 && (!transacted || role.isRoundTrip())) {
      throw new UsageException(
          "--commit-count above 1 is for transacted senders and receivers (-tx), not for a "
              + role.word());
    }
    QueueNumbers numbers =
        QueueNumbers.of(
            options.whole("queue-base"), options.whole("queue-maximum"),
            options.whole("queue-count"));
    if (dedicated && numbers.exist()) {
      throw new UsageException(
          "--queue-count and --queue-maximum spread requesters over queues; with"
              + " --dedicated-reply-queue only --queue-base counts");
    }
    if (!role.starts() && options.decimal("rate") > 0) {
      throw new UsageException("--rate is for requesters and senders, not for a " + role.word());
    }
    int queues = dedicated ? options.whole("threads") : Math.max(1, numbers.count());
    boolean shared = !correlate && options.whole("threads") > queues;
    if (role == Role.REQUESTER && shared) {
      throw new UsageException(
          "requesters that share a reply queue take each other's replies: use -co or -dq");
    }
    if (options.isGiven("destination") && role.isRoundTrip()) {
      throw new UsageException("-d is for senders and receivers; requests have -iq and -oq");
    }
    boolean copies = role == Role.RESPONDER && !options.isGiven("persistent");
    return new Settings(
        role,
        options.whole("threads"),
        options.whole("message-bytes"),
        copies ? null : (Boolean) options.flag("persistent"),
        Compression.of(options.text("compression")),
        transacted,
        commitCount,
        options.decimal("rate"),
        options.decimal("run-length"),
        options.decimal("warm-up"),
        options.decimal("statistics-interval"),
        options.whole("start-interval"),
        options.text(role.isRoundTrip() ? "request-queue" : "destination"),
        options.text("reply-queue"),
        numbers,
        dedicated,
        correlate,
        options.decimal("connect-timeout"),
        options.decimal("reply-timeout"),
        options.decimal("reconnect-time"));
  }
}
