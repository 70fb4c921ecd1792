package roundtrip.harness.broker;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.TreeMap;
import org.apache.activemq.ActiveMQConnectionMetaData;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.TransportConnector;
import org.apache.activemq.broker.region.Destination;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import roundtrip.harness.events.Events;

/** Apache ActiveMQ Classic in this process. */
final class ClassicBroker implements Broker {
  private final BrokerConfig config;
  private BrokerService classic;

  ClassicBroker(BrokerConfig config) {
    this.config = config;
  }

  @Override
  public void start() throws Exception {
    classic = ClassicSettings.of(config);
    classic.start();
    if (!classic.waitUntilStarted()) {
      throw new IllegalStateException("it does not take connections; see its log");
    }
  }

  /** Asked of the running broker: defaults are what it says they are. */
  @Override
  public JsonObject effective() {
    JsonObject effective = new JsonObject();
    effective.addProperty("classic", ActiveMQConnectionMetaData.PROVIDER_VERSION);
    effective.addProperty("name", classic.getBrokerName());
    effective.addProperty("persistent", classic.isPersistent());
    effective.addProperty("advisories", classic.isAdvisorySupport());
    effective.addProperty("memory_bytes", classic.getSystemUsage().getMemoryUsage().getLimit());
    effective.add("journal", journal());
    JsonObject acceptor = new JsonObject();
    acceptor.addProperty("port", port());
    acceptor.addProperty("protocol", "OpenWire");
    acceptor.addProperty("local", config.local());
    effective.add("acceptor", acceptor);
    effective.add("address", address());
    JsonArray queues = new JsonArray();
    destinations().keySet().forEach(queues::add);
    effective.add("queues", queues);
    return effective;
  }

  private JsonObject journal() {
    JsonObject journal = new JsonObject();
    try {
      if (classic.getPersistenceAdapter() instanceof KahaDBPersistenceAdapter kahadb) {
        journal.addProperty("type", "KahaDB");
        journal.addProperty("directory", kahadb.getDirectory().toString());
        journal.addProperty("sync", kahadb.getJournalDiskSyncStrategy());
        journal.addProperty("file_bytes", kahadb.getJournalMaxFileLength());
        journal.addProperty("checkpoint_ms", kahadb.getCheckpointInterval());
        journal.addProperty(
            "concurrent_store_and_dispatch", kahadb.isConcurrentStoreAndDispatchQueues());
      } else {
        journal.addProperty("type", "none");
      }
    } catch (Exception unreadable) {
      throw new IllegalStateException(unreadable);
    }
    return journal;
  }

  /** The policy that holds for any queue. */
  private JsonObject address() {
    PolicyEntry policy =
        classic.getDestinationPolicy().getEntryFor(new ActiveMQQueue("ANY.QUEUE"));
    JsonObject address = new JsonObject();
    address.addProperty("maxPageSize", policy.getMaxPageSize());
    address.addProperty("queuePrefetch", policy.getQueuePrefetch());
    address.addProperty("producerFlowControl", policy.isProducerFlowControl());
    address.addProperty("lazyDispatch", policy.isLazyDispatch());
    return address;
  }

  @Override
  public String url() {
    String host = config.host().equals("0.0.0.0") ? "127.0.0.1" : config.host();
    return "tcp://" + host + ":" + port();
  }

  @Override
  public String localUrl() {
    return config.local() ? "vm://" + config.name() + "?create=false" : null;
  }

  @Override
  public String amqpUrl() {
    return null;
  }

  private int port() {
    TransportConnector connector = classic.getTransportConnectors().get(0);
    try {
      return connector.getConnectUri().getPort();
    } catch (Exception unknown) {
      throw new IllegalStateException(unknown);
    }
  }

  @Override
  public JsonObject depths() {
    JsonObject event = Events.event("depths");
    JsonObject queues = new JsonObject();
    destinations().forEach(
        (name, queue) -> {
          JsonObject depth = new JsonObject();
          depth.addProperty("messages", queue.getDestinationStatistics().getMessages().getCount());
          queues.add(name, depth);
        });
    event.add("queues", queues);
    return event;
  }

  private TreeMap<String, Destination> destinations() {
    TreeMap<String, Destination> found = new TreeMap<>();
    try {
      for (ActiveMQDestination each : classic.getBroker().getDestinations()) {
        if (each.isQueue() && !each.isTemporary()) {
          classic.getBroker().getDestinations(each).stream().findFirst()
              .ifPresent(queue -> found.put(each.getPhysicalName(), queue));
        }
      }
    } catch (Exception gone) {
      throw new IllegalStateException(gone);
    }
    return found;
  }

  @Override
  public boolean stopQuietly() {
    try {
      if (classic != null) {
        classic.stop();
        classic.waitUntilStopped();
      }
      return true;
    } catch (Exception failure) {
      return false;
    }
  }
}
