package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import roundtrip.harness.broker.TestBroker;
import roundtrip.harness.events.Events;
import roundtrip.harness.testing.Driver;

/** Requesters and responders inside a broker, at two brokers, and in short sessions. */
class ArrangementsTest {
  private static Driver drive(String url, String options) {
    return Driver.start("-url " + url + " -ss 0.2 -rl 0 " + options);
  }

  private static void assertNothingWentWrong(JsonObject end) {
    JsonObject whole = end.getAsJsonObject("whole_run");
    for (String count : List.of("mismatches", "duplicates", "timeouts", "errors", "lost")) {
      assertEquals(0, whole.get(count).getAsLong(), count);
    }
  }

  @Test
  void aSessionEndsAfterItsRoundTrips(@TempDir Path folder) throws Exception {
    try (TestBroker broker = new TestBroker(folder, "\"persistent\":false");
        Driver responder = drive(broker.url(), "-tc responder");
        Driver requester = drive(broker.url(), "-nt 2 -rs 5 -to 30")) {
      requester.awaitCount("sessions", 4);
      JsonObject end = requester.stop();
      assertNothingWentWrong(end);
      JsonObject whole = end.getAsJsonObject("whole_run");
      long trips = whole.get("verified").getAsLong();
      long sessions = whole.get("sessions").getAsLong();
      assertTrue(trips >= 5 * sessions && trips <= 5 * (sessions + 2), trips + "/" + sessions);
      responder.stop();
    }
  }

  @Test
  void bridgesCarryRequestsThereAndRepliesBack(@TempDir Path here, @TempDir Path there)
      throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    try (TestBroker requests =
            new TestBroker(here, queues("REQUEST", "REPLY") + bridge("REQUEST", port));
        TestBroker replies =
            new TestBroker(
                there,
                "\"port\":" + port + "," + queues("REQUEST", "REPLY")
                    + bridge("REPLY", requests.port()));
        Driver responder = drive(replies.url(), "-tc responder -nt 2");
        Driver requester = drive(requests.url(), "-nt 3 -pp -to 30")) {
      requester.awaitCount("verified", 20);
      assertNothingWentWrong(requester.stop());
      responder.stop();
      assertEquals(0, requests.depth("REQUEST") + replies.depth("REPLY"));
    }
  }

  private static String queues(String... names) {
    return "\"queues\":[\"" + String.join("\",\"", names) + "\"],\"bridges\":";
  }

  private static String bridge(String queue, int port) {
    return "[{\"queue\":\"%s\",\"port\":%d}]".formatted(queue, port);
  }

  @Test
  void driversInsideTheBrokerSayWhoseTheirEventsAre(@TempDir Path folder) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TestBroker broker = new TestBroker(folder, "\"local\":true")) {
      DriversInside inside = new DriversInside(new Events(out), Map.of());
      String common = "\"-url\",\"" + broker.localUrl() + "\",\"-rl\",\"0\",\"-ss\",\"0.1\"";
      inside.command("{\"drive\":[\"-id\",\"responder-1\",\"-tc\",\"responder\"," + common + "]}");
      inside.command("{\"drive\":[\"-id\",\"requester-1\",\"-nt\",\"2\"," + common + "]}");
      inside.command("{\"drive\":[\"-nt\",\"2\"]}");
      inside.command("nonsense");
      while (events(out, "interval").stream().noneMatch(ArrangementsTest::exchanged)) {
        Thread.sleep(20);
      }
      inside.command("{\"stop\":\"requester-1\"}");
      while (events(out, "ended").isEmpty()) {
        Thread.sleep(20);
      }
      inside.stop();
    }
    assertEquals(2, events(out, "refused").size());
    JsonObject end =
        events(out, "end").stream().filter(ArrangementsTest::exchanged).findFirst().orElseThrow();
    assertNothingWentWrong(end);
    assertEquals(2, events(out, "ended").size());
  }

  /** Whether the requester tells of round trips. */
  private static boolean exchanged(JsonObject event) {
    return event.get("id").getAsString().equals("requester-1")
        && event.get("round_trips").getAsLong() > 0;
  }

  /** The events of one name so far; the last line may not be whole yet. */
  private static List<JsonObject> events(ByteArrayOutputStream out, String name) {
    String written = out.toString(StandardCharsets.UTF_8);
    return written.substring(0, written.lastIndexOf('\n') + 1).lines()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .filter(event -> event.get("event").getAsString().equals(name))
        .toList();
  }
}
