package roundtrip.harness.payload;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Packs and unpacks the bodies of messages, for one thread.
 *
 * <p>A packed body is the length of the plain one (four bytes, big-endian) and the compressed
 * bytes, or the plain ones where compressing them would not make them fewer.
 */
public final class Codec implements AutoCloseable {
  /** Length of what stands before the compressed bytes. */
  public static final int HEADER = Integer.BYTES;

  /** A body that claims to be longer is not one of ours. */
  private static final int LONGEST = 1 << 29;

  private final Deflater deflater;
  private final Inflater inflater;
  private final LZ4Compressor compressor;
  private final LZ4SafeDecompressor decompressor;
  private byte[] packed = new byte[0];
  private byte[] plain = new byte[0];

  /** @param compression any but none */
  public Codec(Compression compression) {
    if (compression.isZlib()) {
      boolean fast = compression == Compression.ZLIBFAST;
      deflater = new Deflater(fast ? Deflater.BEST_SPEED : Deflater.BEST_COMPRESSION);
      inflater = new Inflater();
      compressor = null;
      decompressor = null;
    } else {
      LZ4Factory factory = Lz4.FACTORY;
      boolean fast = compression == Compression.LZ4FAST;
      compressor = fast ? factory.fastCompressor() : factory.highCompressor();
      decompressor = factory.safeDecompressor();
      deflater = null;
      inflater = null;
    }
  }

  /** What does the work: a library that is compiled for the machine, or one in Java. */
  public static String implementation(Compression compression) {
    return switch (compression) {
      case NONE -> "none";
      case ZLIBFAST, ZLIBHIGH -> "java.util.zip";
      case LZ4FAST, LZ4HIGH -> "lz4-java, " + Lz4.FACTORY;
    };
  }

  /** Packs a body into {@link #packed} and returns the length of the result. */
  public int pack(byte[] content, int length) {
    // LZ4 needs room for the worst case; what zlib would make longer is given up at once.
    int room = HEADER + (compressor == null ? length : compressor.maxCompressedLength(length));
    if (packed.length < room) {
      packed = new byte[room];
    }
    ByteBuffer.wrap(packed).putInt(length);
    int size = compressor == null ? deflate(content, length) : lz4(content, length);
    if (size >= length) {
      System.arraycopy(content, 0, packed, HEADER, length);
      return HEADER + length;
    }
    return HEADER + size;
  }

  private int lz4(byte[] content, int length) {
    return compressor.compress(content, 0, length, packed, HEADER, packed.length - HEADER);
  }

  private int deflate(byte[] content, int length) {
    deflater.reset();
    deflater.setInput(content, 0, length);
    deflater.finish();
    int size = deflater.deflate(packed, HEADER, length);
    return deflater.finished() ? size : length;
  }

  /** The body that was packed last, longer than it where an earlier one was. */
  public byte[] packed() {
    return packed;
  }

  /** Unpacks a body into {@link #plain}; returns its length, or -1 if it is none of ours. */
  public int unpack(byte[] body, int length) {
    if (length < HEADER) {
      return -1;
    }
    int size = ByteBuffer.wrap(body).getInt();
    if (size < 0 || size > LONGEST || length - HEADER > size) {
      return -1;
    }
    if (plain.length < size) {
      plain = new byte[size];
    }
    if (length - HEADER == size) {
      System.arraycopy(body, HEADER, plain, 0, size);
      return size;
    }
    int found = decompressor == null ? inflate(body, length, size) : lz4(body, length, size);
    return found == size ? size : -1;
  }

  private int lz4(byte[] body, int length, int size) {
    try {
      return decompressor.decompress(body, HEADER, length - HEADER, plain, 0, size);
    } catch (LZ4Exception damaged) {
      return -1;
    }
  }

  private int inflate(byte[] body, int length, int size) {
    inflater.reset();
    inflater.setInput(body, HEADER, length - HEADER);
    try {
      int found = inflater.inflate(plain, 0, size);
      return inflater.finished() ? found : -1;
    } catch (DataFormatException damaged) {
      return -1;
    }
  }

  /** The body that was unpacked last, longer than it where an earlier one was. */
  public byte[] plain() {
    return plain;
  }

  @Override
  public void close() {
    if (deflater != null) {
      deflater.end();
      inflater.end();
    }
  }
}
