package roundtrip.harness.drive;

import java.util.Locale;
import roundtrip.harness.cli.Nearest;
import roundtrip.harness.cli.UsageException;

/** What the threads of a driver do. */
public enum Role {
  /** Sends a request and waits for its reply. */
  REQUESTER("from the request to its reply"),
  /** Takes requests and sends replies. */
  RESPONDER("from the arrival of a request to the end of sending its reply"),
  /** Sends messages. */
  SENDER("of one send, with its commit"),
  /** Takes messages. */
  RECEIVER("from sending to receiving, by the clocks of both machines");

  private final String latency;

  Role(String latency) {
    this.latency = latency;
  }

  /** Reads a role; the class names of JMSPerfHarness are understood as well. */
  static Role of(String text) throws UsageException {
    String word = text.substring(text.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    if (word.equals("requestor")) {
      return REQUESTER;
    }
    for (Role role : values()) {
      if (role.word().equals(word)) {
        return role;
      }
    }
    var known = java.util.List.of("requester", "responder", "sender", "receiver");
    throw new UsageException(
        "--test-class is '%s'; it must be one of %s%s"
            .formatted(text, String.join(", ", known), Nearest.hint(word, known)));
  }

  /** The role as users write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What the recorded times are times of. */
  public String latency() {
    return latency;
  }

  /** Whether the role is one side of a round trip. */
  public boolean isRoundTrip() {
    return this == REQUESTER || this == RESPONDER;
  }

  /** Whether the role reads messages and compares them with what was sent. */
  boolean checks() {
    return this == REQUESTER || this == RECEIVER;
  }

  /** Whether the role starts an exchange of its own accord, and so can do it at a rate. */
  public boolean starts() {
    return this == REQUESTER || this == SENDER;
  }
}
