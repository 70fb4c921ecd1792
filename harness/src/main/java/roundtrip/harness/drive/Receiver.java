package roundtrip.harness.drive;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import roundtrip.harness.drive.Counters.Count;
import roundtrip.harness.payload.Stamp;

/** Takes messages from a queue and checks that each comes whole and once. */
final class Receiver extends Worker {
  private static final long POLL_NANOS = 200_000_000L;

  private MessageConsumer consumer;
  private int uncommitted;

  /** Identities of the messages in the open transaction: sender, sequence. */
  private final List<long[]> taken = new ArrayList<>();

  Receiver(Run run, int thread) {
    super(run, thread);
  }

  @Override
  void open() throws JMSException {
    consumer =
        link.consumer(link.queue(settings.numbers().name(settings.requestQueue(), thread)), null);
    uncommitted = 0;
    taken.clear();
  }

  @Override
  void exchange() throws JMSException {
    pacer.await();
    if (run.isStopped()) {
      return;
    }
    Message message = link.receive(consumer, System.nanoTime() + POLL_NANOS, run::isStopped);
    if (message == null) {
      // A batch that the queue cannot fill must not wait for ever.
      commit(1);
      return;
    }
    uncommitted++;
    run.counters.of(Count.RECEIVED).increment();
    check(message);
    commit(settings.commitCount());
  }

  private void commit(int atLeast) throws JMSException {
    if (uncommitted >= atLeast) {
      boolean done = false;
      try {
        link.commit();
        done = true;
      } finally {
        // Only what is committed is taken; whether a commit that failed was one is not known.
        for (long[] identity : taken) {
          account(identity[0], identity[1], done);
        }
        taken.clear();
      }
      uncommitted = 0;
    }
  }

  private void account(long sender, long sequence, boolean committed) {
    if (!committed) {
      run.sequences.doubt(sender, sequence);
      run.counters.of(Count.IN_DOUBT).increment();
    } else if (run.sequences.note(sender, sequence)) {
      run.counters.of(Count.VERIFIED).increment();
    } else {
      run.counters.of(Count.DUPLICATES).increment();
    }
  }

  private void check(Message message) throws JMSException {
    boolean right =
        message instanceof BytesMessage && readWhole((BytesMessage) message) && hasContent();
    if (!right) {
      run.counters.of(Count.MISMATCHES).increment();
    } else if (stamped) {
      taken.add(new long[] {Stamp.sender(read), Stamp.sequence(read)});
    } else {
      run.counters.of(Count.VERIFIED).increment();
    }
    if (right && stamped) {
      long micros = Stamp.nowMicros() - Stamp.sentMicros(read);
      recorder.recordValue(Math.max(0, TimeUnit.MICROSECONDS.toNanos(micros)));
    }
  }

  @Override
  void finish() throws JMSException {
    commit(1);
  }
}
