package roundtrip.harness.drive;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Recorder;
import roundtrip.harness.drive.Counters.Count;
import roundtrip.harness.payload.Codec;
import roundtrip.harness.payload.Compression;
import roundtrip.harness.payload.Stamp;

/** One thread of the load with its connection: connects, works, reconnects, ends. */
abstract class Worker implements Runnable {
  private static final long FIRST_PAUSE_MILLIS = 50;

  private static final long QUICK_NANOS = 100_000_000L;

  protected final Run run;
  protected final int thread;
  protected final Settings settings;
  protected final Pacer pacer;
  protected final Recorder recorder;
  protected final boolean stamped;
  /** What is sent; this thread's own copy where it writes stamps into it. */
  protected final byte[] content;

  /** What the last message read held; null for threads that read none. */
  protected final byte[] read;

  /** Packs what is sent and unpacks what is read; null where the driver does not compress. */
  protected final Codec codec;

  private final LongAdder bytesBefore;
  private final LongAdder bytesAfter;

  /** The last packed body that was read. */
  private byte[] body = new byte[0];

  protected Link link;
  private long connected;

  Worker(Run run, int thread) {
    this.run = run;
    this.thread = thread;
    this.settings = run.settings;
    this.pacer = new Pacer(settings.rate(), thread, settings.threads(), run::isStopped);
    this.recorder = run.latencies;
    Role role = settings.role();
    byte[] shared = run.payload.content();
    this.content = role.starts() ? shared.clone() : shared;
    this.read = role.checks() ? new byte[shared.length] : null;
    this.stamped = Stamp.fits(content.length);
    this.bytesBefore = run.counters.of(Count.BYTES_BEFORE);
    this.bytesAfter = run.counters.of(Count.BYTES_AFTER);
    boolean packs = settings.compression() != Compression.NONE && !run.provider.compresses();
    this.codec = packs ? new Codec(settings.compression()) : null;
  }

  /** Makes producers and consumers on a new connection. */
  abstract void open() throws JMSException;

  /** Does one exchange. */
  abstract void exchange() throws JMSException;

  /** Whether the thread now disconnects and connects anew, as its settings say. */
  boolean endsSession() {
    return false;
  }

  /** Accounts for what the lost connection had not confirmed. */
  void connectionLost() {}

  /** Does what is left after the last exchange. */
  void finish() throws JMSException {}

  /** This thread among all threads of all drivers. */
  final long sender() {
    return (long) run.id << 32 | thread;
  }

