package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import roundtrip.harness.broker.TestBroker;
import roundtrip.harness.events.Histograms;
import roundtrip.harness.proxy.DelayProxy;
import roundtrip.harness.testing.Driver;

/** A link that stops for a second, as an open and a closed loop see it. */
class OpenLoopTest {
  private static final double RATE = 100;
  private static final long STALL_MILLIS = 1000;

  @Test
  void aStallIsSeenByEveryExchangeThatItDelays(@TempDir Path folder) throws Exception {
    try (TestBroker broker = new TestBroker(folder, "\"persistent\":false");
        DelayProxy link = new DelayProxy(0, 0, failure -> {});
        Driver responder = Driver.start("-tc responder -nt 2 -rl 0 -url " + broker.url())) {
      int port =
          link.start(
              new InetSocketAddress("127.0.0.1", 0),
              new InetSocketAddress("127.0.0.1", broker.port()));
      String common = "-url tcp://127.0.0.1:" + port + " -rl 0 -ss 0.25 -oq ";
      try (Driver open = Driver.start(common + "OPEN -rt " + RATE);
          Driver closed = Driver.start(common + "CLOSED")) {
        open.awaitCount("verified", 20);
        closed.awaitCount("verified", 20);
        link.pause(STALL_MILLIS);
        open.awaitCount("behind", 40);
        // All of the backlog and some more.
        open.awaitCount("verified", open.events("interval").size() * (long) RATE / 4 + 150);
        JsonObject openEnd = open.stop();
        // Those due in the first half of the stall waited for at least the other half.
        long late = slow(openEnd, STALL_MILLIS / 2);
        assertTrue(late >= RATE * STALL_MILLIS / 2000 - 5, late + " late");
        // A closed loop was waiting for one reply, and saw one slow exchange (more if the machine
        // itself stops).
        long seen = slow(closed.stop(), STALL_MILLIS / 2);
        assertTrue(seen >= 1 && seen <= late / 5, seen + " seen");
      }
    }
  }

  private static long slow(JsonObject end, long millis) throws Exception {
    Histogram histogram = Histograms.decode(end.get("histogram").getAsString());
    return histogram.getCountBetweenValues(millis * 1_000_000, Long.MAX_VALUE / 4);
  }
}
