package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class GapsTest {
  @Test
  void theLongestTimeBetweenTwoCompletionsIsGivenOnce() {
    Gaps gaps = new Gaps();
    assertNull(gaps.take());
    for (long moment : new long[] {-50, 100, 130, 90, 400, 600}) {
      gaps.completed(moment);
    }
    // Who took the time at 90 and was held up comes after 130, and gives no gap from 90 to 400.
    assertEquals(new Gaps.Gap(130, 400), gaps.take());
    assertNull(gaps.take());
    gaps.completed(1600);
    assertEquals(new Gaps.Gap(600, 1600), gaps.take());
  }
}
