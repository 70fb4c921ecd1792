package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import roundtrip.harness.broker.TestBroker;
import roundtrip.harness.testing.Driver;

/** Answers of which exactly one is wrong: the driver must find that one. */
class VerificationTest {
  private static final int WRONG = 5;

  @TempDir static Path folder;
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = new TestBroker(folder, "\"persistent\":false");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  /** Sends the replies to one request; {@code number} counts the requests from 1. */
  private interface Answer {
    void to(int number, byte[] request, Replies replies) throws Exception;
  }

  /** Sends replies. */
  private record Replies(Session session, MessageProducer producer, String correlationId) {
    void send(byte[] content, String correlation) throws Exception {
      BytesMessage reply = session.createBytesMessage();
      reply.writeBytes(content);
      reply.setJMSCorrelationID(correlation);
      producer.send(reply);
    }

    void send(byte[] content) throws Exception {
      send(content, correlationId);
    }
  }

  private static JsonObject run(String options, Answer answer) throws Exception {
    String queue = "V" + System.nanoTime();
    try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(broker.url());
        Connection connection = factory.createConnection();
        Driver driver =
            Driver.start("-iq " + queue + " -oq R" + queue + " -rl 0 -ms 500 " + options
                + " -url " + broker.url())) {
      Session session = connection.createSession();
      var consumer = session.createConsumer(session.createQueue(queue));
      var producer = session.createProducer(session.createQueue("R" + queue));
      connection.start();
      int number = 0;
      while (!driver.hasEnded()) {
        BytesMessage request = (BytesMessage) consumer.receive(100);
        if (request == null) {
          continue;
        }
        if (++number == 3 * WRONG) {
          driver.askToStop();
        }
        byte[] content = new byte[(int) request.getBodyLength()];
        request.readBytes(content);
        answer.to(number, content, new Replies(session, producer, request.getJMSCorrelationID()));
      }
      return driver.end().getAsJsonObject("whole_run");
    }
  }

  private static void assertCounts(
      JsonObject counts, long mismatches, long timeouts, long late, long duplicates, long lost) {
    assertEquals(mismatches, counts.get("mismatches").getAsLong(), counts.toString());
    assertEquals(timeouts, counts.get("timeouts").getAsLong(), counts.toString());
    assertEquals(late, counts.get("late").getAsLong(), counts.toString());
    assertEquals(duplicates, counts.get("duplicates").getAsLong(), counts.toString());
    assertEquals(lost, counts.get("lost").getAsLong(), counts.toString());
    assertTrue(counts.get("verified").getAsLong() > WRONG, counts.toString());
  }

  @Test
  void rightAnswersPass() throws Exception {
    assertCounts(run("-to 20", (number, request, replies) -> replies.send(request)), 0, 0, 0, 0, 0);
  }

  @Test
  void oneChangedByteIsFound() throws Exception {
    JsonObject counts = run("-to 20", (number, request, replies) -> {
      if (number == WRONG) {
        request[499] ^= 1;
      }
      replies.send(request);
    });
    assertCounts(counts, 1, 0, 0, 0, 0);
  }

  @Test
  void aWrongSizeIsFound() throws Exception {
    JsonObject counts = run("-to 20", (number, request, replies) ->
        replies.send(number == WRONG ? java.util.Arrays.copyOf(request, 499) : request));
    assertCounts(counts, 1, 0, 0, 0, 0);
  }

  @Test
  void anotherCorrelationIsFound() throws Exception {
    JsonObject counts = run("-co false -to 20", (number, request, replies) ->
        replies.send(request, number == WRONG ? "another" : replies.correlationId()));
    assertCounts(counts, 1, 0, 0, 0, 0);
  }

  @Test
  void aSecondAnswerIsADuplicate() throws Exception {
    JsonObject counts = run("-to 20", (number, request, replies) -> {
      replies.send(request);
      if (number == WRONG) {
        replies.send(request);
      }
    });
    assertCounts(counts, 0, 0, 0, 1, 0);
  }

  @Test
  void aLateAnswerIsLateAndAMissingOneIsLost() throws Exception {
    byte[][] held = new byte[1][];
    JsonObject late = run("-to 0.6", (number, request, replies) -> {
      if (number == WRONG) {
        held[0] = request;
        return;
      }
      if (number == WRONG + 1) {
        replies.send(held[0]);
      }
      replies.send(request);
    });
    assertCounts(late, 0, 1, 1, 0, 0);
    JsonObject lost = run("-to 0.6", (number, request, replies) -> {
      if (number != WRONG) {
        replies.send(request);
      }
    });
    assertCounts(lost, 0, 1, 0, 0, 1);
  }
}
