package roundtrip.harness.payload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import roundtrip.harness.cli.UsageException;

class PayloadsTest {
  @ParameterizedTest
  @ValueSource(strings = {"json", "random"})
  void theSameSeedGivesTheSameBytes(String kind) throws UsageException {
    byte[] first = Payloads.make(kind, 2048, Double.NaN, 7).content();
    assertArrayEquals(first, Payloads.make(kind, 2048, Double.NaN, 7).content());
    assertFalse(Arrays.equals(first, Payloads.make(kind, 2048, Double.NaN, 8).content()));
    assertEquals(2048, first.length);
  }

  @ParameterizedTest
  @CsvSource({
    "random,0.1", "random,0.5", "random,0.9", "json,0.4", "json,0.6", "json,0.9",
  })
  void compressibilityIsWhatWasAsked(String kind, double wanted) throws UsageException {
    double found = Payloads.make(kind, 20480, wanted, 1).compressibility();
    assertEquals(wanted, found, 0.03);
  }

  @Test
  void randomBytesDoNotCompress() throws UsageException {
    assertEquals(0, Payloads.make("random", 20480, Double.NaN, 1).compressibility(), 0.01);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 23, 24, 255, 256, 257})
  void smallSizesAreExact(int bytes) throws UsageException {
    assertEquals(bytes, Payloads.make("json", bytes, 0.5, 1).content().length);
    assertEquals(bytes, Payloads.make("random", bytes, 0.5, 1).content().length);
  }

  @Test
  void aFileIsRepeatedOrCut(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("order.xml"), "abc");
    assertArrayEquals("abcabcab".getBytes(), make(file, 8));
    assertArrayEquals("ab".getBytes(), make(file, 2));
    Path empty = Files.createFile(folder.resolve("empty"));
    assertThrows(UsageException.class, () -> make(empty, 8));
    assertThrows(UsageException.class, () -> make(folder.resolve("none"), 8));
    assertThrows(UsageException.class, () -> Payloads.make(file.toString(), 8, 0.5, 1));
  }

  private static byte[] make(Path file, int bytes) throws UsageException {
    return Payloads.make(file.toString(), bytes, Double.NaN, 1).content();
  }

  @Test
  void stampsComeBack() {
    byte[] content = new byte[Stamp.BYTES];
    Stamp.write(content, 5, -6, 7);
    assertEquals(5, Stamp.sequence(content));
    assertEquals(-6, Stamp.sender(content));
    assertEquals(7, Stamp.sentMicros(content));
    assertTrue(Stamp.fits(24));
    assertFalse(Stamp.fits(23));
  }
}
