package roundtrip.harness.events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramsTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 999, 123_457, 5_000_123, 60_000_000_001L, 3_600_000_000_000L})
  void valuesKeepThreeDigits(long nanos) throws Exception {
    Histogram histogram = Histograms.empty();
    histogram.recordValue(nanos);
    long back = Histograms.decode(Histograms.encode(histogram)).getValueAtPercentile(50);
    assertEquals(nanos, back, nanos * 0.001);
  }

  @Test
  void mergedIntervalsAreTheWhole() throws Exception {
    Histogram whole = Histograms.empty();
    Histogram merged = Histograms.empty();
    for (int part = 1; part <= 3; part++) {
      Histogram interval = Histograms.empty();
      for (long value = 1; value <= 2000; value++) {
        interval.recordValue(value * part * 997);
        whole.recordValue(value * part * 997);
      }
      merged.add(Histograms.decode(Histograms.encode(interval)));
    }
    assertEquals(whole, merged);
    assertEquals(6000, merged.getTotalCount());
    assertEquals(whole.getValueAtPercentile(99.9), merged.getValueAtPercentile(99.9));
  }
}
