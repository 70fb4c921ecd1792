package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PacerTest {
  @Test
  void momentsAreSpreadOverTheThreads() {
    long start = System.nanoTime() - 10_000_000_000L;
    for (int thread = 0; thread < 4; thread++) {
      Pacer pacer = new Pacer(1000, thread, 4, () -> false);
      pacer.startAt(start);
      assertEquals(start + thread * 1_000_000L, pacer.await(), 1);
      assertEquals(start + (thread + 4) * 1_000_000L, pacer.await(), 1);
    }
  }

  @Test
  void aThreadThatIsBehindDoesNotWaitAndSaysHowFar() {
    // One that waited would take minutes.
    Pacer pacer = new Pacer(0.1, 0, 1, () -> false);
    long start = System.nanoTime() - 1_000_000_000_000L;
    pacer.startAt(start);
    assertEquals(101, pacer.behind(start + 1_000_000_000_000L));
    for (int i = 0; i < 50; i++) {
      pacer.await();
    }
    assertEquals(51, pacer.behind(start + 1_000_000_000_000L));
  }

  @Test
  void aThreadThatIsAheadWaitsUntilItsMoment() {
    Pacer pacer = new Pacer(50, 0, 1, () -> false);
    pacer.startAt(System.nanoTime());
    pacer.await();
    for (int i = 0; i < 10; i++) {
      long moment = pacer.await();
      assertTrue(System.nanoTime() >= moment);
    }
  }
}
