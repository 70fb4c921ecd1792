package roundtrip.harness;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import roundtrip.harness.broker.BrokerCommand;
import roundtrip.harness.cli.Nearest;
import roundtrip.harness.cli.OptionTable;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.drive.DriveCommand;
import roundtrip.harness.drive.DriveOptions;
import roundtrip.harness.drive.DriversInside;
import roundtrip.harness.drive.QueuesCommand;
import roundtrip.harness.events.Events;
import roundtrip.harness.loopback.LoopbackProvider;
import roundtrip.harness.process.LibraryWarnings;
import roundtrip.harness.process.Shutdown;
import roundtrip.harness.provider.Credentials;
import roundtrip.harness.provider.Provider;
import roundtrip.harness.provider.Providers;
import roundtrip.harness.proxy.ProxyCommand;
import roundtrip.harness.tls.SuitesCommand;

/** The entry point: finds the subcommand and turns what goes wrong into one line and a status. */
public final class Main {
  private static final int GRACE_SECONDS = 20;
  private static final int USAGE = 2;
  private static final String HELP =
      """
      roundtrip-harness COMMAND [options]

        drive      put load on a broker: requesters, responders, senders, receivers
        loopback   the same driver without a broker: its ceiling
        broker     run an embedded broker: Apache Artemis or ActiveMQ Classic
        proxy      pass TCP connections on with a delay and a bandwidth limit
        suites     say which TLS protocols and cipher suites this Java offers
        queues     look at queues that others may use, and take what a load has left on them

      COMMAND --help lists the options. Events go to standard output, one JSON object per line.
      """;

  private Main() {}

  /** Runs a subcommand. */
  public static void main(String[] arguments) {
    if (arguments.length == 0 || List.of("--help", "-h", "help").contains(arguments[0])) {
      System.out.print(HELP);
      return;
    }
    // ActiveMQ Classic would listen on every interface for a moment to get a number of its own.
    System.setProperty(
        "activemq.idgenerator.localport", String.valueOf(ProcessHandle.current().pid()));
    List<String> rest = Arrays.asList(arguments).subList(1, arguments.length);
    Events events = new Events(System.out);
    Shutdown shutdown = Shutdown.onSignals(GRACE_SECONDS);
    int status;
    try {
      status = run(arguments[0], rest, events, shutdown);
    } catch (UsageException wrong) {
      System.err.println("roundtrip-harness: " + wrong.getMessage());
      JsonObject event = Events.event("failed");
      event.addProperty("reason", wrong.getMessage());
      events.write(event);
      status = USAGE;
    } catch (IOException | InterruptedException | RuntimeException failure) {
      System.err.println("roundtrip-harness: " + failure);
      JsonObject event = Events.event("failed");
      event.addProperty("reason", failure.toString());
      events.write(event);
      status = 1;
    }
    shutdown.exit(status);
  }

  private static int run(String command, List<String> rest, Events events, Shutdown shutdown)
      throws UsageException, IOException, InterruptedException {
    List<String> commands = List.of("drive", "loopback", "broker", "proxy", "suites", "queues");
    if (!commands.contains(command)) {
      throw new UsageException(
          "unknown command '%s'; it must be one of %s%s"
              .formatted(command, String.join(", ", commands), Nearest.hint(command, commands)));
    }
    boolean help = rest.contains("--help") || rest.contains("-h");
    return switch (command) {
      case "broker" -> help ? show(BrokerCommand.options()) : broker(rest, events, shutdown);
      case "drive" -> help ? show(DriveOptions.drive()) : drive(rest, events, shutdown);
      case "loopback" -> help ? show(DriveOptions.loopback()) : loopback(rest, events, shutdown);
      case "proxy" -> help ? show(ProxyCommand.options()) : proxy(rest, events, shutdown);
      case "queues" -> help ? show(DriveOptions.queuesOfOthers()) : queues(rest, events);
      default -> help ? show(SuitesCommand.options()) : suites(rest, events);
    };
  }

  private static int show(OptionTable table) {
    System.out.print(table.help());
    return 0;
  }

  private static int broker(List<String> rest, Events events, Shutdown shutdown)
      throws UsageException, IOException, InterruptedException {
    Parsed options = BrokerCommand.options().parse(rest);
    var local = new DriversInside(events, System.getenv());
    return new BrokerCommand(options, System.getenv(), events, shutdown, local).execute();
  }

  private static int drive(List<String> rest, Events events, Shutdown shutdown)
      throws UsageException, IOException, InterruptedException {
    Parsed options = DriveOptions.drive().parse(rest);
    LibraryWarnings.install();
    Provider provider = Providers.of(options, System.getenv());
    Events shown = events.without(System.getenv(Credentials.USER_VARIABLE));
    return driven(new DriveCommand(options, payload -> provider, shown, shutdown), shutdown);
  }

  private static int queues(List<String> rest, Events events) throws UsageException {
    Parsed options = DriveOptions.queuesOfOthers().parse(rest);
    LibraryWarnings.install();
    Provider provider = Providers.of(options, System.getenv());
    Events shown = events.without(System.getenv(Credentials.USER_VARIABLE));
    return new QueuesCommand(options, provider, shown).execute();
  }

  private static int loopback(List<String> rest, Events events, Shutdown shutdown)
      throws UsageException, IOException, InterruptedException {
    Parsed options = DriveOptions.loopback().parse(rest);
    return driven(new DriveCommand(options, LoopbackProvider::new, events, shutdown), shutdown);
  }

  private static int proxy(List<String> rest, Events events, Shutdown shutdown)
      throws UsageException, InterruptedException {
    Parsed options = ProxyCommand.options().parse(rest);
    LibraryWarnings.install();
    if (Shutdown.inputIsHeldByParent()) {
      shutdown.whenClosed(System.in);
    }
    return new ProxyCommand(options, events, shutdown).execute();
  }

  private static int suites(List<String> rest, Events events) throws UsageException {
    SuitesCommand.options().parse(rest);
    return SuitesCommand.execute(events);
  }

  private static int driven(DriveCommand command, Shutdown shutdown)
      throws UsageException, IOException, InterruptedException {
    if (command.awaitsStart() || Shutdown.inputIsHeldByParent()) {
      shutdown.whenClosed(System.in, command::heed);
    }
    return command.execute();
  }
}
