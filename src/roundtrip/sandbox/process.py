"""Starts the process that runs the queries, asks it, and starts another when it had to be ended."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import IO, Any, cast

import pyarrow as pa

from roundtrip.errors import SetupError


@dataclass(frozen=True)
class Limits:
    """What one query may use.

    Attributes
    ----------
    seconds : float
        Processor time; what a query takes of it does not depend on how busy the machine is.
    patience : float
        Seconds until it is ended whatever it does.
    megabytes : int
        Memory beside what the observations take, in MiB.
    """

    seconds: float = 5.0
    patience: float = 60.0
    megabytes: int = 768


class QueryError(Exception):
    """A query was refused or failed; the text says why, without naming the machine."""


class Sandbox:
    """The observations as a query sees them.

    Tables: ``observations`` (all) and ``o`` (of one source), both with the column `best`, which
    is the corrected value where there is one. Macros: ``pct(a, b)``, the difference of `a` from
    `b` in per cent, and ``size_label(b)``, the name of a message size, such as ``2 KB``.
    """

    def __init__(self, table: pa.Table, limits: Limits | None = None) -> None:
        self._table = table
        self._limits = limits or Limits()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def rows(self, sql: str, source: str) -> tuple[list[str], list[list[Any]]]:
        """Run one SELECT.

        Parameters
        ----------
        source : str
            Whose observations ``o`` holds.

        Returns
        -------
        rows : list of list
            Numbers, texts, lists, None; anything else as a mapping of its type to its text.

        Raises
        ------
        QueryError
            If it is not one SELECT over the observations, fails, takes too long or too much
            memory, or gives more than a thousand rows or a megabyte.
        SetupError
            If the process for it cannot be started.
        """
        process = self._process or self._start()
        try:
            stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
            with suppress(BrokenPipeError):  # it has ended already: its status below says why
                stdin.write(json.dumps({"sql": sql, "source": source}).encode() + b"\n")
                stdin.flush()
            if not select.select([stdout], [], [], self._limits.patience)[0]:
                raise QueryError(f"the SQL was not done after {self._limits.patience:g} s")
            line = stdout.readline()
            if not line.endswith(b"\n"):
                raise QueryError(f"the SQL {self._why_ended(process.wait())}")
        except BaseException:
            self._end()
            raise
        answer = json.loads(line)
        if "refused" in answer:
            raise QueryError(f"the SQL {answer['refused']}")
        return answer["columns"], answer["rows"]

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", "-m", "roundtrip.sandbox.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(asdict(self._limits)).encode() + b"\n")
            with pa.ipc.new_stream(stdin, self._table.schema) as stream:
                stream.write_table(self._table)
            stdin.flush()
        if stdout.readline() != b"ready\n":
            self._end()
            raise SetupError(
                "the process that runs the SQL of claims did not start",
                remedy="run 'roundtrip doctor'",
            )
        return process

    def _why_ended(self, status: int) -> str:
        if status == -signal.SIGPROF:
            return f"took more than {self._limits.seconds:g} s of processor time"
        cause = signal.Signals(-status).name if status < 0 else f"status {status}"
        return (
            f"ended the process that it ran in ({cause}), as one does that needs more than "
            f"{self._limits.megabytes} MiB of memory"
        )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError):
                process.communicate()
