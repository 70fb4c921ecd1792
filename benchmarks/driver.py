"""The load driver beside JMSPerfHarness: ``python benchmarks/driver.py --jmsperfharness JAR``.

Both drive the same broker process in turn: requesters with one fixed correlation ID each on a
shared reply queue, responders that send every request back, non-persistent messages of random
bytes, the same client library and the same Java options. Rounds are interleaved (ours, theirs,
theirs, ours …), so that what else the machine does falls on both. Only the ratios mean anything.

Our driver verifies every reply byte by byte and records every round trip in a histogram; what that
costs is in its figures.

On two processors that two drivers and a broker share, the compilers of three Java machines take
half a minute to come to rest. Each row gives its drift, the rate in the second half of a window
over that in its first: where that is not near 1, the warm-up was too short.

A last part runs our driver alone, against an in-VM loopback: the most that it could ever show.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "harness" / "target"
JAR = TARGET / "roundtrip-harness.jar"
JAVA = ("java", "-Xms256m", "-Xmx256m")
_SNAPSHOT = re.compile(r"total messages=(\d+),Snapshot period=([\d.]+)")


@dataclass(frozen=True)
class Result:
    """One measured window.

    Attributes
    ----------
    rate : float
        Round trips per second.
    driver_us, broker_us : float
        Processor time per round trip of both drivers together, and of the broker, in microseconds.
    drift : float
        Rate of the window's second half over that of its first.
    """

    rate: float
    driver_us: float
    broker_us: float
    drift: float


class Client:
    """A driver process whose output is read line by line as it comes.

    Parameters
    ----------
    command : sequence of str
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.process = psutil.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def snapshots(self) -> Iterator[tuple[int, float]]:
        """Yield the round trips and the length in seconds of each interval, as it ends."""
        for line in self.process.stdout:
            if line.startswith("{"):
                event = json.loads(line)
                if event["event"] == "interval":
                    yield event["round_trips"], event["length_s"]
                elif event["event"] in ("error", "failed"):
                    raise SystemExit(f"the driver failed: {event['reason']}")
            elif found := _SNAPSHOT.search(line):
                yield int(found[1]), float(found[2])
            elif "Invalid parameter" in line or "exception" in line:
                raise SystemExit(f"JMSPerfHarness failed: {line.strip()}")
        raise SystemExit(f"a driver ended before its time: {' '.join(self.process.args[:8])} …")

    def processor_s(self) -> float:
        """Give the processor time used so far."""
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except psutil.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def ours(role: str, threads: int, url: str, message_bytes: int) -> list[str]:
    """Give the command line of our driver."""
    return [
        *JAVA, "-jar", str(JAR), "drive", "-tc", role, "-nt", str(threads), "-url", url,
        "-ms", str(message_bytes), "-co", "-ss", "1", "-rl", "0",
    ]  # fmt: skip


def theirs(role: str, threads: int, url: str, message_bytes: int, jar: Path) -> list[str]:
    """Give the command line of JMSPerfHarness.

    Its JNDI provider asks for a property that only its IBM MQ provider declares (``am``), hence the
    lenient mode; Artemis does not take its correlation IDs as bytes, hence ``-cp false``.
    """
    name = {"requester": "Requestor", "responder": "Responder"}[role]
    return [
        *JAVA, "-cp", f"{jar}:{TARGET}/lib/*", "JMSPerfHarness", "-tc", f"jms.r11.{name}",
        "-nt", str(threads), "-pc", "JNDI", "-cf", "ConnectionFactory",
        "-ii", "org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory", "-iu", url,
        "-iq", "dynamicQueues/REQUEST", "-oq", "dynamicQueues/REPLY",
        "-co", "true" if role == "requester" else "false", "-cp", "false",
        "-mt", "bytes", "-ms", str(message_bytes), "-ss", "1", "-sc", "BasicStats", "-rl", "0",
        "-wi", "0", "-to", "30", "-am", "1", "-hs", "false",
    ]  # fmt: skip


