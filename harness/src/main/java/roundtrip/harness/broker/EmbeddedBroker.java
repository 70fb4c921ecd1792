package roundtrip.harness.broker;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.core.config.impl.SecurityConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.server.ActivateCallback;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.spi.core.security.jaas.InVMLoginModule;

/** Apache Artemis in this process. */
final class EmbeddedBroker implements Broker {
  private static final long POLL_MILLIS = 20;

  private final BrokerConfig config;
  private EmbeddedActiveMQ artemis;

  EmbeddedBroker(BrokerConfig config) {
    this.config = config;
  }

  @Override
  public void start() throws Exception {
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
    if (isBackup()) {
      Standby.await((ActiveMQServerImpl) artemis.getActiveMQServer(), config.pair());
    } else {
      awaitConnections(artemis.getActiveMQServer());
    }
  }

  private boolean isBackup() {
    return config.pair() != null && !config.pair().primary();
  }

  private void awaitConnections(ActiveMQServer server) throws InterruptedException {
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

  @Override
  public void whenItTakesOver(Runnable told) {
    if (isBackup()) {
      artemis.getActiveMQServer().registerActivateCallback(
          new ActivateCallback() {
            @Override
            public void activationComplete() {
              told.run();
            }
          });
    }
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

  @Override
  public JsonObject effective() {
    return Effective.of(artemis.getActiveMQServer(), config);
  }

  @Override
  public String url() {
    return "tcp://" + address() + (config.tls() == null ? "" : "?sslEnabled=true");
  }

  @Override
  public String localUrl() {
    return config.local() ? "vm://" + ArtemisSettings.LOCAL_SERVER : null;
  }

  @Override
  public JsonObject depths() {
    return Depths.of(artemis.getActiveMQServer());
  }

  @Override
  public String amqpUrl() {
    return config.amqp() ? (config.tls() == null ? "amqp://" : "amqps://") + address() : null;
  }

  private String address() {
    String host = config.host().equals("0.0.0.0") ? "127.0.0.1" : config.host();
    NettyAcceptor running = Effective.acceptor(artemis.getActiveMQServer());
    // A backup listens when it takes over, at the port that it was given.
    return host + ":" + (running == null ? config.port() : running.getActualPort());
  }

  @Override
  public boolean stopQuietly() {
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
