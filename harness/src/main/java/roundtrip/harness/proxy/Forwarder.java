package roundtrip.harness.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Passes on what one end of a connection sends to the other end, when its time has come. */
final class Forwarder extends ChannelInboundHandlerAdapter {
  private final Direction direction;
  private final Consumer<Throwable> failed;
  private final Queue<Runnable> onTheWay = new ArrayDeque<>();
  private Channel peer;
  private long waiting;

  /** @param failed is told why a connection had to be closed */
  Forwarder(Direction direction, Consumer<Throwable> failed) {
    this.direction = direction;
    this.failed = failed;
  }

  /** Names the other end; nothing is read before. */
  void connect(Channel other) {
    peer = other;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf data = (ByteBuf) message;
    if (direction.isTransparent()) {
      direction.count(data.readableBytes());
      peer.write(data, peer.voidPromise());
      return;
    }
    int length = data.readableBytes();
    Channel from = context.channel();
    hold(from, length, data.capacity());
    cross(from, length, () -> deliver(from, data, length));
  }

  /** What was delivered still waits while the other end does not take it. */
  private void deliver(Channel from, ByteBuf data, int length) {
    int memory = data.capacity();
    peer.writeAndFlush(data)
        .addListener(
            written -> {
              hold(from, -length, -memory);
              Throwable cause = written.cause();
              if (cause instanceof IOException && !(cause instanceof ClosedChannelException)) {
                failed.accept(cause);
              }
            });
  }

  private void hold(Channel from, int length, int memory) {
    waiting += length;
    direction.hold(memory);
    holdBack(from);
  }

  /**
   * Lets something happen when it has crossed the link, and never before what came earlier.
   *
   * <p>The loop counts a delay from a moment of its own. If this thread is held up before it, what
   * comes later can be due earlier; so each time that something is due, the first in the queue
   * takes place.
   */
  private void cross(Channel from, int length, Runnable effect) {
    onTheWay.add(effect);
    long now = System.nanoTime();
    long arrival = direction.arrival(length, now);
    from.eventLoop()
        .schedule(() -> onTheWay.remove().run(), arrival - now, TimeUnit.NANOSECONDS);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (direction.isTransparent()) {
      peer.flush();
    }
  }

  /** The other end takes data again, or not. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    Forwarder opposite = peer == null ? null : peer.pipeline().get(Forwarder.class);
    if (opposite != null) {
      opposite.holdBack(peer);
    }
    context.fireChannelWritabilityChanged();
  }

  private void holdBack(Channel from) {
    from.config().setAutoRead(peer.isWritable() && direction.takes(waiting));
  }

  /** The end of the connection crosses the link as well, behind the data. */
  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (peer == null) {
      return;
    }
    cross(context.channel(), 0, () -> close(peer));
  }

  static void close(Channel channel) {
    if (channel.isActive()) {
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed.accept(cause);
    context.close();
  }
}
