"""Processes of a run: started so that they die with the runner, heard line by line, stopped.

Drivers run in processes of their own, here or on other hosts, or inside a broker's.
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import IO, Any, Protocol, cast

from roundtrip.campaign.raw import Keeping, RawFile, RawLine, parse_line
from roundtrip.errors import RoundtripError, SetupError

_KEPT = 40
_INSIDE_SECONDS = 15
"""For a driver inside a broker to end."""


_NO_REASON = re.compile(
    r"\s+at [\w$]+[./]|\s+\.\.\. \d+ more|\d\S* (INFO|DEBUG) "
    r"|Error: (A fatal exception has occurred|Could not create the Java Virtual Machine)"
)


class BrokerError(RoundtripError):
    """A broker does not start, or has gone."""


def broker_error(what: str, log: Sequence[str], remedy: str | None = None) -> BrokerError:
    """Make an error that shows the last lines of a broker's log."""
    shown = "".join(f"\n    {line}" for line in log)
    text = f"{what}; the last lines of its log:{shown}" if log else what
    return BrokerError(text, remedy=remedy)


def reasons_in(log: Sequence[str]) -> list[str]:
    """Leave out what tells no reason for a failure: places in code, and what went as it should."""
    return [line for line in log if not _NO_REASON.match(line)]


def ending(status: int) -> str:
    """Say how a process ended: with a status, or killed by a signal."""
    if status >= 0:
        return f"ended with status {status}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"


@dataclass(frozen=True)
class Ended:
    """A process has ended."""

    source: str
    status: int


Message = RawLine | Ended
Hearing = Callable[[Message], None]
"""Is told what a process says, one message after the other."""


def hear(inbox: queue.Queue[Message], deadline: float, raw: RawFile) -> Message | None:
    """Give what processes say next, or None once the deadline, by `time.monotonic`, has passed.

    A raw file that cannot be written any more ends the waiting with its error.
    """
    while (left := deadline - time.monotonic()) > 0:
        raw.check()
        with suppress(queue.Empty):
            return inbox.get(timeout=min(0.5, left))
    return None


class Away(Protocol):
    """A process on another host, used like a `Process`."""

    source: str
    errors: deque[str]

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""

    def ask_to_stop(self) -> None:
        """Send the signal to end; do not wait."""

    def stop(self) -> None:
        """End it: politely, then by force."""


class Place(Protocol):
    """Another host that processes are started on.

    Attributes
    ----------
    address : str
        Its address for the load.
    folder : str
        There, for what its processes write; it is removed with all that it holds.
    """

    address: str
    folder: str

    def start(self, source: str, launch: Launch, tell: Hearing, raw: RawFile) -> Away:
        """Start a process there; its lines, and its end, arrive as those of a `Process` do."""

    def ask(self, question: str, **given: Any) -> Any:
        """Give the answer of the host to a question; an error says why it has none."""


@dataclass(frozen=True)
class Launch:
    """How a process is started.

    Attributes
    ----------
    command : sequence of str
        Never with a password: every user of the machine can read it.
    prefix : sequence of str
        Commands that hand over to it, such as ``chrt`` and ``taskset``.
    environment : mapping
        Variables beside those of the runner; this is where passwords go.
    first_line : str or None
        Written to its standard input, which stays open.
    host : Process or None
        The process that the driver is started inside, with `words`; none is started for it then.
    words : sequence of str
        Options of the driver.
    place : Place or None
        The host that it is started on, None for this machine.
    """

    command: Sequence[str]
    prefix: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    first_line: str | None = None
    host: Process | None = field(default=None, repr=False)
    words: Sequence[str] = ()
    place: Place | None = field(default=None, repr=False)


