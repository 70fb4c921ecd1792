package roundtrip.harness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import roundtrip.harness.cli.UsageException;

class PairTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{}; lacks pair.role",
        "{\"role\":\"main\"}; primary, backup",
        "{\"role\":\"primary\"}; lacks pair.store",
        "{\"role\":\"primary\",\"store\":\"nfs\"}; replicated, shared",
        "{\"role\":\"primary\",\"store\":\"shared\"}; lacks pair.port",
        "{\"role\":\"backup\",\"store\":\"shared\",\"port\":5}; peer_port",
        "{\"role\":\"primary\",\"store\":\"shared\",\"port\":5,\"prt\":1}; unknown key pair.prt",
      })
  void whatIsWrongIsNamed(String pair, String what) {
    String text = "{\"data\":\"/d\",\"pair\":" + pair + "}";
    String message =
        assertThrows(UsageException.class, () -> BrokerConfig.parse(text, Map.of())).getMessage();
    assertTrue(message.contains(what), message);
  }

  @Test
  void aPairWithoutARecoveryLogIsRefused() {
    String text =
        "{\"data\":\"/d\",\"persistent\":false,"
            + "\"pair\":{\"role\":\"primary\",\"store\":\"shared\",\"port\":5}}";
    assertThrows(UsageException.class, () -> BrokerConfig.parse(text, Map.of()));
  }

  @ParameterizedTest
  @CsvSource({"replicated, 127.0.0.1", "replicated, 127.0.0.2", "shared, 127.0.0.1"})
  void aBackupIsReadyWhenItsPrimaryKnowsIt(
      String store, String host, @TempDir Path one, @TempDir Path two) throws Exception {
    int port = freePort();
    String pair = "\"pair\":{\"store\":\"" + store + "\",\"port\":%d,\"role\":\"%s\"%s}";
    Path shared = store.equals("shared") ? one : two;
    try (TestBroker primary = new TestBroker(one, pair.formatted(port, "primary", ""));
        TestBroker backup =
            new TestBroker(
                shared,
                "\"host\":\"" + host + "\",\"port\":" + freePort() + ","
                    + pair.formatted(
                        freePort(), "backup",
                        ",\"peer_host\":\"127.0.0.1\",\"peer_port\":" + port))) {
      JsonObject standby = backup.effective().getAsJsonObject("pair");
      assertEquals("backup", standby.get("role").getAsString());
      assertTrue(standby.get("announced").getAsBoolean());
      assertFalse(standby.get("active").getAsBoolean());
      assertEquals(store.equals("shared"), standby.get("shared_store").getAsBoolean());
      if (store.equals("replicated")) {
        assertTrue(standby.get("in_sync").getAsBoolean());
      }
      assertTrue(primary.effective().getAsJsonObject("pair").get("active").getAsBoolean());
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
