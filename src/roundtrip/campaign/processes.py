"""Processes of a run: started so that they die with the runner, read line by line, stopped."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from roundtrip.campaign.raw import RawFile, RawLine, parse_line
from roundtrip.errors import SetupError

_KEPT = 40


@dataclass(frozen=True)
class Ended:
    """A process has ended."""

    source: str
    status: int


Message = RawLine | Ended


class Process:
    """A process whose standard output is NDJSON.

    It gets a process group of its own, so that Ctrl-C reaches the runner only, and the kernel
    ends it when the runner dies (on Linux; elsewhere the closed standard input does).

    Parameters
    ----------
    source : str
        Its name in the raw file.
    command : sequence of str
    inbox : queue.Queue
        Gets each line it writes, then `Ended`.
    raw : RawFile
        Keeps each line.
    environment : mapping, optional
        Variables beside those of the runner.
    first_line : str, optional
        Written to its standard input, which stays open.
    """

    def __init__(
        self,
        source: str,
        command: Sequence[str],
        inbox: queue.Queue[Message],
        raw: RawFile,
        *,
        environment: Mapping[str, str] | None = None,
        first_line: str | None = None,
    ) -> None:
        self.source = source
        self.errors: deque[str] = deque(maxlen=_KEPT)
        self._inbox, self._raw = inbox, raw
        guard = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
        # chrt comes first: the real-time class is inherited by what it starts.
        words = list(command)
        cut = 3 if words[0] == "chrt" else 0
        words = [*words[:cut], *guard, *words[cut:]]
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, **(environment or {})}, start_new_session=True,
                text=True, encoding="utf-8", errors="replace", bufsize=1,
            )  # fmt: skip
        except OSError as problem:
            raise SetupError(f"{words[0]} does not start: {problem.strerror}") from problem
        self.pid = self._process.pid
        out, err = self._process.stdout, self._process.stderr
        assert out is not None and err is not None  # noqa: S101, PT018 - both are pipes
        self._threads = [
            threading.Thread(target=self._read, args=(out,), daemon=True),
            threading.Thread(target=self._read_errors, args=(err,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        if first_line is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(first_line + "\n")
                self._process.stdin.flush()

    def _read(self, stream: IO[str]) -> None:
        with suppress(ValueError, OSError):
            for line in stream:
                self._raw.line(self.source, line.rstrip("\n"))
                parsed = parse_line(self.source, line)
                if parsed is not None:
                    self._inbox.put(parsed)
        self._inbox.put(Ended(self.source, self._process.wait()))

    def _read_errors(self, stream: IO[str]) -> None:
        with suppress(ValueError, OSError):
            for line in stream:
                self._raw.line(f"{self.source} stderr", line.rstrip("\n"))
                self.errors.append(line.rstrip("\n"))

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def ask_to_stop(self) -> None:
        """Send the signal to end; do not wait."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGTERM)

    def stop(self, seconds: float = 10) -> None:
        """End it: politely, then by force with all that it has started."""
        if self.running:
            self.ask_to_stop()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        for thread in self._threads:
            thread.join(seconds)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError, AttributeError):
                pipe.close()  # type: ignore[union-attr]


def last_lines(processes: Sequence[Process], source: str | None = None) -> list[str]:
    """Give what processes, or one of them, last wrote to their error streams."""
    return [
        line
        for process in processes
        if source in (None, process.source)
        for line in list(process.errors)[-5:]
    ]
