package roundtrip.harness.drive;

import com.google.gson.JsonObject;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import roundtrip.harness.cli.Parsed;
import roundtrip.harness.cli.UsageException;
import roundtrip.harness.events.Events;
import roundtrip.harness.provider.Provider;

/**
 * Looks at queues that others may use, and takes what a load has left on them.
 *
 * <p>Messages without the mark are browsed and never taken: what is taken is taken in a
 * transaction, which is rolled back when the broker hands out anything else.
 */
public final class QueuesCommand {
  /** Messages that are counted on a queue; what lies behind them changes nothing. */
  private static final int MOST = 1000;

  private static final int COMMIT_AFTER = 100;
  private static final long WAIT_MILLIS = 2000;

  /** For what a browser may not have seen, and for what should not come. */
  private static final long SHORT_WAIT_MILLIS = 300;

  private final List<String> names;
  private final String mark;
  private final boolean trial;
  private final boolean drain;
  private final Provider provider;
  private final Events events;

  /** Reads the options. */
  public QueuesCommand(Parsed options, Provider provider, Events events) throws UsageException {
    String given = options.text("names");
    mark = Link.checkedMark(options.text("mark"));
    if (given == null || mark == null) {
      throw new UsageException("-q NAME,NAME and -mark TEXT say what to look for and where");
    }
    names = Arrays.stream(given.split(",")).filter(name -> !name.isBlank()).distinct().toList();
    trial = options.flag("trial");
    drain = options.flag("drain");
    this.provider = provider;
    this.events = events;
  }

  /** Writes one event and returns the exit status: 0, or 1 where the broker refuses something. */
  public int execute() {
    try (Link link = new Link(provider, true, mark)) {
      link.start();
      JsonObject found = new JsonObject();
      for (String name : names) {
        found.add(name, look(link, name));
      }
      JsonObject event = Events.event("queues");
      event.add("queues", found);
      events.write(event);
      return 0;
    } catch (JMSException | JMSRuntimeException failure) {
      JsonObject event = Events.event("failed");
      event.addProperty("reason", Reasons.ofConnecting(failure));
      Integer code = provider.reasonCode(failure);
      if (code != null) {
        event.addProperty("mq_reason", code);
      }
      events.write(event);
      return 1;
    }
  }

  private JsonObject look(Link link, String name) throws JMSException {
    Queue queue = link.queue(name);
    int taken = drain ? take(link, queue, SHORT_WAIT_MILLIS) : 0;
    int[] seen = browse(link, queue);
    while (drain && seen[0] > 0) {
      int more = take(link, queue, WAIT_MILLIS);
      if (more == 0) {
        break; // somebody else holds them
      }
      taken += more;
      seen = browse(link, queue);
    }
    if (trial && seen[0] + seen[1] == 0) {
      tryOut(link, queue);
    }
    JsonObject found = new JsonObject();
    found.addProperty("taken", taken);
    found.addProperty("marked", seen[0]);
    found.addProperty("others", seen[1]);
    return found;
  }

  /** Counts marked and other messages; none is taken. */
  private int[] browse(Link link, Queue queue) throws JMSException {
    int[] seen = new int[2];
    try (QueueBrowser browser = link.session().createBrowser(queue)) {
      Enumeration<?> messages = browser.getEnumeration();
      while (seen[0] + seen[1] < MOST && messages.hasMoreElements()) {
        seen[isMarked((Message) messages.nextElement()) ? 0 : 1]++;
      }
    }
    return seen;
  }

  /** Takes marked messages until none comes for a while. */
  private int take(Link link, Queue queue, long patience) throws JMSException {
    int taken = 0;
    try (MessageConsumer consumer = link.consumer(queue, null)) {
      Message message = consumer.receive(patience);
      while (message != null) {
        if (!isMarked(message)) {
          link.session().rollback();
          throw notSelected();
        }
        taken++;
        if (taken % COMMIT_AFTER == 0) {
          link.commit();
        }
        message = consumer.receive(SHORT_WAIT_MILLIS);
      }
      link.commit();
    }
    return taken;
  }

  /** Puts one message, sees that it is not given to one who selects another, and takes it. */
  private void tryOut(Link link, Queue queue) throws JMSException {
    try (var producer = link.producer(queue, false)) {
      producer.send(link.message());
      link.commit();
    }
    String other = Link.selecting(mark + "-other");
    try (MessageConsumer consumer = link.session().createConsumer(queue, other)) {
      if (consumer.receive(SHORT_WAIT_MILLIS) != null) {
        link.session().rollback();
        throw notSelected();
      }
    }
    if (take(link, queue, WAIT_MILLIS) != 1) {
      throw new JMSException("a message that was put on %s did not come back from it"
          .formatted(queue.getQueueName()));
    }
  }

  private boolean isMarked(Message message) throws JMSException {
    return mark.equals(message.getStringProperty(Link.MARK));
  }

  private static JMSException notSelected() {
    return new JMSException(
        "the broker hands out messages that were not selected: it does not know JMS selectors, and"
            + " messages of others could not be told from the load's own");
  }
}
