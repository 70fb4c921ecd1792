package roundtrip.harness.drive;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import roundtrip.harness.drive.Counters.Count;
import roundtrip.harness.payload.Stamp;

/**
 * Sends requests and waits for the reply to each.
 *
 * <p>The correlation ID stays the same for all of a thread's requests, and the consumer that
 * selects it stands for the whole run, unless one for each reply is asked for: that measures the
 * making of consumers, and the search through the queue that each of them begins.
 */
final class Requester extends Worker {
  /** After the run, replies still on their way are waited for this long. */
  private static final long DRAIN_NANOS = 1_000_000_000L;

  /** In place of a sequence number: the reply is not what was sent. */
  private static final long WRONG = -1;

  private final String correlationId;
  private final long timeoutNanos;
  private final LongAdder sent;
  private final LongAdder received;
  private final LongAdder verified;
  private final LongAdder mismatches;

  /** Requests that were sent and not answered in time. */
  private final Set<Long> unanswered = new HashSet<>();

  /** Requests whose sending failed, or the taking of whose reply. */
  private final Set<Long> inDoubt = new HashSet<>();

  private MessageProducer producer;
  private MessageConsumer consumer;
  private BytesMessage request;
  private Queue replyQueue;
  private String selector;
  private long sequence;

  /** Whether a reply was in hand whose taking may not have been committed: it is not missing. */
  private boolean replyInDoubt;

  private int tripsOfSession;

  Requester(Run run, int thread) {
    super(run, thread);
    correlationId = run.provider.correlationId("RT%08x%08x".formatted(run.id, thread));
    timeoutNanos = (long) (settings.timeoutSeconds() * 1e9);
    sent = run.counters.of(Count.SENT);
    received = run.counters.of(Count.RECEIVED);
    verified = run.counters.of(Count.VERIFIED);
    mismatches = run.counters.of(Count.MISMATCHES);
  }

  @Override
  void open() throws JMSException {
    tripsOfSession = 0;
    QueueNumbers numbers = settings.numbers();
    Queue requests = link.queue(numbers.name(settings.requestQueue(), thread));
    String name =
        settings.dedicated()
            ? settings.replyQueue() + (numbers.first() + thread)
            : numbers.name(settings.replyQueue(), thread);
    Queue replies = link.queue(name);
    replyQueue = replies;
    selector =
        settings.correlate() ? "JMSCorrelationID='" + correlationId + "'" : null;
    consumer = settings.consumerPerReply() ? null : link.consumer(replies, selector);
    producer = link.producer(requests, settings.persistent());
    request = link.message();
    request.setJMSReplyTo(replies);
    request.setJMSCorrelationID(correlationId);
    request.writeBytes(content);
  }

  @Override
  void exchange() throws JMSException {
    long intended = pacer.await();
    if (run.isStopped()) {
      return;
    }
    sequence++;
    replyInDoubt = false;
    fill(request, sequence);
    send();
    boolean answered = false;
    try {
      answered = awaitReply();
    } finally {
      if (!answered && replyInDoubt) {
        inDoubt.add(sequence);
        run.counters.of(Count.IN_DOUBT).increment();
      } else if (!answered) {
        unanswered.add(sequence);
        run.counters.missing().increment();
      }
    }
    tripsOfSession++;
    if (answered) {
      long now = System.nanoTime();
      recorder.recordValue(Math.max(0, now - intended));
      run.gaps.completed(now);
    } else if (!run.isStopped()) {
      run.counters.of(Count.TIMEOUTS).increment();
      run.report(
          thread,
          "waiting for a reply",
          new JMSException("no reply within %s s".formatted(settings.timeoutSeconds())));
    }
  }

  @Override
  boolean endsSession() {
    return settings.sessionRoundTrips() > 0 && tripsOfSession >= settings.sessionRoundTrips();
  }

  private void send() throws JMSException {
    boolean done = false;
    try {
      producer.send(request);
      link.commit();
      sent.increment();
      done = true;
    } finally {
      if (!done) {
        // Whether the broker has it is not known; a reply would tell.
        inDoubt.add(sequence);
        run.counters.of(Count.IN_DOUBT).increment();
      }
    }
  }

  /** Takes replies until the one to the last request comes; false when it does not in time. */
  private boolean awaitReply() throws JMSException {
    long until = System.nanoTime() + timeoutNanos;
    if (settings.consumerPerReply()) {
      consumer = link.consumer(replyQueue, selector);
      try {
        return awaitReply(until);
      } finally {
        consumer.close();
      }
    }
    return awaitReply(until);
  }

  private boolean awaitReply(long until) throws JMSException {
    while (true) {
      Message reply = take(until);
      if (reply == null) {
        return false;
      }
      long answers = check(reply);
      if (answers == sequence || answers == WRONG) {
        // A wrong reply has been counted as such, and is a reply all the same.
        return true;
      }
      noteOld(answers);
    }
  }

  private Message take(long until) throws JMSException {
    Message reply = link.receive(consumer, until, run::isOverdue);
    if (reply != null) {
      replyInDoubt = true;
      link.commit();
      replyInDoubt = false;
      received.increment();
    }
    return reply;
  }

  /** Compares a reply with what was sent; gives the request that it answers, or WRONG. */
  private long check(Message reply) throws JMSException {
    boolean right =
        correlationId.equals(reply.getJMSCorrelationID())
            && reply instanceof BytesMessage
            && readWhole((BytesMessage) reply)
            && hasContent();
    long answers = !right ? WRONG : stamped ? Stamp.sequence(read) : sequence;
    if (answers > sequence || (stamped && right && Stamp.sender(read) != sender())) {
      answers = WRONG;
    }
    (answers == WRONG ? mismatches : verified).increment();
    return answers;
  }

  /** A reply to an earlier request is late, or came before. */
  private void noteOld(long answers) {
    boolean wasMissing = unanswered.remove(answers);
    if (wasMissing) {
      run.counters.missing().decrement();
    }
    boolean late = wasMissing || inDoubt.remove(answers);
    run.counters.of(late ? Count.LATE : Count.DUPLICATES).increment();
  }

  @Override
  void finish() throws JMSException {
    long until = System.nanoTime() + DRAIN_NANOS;
    if (settings.consumerPerReply() && !unanswered.isEmpty()) {
      consumer = link.consumer(replyQueue, selector);
    }
    while (!unanswered.isEmpty() && System.nanoTime() < until) {
      Message reply = link.receive(consumer, until, () -> false);
      if (reply != null) {
        link.commit();
        received.increment();
        long answers = check(reply);
        if (answers != WRONG) {
          noteOld(answers);
        }
      }
    }
  }
}
