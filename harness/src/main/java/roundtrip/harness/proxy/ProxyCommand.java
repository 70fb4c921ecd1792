package roundtrip.harness.proxy;

import com.google.gson.JsonObject;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import roundtrip.harness.cli.Option;
import roundtrip.harness.cli.OptionTable;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.drive.Reasons;
import roundtrip.harness.events.Events;
import roundtrip.harness.process.Shutdown;

/** Runs the delay proxy until it is told to stop, or its parent is gone. */
public final class ProxyCommand {
  private final Parsed options;
  private final Events events;
  private final Shutdown shutdown;

  /** Takes the options. */
  public ProxyCommand(Parsed options, Events events, Shutdown shutdown) {
    this.options = options;
    this.events = events;
    this.shutdown = shutdown;
  }

  /** The options of {@code proxy}. */
  public static OptionTable options() {
    return new OptionTable("roundtrip-harness proxy --to HOST:PORT [options]")
        .group(
            "Link",
            Option.text("to", null, "HOST:PORT", null, "where connections are passed on to"),
            Option.whole("listen", null, "0", 0, 65535, "port to listen on; 0 for a free one"),
            Option.text("host", null, "HOST", "127.0.0.1", "address to listen on"),
            Option.text(
                "probe-to", null, "HOST:PORT", null,
                "a further port over the same link leads here, to measure the link itself"),
            Option.decimal("delay-ms", null, "0", 0, 60_000, "delay of each direction"),
            Option.decimal(
                "rate-mbit", null, "0", 0, 1e6,
                "bandwidth of each direction in 10^6 bit/s; 0: no limit"),
            Option.decimal(
                "statistics-interval", "ss", "10", 0.05, 86_400, "seconds between counter events"));
  }

  /** Runs the proxy and returns the exit status. */
  public int execute() throws UsageException, InterruptedException {
    InetSocketAddress to = address("to");
    InetSocketAddress probed = options.text("probe-to") == null ? null : address("probe-to");
    InetSocketAddress from =
        new InetSocketAddress(options.text("host"), options.whole("listen"));
    try (DelayProxy proxy =
        new DelayProxy(
            options.decimal("delay-ms"), options.decimal("rate-mbit"), this::failed)) {
      JsonObject ready = Events.event("ready");
      try {
        int port = proxy.start(from, to);
        ready.addProperty("pid", ProcessHandle.current().pid());
        ready.addProperty("host", options.text("host"));
        ready.addProperty("port", port);
        if (probed != null) {
          InetSocketAddress free = new InetSocketAddress(options.text("host"), 0);
          ready.addProperty("probe_port", proxy.start(free, probed));
        }
      } catch (Exception cannotListen) {
        throw new UsageException(
            "port %d of %s cannot be used: %s"
                .formatted(from.getPort(), options.text("host"), cannotListen.getMessage()));
      }
      ready.addProperty("to", options.text("to"));
      ready.addProperty("delay_ms", options.decimal("delay-ms"));
      ready.addProperty("rate_mbit", options.decimal("rate-mbit"));
      events.write(ready);
      long interval = (long) (options.decimal("statistics-interval") * 1000);
      while (!shutdown.await(interval, TimeUnit.MILLISECONDS)) {
        if (!events.write(counters("counters", proxy))) {
          shutdown.ask("nobody reads the output");
        }
      }
      events.write(counters("end", proxy));
    }
    return 0;
  }

  private void failed(Throwable cause) {
    JsonObject event = Events.event("error");
    event.addProperty("doing", "passing on");
    event.addProperty("reason", Reasons.of(cause));
    events.write(event);
  }

  private static JsonObject counters(String name, DelayProxy proxy) {
    JsonObject event = Events.event(name);
    event.addProperty("bytes_to_host", proxy.bytes()[0]);
    event.addProperty("bytes_from_host", proxy.bytes()[1]);
    event.addProperty("accepted", proxy.connections()[0]);
    event.addProperty("open", proxy.connections()[1]);
    event.addProperty("refused", proxy.connections()[2]);
    return event;
  }

  private InetSocketAddress address(String name) throws UsageException {
    String text = options.text(name);
    int colon = text == null ? -1 : text.lastIndexOf(':');
    try {
      int port = Integer.parseInt(text == null ? "" : text.substring(colon + 1));
      if (colon > 0 && port > 0 && port <= 65535) {
        InetSocketAddress address = new InetSocketAddress(text.substring(0, colon), port);
        if (address.isUnresolved()) {
          throw new UsageException("--%s names a host that is not known: %s".formatted(name, text));
        }
        return address;
      }
    } catch (NumberFormatException noPort) {
      // Refused below.
    }
    throw new UsageException("--" + name + " must be HOST:PORT");
  }
}
