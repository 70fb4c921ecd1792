package roundtrip.harness.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import roundtrip.harness.Main;

/** Whole processes, as a runner starts and ends them. */
class ProcessTest {
  private static Process start(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    command.add(Main.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).start();
  }

  private static JsonObject until(BufferedReader lines, String name) throws Exception {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject event = JsonParser.parseString(line).getAsJsonObject();
      if (event.get("event").getAsString().equals(name)) {
        return event;
      }
    }
    throw new AssertionError("the output ended before the event " + name);
  }

  private static int ended(Process process) throws Exception {
    return process.waitFor();
  }

  @Test
  void aBrokerAndItsDriverEndWhenTheyAreTold(@TempDir Path folder) throws Exception {
    Process broker = start("broker");
    Process driver = null;
    try {
      String config = "{\"data\":\"" + folder.resolve("data") + "\",\"persistent\":false}\n";
      broker.getOutputStream().write(config.getBytes());
      broker.getOutputStream().flush();
      BufferedReader said = broker.inputReader();
      JsonObject ready = until(said, "ready");
      assertEquals(broker.pid(), ready.get("pid").getAsLong());
      assertTrue(Files.size(Path.of(ready.get("log").getAsString())) > 0);
      driver =
          start("drive", "-tc", "sender", "-rl", "0", "-rt", "50", "-ss", "0.2", "-url",
              ready.get("url").getAsString());
      BufferedReader events = driver.inputReader();
      while (until(events, "interval").get("round_trips").getAsLong() == 0) {}
      driver.toHandle().destroy();
      JsonObject end = until(events, "end");
      assertEquals("signal", end.get("reason").getAsString());
      assertTrue(end.get("round_trips").getAsLong() > 0);
      assertEquals(0, ended(driver));
      broker.getOutputStream().close();
      assertEquals("standard input closed", until(said, "stopped").get("reason").getAsString());
      assertEquals(0, ended(broker));
    } finally {
      broker.destroyForcibly();
      if (driver != null) {
        driver.destroyForcibly();
      }
    }
  }

  @Test
  void aBrokerThatCannotStartSaysWhy(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    Process broker = start("broker");
    broker.getOutputStream().write(("{\"data\":\"" + file + "/data\"}\n").getBytes());
    broker.getOutputStream().flush();
    JsonObject failed = until(broker.inputReader(), "failed");
    assertTrue(failed.get("reason").getAsString().contains("folder"), failed.toString());
    assertEquals(1, ended(broker));
    assertTrue(broker.errorReader().readLine().contains("folder"));
  }

  @Test
  void aWrongCommandLineIsStatusTwo() throws Exception {
    Process process = start("drvie");
    assertEquals(2, ended(process));
    assertTrue(process.errorReader().readLine().contains("nearest: drive"));
  }

  @Test
  void aDriverThatIsToldWhenToBeginDoesSoThen() throws Exception {
    Process process = start("loopback", "-rl", "0", "-ss", "0.1", "--await-start");
    BufferedReader said = process.inputReader();
    until(said, "connected");
    long moment = System.currentTimeMillis() + 700;
    process.getOutputStream().write((moment + "\n").getBytes());
    process.getOutputStream().flush();
    JsonObject begun = JsonParser.parseString(said.readLine()).getAsJsonObject();
    assertEquals("begun", begun.get("event").getAsString(), "nothing comes before");
    long late = begun.get("late_ms").getAsLong();
    assertEquals(moment + late, begun.get("t_ms").getAsLong());
    assertTrue(late >= 0, begun.toString());
    assertTrue(until(said, "interval").get("round_trips").getAsLong() > 0);
    process.getOutputStream().close();
    assertEquals(0, ended(process));
  }

  @Test
  void aTimeToBeginAtThatIsNoneIsStatusTwo() throws Exception {
    Process process = start("loopback", "-rl", "0", "--await-start");
    process.getOutputStream().write("soon\n".getBytes());
    process.getOutputStream().flush();
    assertEquals(2, ended(process));
    assertTrue(process.errorReader().readLine().contains("'soon' is no time to begin at"));
  }

  @Test
  void aDriverWithoutParentEndsAndAProxyToo() throws Exception {
    for (String[] line :
        new String[][] {
          {"loopback", "-rl", "0", "-rt", "10"},
          {"loopback", "-rl", "0", "--await-start"},
          {"proxy", "--to", "127.0.0.1:9"}
        }) {
      Process process = start(line);
      until(process.inputReader(), line[0].equals("proxy") ? "ready" : "connected");
      process.getOutputStream().close();
      assertEquals(0, ended(process));
    }
  }
}
