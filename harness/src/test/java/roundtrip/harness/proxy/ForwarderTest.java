package roundtrip.harness.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** One direction of a connection whose thread can be held up. */
class ForwarderTest {
  private static final long HELD_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** A channel at which a busy machine takes the processor away before a task is handed in. */
  private static final class SlowChannel extends EmbeddedChannel {
    private boolean heldUp;

    @Override
    public EventLoop eventLoop() {
      if (heldUp) {
        LockSupport.parkNanos(HELD_UP_NANOS);
      }
      return super.eventLoop();
    }
  }

  private static ByteBuf bytes(int count, int value) {
    ByteBuf data = Unpooled.buffer(count);
    while (data.readableBytes() < count) {
      data.writeByte(value);
    }
    return data;
  }

  private static Forwarder forwarder(Direction direction) {
    return new Forwarder(direction, failure -> {});
  }

  private static void pass(EmbeddedChannel from, int count) throws Exception {
    Forwarder forwarder = from.pipeline().get(Forwarder.class);
    forwarder.channelRead(from.pipeline().context(forwarder), bytes(count, 1));
  }

  @Test
  void whatAllConnectionsHaveOnTheirWayHoldsSendersBack() throws Exception {
    Direction direction = new Direction(1000, 0, 1000);
    EmbeddedChannel[] senders = {new EmbeddedChannel(), new EmbeddedChannel()};
    for (EmbeddedChannel sender : senders) {
      Forwarder forwarder = forwarder(direction);
      sender.pipeline().addLast(forwarder);
      forwarder.connect(new EmbeddedChannel());
      sender.freezeTime();
    }
    pass(senders[0], 600);
    assertTrue(senders[0].config().isAutoRead());
    pass(senders[1], 600);
    assertTrue(senders[0].config().isAutoRead(), "until it sends again");
    assertFalse(senders[1].config().isAutoRead());
    pass(senders[0], 1);
    assertFalse(senders[0].config().isAutoRead());
    for (EmbeddedChannel sender : senders) {
      sender.advanceTimeBy(2, TimeUnit.SECONDS);
      sender.runScheduledPendingTasks();
      assertTrue(sender.config().isAutoRead(), "when nothing of it is on its way");
    }
  }

  @Test
  void dataKeepsItsOrderWhenTheThreadIsHeldUp() throws Exception {
    Forwarder forwarder = forwarder(new Direction(0, 8, Long.MAX_VALUE)); // a byte takes 1 µs
    SlowChannel from = new SlowChannel();
    EmbeddedChannel to = new EmbeddedChannel();
    from.pipeline().addLast(forwarder);
    forwarder.connect(to);

    from.heldUp = true;
    forwarder.channelRead(from.pipeline().context(forwarder), bytes(10_000, 1));
    from.heldUp = false;
    forwarder.channelRead(from.pipeline().context(forwarder), bytes(10, 2));

    ByteBuf arrived = Unpooled.buffer();
    while (arrived.readableBytes() < 10_010) {
      from.runScheduledPendingTasks();
      for (ByteBuf data = to.readOutbound(); data != null; data = to.readOutbound()) {
        arrived.writeBytes(data);
      }
    }
    assertEquals(1, arrived.getByte(0));
    assertEquals(2, arrived.getByte(10_009));
  }

  @Test
  void aDelayedWriteThatFailsIsTold() throws Exception {
    List<Throwable> told = new ArrayList<>();
    for (IOException reason : List.of(new IOException("reset"), new ClosedChannelException())) {
      Forwarder forwarder = new Forwarder(new Direction(1, 0, Long.MAX_VALUE), told::add);
      EmbeddedChannel from = new EmbeddedChannel(forwarder);
      forwarder.connect(
          new EmbeddedChannel(
              new ChannelOutboundHandlerAdapter() {
                @Override
                public void write(ChannelHandlerContext context, Object data, ChannelPromise done) {
                  ReferenceCountUtil.release(data);
                  done.setFailure(reason);
                }
              }));
      from.freezeTime();
      pass(from, 1);
      from.advanceTimeBy(1, TimeUnit.SECONDS);
      from.runScheduledPendingTasks();
    }
    assertEquals(List.of("reset"), told.stream().map(Throwable::getMessage).toList());
  }
}
