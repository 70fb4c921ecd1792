package roundtrip.harness.drive;

import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import roundtrip.harness.drive.Counters.Count;

/**
 * Takes requests and sends each back as its own reply.
 *
 * <p>Each reply queue gets one producer, which is kept: a producer without a queue halves the
 * throughput of Artemis.
 */
final class Responder extends Worker {
  private static final long POLL_NANOS = 200_000_000L;

  private final Map<String, MessageProducer> producers = new HashMap<>();
  private final LongAdder sent;
  private final LongAdder received;
  private MessageConsumer consumer;

  Responder(Run run, int thread) {
    super(run, thread);
    sent = run.counters.of(Count.SENT);
    received = run.counters.of(Count.RECEIVED);
  }

  @Override
  void open() throws JMSException {
    producers.clear();
    consumer =
        link.consumer(link.queue(settings.numbers().name(settings.requestQueue(), thread)), null);
  }

  @Override
  void exchange() throws JMSException {
    Message message =
        link.receive(consumer, System.nanoTime() + POLL_NANOS, run::isStopped);
    if (message == null) {
      return;
    }
    long arrived = System.nanoTime();
    received.increment();
    if (!(message.getJMSReplyTo() instanceof Queue replies)) {
      link.commit();
      run.report(thread, "answering", new JMSException("a request names no reply queue"));
      return;
    }
    if (message.getJMSCorrelationID() == null) {
      message.setJMSCorrelationID(message.getJMSMessageID());
    }
    MessageProducer producer = producers.get(replies.getQueueName());
    if (producer == null) {
      producer = link.producer(replies, settings.persistent());
      producers.put(replies.getQueueName(), producer);
    }
    if (settings.persistent() == null) {
      boolean persistent = message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT;
      producer.setDeliveryMode(
          persistent ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
    }
    if (codec != null && !repack(message)) {
      link.commit();
      run.report(thread, "answering", new JMSException("a request cannot be decompressed"));
      return;
    }
    boolean done = false;
    try {
      producer.send(message);
      link.commit();
      done = true;
    } finally {
      if (!done) {
        run.counters.of(Count.IN_DOUBT).increment();
      }
    }
    sent.increment();
    recorder.recordValue(System.nanoTime() - arrived);
  }

  /** Unpacks a request and packs it again as its reply, as both ends of a channel would. */
  private boolean repack(Message message) throws JMSException {
    if (!(message instanceof BytesMessage request)) {
      return false;
    }
    int length = unpack(request);
    if (length < 0) {
      return false;
    }
    pack(request, codec.plain(), length);
    return true;
  }
}
