package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import roundtrip.harness.loopback.LoopbackProvider;
import roundtrip.harness.payload.Payload;
import roundtrip.harness.provider.Provider;
import roundtrip.harness.testing.Driver;

/** What a driver says of failures that a broker shows only when it is lost at a certain moment. */
@Timeout(60)
class FailuresTest {
  /** Of an exchange of a transacted requester the first commit sends, the second takes. */
  private static final int FAILING_COMMIT = 4;

  private static final String REQUESTER = "-tc requester -nt 1 -tx -ms 64 -ss 1 -rl 0 -url test";

  /** The loopback, of which one commit fails after it has been done. */
  private static Provider failing(Payload payload, Exception failure) {
    LoopbackProvider loopback = new LoopbackProvider(payload);
    AtomicInteger commits = new AtomicInteger();
    return new Provider() {
      @Override
      public Connection connect() {
        return changed(Connection.class, loopback.connect(), "createSession", session ->
            changed(Session.class, (Session) session, "commit", done -> {
              if (commits.incrementAndGet() == FAILING_COMMIT) {
                throw failure;
              }
              return done;
            }));
      }

      @Override
      public Map<String, String> facts() {
        return loopback.facts();
      }
    };
  }

  private interface Change {
    Object of(Object result) throws Exception;
  }

  /** The same object, but for what one of its methods gives. */
  private static <T> T changed(Class<T> type, T object, String name, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(object, arguments);
                return method.getName().equals(name) ? change.of(result) : result;
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            }));
  }

  @Test
  void aReplyWhoseTakingIsInDoubtIsNotMissing() throws Exception {
    JMSException lost = new JMSException("the connection is gone");
    try (Driver driver = Driver.of(REQUESTER, payload -> failing(payload, lost))) {
      driver.awaitCount("round_trips", 100);
      driver.askToStop();
      assertEquals(0, driver.status());
      JsonObject whole = driver.await("end").getAsJsonObject("whole_run");
      assertEquals(1, whole.get("in_doubt").getAsLong());
      assertEquals(0, whole.get("lost").getAsLong());
      assertEquals(1, whole.get("reconnects").getAsLong());
    }
  }

  @Test
  void aThreadThatEndsBeforeItsTimeEndsTheRun() throws Exception {
    IllegalStateException unexpected = new IllegalStateException("a fault of the client library");
    try (Driver driver = Driver.of(REQUESTER, payload -> failing(payload, unexpected))) {
      assertEquals(1, driver.status());
      String reason = driver.await("failed").get("reason").getAsString();
      assertTrue(reason.contains("a fault of the client library"), reason);
    }
  }
}
