package roundtrip.harness.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The proxy before a server that sends everything back. */
class DelayProxyTest {
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private ServerSocket server;

  @BeforeEach
  void startServer() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::serve);
    thread.setDaemon(true);
    thread.start();
  }

  @AfterEach
  void stopServer() throws IOException {
    server.close();
  }

  private void serve() {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread echo = new Thread(() -> echo(socket));
        echo.setDaemon(true);
        echo.start();
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private static void echo(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException closed) {
      // The client has gone.
    }
  }

  private Socket through(DelayProxy proxy) throws Exception {
    int port =
        proxy.start(
            new InetSocketAddress("127.0.0.1", 0),
            new InetSocketAddress("127.0.0.1", server.getLocalPort()));
    Socket socket = new Socket("127.0.0.1", port);
    socket.setTcpNoDelay(true);
    return socket;
  }

  /**
   * The best of some, in milliseconds: a busy machine adds, it never takes away, and leaves one of
   * many alone.
   */
  private static double quickest(Socket socket, double enough) throws IOException {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < 20 || (i < 1000 && least > enough); i++) {
      long began = System.nanoTime();
      socket.getOutputStream().write(1);
      socket.getInputStream().read();
      least = Math.min(least, (System.nanoTime() - began) / 1e6);
    }
    return least;
  }

  @Test
  void eachDirectionTakesTheDelay() throws Exception {
    try (DelayProxy proxy = new DelayProxy(10, 0, failures::add);
        Socket socket = through(proxy)) {
      assertEquals(21, quickest(socket, 22), 1.5);
    }
  }

  @Test
  void withoutADelayItTakesNoTime() throws Exception {
    try (DelayProxy proxy = new DelayProxy(0, 0, failures::add);
        Socket socket = through(proxy)) {
      assertTrue(quickest(socket, 1) < 2);
    }
  }

  @Test
  void theBandwidthIsKeptAndNothingIsChanged() throws Exception {
    byte[] sent = new byte[1_000_000];
    new Random(1).nextBytes(sent);
    try (DelayProxy proxy = new DelayProxy(5, 40, failures::add);
        Socket socket = through(proxy)) {
      long began = System.nanoTime();
      Thread writer =
          new Thread(
              () -> {
                try {
                  socket.getOutputStream().write(sent);
                } catch (IOException closed) {
                  // Seen by the reader.
                }
              });
      writer.start();
      byte[] back = new byte[sent.length];
      new DataInputStream(socket.getInputStream()).readFully(back);
      double seconds = (System.nanoTime() - began) / 1e9;
      assertArrayEquals(sent, back);
      // 8 Mbit at 40 Mbit/s, both directions at once, and 2 x 5 ms.
      assertTrue(seconds > 0.2, seconds + " s");
      assertEquals(1_000_000, proxy.bytes()[0]);
      assertEquals(1_000_000, proxy.bytes()[1]);
    }
  }

  @Test
  void theEndCrossesTheLinkBehindTheData() throws Exception {
    try (DelayProxy proxy = new DelayProxy(5, 0, failures::add);
        Socket socket = through(proxy)) {
      socket.getOutputStream().write(new byte[1000]);
      assertEquals(1000, socket.getInputStream().readNBytes(1000).length);
      assertEquals(1, proxy.connections()[1]);
      socket.close();
      while (proxy.connections()[1] != 0) {
        Thread.sleep(10);
      }
      assertEquals(1, proxy.connections()[0]);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 5})
  void whatClosesAConnectionIsTold(double delayMillis) throws Exception {
    try (DelayProxy proxy = new DelayProxy(delayMillis, 0, failures::add)) {
      Socket socket = through(proxy);
      socket.getOutputStream().write(1);
      assertEquals(1, socket.getInputStream().read());
      assertTrue(failures.isEmpty());
      socket.setSoLinger(true, 0); // it is reset
      socket.close();
      while (proxy.connections()[1] != 0) {
        Thread.sleep(10);
      }
      assertEquals(1, failures.size());
    }
  }

  @Test
  void aHostThatRefusesIsCounted() throws Exception {
    server.close();
    try (DelayProxy proxy = new DelayProxy(0, 0, failures::add);
        Socket socket = through(proxy)) {
      assertEquals(-1, socket.getInputStream().read());
      assertEquals(1, proxy.connections()[2]);
    }
  }

  @Test
  void aFurtherPortSharesTheLink() throws Exception {
    InetSocketAddress target = new InetSocketAddress("127.0.0.1", server.getLocalPort());
    try (DelayProxy proxy = new DelayProxy(20, 0, failures::add)) {
      InetSocketAddress free = new InetSocketAddress("127.0.0.1", 0);
      int first = proxy.start(free, target);
      int second = proxy.start(free, target);
      assertTrue(first != second);
      for (int port : new int[] {first, second}) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
          long began = System.nanoTime();
          socket.getOutputStream().write(7);
          assertEquals(7, socket.getInputStream().read());
          assertTrue(System.nanoTime() - began >= 40_000_000L);
        }
      }
      assertArrayEquals(new long[] {2, 2}, proxy.bytes());
    }
  }
}
