"""Ways to a host: its station, started here or by SSH, or a worker of a scheduler."""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import IO, Any, Protocol, cast

from roundtrip.errors import RoundtripError
from roundtrip.hosts.inventory import Host, Inventory
from roundtrip.hosts.station import GREETING, SILENCE_S, answer
from roundtrip.hosts.workers import workers
from roundtrip.ingest.records import printable
from roundtrip.secrets import without_secrets

_PATIENCE_S = 60.0
_LONGEST = 300
_KEPT = 40


class Contact(Protocol):
    """Asks a host."""

    def ask(self, question: str, **given: Any) -> Any:
        """Give the answer to a question of `roundtrip.hosts.station`.

        Raises `UnansweredError` if the host says that it cannot, or says nothing.
        """


class UnansweredError(RoundtripError):
    """A host does not answer, or says why it cannot."""


def _told(reply: dict[str, Any]) -> Any:
    if "problem" in reply:
        raise UnansweredError(printable(str(reply["problem"]))[:_LONGEST])
    return reply["answer"]


class Station:
    """The runner's end of a host's station: it asks, and gives orders.

    Attributes
    ----------
    lost : str or None
        Why nothing is heard of it any more.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.lost: str | None = None
        self._errors: deque[str] = deque(maxlen=_KEPT)
        self._replies: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._writing = threading.Lock()
        self._ended = threading.Event()
        command = [host.python or sys.executable, "-I", "-m", "roundtrip.hosts.station",
                   host.folder]  # fmt: skip
        if host.reach == "ssh":
            # Without a shell in between: the station counts what its login uses.
            command = [*ssh_command(host), f"exec {shlex.join(command)}"]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True, text=True, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except OSError as problem:
            raise UnansweredError(f"it cannot be started: {problem.strerror}") from problem
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr = cast(tuple[IO[str], IO[str], IO[str]], pipes)
        self._complaints = threading.Thread(target=self._read_errors, daemon=True)
        self._threads = [
            self._complaints,
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._keep_awake, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        greeted = False
        with suppress(OSError, ValueError, KeyError, TypeError):  # as good as its end
            for line in self._stdout:
                if greeted:
                    self.heed(json.loads(line))
                else:  # before it comes what a login prints
                    greeted = line.rstrip() == json.dumps({"greeting": GREETING})
        self._process.kill()  # one that says something else is of no use
        status = self._process.wait()
        self._complaints.join(5)
        words = self._errors[-1] if self._errors else f"its station ended with status {status}"
        self.lose(without_secrets(printable(words))[:_LONGEST])
        self._ended.set()
        self._replies.put(None)

    def _read_errors(self) -> None:
        with suppress(OSError, ValueError):
            for line in self._stderr:
                if line.strip():
                    self._errors.append(line.strip())

    def heed(self, message: dict[str, Any]) -> None:
        """Take what it says."""
        self._replies.put(message["reply"])

    def lose(self, why: str) -> None:
        """Note why nothing is heard of it any more."""
        self.lost = why

    def order(self, **content: Any) -> None:
        """Tell it to do something; one that is lost hears nothing."""
        with self._writing, suppress(OSError, ValueError):
            self._stdin.write(json.dumps(content) + "\n")
            self._stdin.flush()

    def _keep_awake(self) -> None:
        while not self._ended.wait(SILENCE_S / 5):
            self.order(awake=True)

    def ask(self, question: str, **given: Any) -> Any:
        """Give the answer to a question; see `Contact`."""
        self.order(ask=question, **given)
        try:
            reply = self._replies.get(timeout=_PATIENCE_S)
        except queue.Empty:
            self._process.kill()  # or its answer would be taken for that of the next question
            raise UnansweredError(f"it has not answered for {_PATIENCE_S:.0f} s") from None
        if reply is None:
            self._replies.put(None)
            raise UnansweredError(str(self.lost))
        return _told(reply)

    def close(self) -> None:
        """End the station, and with it everything on its host."""
        with self._writing, suppress(OSError):
            self._stdin.close()
        if not self._ended.wait(_PATIENCE_S):
            self._process.kill()
        for thread in self._threads:
            thread.join(5)
        for pipe in (self._stdout, self._stderr):
            with suppress(OSError):
                pipe.close()


class _Worker:
    """Asks on a worker of Dask."""

    def __init__(self, client: Any, address: str) -> None:
        found = client.scheduler_info(n_workers=-1)["workers"]
        self._client = client
        self._at = [place for place, told in sorted(found.items()) if told["host"] == address][:1]
        if not self._at:
            raise UnansweredError("the scheduler has no worker at this address")

    def ask(self, question: str, **given: Any) -> Any:
        """Ask by running a function there."""
        return _told(
            self._client.run(answer, {"ask": question, **given}, workers=self._at)[self._at[0]]
        )


def ssh_command(host: Host) -> list[str]:
    """Give the command that logs in: it asks for nothing, and trusts no host that is not known."""
    options = ["BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=15"]
    options += ["ServerAliveInterval=2", "ServerAliveCountMax=3"]  # a cut link is noticed
    if host.key is not None:
        options += ["IdentitiesOnly=yes", f"IdentityFile={host.key.expanduser()}"]
    if host.known_hosts is not None:
        options.append(f"UserKnownHostsFile={host.known_hosts.expanduser()}")
    chosen = [word for option in options for word in ("-o", option)]
    user = [] if host.user is None else ["-l", host.user]
    return ["ssh", "-T", *chosen, "-p", str(host.port), *user, "--", str(host.address)]


@contextmanager
def contact(host: Host, inventory: Inventory) -> Iterator[Contact]:
    """Reach a host; the inventory names the scheduler."""
    if host.reach == "scheduler":
        with workers(str(inventory.scheduler)) as client:
            yield _Worker(client, str(host.address))
        return
    if host.reach == "ssh" and host.key is not None and not host.key.expanduser().is_file():
        raise UnansweredError(f"the file of its key is missing: {host.key}", remedy="correct 'key'")
    with closing(Station(host)) as station:
        yield station
