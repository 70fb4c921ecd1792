package roundtrip.harness.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import roundtrip.harness.broker.TestBroker;
import roundtrip.harness.testing.Driver;

/** Broker and driver over TLS, with keys made for the test. */
class TlsTest {
  private static final String PASSWORD = "k3ystore";
  private static final Map<String, String> BROKER = Map.of("KS", PASSWORD);
  private static final Map<String, String> CLIENT = Map.of(TlsSettings.TRUST_VARIABLE, PASSWORD);

  @TempDir static Path keys;
  private static Path store;

  @BeforeAll
  static void makeKeys() throws Exception {
    store = keys.resolve("broker.p12");
    ProcessBuilder keytool =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair", "-alias", "broker", "-keyalg", "EC", "-groupname", "secp256r1",
            "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1,dns:localhost",
            "-validity", "2", "-keystore", store.toString(), "-storetype", "PKCS12",
            "-storepass:env", "KS");
    keytool.environment().putAll(BROKER);
    Process process = keytool.inheritIO().start();
    assertEquals(0, process.waitFor());
    trusting(store);
  }

  /** Adds the certificate by itself, as a client trusts it. */
  private static void trusting(Path file) throws Exception {
    KeyStore keyStore = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    keyStore.setCertificateEntry("trusted", keyStore.getCertificate("broker"));
    try (OutputStream out = Files.newOutputStream(file)) {
      keyStore.store(out, PASSWORD.toCharArray());
    }
  }

  private static String tls(String more) {
    return "\"persistent\":false,\"amqp\":true,\"tls\":{\"keystore\":\"" + store
        + "\",\"keystore_password_env\":\"KS\"" + more + "}";
  }

  @ParameterizedTest
  @CsvSource({
    "TLSv1.3, TLS_AES_128_GCM_SHA256",
    "TLSv1.3, TLS_AES_256_GCM_SHA384",
    "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
  })
  void theSuiteIsTheOneAskedFor(String protocol, String suite, @TempDir Path folder)
      throws Exception {
    String config =
        tls(",\"protocols\":[\"" + protocol + "\"],\"cipher_suites\":[\"" + suite + "\"]");
    try (TestBroker broker = new TestBroker(folder, config, BROKER)) {
      String core = "-tc sender -rl 0.2 -ts " + store + " -url " + broker.url();
      String amqp = "-tc sender -rl 0.2 -pc amqp -ts " + store + " -url " + broker.amqpUrl();
      for (String line : new String[] {core, amqp}) {
        try (Driver driver = Driver.start(line, CLIENT)) {
          driver.end();
          JsonObject found = driver.await("connected").getAsJsonObject("encryption");
          assertEquals(protocol, found.get("protocol").getAsString());
          assertEquals(suite, found.get("cipher_suite").getAsString());
          assertEquals("EC", found.get("server_key").getAsString());
          assertFalse(driver.output().contains(PASSWORD));
        }
      }
    }
  }

  @Test
  void endsWithoutACommonSuiteRefuseEachOther(@TempDir Path folder) throws Exception {
    String config = tls(",\"protocols\":[\"TLSv1.3\"]");
    try (TestBroker broker = new TestBroker(folder, config, BROKER)) {
      String line = "-tp TLSv1.2 -ts " + store + " -rl 1 -url " + broker.url();
      try (Driver driver = Driver.start(line, CLIENT)) {
        assertEquals(1, driver.status());
        assertTrue(driver.await("failed").get("reason").getAsString().contains("connecting"));
      }
    }
  }

  @Test
  void whatThisJavaLacksIsNamed() {
    String line = "-url tcp://localhost:1 -cs TLS_RSA_WITH_AES_128_CCM";
    ExecutionException refused =
        assertThrows(ExecutionException.class, () -> Driver.start(line).status());
    assertTrue(refused.getMessage().contains("no cipher suite called"), refused.getMessage());
  }

  @Test
  void aWrongPasswordIsNamedAndNotShown() {
    String line = "-url tcp://localhost:1 -ts " + store;
    ExecutionException refused =
        assertThrows(
            ExecutionException.class,
            () -> Driver.start(line, Map.of(TlsSettings.TRUST_VARIABLE, "wr0ng")).status());
    assertTrue(refused.getMessage().contains(TlsSettings.TRUST_VARIABLE), refused.getMessage());
    assertFalse(refused.getMessage().contains("wr0ng"));
  }
}
