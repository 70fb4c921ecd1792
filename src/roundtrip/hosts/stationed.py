"""Processes of a campaign on a host that has a station and the runner's load driver."""

from __future__ import annotations

import queue
import re
import signal
import threading
from collections import deque
from typing import Any

from roundtrip.campaign.harness import Harness
from roundtrip.campaign.processes import Ended, Launch, Message
from roundtrip.campaign.raw import SAMPLER_OF, RawFile, parse_line
from roundtrip.errors import SetupError
from roundtrip.files import sha256_of_file
from roundtrip.hosts.contact import Station, UnansweredError
from roundtrip.hosts.inventory import Host
from roundtrip.hosts.station import SAMPLER

_KEPT = 40
_LOST = -1
"""Status of a process whose host is lost: that it has ended is what is seen of it."""


class StationedHost(Station):
    """A host with a station, which must have the runner's load driver.

    Attributes
    ----------
    name : str
        As the inventory calls it.
    address, folder : str
        As of every `Place`.
    told : dict
        What the host says that it is.
    ahead_ms : float
        By how much its clock is ahead of the one here, as last seen.
    """

    def __init__(self, name: str, host: Host, harness: Harness) -> None:
        self.name, self._harness = name, harness
        self.ahead_ms = 0.0
        self._there: dict[str, _Away] = {}
        self._raw: RawFile | None = None
        super().__init__(host)
        try:
            self.told = self.ask("about")
            if self.told["jar_sha256"] != sha256_of_file(harness.jar):
                raise SetupError(
                    f"the load driver on {name} is not the one of this project",
                    remedy="make harness, there and here, from the same sources",
                )
        except BaseException:
            self.close()
            raise
        self.address, self.folder = str(host.load), str(self.told["folder"])

    def ask(self, question: str, **given: Any) -> Any:
        """Give the answer to a question of `roundtrip.hosts.station`, or to what it is."""
        try:
            return super().ask(question, **given)
        except UnansweredError as problem:
            what = self._loss if self.lost else f"{self.name}: {problem.what}"
            raise UnansweredError(what) from problem

    @property
    def _loss(self) -> str:
        return f"the host {self.name} is lost: {self.lost}"

    def lose(self, why: str) -> None:
        """Note why nothing is heard of it any more, as the end of all its processes."""
        super().lose(self._without_places(why))
        for process in [*self._there.values()]:
            process.lose(self._loss)

    def _without_places(self, words: str) -> str:
        """Hide the addresses, files and users of the inventory in what a login complains of."""
        host = self.host
        files = [host.key and host.key.expanduser(), host.known_hosts and
                 host.known_hosts.expanduser(), host.python, host.folder]  # fmt: skip
        shown = {str(one): "…" for one in (*files, host.user) if one}
        shown |= {str(one): self.name for one in (host.address, host.load) if one}
        hidden = "|".join(map(re.escape, sorted(shown, key=len, reverse=True)))
        whole = rf"(?<![\w.-])(?:{hidden})(?![\w-])"
        return re.sub(whole, lambda found: shown[found[0]], words)

    def heed(self, message: dict[str, Any]) -> None:
        """Take an answer, the end of a process there, or a line of one."""
        if "reply" in message:
            super().heed(message)
        elif "ended" in message:
            if gone := self._there.get(message["ended"]):
                gone.end(int(message["status"]))
        else:
            self._hear(str(message["source"]), str(message["line"]))

    def _hear(self, source: str, line: str) -> None:
        name, _, errors = source.partition(" ")
        if source == SAMPLER and self._raw is not None:
            self._raw.line(SAMPLER_OF + self.name, line)
        elif process := self._there.get(name):
            process.hear(source, line, wrong=bool(errors))

    def begin(self, raw: RawFile) -> None:
        """Have it sampled from now on, also where its first process starts late."""
        self._raw = raw
        self.order(sample=True)

    def start(
        self, source: str, launch: Launch, inbox: queue.Queue[Message], raw: RawFile
    ) -> _Away:
        """Start a process there, with the Java and the load driver of the host."""
        other = {
            str(self._harness.java): self.host.java, str(self._harness.jar): self.told["jar"]
        }  # fmt: skip
        raw.record("runner", event="placed", process=source, host=self.name)
        process = self._there[source] = _Away(self, source, inbox, raw)
        self.order(
            start=source, command=[other.get(word, word) for word in launch.command],
            prefix=list(launch.prefix), environment=dict(launch.environment),
            first_line=launch.first_line,
        )  # fmt: skip
        if self.lost:
            process.lose(self._loss)
        return process

    @property
    def started(self) -> frozenset[str]:
        """Names of the processes of the run that were started there."""
        return frozenset(self._there)

    def say(self, source: str, line: str) -> None:
        """Write a line to the standard input of a process there."""
        self.order(to=source, say=line)

    def rest(self) -> None:
        """Have everything ended and removed there, until the next run."""
        self.order(rest=True)
        self._there.clear()


class _Away:
    """A process on a host with a station; see `roundtrip.campaign.processes.Away`."""

    def __init__(
        self, station: StationedHost, source: str, inbox: queue.Queue[Message], raw: RawFile
    ) -> None:
        self.source = source
        self.errors: deque[str] = deque(maxlen=_KEPT)
        self._station, self._inbox, self._raw = station, inbox, raw
        self._gone = threading.Event()

    def hear(self, source: str, line: str, *, wrong: bool) -> None:
        """Keep a line of it, or of its error stream."""
        self._raw.line(source, line)
        if wrong:
            self.errors.append(line)
        elif (parsed := parse_line(source, line)) is not None:
            self._inbox.put(parsed.earlier(self._station.ahead_ms))

    def end(self, status: int) -> None:
        """Note that it has ended, once."""
        if not self._gone.is_set():
            self._gone.set()
            self._inbox.put(Ended(self.source, status))

    def lose(self, why: str) -> None:
        """Note that its host is lost."""
        if not self._gone.is_set():
            self.errors.append(why)
            self.end(_LOST)

    @property
    def running(self) -> bool:
        return not self._gone.is_set()

    def send(self, number: signal.Signals) -> None:
        if self.running:
            self._station.order(to=self.source, signal=int(number))

    def ask_to_stop(self) -> None:
        self.send(signal.SIGTERM)

    def wait(self, seconds: float) -> None:
        self._gone.wait(seconds)

    def stop(self, seconds: float = 10) -> None:
        self.ask_to_stop()
        self.wait(seconds)
        if self.running:
            self._station.order(to=self.source, signal=None)
            self.wait(seconds)
