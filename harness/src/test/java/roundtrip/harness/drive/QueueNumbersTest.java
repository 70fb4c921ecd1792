package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import roundtrip.harness.cli.UsageException;

class QueueNumbersTest {
  /** The examples in the help of JMSPerfHarness and MQ-CPH. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 'Q Q Q Q'",
    "0, 0, 3, 'Q1 Q2 Q3 Q1'",
    "6, 0, 3, 'Q6 Q7 Q8 Q6'",
    "0, 6, 3, 'Q4 Q5 Q6 Q4'",
    "4, 6, 5, 'Q5 Q6 Q4 Q5'",
    "1, 10, 0, 'Q1 Q2 Q3 Q4'",
  })
  void threadsTakeNumbersInTurn(int base, int maximum, int range, String expected)
      throws UsageException {
    QueueNumbers numbers = QueueNumbers.of(base, maximum, range);
    StringBuilder names = new StringBuilder();
    for (int thread = 0; thread < 4; thread++) {
      names.append(thread == 0 ? "" : " ").append(numbers.name("Q", thread));
    }
    assertEquals(expected, names.toString());
  }

  @Test
  void impossibleRangesAreRefused() {
    assertThrows(UsageException.class, () -> QueueNumbers.of(7, 6, 0));
    assertThrows(UsageException.class, () -> QueueNumbers.of(4, 6, 3));
    assertThrows(UsageException.class, () -> QueueNumbers.of(0, 3, 4));
  }
}
