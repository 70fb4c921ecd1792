package roundtrip.harness.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.ibm.mq.jakarta.jms.MQConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.common.CommonConstants;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import roundtrip.harness.drive.DriveOptions;
import roundtrip.harness.testing.Driver;

/** The real client of IBM MQ, as far as it goes without a queue manager. */
class IbmMqProviderTest {
  private static final Map<String, String> PASSWORD = Map.of("ROUNDTRIP_PASSWORD", "s3cret");

  private static MQConnectionFactory factory(String options) throws Exception {
    var parsed = DriveOptions.drive().parse(List.of(("-pc ibmmq " + options).split(" ")));
    return ((IbmMqProvider) Providers.of(parsed, PASSWORD)).factory();
  }

  @Test
  void optionsBecomeProperties() throws Exception {
    MQConnectionFactory factory =
        factory("-jh mq.example -jp 1515 -jc APP.SVRCONN -jb QM7 -jl ANY_TLS12_OR_HIGHER");
    assertEquals("mq.example", factory.getHostName());
    assertEquals(1515, factory.getPort());
    assertEquals("APP.SVRCONN", factory.getChannel());
    assertEquals("QM7", factory.getQueueManager());
    assertEquals("ANY_TLS12_OR_HIGHER", factory.getSSLCipherSuite());
    assertEquals("Roundtrip", factory.getAppName());
    assertEquals("file:/etc/ccdt.json", factory("-ccdt file:///etc/ccdt.json").getCCDTURL() + "");
  }

  @ParameterizedTest
  @CsvSource({"none, NONE", "zlibfast, ZLIBFAST", "zlibhigh, ZLIBHIGH", "lz4fast, LZ4FAST",
    "lz4high, LZ4HIGH"})
  void compressionIsTheChannels(String word, String name) throws Exception {
    var parsed = DriveOptions.drive().parse(List.of("-pc", "ibmmq", "-cm", word));
    IbmMqProvider provider = (IbmMqProvider) Providers.of(parsed, Map.of());
    Object code = CommonConstants.class.getField("WMQ_COMPMSG_" + name).get(null);
    assertEquals(List.of(code), List.copyOf(provider.factory().getMsgCompList()));
    assertTrue(provider.compresses(), "the driver would compress as well");
  }

  @Test
  void queuesCanBeLookedAtWithIt() throws Exception {
    var parsed =
        DriveOptions.queuesOfOthers()
            .parse(List.of("-pc", "ibmmq", "-jb", "QM7", "-q", "A,B", "-mark", "0123456789abcdef"));
    IbmMqProvider provider = (IbmMqProvider) Providers.of(parsed, Map.of());
    assertEquals("QM7", provider.factory().getQueueManager());
  }

  @Test
  void correlationIdsAreThoseOfTheMessageDescriptor() throws Exception {
    var parsed = DriveOptions.drive().parse(List.of("-pc", "ibmmq"));
    String id = Providers.of(parsed, Map.of()).correlationId("RT0000000100000002");
    assertTrue(id.matches("ID:[0-9a-f]{48}"), id);
    assertTrue(id.startsWith("ID:5254"));
  }

  @Test
  void aClosedPortHasItsReasonCode() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    try (Driver driver =
        Driver.start("-pc ibmmq -jh 127.0.0.1 -jb QM1 -us app -jp " + port, PASSWORD)) {
      assertEquals(1, driver.status());
      JsonObject error = driver.await("error");
      assertEquals(2538, error.get("mq_reason").getAsInt());
      assertTrue(error.get("reason").getAsString().contains("MQRC_HOST_NOT_AVAILABLE"));
      assertFalse(driver.output().contains("s3cret"));
    }
  }

  @Test
  void somethingElseThanAQueueManagerHasItsReasonCode() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread thread = new Thread(() -> answerAsWebServer(server));
      thread.setDaemon(true);
      thread.start();
      try (Driver driver =
          Driver.start("-pc ibmmq -jh 127.0.0.1 -jb QM1 -jp " + server.getLocalPort())) {
        assertEquals(1, driver.status());
        JsonObject error = driver.await("error");
        assertTrue(error.get("mq_reason").getAsInt() > 2000, error.toString());
        assertFalse(Files.exists(Path.of("FFDC")), "the client leaves files where it is started");
      }
    }
  }

  @Test
  void aTableOfChannelsIsNotSaidWhereItIs() throws Exception {
    try (Driver driver = Driver.start("-pc ibmmq -ccdt file:///nowhere/of/jo/ccdt.json")) {
      JsonObject start = driver.await("start");
      assertEquals("…", start.getAsJsonObject("options").get("ccdt").getAsString());
      assertFalse(start.toString().contains("of/jo"));
    }
  }

  @Test
  void silenceIsGivenUp() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Driver driver =
            Driver.start("-pc ibmmq -jh 127.0.0.1 --connect-timeout 1 -jp "
                + server.getLocalPort())) {
      assertEquals(1, driver.status());
      assertTrue(driver.await("failed").get("reason").getAsString().contains("no connection"));
    }
  }

  private static void answerAsWebServer(ServerSocket server) {
    try {
      while (true) {
        try (Socket socket = server.accept()) {
          socket.getInputStream().read();
          socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
        }
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  @Test
  void anUnknownCipherHasItsReasonCode() throws Exception {
    try (Driver driver = Driver.start("-pc ibmmq -jl NO_SUCH_CIPHER -jp 1")) {
      assertEquals(1, driver.status());
      assertEquals(2400, driver.await("error").get("mq_reason").getAsInt());
    }
  }

  @Test
  void encryptionNeedsACipherSpec() {
    var refused =
        assertThrows(ExecutionException.class, () -> Driver.start("-pc ibmmq --tls").status());
    assertTrue(refused.getMessage().contains("CipherSpec"));
  }
}
