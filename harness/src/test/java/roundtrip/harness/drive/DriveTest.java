package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import roundtrip.harness.broker.TestBroker;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.events.Histograms;
import roundtrip.harness.testing.Driver;

/** The driver against a real broker. */
class DriveTest {
  @TempDir static Path folder;
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = new TestBroker(folder, "\"amqp\":true,\"journal\":{\"sync\":false}");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static Driver drive(String options) {
    return Driver.start("-url " + broker.url() + " -ss 0.5 " + options);
  }

  private static long whole(JsonObject end, String count) {
    return end.getAsJsonObject("whole_run").get(count).getAsLong();
  }

  private static void assertNothingWentWrong(JsonObject end) {
    for (String count :
        List.of("mismatches", "late", "duplicates", "timeouts", "errors", "reconnects", "lost")) {
      assertEquals(0, whole(end, count), count);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "-iq A -oq RA -co",
    "-iq B -oq RB -dq",
    "-iq G -oq RG -co -cr",
    "-iq C -oq RC -dn 2",
    "-iq D -oq RD -pp -tx",
    "-iq E -oq RE -ms 10",
    "-iq F -oq RF -ms 150000 -mt json -mc 0.5",
  })
  void everyReplyIsTheRightOne(String options) throws Exception {
    String answering = options.replaceAll(" -(oq \\S+|co|cr|dq|pp|ms \\S+|mt \\S+|mc \\S+)", "");
    try (Driver responder = drive("-tc responder -nt 2 -rl 0 " + answering);
        Driver requester = drive("-nt 3 -rl 0 -to 30 " + options)) {
      requester.awaitCount("verified", 20);
      JsonObject end = requester.stop();
      assertEquals(0, requester.status());
      assertNothingWentWrong(end);
      assertEquals(whole(end, "sent"), whole(end, "verified"));
      assertEquals(whole(end, "sent"), whole(responder.stop(), "sent"));
    }
  }

  @Test
  void intervalsAddUpToTheEnd() throws Exception {
    Path log = folder.resolve("run.hlog");
    try (Driver responder = drive("-tc responder -rl 0 -iq S");
        Driver requester = drive("-iq S -nt 2 -wt 0.6 -rl 1.2 -id north -hl " + log)) {
      JsonObject end = requester.end();
      Histogram sum = Histograms.empty();
      double seconds = 0;
      int warm = 0;
      for (JsonObject interval : requester.events("interval")) {
        Histogram part = Histograms.decode(interval.get("histogram").getAsString());
        assertEquals(interval.get("round_trips").getAsLong(), part.getTotalCount());
        assertEquals("north", interval.get("id").getAsString());
        assertEquals(2, interval.get("threads").getAsInt());
        if (interval.get("phase").getAsString().equals("measure")) {
          sum.add(part);
          seconds += interval.get("length_s").getAsDouble();
        } else {
          warm++;
        }
      }
      assertEquals(2, warm);
      assertEquals(sum, Histograms.decode(end.get("histogram").getAsString()));
      assertEquals(seconds, end.get("measured_s").getAsDouble(), 1e-9);
      assertTrue(seconds > 1.19, seconds + " s"); // a busy machine cuts the last interval late
      assertEquals(sum.getTotalCount() / seconds, end.get("rate").getAsDouble(), 1e-6);
      long logged = 0;
      try (var reader = new HistogramLogReader(log.toFile())) {
        while (reader.hasNext()) {
          logged += ((Histogram) reader.nextIntervalHistogram()).getTotalCount();
        }
      }
      assertTrue(logged >= sum.getTotalCount());
    }
  }

