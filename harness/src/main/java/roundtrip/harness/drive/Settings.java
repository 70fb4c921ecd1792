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
 * @param messageCount messages after which a sender's run ends; 0 for no limit
 * @param sessionRoundTrips round trips after which a requester connects anew; 0 for never
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
 * @param consumerPerReply whether requesters make a new consumer for each reply
 * @param connectSeconds how long the next connection is waited for before the run is given up
 * @param timeoutSeconds how long a reply is waited for
 * @param reconnectSeconds how long a lost connection is tried again; negative for all the run
 * @param reconnectPauseSeconds longest pause between two attempts
 * @param once whether a sender sends again what may not have arrived
 * @param mark what every message bears, so that others are left alone; null for no mark
 */
public record Settings(
    Role role,
    int threads,
    int messageBytes,
    Boolean persistent,
    Compression compression,
    boolean transacted,
    int commitCount,
    int messageCount,
    int sessionRoundTrips,
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
    boolean consumerPerReply,
    double connectSeconds,
    double timeoutSeconds,
    double reconnectSeconds,
    double reconnectPauseSeconds,
    boolean once,
    String mark) {

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
    if (options.flag("once") && (role != Role.SENDER || transacted)) {
      throw new UsageException(
          "--once is for senders without transactions: a transaction that is sent again as a whole"
              + " cannot be told from another");
    }
    if (options.whole("message-count") > 0 && role != Role.SENDER) {
      throw new UsageException("--message-count is for senders, not for a " + role.word());
    }
    if (options.whole("round-trips-per-session") > 0 && role != Role.REQUESTER) {
      throw new UsageException(
          "--round-trips-per-session is for requesters, not for a " + role.word());
    }
    if (options.flag("consumer-per-reply") && role != Role.REQUESTER) {
      throw new UsageException("--consumer-per-reply is for requesters, not for a " + role.word());
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
    if (role == Role.RESPONDER && options.decimal("rate") > 0) {
      throw new UsageException("--rate is not for a responder: requests come when they come");
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
        options.whole("message-count"),
        options.whole("round-trips-per-session"),
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
        options.flag("consumer-per-reply"),
        options.decimal("connect-timeout"),
        options.decimal("reply-timeout"),
        options.decimal("reconnect-time"),
        options.decimal("reconnect-pause"),
        options.flag("once"),
        Link.checkedMark(options.text("mark")));
  }
}
