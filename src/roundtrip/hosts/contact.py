"""Ways to a host: a process here, one started by SSH, or a worker of a scheduler."""

from __future__ import annotations

import json
import selectors
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from roundtrip.errors import RoundtripError
from roundtrip.hosts.inventory import Host, Inventory
from roundtrip.hosts.probe import GREETING, answer
from roundtrip.hosts.workers import workers
from roundtrip.ingest.records import printable
from roundtrip.secrets import without_secrets

_PATIENCE_S = 60.0
_LONGEST = 300


class Contact(Protocol):
    """Asks a host."""

    def ask(self, question: str, **given: Any) -> Any:
        """Give the answer to a question of `probe`.

        Raises
        ------
        UnansweredError
            If the host says that it cannot, or says nothing.
        """


class UnansweredError(RoundtripError):
    """A host does not answer, or says why it cannot."""


def _told(reply: dict[str, Any]) -> Any:
    if "problem" in reply:
        raise UnansweredError(printable(str(reply["problem"]))[:_LONGEST])
    return reply["answer"]


class _Process:
    """Asks a probe through the pipes of a process."""

    def __init__(self, command: list[str], errors: Any) -> None:
        self._errors = errors
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0
        )
        self._rest = b""
        self._look = selectors.DefaultSelector()
        self._look.register(self._out, selectors.EVENT_READ)
        try:
            while self._line() != GREETING.encode():
                pass  # what a login prints
        except UnansweredError:
            self.end()
            raise

    @property
    def _out(self) -> Any:
        return self._process.stdout

    def _line(self) -> bytes:
        end = time.monotonic() + _PATIENCE_S
        while b"\n" not in self._rest:
            if not self._look.select(max(0.0, end - time.monotonic())):
                self._process.terminate()  # or its answer would be taken for that of the next
                raise UnansweredError(f"it has not answered for {_PATIENCE_S:.0f} s")
            data = self._out.read(1 << 16)
            if not data:
                raise UnansweredError(self._last_words())
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.rstrip(b"\r")

    def _last_words(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        words = without_secrets(printable(lines[-1].strip()))[:_LONGEST] if lines else ""
        return words or f"the connection ended with status {self._process.returncode}"

    def ask(self, question: str, **given: Any) -> Any:
        """Ask by a line, and read one."""
        try:
            self._process.stdin.write(json.dumps({"ask": question, **given}).encode() + b"\n")  # type: ignore[union-attr]
        except OSError as problem:
            raise UnansweredError(self._last_words()) from problem
        try:
            return _told(json.loads(self._line()))
        except (ValueError, KeyError, TypeError) as problem:
            raise UnansweredError("it answers with something else than a probe does") from problem

    def end(self) -> None:
        """End the process, and with it the probe."""
        self._look.close()
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.terminate()
        self._process.wait()
        self._out.close()


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
    """Reach a host.

    Parameters
    ----------
    host : Host
    inventory : Inventory
        Names the scheduler.

    Yields
    ------
    Contact

    Raises
    ------
    RoundtripError
        If it cannot be reached.
    """
    with ExitStack() as stack:
        if host.reach == "scheduler":
            client = stack.enter_context(workers(str(inventory.scheduler)))
            yield _Worker(client, str(host.address))
            return
        python = host.python or sys.executable
        command = [python, "-I", "-m", "roundtrip.hosts.probe"]
        if host.reach == "ssh":
            if host.key is not None and not host.key.expanduser().is_file():
                raise UnansweredError(
                    f"the file of its key is missing: {host.key}", remedy="correct 'key'"
                )
            command = [*ssh_command(host), shlex.join(command)]
        errors = stack.enter_context(tempfile.TemporaryFile())
        try:
            process = _Process(command, errors)
        except OSError as problem:
            raise UnansweredError(f"{command[0]}: {problem.strerror}") from problem
        stack.callback(process.end)
        yield process