  @Test
  void whatIsSentIsReceivedOnce() throws Exception {
    try (Driver sender = drive("-tc sender -d BULK -nt 2 -rt 2000 -rl 1 -pp -tx -cc 10 -ms 300")) {
      JsonObject sent = sender.end();
      assertNothingWentWrong(sent);
      assertTrue(whole(sent, "sent") > 0);
      try (Driver receiver = drive("-tc receiver -d BULK -nt 2 -tx -cc 7 -rl 0 -ms 300")) {
        receiver.awaitCount("verified", whole(sent, "sent"));
        JsonObject received = receiver.stop();
        assertNothingWentWrong(received);
        assertEquals(whole(sent, "sent"), whole(received, "verified"));
      }
    }
  }

  @Test
  void anotherProtocolReachesTheSameQueues() throws Exception {
    try (Driver responder = drive("-tc responder -rl 0 -iq MIX");
        Driver requester =
            Driver.start("-pc amqp -url " + broker.amqpUrl() + " -iq MIX -oq RMIX -rl 0 -ss 0.2 -pp -to 30")) {
      requester.awaitCount("verified", 5);
      assertNothingWentWrong(requester.stop());
      assertEquals(
          "QpidJMS",
          requester.await("connected").getAsJsonObject("metadata").get("provider").getAsString());
    }
  }

  /** On a machine of any speed: what was due has been done, or is said to be behind. */
  @Test
  void theScheduleIsKept() throws Exception {
    try (Driver responder = drive("-tc responder -rl 0 -iq RATE");
        Driver requester = drive("-iq RATE -oq RRATE -nt 3 -rt 90 -wt 0.5 -rl 2 -to 30")) {
      requester.end();
      long done = 0;
      for (JsonObject interval : requester.events("interval")) {
        double due = 90 * interval.get("elapsed_s").getAsDouble();
        assertTrue(done <= due + 5, interval.toString());
        // What is counted late, because the machine is busy, is counted too.
        done += interval.get("round_trips").getAsLong();
        assertTrue(done + interval.get("behind").getAsLong() >= due - 5, interval.toString());
      }
      assertTrue(done > 0);
    }
  }

  @Test
  void whatDoesNotFitTogetherIsRefused() {
    for (String options :
        List.of(
            "-tc responder -rt 5", "-cc 5", "-cc 5 -tx", "-d QUEUE",
            "-dq -dn 3", "-tc requesters", "-nt 2 -co false", "-pf /none -us me")) {
      ExecutionException refused =
          assertThrows(ExecutionException.class, () -> drive(options).status(), options);
      assertTrue(refused.getCause() instanceof UsageException, options);
    }
  }

  @Test
  void aRefusedConnectionEndsTheRun() throws Exception {
    try (Driver driver = Driver.start("-url tcp://127.0.0.1:1 -nt 3")) {
      assertEquals(1, driver.status());
      assertTrue(driver.await("failed").get("reason").getAsString().contains("connecting"));
      assertTrue(driver.events("end").isEmpty());
    }
  }

  @Test
  void wrongCredentialsAreRefusedAndRightOnesNeverShown(@TempDir Path own) throws Exception {
    String security = "\"security\":{\"user\":\"app\",\"password_env\":\"BROKER_PW\"}";
    Path file = Files.writeString(own.resolve("password"), "s3cret!\n");
    try (TestBroker secured = new TestBroker(own, security, Map.of("BROKER_PW", "s3cret!"))) {
      String common = "-url " + secured.url() + " -rl 0.5 -us app";
      try (Driver wrong = Driver.start(common, Map.of("ROUNDTRIP_PASSWORD", "n0tright"))) {
        assertEquals(1, wrong.status());
        assertFalse(wrong.output().contains("n0tright"));
        assertTrue(wrong.await("error").toString().contains("AMQ229031"), wrong.output());
      }
      try (Driver right = Driver.start(common + " -tc sender -pf " + file)) {
        assertNothingWentWrong(right.end());
        assertFalse(right.output().contains("s3cret"));
        JsonObject said = right.await("start").getAsJsonObject("options");
        assertEquals("…", said.get("password-file").getAsString());
        assertFalse(said.has("user"));
      }
      assertFalse(secured.effective().toString().contains("s3cret"));
    }
  }
}
