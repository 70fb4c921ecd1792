package roundtrip.harness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import roundtrip.harness.testing.Driver;

/** ActiveMQ Classic under the same driver. */
class ClassicBrokerTest {
  private static final String CLASSIC = "\"product\":\"classic\",";

  private static Driver drive(String url, String options) {
    return Driver.start("-pc classic -url " + url + " -ss 0.2 -rl 0 " + options);
  }

  @Test
  void whatIsInEffectIsReadBack(@TempDir Path folder) throws Exception {
    String config =
        CLASSIC + "\"journal\":{\"sync\":false},\"address\":{\"page_messages\":77},"
            + "\"queues\":[\"Q1\"]";
    try (TestBroker broker = new TestBroker(folder, config)) {
      JsonObject effective = broker.effective();
      assertTrue(effective.get("classic").getAsString().matches("6\\.\\d+\\.\\d+"));
      assertEquals("NEVER", effective.getAsJsonObject("journal").get("sync").getAsString());
      assertEquals(77, effective.getAsJsonObject("address").get("maxPageSize").getAsInt());
      assertTrue(effective.getAsJsonArray("queues").toString().contains("Q1"));
      assertTrue(broker.port() > 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-co", "-dq", "-pp -tx", "-ms 300000 -mt json"})
  void everyReplyIsTheRightOne(String options, @TempDir Path folder) throws Exception {
    try (TestBroker broker = new TestBroker(folder, CLASSIC + "\"persistent\":true");
        Driver responder =
            drive(broker.url(), "-tc responder -nt 2" + (options.contains("-tx") ? " -tx" : ""));
        Driver requester = drive(broker.url(), "-nt 3 -to 30 " + options)) {
      requester.awaitCount("verified", 20);
      JsonObject whole = requester.stop().getAsJsonObject("whole_run");
      for (String count : List.of("mismatches", "duplicates", "timeouts", "errors", "lost")) {
        assertEquals(0, whole.get(count).getAsLong(), count);
      }
      responder.stop();
    }
  }

  @Test
  void messagesThatAreCountedOutAreOnTheQueue(@TempDir Path folder) throws Exception {
    try (TestBroker broker = new TestBroker(folder, CLASSIC + "\"persistent\":false")) {
      try (Driver sender =
          drive(broker.url(), "-tc sender -nt 2 -d LEFT -mg 1203 -tx -cc 100")) {
        JsonObject end = sender.end();
        assertEquals(1203, end.getAsJsonObject("whole_run").get("sent").getAsLong());
      }
      assertEquals(1203, broker.depth("LEFT"));
    }
  }
}
