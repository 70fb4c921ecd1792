"""Starts the process that runs the queries, asks it, and starts another when it had to be ended."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any, cast

import pyarrow as pa

from roundtrip.errors import SetupError

SECONDS = 5.0
"""Processor time of one query: what it takes of it does not depend on how busy the machine is."""
PATIENCE = 60.0
"""Seconds until a query is ended whatever it does."""
MEGABYTES = 768
"""Memory of a query beside what the observations take, in MiB."""


class QueryError(Exception):
    """A query was refused or failed; the text says why, without naming the machine."""


class Sandbox:
    """The observations as a query sees them.

    Tables: ``observations`` (all) and ``o`` (of one source), both with the column `best`, which
    is the corrected value where there is one. Macros: ``pct(a, b)``, the difference of `a` from
    `b` in per cent, and ``size_label(b)``, the name of a message size, such as ``2 KB``.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
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
            if not select.select([stdout], [], [], PATIENCE)[0]:
                raise QueryError(f"the SQL was not done after {PATIENCE:g} s")
            line = stdout.readline()
            if not line.endswith(b"\n"):
                raise QueryError(f"the SQL {_why_ended(process.wait())}")
        except BaseException:
            self._end()
            raise
        answer = json.loads(line)
        if "refused" in answer:
            raise QueryError(f"the SQL {answer['refused']}")
        return answer["columns"], answer["rows"]

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", "-m", "roundtrip.sandbox.worker", str(SECONDS), str(MEGABYTES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        with suppress(BrokenPipeError):
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

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError):
                process.communicate()


def _why_ended(status: int) -> str:
    if status == -signal.SIGPROF:
        return f"took more than {SECONDS:g} s of processor time"
    cause = signal.Signals(-status).name if status < 0 else f"status {status}"
    return (
        f"ended the process that it ran in ({cause}), as one does that needs more than "
        f"{MEGABYTES} MiB of memory"
    )