  @Override
  public final void run() {
    try {
      if (!connectFirst()) {
        return;
      }
      pacer.startAt(run.awaitStart());
      while (!run.isStopped()) {
        try {
          exchange();
          if (endsSession() && !run.isStopped()) {
            openSession();
          }
        } catch (JMSException | JMSRuntimeException failure) {
          run.report(thread, settings.role().word(), failure);
          if (!reconnect()) {
            return;
          }
        }
      }
      finish();
    } catch (JMSException | JMSRuntimeException failure) {
      connectionLost();
      run.report(thread, "finishing", failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error unexpected) {
      run.report(thread, settings.role().word(), unexpected);
      run.abort("thread %d ended before its time: %s".formatted(thread, Reasons.of(unexpected)));
    } finally {
      if (link != null) {
        run.active.decrementAndGet();
        link.closeQuietly();
      }
      if (codec != null) {
        codec.close();
      }
    }
  }

  /** Ends the session in order and begins another. */
  private void openSession() throws JMSException {
    link.close();
    run.counters.of(Count.SESSIONS).increment();
    run.active.decrementAndGet();
    try {
      connect();
    } catch (JMSException | JMSRuntimeException failure) {
      run.active.incrementAndGet(); // as after any other loss, reconnecting takes it away
      throw failure;
    }
  }

  private boolean connectFirst() {
    try {
      connect();
      return true;
    } catch (JMSException | RuntimeException failure) {
      String reason = Reasons.ofConnecting(failure);
      run.report(thread, "connecting", failure, reason);
      run.fail("connecting: " + reason);
      return false;
    } finally {
      run.ready.countDown();
    }
  }

  private void connect() throws JMSException {
    long began = System.nanoTime();
    Link fresh = new Link(run.provider, settings.transacted(), settings.mark());
    link = fresh;
    try {
      open();
      fresh.start();
      run.active.incrementAndGet();
      connected = System.nanoTime();
      run.connecting.recordValue(System.nanoTime() - began);
      if (thread == 0) {
        run.describe(fresh.connection());
      }
    } catch (JMSException | RuntimeException failure) {
      link = null;
      fresh.closeQuietly();
      throw failure;
    }
  }

  /** Tries until there is a connection again; false when the run ends first. */
  private boolean reconnect() throws InterruptedException {
    run.active.decrementAndGet();
    connectionLost();
    if (link != null) {
      link.closeQuietly();
      link = null;
    }
    long longestPause = (long) (settings.reconnectPauseSeconds() * 1e3);
    if (System.nanoTime() - connected < QUICK_NANOS) {
      // It connects and fails at once: do not do so as fast as possible.
      TimeUnit.MILLISECONDS.sleep(longestPause);
    }
    long limit = (long) (settings.reconnectSeconds() * 1e9);
    long began = System.nanoTime();
    long pause = Math.min(FIRST_PAUSE_MILLIS, longestPause);
    while (!run.isStopped()) {
      try {
        connect();
        run.counters.of(Count.RECONNECTS).increment();
        return true;
      } catch (JMSException | RuntimeException failure) {
        run.counters.of(Count.ERRORS).increment();
        if (limit >= 0 && System.nanoTime() - began > limit) {
          run.report(thread, "reconnecting", failure);
          return false;
        }
      }
      TimeUnit.MILLISECONDS.sleep(pause);
      pause = Math.min(2 * pause, longestPause);
    }
    return false;
  }

  /** Puts the content with a new stamp into a message, packed where the driver compresses. */
  final void fill(BytesMessage message, long sequence) throws JMSException {
    if (stamped) {
      Stamp.write(content, sequence, sender(), Stamp.nowMicros());
    }
    if (codec != null) {
      pack(message, content, content.length);
    } else if (stamped) {
      message.clearBody();
      message.writeBytes(content);
    }
  }

  /** Makes a packed body the content of a message; the header of the body is not counted. */
  final void pack(BytesMessage message, byte[] plain, int length) throws JMSException {
    int size = codec.pack(plain, length);
    message.clearBody();
    message.writeBytes(codec.packed(), 0, size);
    bytesBefore.add(length);
    bytesAfter.add(size - Codec.HEADER);
  }

  /** Unpacks a message into the codec's plain body; returns its length, -1 where it has none. */
  final int unpack(BytesMessage message) throws JMSException {
    long length = message.getBodyLength();
    if (length > Integer.MAX_VALUE - Codec.HEADER) {
      return -1;
    }
    if (body.length < length) {
      body = new byte[(int) length];
    }
    int size = length == 0 ? 0 : message.readBytes(body, (int) length);
    return codec.unpack(body, size);
  }

  /** Reads a message into {@link #read}; says whether it has the size that was sent. */
  final boolean readWhole(BytesMessage message) throws JMSException {
    if (codec != null) {
      if (unpack(message) != read.length) {
        return false;
      }
      System.arraycopy(codec.plain(), 0, read, 0, read.length);
      return true;
    }
    if (message.getBodyLength() != read.length) {
      return false;
    }
    return read.length == 0 || message.readBytes(read) == read.length;
  }

  /** Whether what was read is what is sent, but for the stamp. */
  final boolean hasContent() {
    int from = stamped ? Stamp.BYTES : 0;
    return Arrays.equals(read, from, read.length, content, from, content.length);
  }
}
