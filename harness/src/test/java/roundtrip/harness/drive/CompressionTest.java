package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import roundtrip.harness.broker.TestBroker;
import roundtrip.harness.testing.Driver;

/** Messages that are compressed on their way through a broker. */
class CompressionTest {
  @TempDir static Path folder;
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = new TestBroker(folder, "\"persistent\":false,\"amqp\":true");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static JsonObject roundTrips(String queue, String options, String responder)
      throws Exception {
    String queues = " -iq " + queue + " -oq R" + queue + " ";
    try (Driver answers = Driver.start("-tc responder -rl 0 " + queues + responder)) {
      answers.await("connected");
      try (Driver driver = Driver.start("-rl 0 -mt json -ms 20480 " + queues + options)) {
        driver.awaitCount("verified", 5);
        return driver.stop().getAsJsonObject("whole_run");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"zlibfast, artemis", "ZLIBHIGH, artemis", "lz4fast, amqp", "LZ4HIGH, artemis"})
  void everyReplyIsWhatWasSent(String method, String provider) throws Exception {
    String url = provider.equals("amqp") ? broker.amqpUrl() : broker.url();
    String options = "-ss 0.1 -cm " + method + " -pc " + provider + " -url " + url;
    JsonObject counts = roundTrips("C" + method, options, options);
    assertEquals(0, counts.get("mismatches").getAsLong(), counts.toString());
    assertEquals(0, counts.get("lost").getAsLong(), counts.toString());
    long before = counts.get("bytes_before").getAsLong();
    assertEquals(20480 * counts.get("sent").getAsLong(), before);
    assertTrue(counts.get("bytes_after").getAsLong() < 0.7 * before, counts.toString());
  }

  @Test
  void anEndThatDoesNotCompressIsFound() throws Exception {
    String url = "-ss 0.1 -url " + broker.url();
    try (Driver plain = Driver.start("-tc responder -rl 0 -iq X -oq RX -cm lz4fast " + url);
        Driver driver = Driver.start("-rl 0 -to 0.3 -mt json -ms 2048 -iq X -oq RX " + url)) {
      String reason = plain.await("error").get("reason").getAsString();
      assertTrue(reason.contains("cannot be decompressed"), reason);
      driver.awaitCount("timeouts", 1);
    }
  }

  @Test
  void sendersAndReceiversCompressToo() throws Exception {
    String line = "-d ONEWAY -ms 2048 -mt json -rl 0.3 -cm zlibfast -ss 0.1 -url " + broker.url();
    try (Driver receiver = Driver.start("-tc receiver " + line.replace("0.3", "0"));
        Driver sender = Driver.start("-tc sender " + line)) {
      sender.end();
      receiver.awaitCount("verified", 5);
      JsonObject counts = receiver.stop().getAsJsonObject("whole_run");
      assertEquals(0, counts.get("mismatches").getAsLong(), counts.toString());
    }
  }

  @Test
  void theStartSaysWhatCompresses() throws Exception {
    try (Driver driver = Driver.start("-tc sender -rl 0.1 -cm lz4high -url " + broker.url())) {
      JsonObject said = driver.await("start").getAsJsonObject("compression");
      assertEquals("LZ4HIGH", said.get("method").getAsString());
      assertEquals("driver", said.get("by").getAsString());
      assertTrue(said.get("with").getAsString().startsWith("lz4-java"), said.toString());
    }
  }
}
