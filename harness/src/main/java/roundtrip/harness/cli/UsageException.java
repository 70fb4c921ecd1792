package roundtrip.harness.cli;

/** The user asked for something that cannot be; the message says what and what is allowed. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  /** @param message one sentence for the user, without secrets */
  public UsageException(String message) {
    super(message);
  }
}
