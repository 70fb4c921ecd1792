"""What a claim's SQL may say: one SELECT over the observations, nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb

TABLES = frozenset({"observations", "o"})
_TABLE_FUNCTIONS = frozenset({"generate_series", "range", "unnest"})
# Written without parentheses they look like columns; they give another answer every day.
_SESSION_WORDS = frozenset({
    "current_catalog", "current_date", "current_role", "current_schema", "current_time",
    "current_timestamp", "current_user", "localtime", "localtimestamp", "session_user", "user",
})  # fmt: skip
_SESSION_MACROS = frozenset({
    "ago", "current_localtime", "current_localtimestamp", "get_block_size", "version",
})  # fmt: skip


class RefusedError(Exception):
    """The SQL of a claim is not allowed; the text says why."""


def refused_functions(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """List the functions whose answer depends on more than their arguments.

    They are those that DuckDB itself calls volatile or bound to a query, such as ``random`` and
    ``now``, and those that tell of the session and the machine.
    """
    found = connection.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE "
        "(stability IS NOT NULL AND stability <> 'CONSISTENT') "
        "OR (function_type = 'macro' AND schema_name <> 'main')"
    ).fetchall()
    return frozenset(str(name) for (name,) in found) | _SESSION_WORDS | _SESSION_MACROS


def require_select(
    connection: duckdb.DuckDBPyConnection, sql: str, refused: frozenset[str]
) -> None:
    """Refuse SQL that is not one SELECT over the observations, or calls what it may not call.

    The statement is judged by its syntax tree, before DuckDB looks at a single name in it; where it
    has none, DuckDB's own error is raised.
    """
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if tree["error"] or len(tree["statements"]) != 1:
        # Only a SELECT has a tree; what the others are, another reading tells.
        kinds = [str(item.type).rpartition(".")[2] for item in duckdb.extract_statements(sql)]
        if len(kinds) != 1:
            raise RefusedError(f"holds {len(kinds)} statements, not one SELECT")
        raise RefusedError(f"is {kinds[0]}, not SELECT")
    nodes = list(_nodes(tree))
    defined = {
        str(entry["key"]).lower()
        for node in nodes
        for entry in node.get("cte_map", {}).get("map", [])
    }
    for node in nodes:
        _require_harmless(node, TABLES | defined, refused)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Walk all mappings of a syntax tree, without recursion: SQL may nest deeper than Python."""
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _require_harmless(
    node: dict[str, Any], tables: frozenset[str], refused: frozenset[str]
) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        name = str(node.get("table_name", ""))
        if node.get("schema_name") or node.get("catalog_name") or name.lower() not in tables:
            raise RefusedError(f"reads '{name}', and may read o and observations only")
    elif kind == "SHOW_REF":
        raise RefusedError("is DESCRIBE, SHOW or SUMMARIZE, not SELECT")
    elif kind == "TABLE_FUNCTION":
        name = str(node["function"].get("function_name", "")).lower()
        if name not in _TABLE_FUNCTIONS:
            raise RefusedError(f"calls {name}(), which a claim may not call")
    elif kind == "FUNCTION":
        name = str(node.get("function_name", "")).lower()
        if name in refused or node.get("schema") not in ("", "main", None):
            raise RefusedError(f"calls {name}(), which a claim may not call")
    elif kind == "COLUMN_REF":
        names = [str(name).lower() for name in node.get("column_names", [])]
        if len(names) == 1 and names[0] in _SESSION_WORDS:
            raise RefusedError(f"uses {names[0]}, which is no column of the observations")
    if node.get("sample"):
        raise RefusedError("takes a random sample")
