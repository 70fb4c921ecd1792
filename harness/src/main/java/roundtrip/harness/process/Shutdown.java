package roundtrip.harness.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Ends the process in order, whoever wants it to end.
 *
 * <p>SIGTERM, SIGINT and the end of standard input all ask for the same thing; the command then
 * finishes its work and the process ends with the command's own status. Standard input ends when
 * the parent dies, however it dies, so nothing is left running.
 */
public final class Shutdown {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile String reason = "finished";
  private volatile int status;

  /** Starts to listen for signals. A command that takes longer than the grace period is cut off. */
  public static Shutdown onSignals(int graceSeconds) {
    Shutdown shutdown = new Shutdown();
    Thread hook =
        new Thread(
            () -> {
              shutdown.ask("signal");
              shutdown.awaitFinished(graceSeconds);
              Runtime.getRuntime().halt(shutdown.status);
            },
            "shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    return shutdown;
  }

  /** Asks for the end as soon as {@code input} ends; what it still carries is not used. */
  public void whenClosed(InputStream input) {
    whenClosed(input, ignored -> {});
  }

  /** Asks for the end as soon as {@code input} ends; until then, its lines go to the reader. */
  public void whenClosed(InputStream input, Consumer<String> reader) {
    Thread watcher =
        new Thread(
            () -> {
              try {
                var lines = new BufferedReader(new InputStreamReader(input, UTF_8));
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  reader.accept(line);
                }
              } catch (IOException broken) {
                // As good as closed.
              }
              ask("standard input closed");
            },
            "stdin");
    watcher.setDaemon(true);
    watcher.start();
  }

  /**
   * Whether a parent holds the other end of standard input. A terminal or {@code /dev/null} says
   * nothing about a parent, and the latter is at its end from the start.
   */
  public static boolean inputIsHeldByParent() {
    Path input = Path.of("/proc/self/fd/0");
    try {
      String target = Files.readSymbolicLink(input).toString();
      return target.startsWith("pipe:") || target.startsWith("socket:");
    } catch (IOException | UnsupportedOperationException notLinux) {
      return System.console() == null;
    }
  }

  /** Asks for the end. */
  public void ask(String why) {
    if (asked.getCount() > 0) {
      reason = why;
      asked.countDown();
    }
  }

  /** Whether the end was asked for. */
  public boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Why the work ended. */
  public String reason() {
    return reason;
  }

  /** Waits until the end is asked for, or the time is up; says whether it was asked for. */
  public boolean await(long duration, TimeUnit unit) throws InterruptedException {
    return asked.await(duration, unit);
  }

  /** Waits until the end is asked for. */
  public void await() throws InterruptedException {
    asked.await();
  }

  /** Ends the process with a status, now that the command is done. */
  public void exit(int exitStatus) {
    status = exitStatus;
    finished.countDown();
    System.exit(exitStatus);
  }

  private void awaitFinished(int graceSeconds) {
    try {
      if (!finished.await(graceSeconds, TimeUnit.SECONDS)) {
        status = 1;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
