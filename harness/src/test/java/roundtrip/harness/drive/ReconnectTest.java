package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import roundtrip.harness.broker.TestBroker;
import roundtrip.harness.testing.Driver;

/** The broker goes away while a request is in it, and comes back. */
class ReconnectTest {
  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress("127.0.0.1", 0));
      return socket.getLocalPort();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestIsLostUnlessItIsPersistent(boolean persistent, @TempDir Path folder)
      throws Exception {
    String config = "\"port\":" + freePort() + ",\"queues\":[\"REQUEST\",\"REPLY\"]";
    TestBroker broker = new TestBroker(folder, config);
    String url = " -url " + broker.url();
    String options = "-rl 0 -ss 0.2 -to 30" + url + (persistent ? " -pp" : "");
    try (Driver requester = Driver.start(options)) {
      requester.awaitCount("sent", 1);
      // One request is in the broker, and nobody answers it before the broker has gone.
      broker.close();
      Thread.sleep(300);
      broker = new TestBroker(folder, config);
      try (Driver responder = Driver.start("-tc responder -rl 0 -ss 0.2" + url)) {
        requester.awaitCount("verified", 10);
        JsonObject end = requester.stop().getAsJsonObject("whole_run");
        long lost =
            requester.events("interval").stream().mapToLong(each -> each.get("lost").getAsLong()).sum();
        assertEquals(end.get("lost").getAsLong(), lost);
        assertEquals(1, end.get("reconnects").getAsLong());
        assertTrue(end.get("errors").getAsLong() >= 1);
        assertEquals(persistent ? 0 : 1, end.get("lost").getAsLong(), end.toString());
        assertEquals(persistent ? 1 : 0, end.get("late").getAsLong(), end.toString());
        assertEquals(0, end.get("duplicates").getAsLong());
        assertTrue(end.get("verified").getAsLong() > 10, end.toString());
        assertTrue(requester.events("error").get(0).get("reason").getAsString().length() > 5);
      }
    } finally {
      broker.close();
    }
  }

  @Test
  void theTimeToReconnectIsLimited(@TempDir Path folder) throws Exception {
    TestBroker broker = new TestBroker(folder, "\"persistent\":false");
    try (Driver sender =
        Driver.start("-tc sender -rt 50 -rl 0 -ro 0.3 -ss 0.2 -url " + broker.url())) {
      sender.awaitCount("sent", 1);
      broker.close();
      while (last(sender).get("threads").getAsInt() > 0) {
        Thread.sleep(20);
      }
      JsonObject end = sender.stop();
      JsonObject whole = end.getAsJsonObject("whole_run");
      assertEquals(0, whole.get("reconnects").getAsLong());
      assertEquals(1, whole.get("in_doubt").getAsLong(), whole.toString());
      assertTrue(whole.get("sent").getAsLong() > 0);
    }
  }

  private static JsonObject last(Driver driver) {
    var intervals = driver.events("interval");
    return intervals.get(intervals.size() - 1);
  }
}
