"""The load driver beside JMSPerfHarness: ``python benchmarks/driver.py --jmsperfharness JAR``.

Both drive the same broker process: requesters with one fixed correlation ID each on a shared reply
queue, responders that send every request back, non-persistent messages of random bytes, the same
client library, Java options and scheduling class (real-time where permitted, as campaigns use it).
Messages of both have one length on the wire (`longer_ids`).

Both are alive at once, on queues of their own, and take turns of a few seconds: while one works the
other is stopped (SIGSTOP). So what else the machine does, and how far the broker has warmed up,
falls on both alike. Two turns of one driver follow each other (ours, theirs, theirs, ours …), each
as often as of the other. In each *life* all are started anew, since what the compilers of Java make
of the same code, and on which processors its threads meet, differs from start to start. Of each
driver several *copies* are alive: how far they differ is what no ratio can tell apart. Only the
ratios mean anything: of each life, and their geometric mean. The drivers' part of the processor
time of drivers and broker differs least from life to life where they keep the machine busy.

Our driver verifies every reply byte by byte and records every round trip in a histogram; what that
costs is in its figures. A last part runs it alone, against an in-VM loopback: the most that it
could ever show.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import geometric_mean

import psutil

from roundtrip.campaign.machine.scheduling import effective, prefix, runner_in_front

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "harness" / "target"
JAR = TARGET / "roundtrip-harness.jar"
JAVA = ("java", "-Xms256m", "-Xmx256m")
_START_S, _SETTLE_S = 6.0, 1.2
"""How long a driver may take to connect, and how much of its turn goes before it is measured."""
_PATIENCE_S = 600
"""How long a driver that is stopped waits for its reply."""
_SNAPSHOT = re.compile(r"total messages=(\d+),Snapshot period=([\d.]+)")


@dataclass(frozen=True)
class Turn:
    """What one driver did in one turn.

    Attributes
    ----------
    rate : float
        Round trips per second.
    driver_us, broker_us : float
        Processor time per round trip of both driver processes together, and of the broker, in
        microseconds.
    """

    rate: float
    driver_us: float
    broker_us: float

    @property
    def part(self) -> float:
        """The drivers' part of the processor time of drivers and broker."""
        return self.driver_us / (self.driver_us + self.broker_us)


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


def longer_ids() -> int:
    """Give the bytes that IDs of JMSPerfHarness add to a message beyond what ours do.

    Its correlation IDs hold the machine's name and address, with two bytes for a character. Ours
    get as much more payload: a few bytes decide whether Linux acknowledges a segment in the time of
    its receiver or of its sender, which moves a tenth of the broker's processor time to drivers.
    """
    name = socket.gethostname()
    return 12 + 2 * len(f"{name}/{socket.gethostbyname(name)}")


def ours(role: str, threads: int, url: str, message_bytes: int, copy: int) -> list[str]:
    """Give the command line of a copy of our driver."""
    return [
        *JAVA, "-jar", str(JAR), "drive", "-tc", role, "-nt", str(threads), "-url", url,
        "-iq", f"REQUEST{copy}", "-oq", f"REPLY{copy}",
        "-ms", str(message_bytes + longer_ids()), "-co", "-ss", "1", "-rl", "0",
        "-to", str(_PATIENCE_S),
    ]  # fmt: skip


def theirs(
    role: str, threads: int, url: str, message_bytes: int, copy: int, jar: Path
) -> list[str]:
    """Give the command line of a copy of JMSPerfHarness.

    Its JNDI provider asks for a property that only its IBM MQ provider declares (``am``), hence the
    lenient mode; Artemis does not take its correlation IDs as bytes, hence ``-cp false``. The names
    of its queues are as long as ours, since each request carries one.
    """
    name = {"requester": "Requestor", "responder": "Responder"}[role]
    return [
        *JAVA, "-cp", f"{jar}:{TARGET}/lib/*", "JMSPerfHarness", "-tc", f"jms.r11.{name}",
        "-nt", str(threads), "-pc", "JNDI", "-cf", "ConnectionFactory",
        "-ii", "org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory", "-iu", url,
        "-iq", f"dynamicQueues/request{copy}", "-oq", f"dynamicQueues/reply{copy}",
        "-co", "true" if role == "requester" else "false", "-cp", "false",
        "-mt", "bytes", "-ms", str(message_bytes), "-ss", "1", "-sc", "BasicStats", "-rl", "0",
        "-wi", "0", "-to", str(_PATIENCE_S), "-am", "1", "-hs", "false",
    ]  # fmt: skip


