package roundtrip.harness.drive;

import static roundtrip.harness.cli.Option.choice;
import static roundtrip.harness.cli.Option.decimal;
import static roundtrip.harness.cli.Option.flag;
import static roundtrip.harness.cli.Option.text;
import static roundtrip.harness.cli.Option.whole;

import roundtrip.harness.cli.Option;
import roundtrip.harness.cli.OptionTable;
import roundtrip.harness.payload.Compression;
import roundtrip.harness.tls.TlsSettings;

/** The options of the load driver, with the names that JMSPerfHarness and MQ-CPH use. */
public final class DriveOptions {
  private static final int MOST = Integer.MAX_VALUE;
  private static final String ON_COMMAND_LINE =
      "a password on a command line can be read by everyone on the machine; set"
          + " ROUNDTRIP_PASSWORD or name a file with -pf FILE";

  private DriveOptions() {}

  /** The options of {@code drive}. */
  public static OptionTable drive() {
    return common("roundtrip-harness drive -tc ROLE [options]")
        .group("Broker", broker())
        .group("Encryption", TlsSettings.options())
        .refuse("-pw", ON_COMMAND_LINE);
  }

  /** The options of {@code queues}. */
  public static OptionTable queuesOfOthers() {
    return new OptionTable("roundtrip-harness queues -q NAME,NAME -mark TEXT [options]")
        .group(
            "Queues",
            text("names", "q", "NAMES", null, "queues to look at, separated by commas"),
            mark(),
            flag("trial", null, "put one marked message, see that selectors are kept to, and take it"),
            flag("drain", null, "take the marked messages, and no other"))
        .group("Messages", compression())
        .group("Broker", broker())
        .group("Encryption", TlsSettings.options())
        .refuse("-pw", ON_COMMAND_LINE);
  }

  /** The options of {@code loopback}: the same driver without a broker. */
  public static OptionTable loopback() {
    return common("roundtrip-harness loopback -tc ROLE [options]");
  }

  private static OptionTable common(String usage) {
    return new OptionTable(usage).group("Load", load()).group("Messages", messages())
        .group("Queues", queues()).group("Output", output())
        // JMSPerfHarness: the seconds that its summary leaves out; and the file with the message.
        .alias("-sw", "warm-up").alias("-mf", "payload");
  }

  private static Option[] broker() {
    return new Option[] {
      choice("provider", "pc", "artemis|classic|amqp|ibmmq", "artemis", "client library"),
      text("url", "url", "URL", null, "where the broker is, for all but ibmmq"),
      text("host", "jh", "HOST", "localhost", "host of the queue manager"),
      whole("port", "jp", "1414", 1, 65535, "port of its listener"),
      text("channel", "jc", "NAME", "SYSTEM.DEF.SVRCONN", "server-connection channel"),
      text("queue-manager", "jb", "NAME", "", "queue manager; empty for any at the port"),
      text("cipher-spec", "jl", "NAME", null, "CipherSpec of the channel, or suite name"),
      text("ccdt", "ccdt", "URL", null, "client channel definition table, for all of these"),
      text("user", "us", "NAME", null,
          "user, or in ROUNDTRIP_BROKER_USER; the password is in ROUNDTRIP_PASSWORD"),
      text("password-file", "pf", "FILE", null, "… or the only content of a file"),
    };
  }

  private static Option mark() {
    return text("mark", "mark", "TEXT", null,
        "property roundtrip_run of each message; messages without it are left alone");
  }

  private static Option[] load() {
    return new Option[] {
      text("test-class", "tc", "requester|responder|sender|receiver", "requester",
          "what the threads do"),
      whole("threads", "nt", "1", 1, 100_000, "threads, each with its own connection"),
      decimal("rate", "rt", "0", 0, 1e9,
          "total rate of all threads per second (open loop); 0: as fast as possible"),
      decimal("warm-up", "wt", "0", 0, 1e6, "seconds before the measurement"),
      decimal("run-length", "rl", "60", 0, 1e9, "seconds of measurement; 0: until stopped"),
      whole("message-count", "mg", "0", 0, MOST,
          "messages to send, of all threads together; 0: no limit (sender)"),
      whole("round-trips-per-session", "rs", "0", 0, MOST,
          "round trips after which a requester disconnects and connects anew; 0: it stays"),
      whole("start-interval", "wi", "0", 0, 600_000, "milliseconds between starts of threads"),
      flag("await-start", null,
          "when connected, wait for the time to begin at: a line on standard input, in milliseconds"
              + " since 1970"),
      decimal("connect-timeout", null, "30", 0.1, 86_400,
          "seconds to wait for the next connection while they are made"),
      decimal("reply-timeout", "to", "5", 0.001, 86_400, "seconds to wait for a reply"),
      decimal("reconnect-time", "ro", "-1", -1, 1e9,
          "seconds to try to reconnect after a loss; -1: as long as the run"),
      decimal("reconnect-pause", null, "1", 0.01, 3600,
          "longest pause between two attempts to reconnect, in seconds"),
    };
  }

  /** Every command that connects has it: the channel of IBM MQ is told. */
  private static Option compression() {
    return choice("compression", "cm", Compression.WORDS, "none",
        "compress each message and decompress it at its end; on IBM MQ the channel does");
  }

  private static Option[] messages() {
    return new Option[] {
      whole("message-bytes", "ms", "1000", 0, MOST - 16, "size of a message"),
      text("payload", "mt", "json|random|FILE", "random", "content of the messages"),
      decimal("compressibility", "mc", null, 0, 1,
          "share that zlib should take away; left out: as the content comes"),
      compression(),
      whole("seed", "seed", "1", 0, Integer.MAX_VALUE, "where random content comes from"),
      flag("persistent", "pp",
          "persistent messages; without it a responder answers as it was asked"),
      flag("transacted", "tx", "in transactions"),
      flag("once", "once",
          "send again what may not have arrived, marked so that the broker drops a second copy"
              + " where it can (sender)"),
      whole("commit-count", "cc", "1", 1, MOST, "messages in a transaction (sender, receiver)"),
    };
  }

  private static Option[] queues() {
    return new Option[] {
      text("request-queue", "iq", "NAME", "REQUEST", "queue of requests"),
      text("reply-queue", "oq", "NAME", "REPLY", "queue of replies"),
      text("destination", "d", "NAME", "DEST", "queue of senders and receivers"),
      whole("queue-base", "db", "0", 0, MOST, "first number after the queue names"),
      whole("queue-maximum", "dx", "0", 0, MOST, "last number"),
      whole("queue-count", "dn", "0", 0, MOST, "how many numbers; threads take them in turn"),
      flag("correlation-id", "co",
          "select replies by correlation ID; on unless -dq or 'false' follows"),
      flag("consumer-per-reply", "cr", "a new consumer for each reply instead of a standing one"),
      flag("dedicated-reply-queue", "dq", "a reply queue of its own for each requester"),
      mark(),
    };
  }

  private static Option[] output() {
    return new Option[] {
      decimal("statistics-interval", "ss", "10", 0.05, 86_400, "seconds between interval events"),
      text("id", "id", "NAME", "", "name of this process in its events"),
      text("histogram-log", "hl", "FILE", null, "write a HdrHistogram log as well"),
    };
  }
}
