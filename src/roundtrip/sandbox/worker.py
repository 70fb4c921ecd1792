"""The process that runs the queries: ``python -m roundtrip.sandbox.worker``.

Its arguments are its limits, in seconds and MiB. Reads from standard input the observations as an
Arrow stream, and then queries, each a line of JSON; writes an answer to each, a line of JSON, to
standard output. It imports no more than that takes.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from roundtrip.sandbox.statement import RefusedError, refused_functions, require_select

MOST_ROWS = 1000
MOST_BYTES = 1_000_000
# A size is named as `roundtrip.present.size_label` names it, with a plain space.
_MACROS = (
    "pct(a, b) AS 100.0 * (a / b - 1)",
    "size_label(b) AS CASE WHEN b >= 1048576 AND b % 1048576 = 0 "
    "THEN CAST(b // 1048576 AS BIGINT) || ' MB' WHEN b >= 1024 AND b % 1024 = 0 "
    "THEN CAST(b // 1024 AS BIGINT) || ' KB' ELSE CAST(b AS BIGINT) || ' B' END",
)
# What follows in DuckDB's messages: a drawing of the place, or settings that nobody may change.
_DRAWING = re.compile(r"^(?:LINE (\d+):|Possible solutions)", re.MULTILINE)
# Nothing outside the process can be reached, and nothing a query says can change that.
_LOCKS = (
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET python_enable_replacements = false",
    "SET memory_limit = '256MB'",
    "SET threads = 1",
    "SET lock_configuration = true",
)


class Worker:
    """A locked connection to the observations."""

    def __init__(self, table: pa.Table) -> None:
        self.connection = duckdb.connect(":memory:")
        self.connection.register("handed_over", table)
        self.connection.execute(
            "CREATE TABLE observations AS "
            "SELECT *, coalesce(value_corrected, value) AS best FROM handed_over"
        )
        self.connection.unregister("handed_over")
        for macro in _MACROS:
            self.connection.execute(f"CREATE MACRO {macro}")
        self._refused = refused_functions(self.connection)
        self._source: str | None = None
        for lock in _LOCKS:
            self.connection.execute(lock)

    def rows(self, sql: str, source: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run one SELECT; see `roundtrip.sandbox.process.Sandbox.rows`."""
        if source != self._source:
            self.connection.execute(
                "CREATE OR REPLACE TABLE o AS FROM observations WHERE source = ?", [source]
            )
            self._source = source
        try:
            require_select(self.connection, sql, self._refused)
            result = self.connection.execute(sql)
            columns = [str(column[0]) for column in result.description]
            rows = result.fetchmany(MOST_ROWS + 1)
        except (duckdb.Error, RuntimeError) as problem:
            raise RefusedError(f"failed: {_said(problem)}") from problem
        if len(rows) > MOST_ROWS:
            raise RefusedError(f"gives more than {MOST_ROWS} rows")
        return columns, rows

    def answer(self, query: dict[str, str]) -> str:
        """Run a query and give the answer, as JSON."""
        try:
            columns, rows = self.rows(query["sql"], query["source"])
            text = json.dumps({"columns": columns, "rows": rows}, default=_plain)
            if len(text) > MOST_BYTES:
                raise RefusedError(f"gives more than {MOST_BYTES:,} bytes")
        except RefusedError as problem:
            text = json.dumps({"refused": str(problem)})
        return text


def _plain(value: object) -> object:
    """Give a number that JSON has, or a mapping of what is neither number, text nor list."""
    return float(value) if isinstance(value, Decimal) else {type(value).__name__: str(value)}


def _said(problem: Exception) -> str:
    """Give DuckDB's message in one line, without its drawing of the place."""
    message, *drawing = _DRAWING.split(str(problem), maxsplit=1)
    place = f" (in its line {drawing[0]})" if drawing and drawing[0] else ""
    return " ".join(message.split()) + place


def _limit_memory(megabytes: int) -> None:
    """Let the process take so much beside what it has, and write no file, a core dump included."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with suppress(OSError, ValueError):  # where the system tells or limits no address space
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> None:
    """Answer queries until standard input ends."""
    seconds, megabytes = float(sys.argv[1]), int(sys.argv[2])
    with pa.ipc.open_stream(sys.stdin.buffer) as stream:
        worker = Worker(stream.read_all())
    _limit_memory(megabytes)
    with os.fdopen(1, "w", encoding="ascii") as answers:
        answers.write("ready\n")
        answers.flush()
        for line in sys.stdin.buffer:
            query = json.loads(line)
            # The signal's default is the end of the process, whatever the library is busy with.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            answer = worker.answer(query)
            signal.setitimer(signal.ITIMER_PROF, 0)
            answers.write(answer + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