@contextmanager
def broker(folder: Path, begin: Sequence[str]) -> Iterator[tuple[psutil.Popen, str]]:
    """Run an embedded broker without persistence; give its process and URL."""
    process = psutil.Popen(
        [*begin, "java", "-Xms512m", "-Xmx512m", "-jar", str(JAR), "broker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        config = {"data": str(folder / "data"), "persistent": False}
        process.stdin.write(json.dumps(config) + "\n")
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        if ready["event"] != "ready":
            raise SystemExit(f"the broker did not start: {ready['reason']}")
        # Drivers that are stopped do not answer for a while.
        yield process, f"{ready['url']}?connectionTTL=-1&clientFailureCheckPeriod=-1"
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


class Pair:
    """The processes of one driver, which work while they are not stopped.

    Parameters
    ----------
    requester, responder : list of str
        Command lines; an empty responder means none.
    server : psutil.Popen or None
        The broker.
    """

    def __init__(
        self, requester: list[str], responder: list[str], server: psutil.Popen | None
    ) -> None:
        self._clients = [Client(command) for command in (responder, requester) if command]
        self._server = server
        self._seen: list[tuple[float, int, float, float]] = []
        self._trouble = ""
        for client in self._clients:  # whose lines have to be read, or it would stop at a full pipe
            threading.Thread(target=self._read, args=(client,), daemon=True).start()

    def _read(self, client: Client) -> None:
        """Note the time, the round trips and the processor times at the end of each interval."""
        trips = 0
        try:
            for count, _ in client.snapshots():
                trips += count
                if client is self._clients[-1]:
                    drivers = sum(map(Client.processor_s, self._clients))
                    broker = self._server.cpu_times() if self._server else None
                    broker_s = broker.user + broker.system if broker else 0.0
                    self._seen.append((time.monotonic(), trips, drivers, broker_s))
        except (SystemExit, ValueError, OSError, psutil.Error) as problem:
            self._trouble = str(problem)

    def turn(self, seconds: float) -> Turn:
        """Let the driver work, and measure between the ends of intervals of a second."""
        self.signal(signal.SIGCONT)
        began = time.monotonic()
        time.sleep(seconds + _SETTLE_S)
        self.signal(signal.SIGSTOP)
        # What comes first spans the time that it was stopped.
        seen = [one for one in self._seen if one[0] > began + _SETTLE_S]
        if len(seen) < 2:
            raise SystemExit(f"the driver tells of no intervals: {self._trouble or 'too slow'}")
        spans = [end - start for start, end in zip(seen[0], seen[-1], strict=True)]
        length, trips, drivers, broker = spans
        each = 1e6 / max(trips, 1)
        return Turn(trips / length, drivers * each, broker * each)

    def signal(self, number: int) -> None:
        """Send a signal to all processes."""
        for client in self._clients:
            client.process.send_signal(number)

    def stop(self) -> None:
        """End the processes."""
        self.signal(signal.SIGCONT)
        for client in reversed(self._clients):
            client.stop()


def one_life(
    commands: Sequence[tuple[list[str], list[str]]], server: psutil.Popen | None, warm_s: float,
    turns: int, turn_s: float,
) -> list[list[Turn]]:  # fmt: skip
    """Start drivers, warm each up for a time, and measure them in turn.

    Returns
    -------
    list of list of Turn
        For each driver, its turns.
    """
    pairs: list[Pair] = []
    try:
        for requester, responder in commands:
            pairs.append(Pair(requester, responder, server))
            time.sleep(_START_S)
            pairs[-1].signal(signal.SIGSTOP)
        for _ in range(round(warm_s / turn_s)):
            for pair in pairs:
                pair.turn(turn_s)
        found: list[list[Turn]] = [[] for _ in pairs]
        for number in range(turns):
            order = range(len(pairs))
            for place in reversed(order) if number % 2 else order:
                found[place].append(pairs[place].turn(turn_s))
    finally:
        for pair in pairs:
            pair.stop()
    return found


def middle(turns: Sequence[Turn]) -> Turn:
    """Give the median of each figure."""
    return Turn(
        statistics.median(one.rate for one in turns),
        statistics.median(one.driver_us for one in turns),
        statistics.median(one.broker_us for one in turns),
    )


def row(name: str, turn: Turn) -> None:
    """Print one line of the table."""
    figures = f"{turn.rate:12,.0f}{turn.driver_us:12.1f}{turn.broker_us:12.1f}"
    print(f"{name:32s}{figures}", flush=True)


def ratios(lives: Sequence[Sequence[Turn]]) -> None:
    """Print ours to theirs, of each life and together, and how far copies of one driver differ."""
    told, means = [], []
    for name in ("rate", "driver_us", "part"):
        mean = [
            [geometric_mean(getattr(one, name) for one in life[kind::2]) for kind in range(2)]
            for life in lives
        ]
        each = [our / their for our, their in mean]
        means.append(geometric_mean(each))
        told.append(", ".join(f"{ratio:.2f}" for ratio in each))
    costs = [[one.driver_us for one in life[kind::2]] for life in lives for kind in range(2)]
    alike = max(max(own) / min(own) for own in costs)
    print(
        f"{'  ratio':32s}{means[0]:12.2f}{means[1]:12.2f}    lives: rate {told[0]}; CPU {told[1]}"
    )
    print(f"{'  ratio of the part of drivers':32s}{'':12s}{means[2]:12.3f}    lives: {told[2]}")
    print(f"{'  copies of one driver differ by':32s}{'':12s}{alike:12.2f}", flush=True)


def compare(arguments: argparse.Namespace, server: psutil.Popen, url: str, threads: int) -> None:
    """Measure one number of requesters with both drivers and print it."""
    size, jar = arguments.message_bytes, arguments.jmsperfharness
    how = (arguments.warm_up, arguments.turns, arguments.turn)
    label, begin = f"{threads} requesters", prefix(arguments.scheduling_class)
    kinds: list[Callable[..., list[str]]] = [ours, *([partial(theirs, jar=jar)] if jar else [])]
    everyone: list[tuple[list[str], list[str]]] = []
    for copy in range(arguments.copies):
        for kind in kinds:
            requester, responder = (
                [*begin, *kind(role, threads, url, size, copy)]
                for role in ("requester", "responder")
            )
            everyone.append((requester, responder))
    lives: list[list[Turn]] = []
    for number in range(arguments.lives):
        # Who is started first changes from life to life.
        order = everyone[::-1] if number % 2 else everyone
        found = [middle(turns) for turns in one_life(order, server, *how)]
        lives.append(found[::-1] if number % 2 else found)
    step = len(kinds)
    reached = middle([one for life in lives for one in life[::step]])
    row(f"{label}, Roundtrip", reached)
    if jar:
        row(f"{label}, JMSPerfHarness", middle([one for life in lives for one in life[1::step]]))
        ratios(lives)
    alone = [
        *begin, *JAVA, "-jar", str(JAR), "loopback", "-nt", str(threads), "-ms", str(size),
        "-ss", "1", "-rl", "0",
    ]  # fmt: skip
    ceiling = middle(one_life([(alone, [])], None, *how)[0])
    row(f"{label}, loopback", ceiling)
    times = ceiling.rate / reached.rate
    print(f"{'  ceiling / with the broker':32s}{times:12.0f}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--jmsperfharness", type=Path, metavar="JAR")
    parser.add_argument("--requesters", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--message-bytes", type=int, default=2048)
    parser.add_argument("--lives", type=int, default=4, help="times that all are started anew")
    parser.add_argument("--copies", type=int, default=2, help="of each driver, alive at once")
    parser.add_argument("--warm-up", type=float, default=40, metavar="SECONDS", help="of each")
    parser.add_argument("--turns", type=int, default=8, help="of each driver in a life, even")
    parser.add_argument("--scheduling-class", choices=["real-time", "normal"], default="real-time")
    parser.add_argument("--turn", type=float, default=5, metavar="SECONDS")
    arguments = parser.parse_args()
    if not JAR.is_file() or not shutil.which("java"):
        sys.exit("the harness is not built, or there is no Java: make harness")
    if arguments.jmsperfharness and not arguments.jmsperfharness.is_file():
        sys.exit(f"there is no file {arguments.jmsperfharness}")
    wanted = arguments.scheduling_class
    print(f"scheduling class: {effective(wanted)}")
    print(f"{'':32s}{'round trips':>12s}{'drivers':>12s}{'broker':>12s}")
    print(f"{'':32s}{'per second':>12s}{'µs CPU each':>12s}{'µs CPU each':>12s}")
    with (
        tempfile.TemporaryDirectory() as name,
        broker(Path(name), prefix(wanted)) as (server, url),
        runner_in_front(wanted),
    ):
        for threads in arguments.requesters:
            compare(arguments, server, url, threads)


if __name__ == "__main__":
    main()
