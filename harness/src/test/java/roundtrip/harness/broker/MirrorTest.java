package roundtrip.harness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.Map;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import roundtrip.harness.cli.UsageException;

class MirrorTest {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsSentAndTakenIsSoAtTheSecondBroker(boolean sync, @TempDir Path one, @TempDir Path two)
      throws Exception {
    try (TestBroker second = new TestBroker(two, "\"name\":\"second\",\"amqp\":true");
        TestBroker first = new TestBroker(one, "\"name\":\"first\",\"queues\":[\"Q\"],"
            + mirror(second.port(), sync))) {
      JsonObject told = first.effective().getAsJsonArray("mirrors").get(0).getAsJsonObject();
      assertEquals(sync, told.get("sync").getAsBoolean());
      assertTrue(told.get("connected").getAsBoolean());
      assertTrue(told.get("queue").getAsString().contains("MIRROR"), told.toString());
      assertFalse(second.effective().has("mirrors"));
      exchange(first.url(), 20, 5);
      JsonObject mirror = await(first, "mirror", 0);
      assertTrue(mirror.get("added").getAsLong() >= 25, mirror.toString());
      assertTrue(mirror.get("connected").getAsBoolean());
      JsonObject copy = await(second, "Q", 15);
      assertEquals(20, copy.get("added").getAsLong());
      assertEquals(20, await(first, "Q", 15).get("added").getAsLong());
      assertTrue(copy.get("bytes").getAsLong() > 0);
    }
  }

  @Test
  void aSecondBrokerThatIsNotThereIsNamed(@TempDir Path one) {
    String config = "\"mirror\":{\"url\":\"tcp://127.0.0.1:1\",\"connect_timeout_s\":1}";
    Exception failure = assertThrows(Exception.class, () -> new TestBroker(one, config).close());
    assertTrue(failure.getMessage().contains("tcp://127.0.0.1:1"), failure.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{\"data\":\"/d\",\"mirror\":{}}; mirror.url",
        "{\"data\":\"/d\",\"mirror\":{\"url\":\"tcp://h:1\",\"snyc\":true}}; nearest: sync",
        "{\"data\":\"/d\",\"mirror\":{\"url\":\"tcp://u:secret@h:1\"}}; tcp://host:port",
        "{\"data\":\"/d\",\"mirror\":{\"url\":\"tcp://h:1?password=secret\"}}; tcp://host:port",
        "{\"data\":\"/d\",\"mirror\":{\"url\":\"tcp://h:1\",\"name\":\"a b\"}}; letters, digits",
        "{\"data\":\"/d\",\"report_depths_s\":0}; 0.05 to 3600",
        "{\"data\":\"/d\",\"report_depths_s\":\"1\"}; a number",
      })
  void whatIsWrongIsNamed(String text, String what) {
    String message =
        assertThrows(UsageException.class, () -> BrokerConfig.parse(text, Map.of())).getMessage();
    assertTrue(message.contains(what), message);
    assertFalse(message.contains("secret"), message);
  }

  private static String mirror(int port, boolean sync) {
    return "\"mirror\":{\"url\":\"tcp://127.0.0.1:" + port + "\",\"sync\":" + sync + "}";
  }

  private static void exchange(String url, int sent, int taken) throws Exception {
    ConnectionFactory factory = new ActiveMQConnectionFactory(url);
    try (Connection connection = factory.createConnection()) {
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      var queue = session.createQueue("Q");
      var producer = session.createProducer(queue);
      for (int i = 0; i < sent; i++) {
        producer.send(session.createTextMessage("text " + i));
      }
      connection.start();
      var consumer = session.createConsumer(queue);
      for (int i = 0; i < taken; i++) {
        assertTrue(consumer.receive() != null);
      }
    }
  }

  /** Waits until a queue holds so many messages: copying takes its time. */
  private static JsonObject await(TestBroker broker, String queue, long messages)
      throws InterruptedException {
    while (true) {
      JsonObject event = broker.depths();
      JsonObject depth =
          queue.equals("mirror")
              ? event.getAsJsonObject("mirror")
              : event.getAsJsonObject("queues").getAsJsonObject(queue);
      if (depth != null && depth.get("messages").getAsLong() == messages) {
        return depth;
      }
      Thread.sleep(50);
    }
  }
}
