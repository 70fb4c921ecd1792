package roundtrip.harness.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequencesTest {
  @Test
  void gapsAndRepeatsAreCounted() {
    Sequences sequences = new Sequences();
    for (long number : new long[] {3, 4, 7, 5}) {
      assertTrue(sequences.note(1, number));
    }
    assertEquals(1, sequences.missing());
    assertFalse(sequences.note(1, 4));
    assertFalse(sequences.note(1, 7));
    assertTrue(sequences.note(2, 4));
    assertTrue(sequences.note(1, 6));
    assertEquals(0, sequences.missing());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void anyOrderGivesTheSameAccount(long seed) {
    List<Long> numbers = new ArrayList<>();
    for (long number = 1; number <= 500; number++) {
      if (number != 250 && number != 251) {
        numbers.add(number);
      }
    }
    Collections.shuffle(numbers.subList(1, numbers.size() - 1), new Random(seed));
    Sequences sequences = new Sequences();
    numbers.forEach(number -> assertTrue(sequences.note(9, number)));
    assertEquals(2, sequences.missing());
    numbers.forEach(number -> assertFalse(sequences.note(9, number)));
  }

  @Test
  void memoryIsBoundedWhenOthersTakeMessagesToo() {
    Sequences sequences = new Sequences();
    for (long number = 1; number <= 1_000_001; number += 2) {
      sequences.note(1, number);
    }
    assertEquals(500_000, sequences.missing());
  }

  @Test
  void whatWasSeenInADoubtfulTransactionIsNeitherLostNorARepeat() {
    Sequences sequences = new Sequences();
    sequences.note(1, 1);
    sequences.doubt(1, 2);
    sequences.doubt(1, 3);
    sequences.note(1, 5);
    assertEquals(1, sequences.missing());
    assertEquals(4, sequences.distinct());
    assertTrue(sequences.note(1, 3));
    assertEquals(4, sequences.distinct());
    assertFalse(sequences.note(1, 3));
    sequences.doubt(1, 3);
    assertEquals(4, sequences.distinct());
    assertEquals(1, sequences.missing());
    sequences.doubt(1, 9);
    assertEquals(5, sequences.distinct());
  }
}
