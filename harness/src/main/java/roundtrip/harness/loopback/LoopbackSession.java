package roundtrip.harness.loopback;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import roundtrip.harness.payload.Payload;
import roundtrip.harness.payload.Stamp;

/** A session whose queues live in it: one thread sends and takes, so nothing is locked. */
final class LoopbackSession {
  private final Payload payload;
  private final Map<String, ArrayDeque<LoopbackMessage>> queues = new HashMap<>();
  private long sequence;

  private LoopbackSession(Payload payload) {
    this.payload = payload;
  }

  static Session open(Payload payload) {
    LoopbackSession session = new LoopbackSession(payload);
    return LoopbackProvider.session(
        Map.of(
            "createQueue", arguments -> queue((String) arguments[0]),
            "createBytesMessage", arguments -> new LoopbackMessage().asMessage(),
            "createProducer", arguments -> session.producer((Queue) arguments[0]),
            "createConsumer", arguments -> session.consumer((Queue) arguments[0])));
  }

  private static Queue queue(String name) {
    return Stub.of(
        Queue.class, Map.of("getQueueName", arguments -> name, "toString", arguments -> name));
  }

  private MessageProducer producer(Queue queue) {
    return Stub.of(MessageProducer.class, Map.of("send", arguments -> {
      send((BytesMessage) arguments[0]);
      return null;
    }));
  }

  /** A request comes back as its own reply; other messages are gone once they are copied. */
  private void send(BytesMessage message) throws JMSException {
    LoopbackMessage copy = LoopbackMessage.behind(message).copy();
    if (copy.replyTo() != null && !copy.isReply()) {
      copy.becomeReply();
      queues.computeIfAbsent(copy.replyTo().getQueueName(), name -> new ArrayDeque<>()).add(copy);
    }
  }

  private MessageConsumer consumer(Queue queue) throws JMSException {
    ArrayDeque<LoopbackMessage> waiting =
        queues.computeIfAbsent(queue.getQueueName(), name -> new ArrayDeque<>());
    Queue replies = queue("REPLY");
    return Stub.of(
        MessageConsumer.class,
        Map.of(
            "receive",
            arguments -> {
              LoopbackMessage message = waiting.poll();
              return (message == null ? fresh(replies) : message).asMessage();
            }));
  }

  /** A message from nowhere, for responders and receivers. */
  private LoopbackMessage fresh(Queue replies) {
    byte[] content = payload.content().clone();
    if (Stamp.fits(content.length)) {
      Stamp.write(content, ++sequence, 0, Stamp.nowMicros());
    }
    LoopbackMessage message = new LoopbackMessage(content, replies, "RT");
    message.becomeReply();
    return message;
  }
}
