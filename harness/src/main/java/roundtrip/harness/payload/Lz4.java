package roundtrip.harness.payload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jpountz.lz4.LZ4Factory;

/**
 * The LZ4 library, loaded so that it leaves nothing behind.
 *
 * <p>lz4-java unpacks its compiled part into the folder of temporary files and removes it when the
 * process ends in order. Once it is loaded the file is not needed any more; on Linux it can be
 * removed at once, so that a process that is killed leaves none.
 */
final class Lz4 {
  private static final String NAME = "/liblz4-java-";

  /** Compiled for the machine where there is such a one, in Java elsewhere. */
  static final LZ4Factory FACTORY = load();

  private Lz4() {}

  private static LZ4Factory load() {
    LZ4Factory factory = LZ4Factory.fastestInstance();
    try {
      List<String> mapped = Files.readAllLines(Path.of("/proc/self/maps"));
      for (String line : mapped) {
        int start = line.indexOf('/');
        if (start >= 0 && line.contains(NAME) && line.endsWith(".so")) {
          Files.deleteIfExists(Path.of(line.substring(start)));
          Files.deleteIfExists(Path.of(line.substring(start) + ".lck"));
        }
      }
    } catch (IOException notLinux) {
      // Then the library removes it at the end of the process.
    }
    return factory;
  }
}
