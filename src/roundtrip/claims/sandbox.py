"""Where a claim's SQL runs: DuckDB over the observations, with no way out."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from roundtrip.claims.deadline import Deadline
from roundtrip.claims.statement import RefusedError, refused_functions, require_select

MEMORY = "256MB"
SECONDS = 5.0
MOST_ROWS = 1000
# Nothing outside the process can be reached, and nothing a query says can change that.
_LOCKS = (
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET python_enable_replacements = false",
    f"SET memory_limit = '{MEMORY}'",
    "SET threads = 1",
    "SET lock_configuration = true",
)


class QueryError(Exception):
    """A query was refused or failed; the text says why, without naming the machine."""


class Sandbox:
    """The observations as a claim of one report sees them.

    Tables: ``observations`` (all) and ``o`` (of this report), both with the column `best`, which
    is the corrected value where there is one. Macro: ``pct(a, b)``, the difference of `a` from
    `b` in per cent.

    Parameters
    ----------
    table : pyarrow.Table
        The tidy table.
    report : str
        Id of the published report.
    seconds : float
        How long one query may take.
    """

    def __init__(self, table: pa.Table, report: str, *, seconds: float = SECONDS) -> None:
        self._connection = duckdb.connect(":memory:")
        connection = self._connection
        self._deadline = Deadline(seconds, connection.interrupt)
        connection.register("handed_over", table)
        connection.execute(
            "CREATE TABLE observations AS "
            "SELECT *, coalesce(value_corrected, value) AS best FROM handed_over"
        )
        connection.unregister("handed_over")
        # A view cannot hold a parameter: the id is text in quotes, its quotes doubled.
        quoted = report.replace("'", "''")
        connection.execute(f"CREATE TABLE o AS FROM observations WHERE source = '{quoted}'")
        connection.execute("CREATE MACRO pct(a, b) AS 100.0 * (a / b - 1)")
        self._refused = refused_functions(connection)
        for lock in _LOCKS:
            connection.execute(lock)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._deadline.close()
        self._connection.close()

    def rows(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run one SELECT.

        Parameters
        ----------
        sql : str

        Returns
        -------
        columns : list of str
        rows : list of tuple

        Raises
        ------
        QueryError
            If it is not one SELECT over the observations, fails, takes too long or too much
            memory, or gives more than a thousand rows.
        """
        try:
            require_select(self._connection, sql, self._refused)
        except RefusedError as problem:
            raise QueryError(f"the SQL {problem}") from problem
        except duckdb.Error as problem:
            raise QueryError(f"the SQL failed: {_said(problem)}") from problem
        try:
            with self._deadline.watching():
                result = self._connection.execute(sql)
                columns = [str(column[0]) for column in result.description]
                rows = result.fetchmany(MOST_ROWS + 1)
        except (duckdb.Error, RuntimeError) as problem:
            if self._deadline.missed:
                seconds = self._deadline.seconds
                raise QueryError(f"the SQL took longer than {seconds:g} s") from problem
            raise QueryError(f"the SQL failed: {_said(problem)}") from problem
        if len(rows) > MOST_ROWS:
            raise QueryError(f"the SQL gives more than {MOST_ROWS} rows")
        return columns, rows


def _said(problem: Exception) -> str:
    """Give DuckDB's message in one line, without its drawing of the place."""
    lines = [line.strip() for line in str(problem).splitlines()]
    kept = []
    for line in lines:
        if line.startswith("LINE ") or set(line) == {"^"}:
            break
        if line:
            kept.append(line)
    place = next((line.partition(":")[0].lower() for line in lines if line.startswith("LINE ")), "")
    said = " ".join(kept)
    return f"{said} (in its {place})" if place else said
