package roundtrip.harness.broker;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.core.config.impl.SecurityConfiguration;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.spi.core.security.jaas.InVMLoginModule;

/** Apache Artemis in this process. */
final class EmbeddedBroker {
  private static final long POLL_MILLIS = 20;

  private final BrokerConfig config;
  private EmbeddedActiveMQ artemis;

  EmbeddedBroker(BrokerConfig config) {
    this.config = config;
  }

  /** Starts it and returns when it takes connections. */
  void start() throws Exception {
    checkPort();
    artemis = new EmbeddedActiveMQ();
    artemis.setConfiguration(ArtemisSettings.of(config));
    if (config.security() != null) {
      SecurityConfiguration users = new SecurityConfiguration();
      users.addUser(config.security().user(), config.security().password());
      users.addRole(config.security().user(), ArtemisSettings.group());
      artemis.setSecurityManager(
          new ActiveMQJAASSecurityManager(InVMLoginModule.class.getName(), users));
    }
    artemis.start();
    ActiveMQServer server = artemis.getActiveMQServer();
    // Artemis logs a failure to start and returns as if all were well.
    if (!server.waitForActivation(30, TimeUnit.SECONDS)
        || Effective.acceptor(server) == null || !Effective.acceptor(server).isStarted()) {
      throw new IllegalStateException("it does not take connections; see its log");
    }
    if (config.mirror() != null) {
      awaitMirror(server);
    }
  }

  /** Waits until the mirror's queue is being sent: before, a run would measure its set-up. */
  private void awaitMirror(ActiveMQServer server) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(config.mirror().connectSeconds());
    while (true) {
      Queue queue = Depths.mirror(server);
      if (queue != null && queue.getConsumerCount() > 0) {
        return;
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException(
            "the mirror is not connected to %s after %d s"
                .formatted(config.mirror().url(), config.mirror().connectSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /** How many messages its queues hold. */
  JsonObject depths() {
    return Depths.of(artemis.getActiveMQServer());
  }

  /** Artemis only logs that it cannot listen: ask the system before. */
  private void checkPort() throws IOException {
    if (config.port() != 0) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(config.host(), config.port()));
      }
    }
  }

  /** What is really in effect. */
  JsonObject effective() {
    return Effective.of(artemis.getActiveMQServer());
  }

  /** Where clients of the Core protocol connect. */
  String url() {
    return "tcp://" + address() + (config.tls() == null ? "" : "?sslEnabled=true");
  }

  /** Where AMQP clients connect; null when the broker does not speak AMQP. */
  String amqpUrl() {
    return config.amqp() ? (config.tls() == null ? "amqp://" : "amqps://") + address() : null;
  }

  private String address() {
    String host = config.host().equals("0.0.0.0") ? "127.0.0.1" : config.host();
    return host + ":" + Effective.acceptor(artemis.getActiveMQServer()).getActualPort();
  }

  /** Stops it; false when that failed. */
  boolean stopQuietly() {
    try {
      if (artemis != null) {
        artemis.stop();
      }
      return true;
    } catch (Exception failure) {
      return false;
    }
  }
}
