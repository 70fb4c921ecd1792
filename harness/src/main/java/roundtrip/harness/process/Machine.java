package roundtrip.harness.process;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** What runs this program. */
public final class Machine {
  private Machine() {}

  /** Versions of the harness, the Java virtual machine and the operating system. */
  public static Map<String, String> versions() {
    Map<String, String> versions = new LinkedHashMap<>();
    String own = Machine.class.getPackage().getImplementationVersion();
    versions.put("harness", own == null ? "from classes" : own);
    versions.put("java", System.getProperty("java.runtime.version"));
    versions.put(
        "jvm", System.getProperty("java.vm.name") + ", " + System.getProperty("java.vendor"));
    versions.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    versions.put("architecture", System.getProperty("os.arch"));
    versions.put("processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
    versions.put("max_heap_bytes", String.valueOf(Runtime.getRuntime().maxMemory()));
    var collectors = ManagementFactory.getGarbageCollectorMXBeans();
    versions.put(
        "collector", String.join(", ", collectors.stream().map(each -> each.getName()).toList()));
    return versions;
  }
}