@contextmanager
def broker(folder: Path) -> Iterator[tuple[psutil.Popen, str]]:
    """Run an embedded broker without persistence; give its process and URL."""
    process = psutil.Popen(
        ["java", "-Xms512m", "-Xmx512m", "-jar", str(JAR), "broker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        config = {"data": str(folder / "data"), "persistent": False}
        process.stdin.write(json.dumps(config) + "\n")
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        if ready["event"] != "ready":
            raise SystemExit(f"the broker did not start: {ready['reason']}")
        yield process, str(ready["url"])
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


def measure(
    requester: list[str], responder: list[str], server: psutil.Popen | None, warm_s: int,
    run_s: int,
) -> Result:  # fmt: skip
    """Run a pair of drivers and measure whole intervals after the warm-up.

    Parameters
    ----------
    requester, responder : list of str
        Command lines; an empty responder means none.
    server : psutil.Popen or None
        The broker.
    warm_s, run_s : int
        Intervals of one second with round trips in them before and in the measurement.
    """
    clients = [Client(command) for command in (responder, requester) if command]

    def processor() -> tuple[float, float]:
        times = server.cpu_times() if server else None
        return sum(map(Client.processor_s, clients)), times.user + times.system if times else 0.0

    # The responder's lines have to be read, or it would stop at a full pipe.
    if len(clients) > 1:
        threading.Thread(target=_drain, args=(clients[0],), daemon=True).start()
    try:
        seen, before = 0, (0.0, 0.0)
        window: list[tuple[int, float]] = []
        for count, length in clients[-1].snapshots():
            if seen == 0 and count == 0:
                continue
            seen += 1
            if seen == warm_s:
                before = processor()
            elif seen > warm_s:
                window.append((count, length))
            if seen == warm_s + run_s:
                break
        after = processor()
    finally:
        for client in reversed(clients):
            client.stop()
    trips = max(sum(count for count, _ in window), 1)
    used = [(end - start) / trips * 1e6 for start, end in zip(before, after, strict=True)]
    half = len(window) // 2
    return Result(
        rate_of(window), used[0], used[1], drift=rate_of(window[half:]) / rate_of(window[:half])
    )


def rate_of(intervals: Sequence[tuple[int, float]]) -> float:
    """Give round trips per second over some intervals of round trips and seconds."""
    return sum(count for count, _ in intervals) / sum(length for _, length in intervals)


def _drain(client: Client) -> None:
    try:
        for _ in client.snapshots():
            pass
    except (SystemExit, ValueError, OSError):
        return


def middle(results: Sequence[Result]) -> Result:
    """Give the median of each figure."""
    return Result(
        statistics.median(one.rate for one in results),
        statistics.median(one.driver_us for one in results),
        statistics.median(one.broker_us for one in results),
        statistics.median(one.drift for one in results),
    )


def best(results: Sequence[Result]) -> float:
    """Give the highest rate: what else a machine does can only take away."""
    return max(one.rate for one in results)


def cheapest(results: Sequence[Result]) -> float:
    """Give the least processor time of the drivers per round trip."""
    return min(one.driver_us for one in results)


def row(name: str, result: Result) -> None:
    """Print one line of the table."""
    print(
        f"{name:32s}{result.rate:12,.0f}{result.driver_us:12.1f}{result.broker_us:12.1f}"
        f"{result.drift:12.2f}",
        flush=True,
    )


def compare(arguments: argparse.Namespace, server: psutil.Popen, url: str, threads: int) -> None:
    """Measure one number of requesters with both drivers and print it."""
    size, window = arguments.message_bytes, (arguments.warm_up, arguments.run)
    mine: list[Result] = []
    other: list[Result] = []
    for number in range(arguments.rounds):
        turns = [(mine, ours)]
        if arguments.jmsperfharness:
            turns.append((other, lambda *all_: theirs(*all_, arguments.jmsperfharness)))
        for results, command in reversed(turns) if number % 2 else turns:
            pair = [command(role, threads, url, size) for role in ("requester", "responder")]
            results.append(measure(pair[0], pair[1], server, *window))
    alone = [
        *JAVA, "-jar", str(JAR), "loopback", "-nt", str(threads), "-ms", str(size),
        "-ss", "1", "-rl", "0",
    ]  # fmt: skip
    ceiling = measure(alone, [], None, *window)
    ours_, label = middle(mine), f"{threads} requesters"
    row(f"{label}, Roundtrip", ours_)
    if other:
        theirs_ = middle(other)
        row(f"{label}, JMSPerfHarness", theirs_)
        ratios = [a.rate / b.rate for a, b in zip(mine, other, strict=True)]
        costs = [a.driver_us / b.driver_us for a, b in zip(mine, other, strict=True)]
        print(
            f"{'  ratio (each round)':32s}{statistics.median(ratios):12.2f}"
            f"{statistics.median(costs):12.2f}    rates"
            f" {', '.join(f'{ratio:.2f}' for ratio in ratios)};"
            f" CPU {', '.join(f'{cost:.2f}' for cost in costs)}"
        )
        rate, cost = best(mine) / best(other), cheapest(mine) / cheapest(other)
        print(f"{'  ratio (best rounds)':32s}{rate:12.2f}{cost:12.2f}")
    row(f"{label}, loopback", ceiling)
    print(f"{'  ceiling / with the broker':32s}{ceiling.rate / ours_.rate:12.0f}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--jmsperfharness", type=Path, metavar="JAR")
    parser.add_argument("--requesters", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--message-bytes", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=4, help="of each driver")
    parser.add_argument("--warm-up", type=int, default=40, metavar="SECONDS")
    parser.add_argument("--run", type=int, default=20, metavar="SECONDS")
    arguments = parser.parse_args()
    if not JAR.is_file() or not shutil.which("java"):
        sys.exit("the harness is not built, or there is no Java: make harness")
    if arguments.jmsperfharness and not arguments.jmsperfharness.is_file():
        sys.exit(f"there is no file {arguments.jmsperfharness}")
    print(f"{'':32s}{'round trips':>12s}{'drivers':>12s}{'broker':>12s}{'drift':>12s}")
    print(f"{'':32s}{'per second':>12s}{'µs CPU each':>12s}{'µs CPU each':>12s}")
    with tempfile.TemporaryDirectory() as name, broker(Path(name)) as (server, url):
        for threads in arguments.requesters:
            compare(arguments, server, url, threads)


if __name__ == "__main__":
    main()
