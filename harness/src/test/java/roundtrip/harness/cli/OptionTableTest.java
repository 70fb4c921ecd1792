package roundtrip.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import roundtrip.harness.drive.DriveOptions;

class OptionTableTest {
  private static Parsed parse(String... arguments) throws UsageException {
    return DriveOptions.drive().parse(List.of(arguments));
  }

  private static String refusal(String... arguments) {
    return assertThrows(UsageException.class, () -> parse(arguments)).getMessage();
  }

  @Test
  void shortAndLongNamesMeanTheSame() throws UsageException {
    for (Parsed parsed :
        List.of(parse("-nt", "4", "-pp"), parse("--threads=4", "--persistent", "true"))) {
      assertEquals(4, parsed.whole("threads"));
      assertTrue(parsed.flag("persistent"));
      assertFalse(parsed.flag("transacted"));
      assertNull(parsed.text("url"));
    }
  }

  @Test
  void aFlagCanBeTurnedOff() throws UsageException {
    Parsed parsed = parse("-co", "false", "-nt", "2");
    assertTrue(parsed.isGiven("correlation-id"));
    assertFalse(parsed.flag("correlation-id"));
    assertEquals(2, parsed.whole("threads"));
  }

  @Test
  void namesOfOtherToolsAreUnderstood() throws UsageException {
    assertEquals(5.0, parse("-sw", "5").decimal("warm-up"));
    assertEquals("x.bin", parse("-mf", "x.bin").text("payload"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--thread 4; unknown option --thread; nearest: --threads",
        "-nt 0; --threads is '0'; a whole number from 1 to 100000",
        "-nt 1.5; --threads is '1.5'; a whole number",
        "-rt -3; --rate is '-3'; a number from 0",
        "-rt NaN; --rate is 'NaN'; a number from 0",
        "-pc activemq; --provider is 'activemq'; one of artemis, classic, amqp, ibmmq",
        "-nt; -nt needs a value; N",
        "-nt 1 --threads 2; --threads is given twice; twice",
        "surprise; a value stands where an option should be; --help",
      })
  void whatIsWrongIsNamed(String line, String what, String allowed) {
    String message = refusal(line.split(" "));
    assertTrue(message.contains(what), message);
    assertTrue(message.contains(allowed), message);
  }

  @Test
  void aPasswordOnTheCommandLineIsRefusedAndNotRepeated() {
    String message = refusal("-pw", "hunter2");
    assertTrue(message.contains("ROUNDTRIP_PASSWORD"), message);
    assertFalse(message.contains("hunter2"), message);
    assertFalse(refusal("--passwort=hunter2").contains("hunter2"));
  }

  @Test
  void theHelpShowsEveryOption() {
    OptionTable table = DriveOptions.drive();
    for (Option option : table.options()) {
      for (String spelling : option.spellings()) {
        assertTrue(table.help().contains(spelling), spelling);
      }
    }
  }
}
