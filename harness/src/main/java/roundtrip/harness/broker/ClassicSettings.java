package roundtrip.harness.broker;

import java.io.File;
import java.util.List;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import org.apache.activemq.store.kahadb.disk.journal.Journal.JournalDiskSyncStrategy;
import roundtrip.harness.cli.UsageException;

/** Says to ActiveMQ Classic what a {@link BrokerConfig} asks for. */
final class ClassicSettings {
  /** Of the heap, for messages in memory: the broker's own default may exceed the heap. */
  private static final int HEAP_PERCENT = 70;

  private static final String ALL_QUEUES = ">";

  private ClassicSettings() {}

  /** Refuses what only Artemis can be asked: it would be measured as if it had been set. */
  static void check(BrokerConfig config) throws UsageException {
    BrokerConfig.Journal journal = config.journal();
    BrokerConfig.Address address = config.address();
    refuse("security", config.security() != null);
    refuse("tls", config.tls() != null);
    refuse("amqp", config.amqp());
    refuse("pair", config.pair() != null);
    refuse("mirror", config.mirror() != null);
    refuse("bridges", !config.bridges().isEmpty());
    refuse("journal.type", !journal.type().equals("NIO"));
    refuse("journal.datasync", !journal.datasync());
    refuse("journal.buffer_timeout_us", journal.bufferTimeoutMicros() != null);
    refuse("journal.buffer_bytes", journal.bufferBytes() != null);
    refuse("journal.min_files", journal.minFiles() != null);
    refuse("journal.max_io", journal.maxIo() != null);
    refuse("address.max_size_bytes", address.maxBytes() != null);
    refuse("address.page_size_bytes", address.pageBytes() != null);
    refuse("address.full_policy", !address.fullPolicy().equals("PAGE"));
  }

  private static void refuse(String key, boolean given) throws UsageException {
    if (given) {
      throw new UsageException(
          key + " in the broker's configuration is for Artemis; ActiveMQ Classic takes name, host,"
              + " port, data, persistent, journal.sync, journal.file_bytes, queues, local and"
              + " address.page_messages");
    }
  }

  static BrokerService of(BrokerConfig config) throws Exception {
    BrokerService broker = new BrokerService();
    broker.setBrokerName(config.name());
    // Nothing but what is asked for runs in the broker while it is measured.
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.setSchedulerSupport(false);
    broker.setPersistent(config.persistent());
    broker.setDataDirectoryFile(config.data().toFile());
    broker.setTmpDataDirectory(config.data().resolve("temporary").toFile());
    if (config.persistent()) {
      broker.setPersistenceAdapter(journal(config));
    }
    broker.getSystemUsage().getMemoryUsage().setPercentOfJvmHeap(HEAP_PERCENT);
    PolicyEntry policy = new PolicyEntry();
    policy.setQueue(ALL_QUEUES);
    if (config.address().pageMessages() != null) {
      policy.setMaxPageSize(config.address().pageMessages().intValue());
    }
    PolicyMap policies = new PolicyMap();
    policies.setPolicyEntries(List.of(policy));
    broker.setDestinationPolicy(policies);
    broker.setDestinations(
        config.queues().stream().map(ActiveMQQueue::new).toArray(ActiveMQDestination[]::new));
    broker.addConnector("tcp://" + config.host() + ":" + config.port());
    return broker;
  }

  private static KahaDBPersistenceAdapter journal(BrokerConfig config) {
    KahaDBPersistenceAdapter journal = new KahaDBPersistenceAdapter();
    journal.setDirectory(new File(config.data().toFile(), "kahadb"));
    journal.setJournalDiskSyncStrategy(
        (config.journal().sync() ? JournalDiskSyncStrategy.ALWAYS : JournalDiskSyncStrategy.NEVER)
            .name());
    if (config.journal().fileBytes() != null) {
      journal.setJournalMaxFileLength(config.journal().fileBytes().intValue());
    }
    return journal;
  }
}
