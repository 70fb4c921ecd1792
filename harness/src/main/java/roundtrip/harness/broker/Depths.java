package roundtrip.harness.broker;

import com.google.gson.JsonObject;
import java.util.Comparator;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import roundtrip.harness.events.Events;

/**
 * How many messages every queue holds and has got, and how far a mirror is behind: its queue holds
 * what the second broker has not acknowledged yet.
 */
final class Depths {
  private Depths() {}

  /** Reads all queues of applications, and the queue of the mirror if there is one. */
  static JsonObject of(ActiveMQServer server) {
    JsonObject event = Events.event("depths");
    JsonObject queues = new JsonObject();
    event.add("queues", queues);
    if (!server.isActive()) {
      return event; // a backup has none to speak of
    }
    server.getPostOffice().getAllBindings()
        .filter(LocalQueueBinding.class::isInstance)
        .map(binding -> ((LocalQueueBinding) binding).getQueue())
        .filter(queue -> !queue.isInternalQueue() && !queue.isTemporary())
        .sorted(Comparator.comparing(queue -> queue.getName().toString()))
        .forEach(queue -> queues.add(queue.getName().toString(), of(queue)));
    Queue mirror = mirror(server);
    if (mirror != null) {
      JsonObject behind = of(mirror);
      behind.addProperty("connected", mirror.getConsumerCount() > 0);
      event.add("mirror", behind);
    }
    return event;
  }

  /** The queue of what a mirror has still to send; null where there is no mirror. */
  static Queue mirror(ActiveMQServer server) {
    return server.getPostOffice().getAllBindings()
        .filter(LocalQueueBinding.class::isInstance)
        .map(binding -> ((LocalQueueBinding) binding).getQueue())
        .filter(Queue::isMirrorController)
        .findFirst().orElse(null);
  }

  private static JsonObject of(Queue queue) {
    JsonObject depth = new JsonObject();
    depth.addProperty("messages", queue.getMessageCount());
    depth.addProperty("bytes", queue.getPersistentSize());
    depth.addProperty("added", queue.getMessagesAdded());
    depth.addProperty("acknowledged", queue.getMessagesAcknowledged());
    return depth;
  }
}
