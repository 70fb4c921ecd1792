package roundtrip.harness.tls;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import roundtrip.harness.cli.OptionTable;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.events.Events;

/** Says which protocols and cipher suites this Java offers: both ends of a link run on it. */
public final class SuitesCommand {
  private SuitesCommand() {}

  /** It has no options. */
  public static OptionTable options() {
    return new OptionTable("roundtrip-harness suites");
  }

  /** Writes one event and returns the exit status. */
  public static int execute(Events events) throws UsageException {
    SSLParameters supported;
    try {
      // Without those that jdk.tls.disabledAlgorithms takes out.
      supported = SSLContext.getDefault().getSupportedSSLParameters();
    } catch (GeneralSecurityException noTls) {
      throw new UsageException("this Java has no TLS: " + noTls.getMessage());
    }
    JsonObject event = Events.event("suites");
    event.addProperty("java", System.getProperty("java.runtime.version"));
    event.add("protocols", array(supported.getProtocols()));
    event.add("cipher_suites", array(supported.getCipherSuites()));
    events.write(event);
    return 0;
  }

  private static JsonArray array(String[] names) {
    JsonArray array = new JsonArray();
    for (String name : names) {
      array.add(name);
    }
    return array;
  }
}
