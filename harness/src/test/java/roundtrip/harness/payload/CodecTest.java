package roundtrip.harness.payload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import roundtrip.harness.cli.UsageException;

class CodecTest {
  private static byte[] content(String kind, int bytes) throws UsageException {
    return Payloads.make(kind, bytes, Double.NaN, 1).content();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void whatIsPackedIsUnpackedAgain(Compression compression) throws UsageException {
    try (Codec codec = new Codec(compression); Codec other = new Codec(compression)) {
      for (String kind : new String[] {"json", "random"}) {
        for (int bytes : new int[] {0, 1, 23, 2048, 204_800, 300}) {
          byte[] content = content(kind, bytes);
          int length = codec.pack(content, bytes);
          assertEquals(bytes, other.unpack(codec.packed(), length));
          assertArrayEquals(content, Arrays.copyOf(other.plain(), bytes));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void whatDoesNotGetShorterStaysAsItIs(Compression compression) throws UsageException {
    try (Codec codec = new Codec(compression)) {
      assertEquals(Codec.HEADER + 2048, codec.pack(content("random", 2048), 2048));
      assertTrue(codec.pack(content("json", 2048), 2048) < 2000);
    }
  }

  @Test
  void highTakesAwayMoreThanFast() throws UsageException {
    int[] sizes = new int[Compression.values().length];
    byte[] content = content("json", 20_480);
    for (Compression compression : Compression.values()) {
      if (compression != Compression.NONE) {
        try (Codec codec = new Codec(compression)) {
          sizes[compression.ordinal()] = codec.pack(content, content.length);
        }
      }
    }
    int zlibFast = sizes[Compression.ZLIBFAST.ordinal()];
    int lz4Fast = sizes[Compression.LZ4FAST.ordinal()];
    assertTrue(sizes[Compression.ZLIBHIGH.ordinal()] < zlibFast);
    assertTrue(sizes[Compression.LZ4HIGH.ordinal()] < lz4Fast);
    assertTrue(zlibFast < lz4Fast);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aDamagedBodyIsRefused(Compression compression) throws UsageException {
    try (Codec codec = new Codec(compression)) {
      byte[] content = content("json", 2048);
      int length = codec.pack(content, content.length);
      byte[] packed = Arrays.copyOf(codec.packed(), length);
      assertEquals(-1, codec.unpack(packed, length - 9));
      assertEquals(-1, codec.unpack(packed, 3));
      packed[0] = 0x7f; // claims two gigabytes
      assertEquals(-1, codec.unpack(packed, length));
      packed[0] = (byte) 0xff; // claims less than nothing
      assertEquals(-1, codec.unpack(packed, length));
      packed[0] = 0;
      packed[3] ^= 1; // claims another length
      assertEquals(-1, codec.unpack(packed, length));
    }
  }
}
