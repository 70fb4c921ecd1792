package roundtrip.harness.drive;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.provider.Provider;

/**
 * A thread's connection with its session: opened as one, and after a loss thrown away as one.
 *
 * <p>With a mark, each message that is made bears it as a property, and consumers select those
 * that do: on queues that others may use as well, nothing of theirs is taken.
 */
final class Link implements AutoCloseable {
  /** The property that holds the mark. */
  static final String MARK = "roundtrip_run";

  /** A waiting thread looks this often whether the run is over. */
  private static final long LONGEST_WAIT_MILLIS = 200;

  private final Provider provider;
  private final Connection connection;
  private final Session session;
  private final boolean transacted;
  private final String mark;
  private volatile JMSException lost;

  /** Connects; the mark may be null. */
  Link(Provider provider, boolean transacted, String mark) throws JMSException {
    this.provider = provider;
    this.transacted = transacted;
    this.mark = mark;
    connection = provider.connect();
    try {
      connection.setExceptionListener(failure -> lost = failure);
      session =
          connection.createSession(
              transacted, transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
    } catch (JMSException | RuntimeException failure) {
      closeQuietly();
      throw failure;
    }
  }

  /** Refuses a mark that could not stand in a selector as it is. */
  static String checkedMark(String mark) throws UsageException {
    if (mark != null && !mark.matches("[A-Za-z0-9-]{1,64}")) {
      throw new UsageException("--mark takes up to 64 letters, digits and hyphens");
    }
    return mark;
  }

  /** What selects messages with a mark. */
  static String selecting(String mark) {
    return MARK + "='" + mark + "'";
  }

  Connection connection() {
    return connection;
  }

  Session session() {
    return session;
  }

  void start() throws JMSException {
    connection.start();
  }

  Queue queue(String name) throws JMSException {
    return provider.queue(session, name);
  }

  /** A producer for one queue; the delivery mode is left alone when it is null. */
  MessageProducer producer(Queue queue, Boolean persistent) throws JMSException {
    MessageProducer producer = session.createProducer(queue);
    if (persistent != null) {
      producer.setDeliveryMode(
          persistent ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
    }
    return producer;
  }

  MessageConsumer consumer(Queue queue, String selector) throws JMSException {
    String own = mark == null ? null : selecting(mark);
    String both =
        selector == null ? own : own == null ? selector : "(" + selector + ") AND " + own;
    return both == null ? session.createConsumer(queue) : session.createConsumer(queue, both);
  }

  BytesMessage message() throws JMSException {
    BytesMessage message = session.createBytesMessage();
    if (mark != null) {
      message.setStringProperty(MARK, mark);
    }
    return message;
  }

  void commit() throws JMSException {
    if (transacted) {
      session.commit();
    }
  }

  /**
   * Waits for a message.
   *
   * @param until when to give up, by {@link System#nanoTime}
   * @param stopped whether to give up at once
   * @return null when none came
   * @throws JMSException when the connection is lost, also where the client only says "no message"
   */
  Message receive(MessageConsumer consumer, long until, BooleanSupplier stopped)
      throws JMSException {
    while (true) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      Message message = consumer.receive(Math.max(1, Math.min(left, LONGEST_WAIT_MILLIS)));
      if (message != null) {
        return message;
      }
      if (lost != null) {
        throw lost;
      }
      if (left <= 0 || stopped.getAsBoolean()) {
        return null;
      }
    }
  }

  @Override
  public void close() throws JMSException {
    connection.close();
  }

  void closeQuietly() {
    try {
      connection.close();
    } catch (JMSException | RuntimeException alreadyLost) {
      // Nothing depends on it any more.
    }
  }
}
