package roundtrip.harness.broker;

import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.cluster.BackupManager;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;

/** Whether a backup can take over: its primary knows it, and a replica has all data. */
final class Standby {
  private static final long LONGEST_NANOS = 45_000_000_000L;
  private static final long PAUSE_MILLIS = 20;

  private Standby() {}

  /** Waits until the backup can take over. */
  static void await(ActiveMQServerImpl server, PairConfig pair) throws InterruptedException {
    long until = System.nanoTime() + LONGEST_NANOS;
    while (!isAnnounced(server) || (pair.replicated() && !server.isReplicaSync())) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException(
            (isAnnounced(server) ? "it does not catch up with" : "it is not known to")
                + " its primary at port " + pair.peer() + "; see its log");
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  static boolean isAnnounced(ActiveMQServer server) {
    BackupManager manager = ((ActiveMQServerImpl) server).getBackupManager();
    return manager != null && manager.isBackupAnnounced();
  }
}
