"""The way to a host: its station, started here or by SSH.

A campaign starts processes on a host through its station.
"""

from __future__ import annotations

import json
import queue
import re
import shlex
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from roundtrip.campaign.harness import Harness
from roundtrip.campaign.processes import Child, Ended, Hearing, Launch
from roundtrip.campaign.raw import SAMPLER_OF, RawFile, parse_line
from roundtrip.errors import RoundtripError, SetupError
from roundtrip.files import sha256_of_file
from roundtrip.hosts.inventory import Host
from roundtrip.hosts.station import GREETING, SAMPLER, SILENCE_S
from roundtrip.ingest.records import printable
from roundtrip.secrets import without_secrets

_PATIENCE_S = 60.0
_LONGEST = 300
_KEPT = 40
_STOP_S = 10.0
_LOST = -1
"""Status of a process whose host is lost: that it has ended is what is seen of it."""


class UnansweredError(RoundtripError):
    """A host does not answer, or says why it cannot."""


def _told(reply: dict[str, Any]) -> Any:
    if "problem" in reply:
        raise UnansweredError(printable(str(reply["problem"]))[:_LONGEST])
    return reply["answer"]


class Station(Child):
    """The runner's end of a host's station: it asks, and gives orders.

    Attributes
    ----------
    lost : str or None
        Why nothing is heard of it any more.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.lost: str | None = None
        self._greeted = False
        self._replies: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._gone = threading.Event()
        command = [host.python or sys.executable, "-I", "-m", "roundtrip.hosts.station",
                   host.folder]  # fmt: skip
        if host.reach == "ssh":
            # Without a shell in between: the station counts what its login uses.
            command = [*ssh_command(host), f"exec {shlex.join(command)}"]
        try:
            super().__init__(command)
        except SetupError as problem:
            raise UnansweredError(f"it cannot be started: {problem.what}") from problem
        threading.Thread(target=self._keep_awake, daemon=True).start()

    def hear(self, line: str) -> None:
        """Take a line of the station; before its greeting comes what a login prints."""
        if not self._greeted:
            self._greeted = line.rstrip() == json.dumps({"greeting": GREETING})
            return
        try:
            self.heed(json.loads(line))
        except (ValueError, KeyError, TypeError):  # one that says something else is of no use
            self.send(signal.SIGKILL)

    def complain(self, line: str) -> None:
        """Keep what a login or the station complains of."""
        if line.strip():
            super().complain(line.strip())

    def ended(self, status: int) -> None:
        """Note that the station, or the way to it, is gone."""
        self._complaints.join(5)
        words = self.errors[-1] if self.errors else f"its station ended with status {status}"
        self.lose(without_secrets(printable(words))[:_LONGEST])
        self._gone.set()
        self._replies.put(None)

    def heed(self, message: dict[str, Any]) -> None:
        """Take what it says."""
        self._replies.put(message["reply"])

    def lose(self, why: str) -> None:
        """Note why nothing is heard of it any more."""
        self.lost = why

    def order(self, **content: Any) -> None:
        """Tell it to do something; one that is lost hears nothing."""
        self.say(json.dumps(content))

    def _keep_awake(self) -> None:
        while not self._gone.wait(SILENCE_S / 5):
            self.order(awake=True)

    def ask(self, question: str, **given: Any) -> Any:
        """Give the answer to a question of `roundtrip.hosts.station`.

        Raises `UnansweredError` if the host says that it cannot, or says nothing.
        """
        self.order(ask=question, **given)
        try:
            reply = self._replies.get(timeout=_PATIENCE_S)
        except queue.Empty:
            self.send(signal.SIGKILL)  # or its answer would be taken for that of the next question
            raise UnansweredError(f"it has not answered for {_PATIENCE_S:.0f} s") from None
        if reply is None:
            self._replies.put(None)
            raise UnansweredError(str(self.lost))
        return _told(reply)

    def close(self) -> None:
        """End the station, and with it everything on its host."""
        with self._writing, suppress(OSError):
            self._stdin.close()
        self._gone.wait(_PATIENCE_S)
        self.stop(0)


def ssh_command(host: Host) -> list[str]:
    """Give the command that logs in: it asks for nothing, and trusts no host that is not known."""
    options = ["BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=15"]
    options += ["ServerAliveInterval=2", "ServerAliveCountMax=3"]  # a cut link is noticed
    if host.key is not None:
        options += ["IdentitiesOnly=yes", f"IdentityFile={_as_one_word(host.key)}"]
    if host.known_hosts is not None:
        options.append(f"UserKnownHostsFile={_as_one_word(host.known_hosts)}")
    chosen = [word for option in options for word in ("-o", option)]
    user = [] if host.user is None else ["-l", host.user]
    return ["ssh", "-T", *chosen, "-p", str(host.port), *user, "--", str(host.address)]


def _as_one_word(path: Path) -> str:
    """Write a path as OpenSSH reads it: spaces and quotes part words, and % begins a name."""
    text = str(path.expanduser())
    for special, written in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%")):
        text = text.replace(special, written)
    return f'"{text}"'


@contextmanager
def contact(host: Host) -> Iterator[Station]:
    """Reach a host."""
    if host.reach == "ssh" and host.key is not None and not host.key.expanduser().is_file():
        raise UnansweredError(f"the file of its key is missing: {host.key}", remedy="correct 'key'")
    with closing(Station(host)) as station:
        yield station


# --- processes of a campaign ------------------------------------------------------------------


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

    def start(self, source: str, launch: Launch, tell: Hearing, raw: RawFile) -> _Away:
        """Start a process there, with the Java and the load driver of the host."""
        other = {
            str(self._harness.java): self.host.java, str(self._harness.jar): self.told["jar"]
        }  # fmt: skip
        raw.record("runner", event="placed", process=source, host=self.name)
        process = self._there[source] = _Away(self, source, tell, raw)
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

    def pass_on(self, source: str, line: str) -> None:
        """Write a line to the standard input of a process there."""
        self.order(to=source, say=line)

    def rest(self) -> None:
        """Have everything ended and removed there, until the next run."""
        self.order(rest=True)
        self._there.clear()


class _Away:
    """A process on a host with a station; see `roundtrip.campaign.processes.Away`."""

    def __init__(self, station: StationedHost, source: str, tell: Hearing, raw: RawFile) -> None:
        self.source = source
        self.errors: deque[str] = deque(maxlen=_KEPT)
        self._station, self._tell, self._raw = station, tell, raw
        self._gone = threading.Event()

    def hear(self, source: str, line: str, *, wrong: bool) -> None:
        """Keep a line of it, or of its error stream."""
        self._raw.line(source, line)
        if wrong:
            self.errors.append(line)
        elif (parsed := parse_line(source, line)) is not None:
            self._tell(parsed.earlier(self._station.ahead_ms))

    def end(self, status: int) -> None:
        """Note that it has ended, once."""
        if not self._gone.is_set():
            self._gone.set()
            self._tell(Ended(self.source, status))

    def lose(self, why: str) -> None:
        """Note that its host is lost."""
        if not self._gone.is_set():
            self.errors.append(why)
            self.end(_LOST)

    def send(self, number: signal.Signals) -> None:
        if not self._gone.is_set():
            self._station.order(to=self.source, signal=int(number))

    def ask_to_stop(self) -> None:
        self.send(signal.SIGTERM)

    def stop(self) -> None:
        self.ask_to_stop()
        if not self._gone.wait(_STOP_S):
            self._station.order(to=self.source, signal=None)
            self._gone.wait(_STOP_S)