class Child(ABC):
    """A process that is heard line by line, told lines, and stopped.

    It gets a process group of its own, so that Ctrl-C reaches the runner only. What its output
    means is for subclasses to say; their own attributes must be there before it is started.

    Attributes
    ----------
    errors : deque of str
        Last lines of its error stream.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.errors: deque[str] = deque(maxlen=_KEPT)
        self._writing = threading.Lock()
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, **(environment or {})}, start_new_session=True,
                text=True, encoding="utf-8", errors="replace", bufsize=1,
            )  # fmt: skip
        except OSError as problem:
            raise SetupError(f"{words[0]} does not start: {problem.strerror}") from problem
        self.pid = self._process.pid
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr = cast(tuple[IO[str], IO[str], IO[str]], pipes)
        self._complaints = threading.Thread(target=self._read_errors, daemon=True)
        self._output = threading.Thread(target=self._read, daemon=True)
        self._complaints.start()
        self._output.start()

    @abstractmethod
    def hear(self, line: str) -> None:
        """Take a line of its output."""

    def complain(self, line: str) -> None:
        """Take a line of its error stream."""
        self.errors.append(line)

    @abstractmethod
    def ended(self, status: int) -> None:
        """Take its end, after its last line of output."""

    def _read(self) -> None:
        with suppress(ValueError, OSError):
            for line in self._stdout:
                self.hear(line.rstrip("\n"))
        self.ended(self._process.wait())

    def _read_errors(self) -> None:
        with suppress(ValueError, OSError):
            for line in self._stderr:
                self.complain(line.rstrip("\n"))

    def say(self, line: str) -> None:
        """Write a line to its standard input; one that is gone already hears nothing."""
        with self._writing, suppress(OSError, ValueError):
            self._stdin.write(line + "\n")
            self._stdin.flush()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def ask_to_stop(self) -> None:
        """Send the signal to end; do not wait."""
        self.send(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        """Send a signal; one that is gone already needs none."""
        if self.running:
            with suppress(OSError):
                os.kill(self.pid, number)

    def _wait(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def stop(self, seconds: float = 10) -> None:
        """End it: politely, then by force with all that it has started."""
        if self.running:
            self.ask_to_stop()
            self._wait(seconds)
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        self._wait(seconds)
        for thread in (self._output, self._complaints):
            thread.join(seconds)
        for pipe in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                pipe.close()


class Process(Child):
    """A part of the harness, whose standard output is NDJSON.

    The kernel kills it when the runner dies (on Linux; elsewhere the closed standard input ends
    it): nothing is left for the next runner to find.

    Parameters
    ----------
    tell : callable
        Is told each line it writes, then `Ended`.
    raw : Keeping
        Keeps each line.

    Attributes
    ----------
    guests : dict of str to threading.Event
        Drivers inside it, by name: lines with their name are theirs. Each event is set when its
        driver has ended.
    """

    def __init__(self, source: str, launch: Launch, tell: Hearing, raw: Keeping) -> None:
        self.source = source
        self.guests: dict[str, threading.Event] = {}
        self._tell, self._raw = tell, raw
        guard = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        # What the prefix sets, such as the real-time class, is inherited by what it starts.
        super().__init__([*launch.prefix, *guard, *launch.command], launch.environment)
        if launch.first_line is not None:
            self.say(launch.first_line)

    def hear(self, line: str) -> None:
        """Keep a line of it, or of a driver inside, and tell what it says."""
        parsed = parse_line(self.source, line)
        if parsed is None:
            self._raw.line(self.source, line)
            return
        guest = str(parsed.record.get("id"))
        if guest in self.guests:  # a driver inside has said it
            parsed = replace(parsed, source=guest)
        self._raw.line(parsed.source, line)
        self._tell(parsed)
        if guest in self.guests and parsed.event == "ended":
            self._tell(Ended(guest, int(parsed.record.get("status", 1))))
            self.guests[guest].set()

    def complain(self, line: str) -> None:
        """Keep a line of its error stream."""
        self._raw.line(f"{self.source} stderr", line)
        super().complain(line)

    def ended(self, status: int) -> None:
        """Tell that it has ended."""
        self._tell(Ended(self.source, status))


def start_process(source: str, launch: Launch, tell: Hearing, raw: RawFile) -> Process | Away:
    """Start a process on the host that its launch names, or here."""
    if launch.place is not None:
        return launch.place.start(source, launch, tell, raw)
    return Process(source, launch, tell, raw)


class DriverInside:
    """A driver that a broker's process runs in threads of its own; it is used like a `Process`.

    What it takes of the processors is that of the broker's process: the two cannot be told apart.
    """

    def __init__(self, source: str, host: Process, words: Sequence[str]) -> None:
        self.source = source
        self.errors: deque[str] = deque(maxlen=1)
        self._host = host
        self._ended = threading.Event()
        self._host.guests[source] = self._ended
        self._host.say(json.dumps({"drive": list(words)}))

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._ended.is_set() and self._host.running

    def ask_to_stop(self) -> None:
        """Have it end its work; do not wait."""
        if self.running:
            self._host.say(json.dumps({"stop": self.source}))

    def stop(self) -> None:
        """End it."""
        self.ask_to_stop()
        if self._host.running:
            self._ended.wait(_INSIDE_SECONDS)


Driver = Process | DriverInside | Away
"""A driver in a process of its own, here or on another host, or in a broker's."""


def start_driver(source: str, launch: Launch, tell: Hearing, raw: RawFile) -> Driver:
    """Start a driver where its launch says.

    A broker's process passes on what its drivers say with its own lines.
    """
    if launch.host is not None:
        return DriverInside(source, launch.host, launch.words)
    return start_process(source, launch, tell, raw)


def last_lines(drivers: Sequence[Driver], source: str | None = None) -> list[str]:
    """Give what drivers, or one of them, last wrote to their error streams."""
    return [
        line
        for driver in drivers
        if source in (None, driver.source)
        for line in reasons_in(list(driver.errors))[-5:]
    ]
