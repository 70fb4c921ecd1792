package roundtrip.harness.drive;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import roundtrip.harness.drive.Counters.Count;

/** Sends messages to a queue, as many in a transaction as asked for. */
final class Sender extends Worker {
  private MessageProducer producer;
  private BytesMessage message;
  private long sequence;
  private int uncommitted;
  private long intended;

  /** Whether the last message may not have arrived and goes out again. */
  private boolean again;

  Sender(Run run, int thread) {
    super(run, thread);
  }

  @Override
  void open() throws JMSException {
    producer =
        link.producer(
            link.queue(settings.numbers().name(settings.requestQueue(), thread)),
            settings.persistent());
    message = link.message();
    message.writeBytes(content);
    uncommitted = 0;
  }

  @Override
  void connectionLost() {
    run.counters.of(Count.IN_DOUBT).add(uncommitted);
  }

  @Override
  void exchange() throws JMSException {
    if (!again) {
      intended = pacer.await();
      if (run.isStopped()) {
        return;
      }
      if (!run.claim()) {
        commit();
        run.complete();
        run.awaitStop();
        return;
      }
      sequence++;
    }
    fill(message, sequence);
    uncommitted++;
    again = settings.once();
    if (again && run.provider.duplicateMark() != null) {
      message.setStringProperty(run.provider.duplicateMark(), sender() + "-" + sequence);
    }
    producer.send(message);
    again = false;
    if (uncommitted >= settings.commitCount()) {
      commit();
    }
    recorder.recordValue(Math.max(0, System.nanoTime() - intended));
  }

  @Override
  void finish() throws JMSException {
    commit();
  }

  /** Only what is committed is sent. */
  private void commit() throws JMSException {
    link.commit();
    run.counters.of(Count.SENT).add(uncommitted);
    uncommitted = 0;
  }
}
