package roundtrip.harness.proxy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A link between two hosts, in one process: TCP connections are passed on with a delay and a common
 * bandwidth in each direction.
 *
 * <p>One thread does everything, so that data keeps its order and connections share the bandwidth
 * without locks. Epoll is used where there is one: its timers have microseconds, those of NIO
 * milliseconds.
 */
public final class DelayProxy implements AutoCloseable {
  private final EventLoopGroup loop =
      Epoll.isAvailable() ? new EpollEventLoopGroup(1) : new NioEventLoopGroup(1);
  private final Direction forth;
  private final Direction back;
  private final Consumer<Throwable> failed;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();

  /**
   * @param delayMillis delay of each direction
   * @param megabits bandwidth of each direction in 10^6 bit/s; 0 for no limit
   * @param failed is told why a connection had to be closed
   */
  public DelayProxy(double delayMillis, double megabits, Consumer<Throwable> failed) {
    long most = Runtime.getRuntime().maxMemory() / 4; // buffers are allowed as much as the heap
    forth = new Direction(delayMillis, megabits, most);
    back = new Direction(delayMillis, megabits, most);
    this.failed = failed;
  }

  /**
   * Begins to listen and returns the port; further calls lead further ports over the same link. A
   * host that refuses shows at the first connection.
   */
  public int start(InetSocketAddress from, InetSocketAddress to) throws Exception {
    ServerBootstrap server =
        new ServerBootstrap()
            .group(loop)
            .channel(
                Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.AUTO_READ, false)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel client) {
                    join(client, to);
                  }
                });
    Channel listener = server.bind(from).sync().channel();
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  private void join(Channel client, InetSocketAddress to) {
    accepted.incrementAndGet();
    open.incrementAndGet();
    client.closeFuture().addListener(closed -> open.decrementAndGet());
    Forwarder request = new Forwarder(forth, failed);
    Forwarder answer = new Forwarder(back, failed);
    client.pipeline().addLast(request);
    ChannelFuture connecting =
        new Bootstrap()
            .group(client.eventLoop())
            .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.AUTO_READ, false)
            .handler(answer)
            .connect(to);
    connecting.addListener(
        done -> {
          if (!done.isSuccess() || !client.isActive()) {
            refused.incrementAndGet();
            client.close();
            connecting.channel().close();
            return;
          }
          request.connect(connecting.channel());
          answer.connect(client);
          client.config().setAutoRead(true);
          connecting.channel().config().setAutoRead(true);
        });
  }

  /** Stops everything that is on its way for a time, as a link that is cut and mended. */
  public void pause(long millis) {
    loop.execute(
        () -> {
          try {
            TimeUnit.MILLISECONDS.sleep(millis);
          } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** Bytes that went to the host and came back. */
  public long[] bytes() {
    return new long[] {forth.bytes(), back.bytes()};
  }

  /** Connections: accepted so far, open now, and those that the host refused. */
  public int[] connections() {
    return new int[] {accepted.get(), open.get(), refused.get()};
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }
}
