package roundtrip.harness.loopback;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.Session;
import java.util.Map;
import roundtrip.harness.payload.Payload;
import roundtrip.harness.provider.Provider;

/**
 * Jakarta Messaging without a broker: every request is answered at once in the requester's own
 * thread, every receiver finds a message whenever it asks. What the driver reaches with it is the
 * most that the driver can do.
 */
public final class LoopbackProvider implements Provider {
  private final Payload payload;

  /** @param payload what receivers and responders are given */
  public LoopbackProvider(Payload payload) {
    this.payload = payload;
  }

  @Override
  public Connection connect() {
    return Stub.of(
        Connection.class,
        Map.of(
            "createSession", arguments -> LoopbackSession.open(payload),
            "getMetaData", arguments -> metadata()));
  }

  private static ConnectionMetaData metadata() {
    return Stub.of(
        ConnectionMetaData.class,
        Map.of(
            "getJMSProviderName", arguments -> "in-VM loopback",
            "getProviderVersion", arguments -> "1",
            "getJMSVersion", arguments -> "3.1"));
  }

  @Override
  public Map<String, String> facts() {
    return Map.of("provider", "loopback");
  }

  /** The type that the session is made as; kept here so that the stubs stay in one place. */
  static Session session(Map<String, Stub.Method> methods) {
    return Stub.of(Session.class, methods);
  }
}
