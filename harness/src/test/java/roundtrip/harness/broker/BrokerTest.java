package roundtrip.harness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import roundtrip.harness.cli.UsageException;

class BrokerTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{\"data\":\"/d\",\"prot\":1}; unknown key prot; nearest: port",
        "{\"data\":\"/d\",\"journal\":{\"synch\":true}}; journal.synch; nearest: sync",
        "{\"data\":\"/d\",\"journal\":{\"type\":\"nio\"}}; journal.type; NIO, ASYNCIO",
        "{\"data\":\"/d\",\"port\":70000}; port; 0 to 65535",
        "{\"data\":\"/d\",\"port\":1.5}; port; whole number",
        "{\"data\":\"/d\",\"port\":\"80\"}; port; whole number",
        "{\"data\":\"/d\",\"amqp\":\"yes\"}; amqp; true or false",
        "{\"data\":\"/d\",\"queues\":[1]}; queues; list of texts",
        "{\"data\":\"/d\",\"tls\":7}; tls; an object",
        "{\"data\":\"/d\",\"product\":\"activemq\"}; product; artemis, classic",
        "{\"data\":\"/d\",\"product\":\"classic\",\"amqp\":true}; amqp; is for Artemis",
        "{\"data\":\"/d\",\"bridges\":[{\"queue\":\"Q\"}]}; bridge; lacks port",
        "{\"data\":\"/d\",\"bridges\":7}; bridges; list of objects",
        "{\"data\":\"/d\",\"bridges\":[{\"que\":1,\"port\":1,\"queue\":\"Q\"}]}; bridges.que; nearest",
        "{}; lacks data; data",
        "[]; must be a JSON object; object",
        "{; not JSON; JSON",
        "{\"data\":\"/d\",\"security\":{\"user\":\"a\",\"password_env\":\"NO_PW\"}}; NO_PW; not set",
      })
  void whatIsWrongIsNamed(String text, String what, String allowed) {
    String message =
        assertThrows(UsageException.class, () -> BrokerConfig.parse(text, Map.of())).getMessage();
    assertTrue(message.contains(what), message);
    assertTrue(message.contains(allowed), message);
  }

  @Test
  void aPasswordInTheWrongPlaceIsNotRepeated() {
    String text = "{\"data\":\"/d\",\"security\":\"hunter2\"}";
    String message =
        assertThrows(UsageException.class, () -> BrokerConfig.parse(text, Map.of())).getMessage();
    assertFalse(message.contains("hunter2"));
  }

  @Test
  void whatIsInEffectIsReadBack(@TempDir Path folder) throws Exception {
    String config =
        "\"name\":\"b1\",\"queues\":[\"Q1\"],\"journal\":{\"buffer_timeout_us\":40,\"min_files\":3,"
            + "\"sync\":false},\"address\":{\"max_size_bytes\":1000000,\"full_policy\":\"BLOCK\"}";
    try (TestBroker broker = new TestBroker(folder, config)) {
      JsonObject effective = broker.effective();
      JsonObject journal = effective.getAsJsonObject("journal");
      assertEquals(40.0, journal.get("buffer_timeout_us").getAsDouble());
      assertEquals(3, journal.get("min_files").getAsInt());
      assertFalse(journal.get("sync_transactional").getAsBoolean());
      assertEquals("NIO", journal.get("type").getAsString());
      assertEquals("[\"Q1\"]", effective.get("queues").toString());
      JsonObject address = effective.getAsJsonObject("address");
      assertEquals("BLOCK", address.get("addressFullMessagePolicy").getAsString());
      assertEquals(1_000_000, address.get("maxSizeBytes").getAsLong());
      assertTrue(broker.port() > 0);
      assertTrue(Files.isDirectory(folder.resolve("data/journal")));
    }
  }

  @Test
  void aPortInUseIsNamed(@TempDir Path one, @TempDir Path two) throws Exception {
    try (TestBroker broker = new TestBroker(one, "\"persistent\":false")) {
      String config = "\"persistent\":false,\"port\":" + broker.port();
      Exception failure = assertThrows(Exception.class, () -> new TestBroker(two, config).close());
      BrokerConfig parsed = BrokerConfig.parse(
          "{\"data\":\"/d\",\"port\":" + broker.port() + "}", Map.of());
      String message = StartFailure.explain(failure, parsed);
      assertTrue(message.contains(String.valueOf(broker.port())), message);
    }
  }
}
