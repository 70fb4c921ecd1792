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
    assertEquals(new Gaps.Gap(90, 400), gaps.take());
    assertNull(gaps.take());
    gaps.completed(1600);
    assertEquals(new Gaps.Gap(600, 1600), gaps.take());
  }
}
