package roundtrip.harness.provider;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.Map;

/** A messaging product as the driver sees it: everything else is plain Jakarta Messaging. */
public interface Provider {
  /** Opens a connection; it is not started yet. */
  Connection connect() throws JMSException;

  /** Names a queue for this product. */
  default Queue queue(Session session, String name) throws JMSException {
    return session.createQueue(name);
  }

  /**
   * A correlation ID that stays the same for all requests of one requester.
   *
   * @param text at most 24 ASCII characters that no other requester has
   */
  default String correlationId(String text) {
    return text;
  }

  /** What the start event says about the product's client: library, version, address. */
  Map<String, String> facts();

  /** Whether the product compresses messages itself, so that the driver leaves them as they are. */
  default boolean compresses() {
    return false;
  }

  /** What a connection's encryption is: protocol and suite as negotiated; null for none. */
  default Map<String, String> encryption(Connection connection) {
    return null;
  }

  /** The product's own code for a failure, or null: for IBM MQ the reason code (MQRC). */
  default Integer reasonCode(Throwable failure) {
    return null;
  }
}
