"""``ingested.csv``: rows written and read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.ingest.rows import HEAD, Row

_NUMBERS = ("value", "low", "high", "begin", "end")
_TIMES = ("begin", "end")
_WHOLE = ("run", "line", "intervals")


def csv_of(rows: Iterable[Row], dictionary: Dictionary) -> str:
    """Write rows as CSV: columns of `HEAD`, then the factors that any row has."""
    rows = list(rows)
    used = {name for row in rows for name, value in row.items() if value is not None}
    factors = [name for name in dictionary.factors if name in used]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*HEAD, *factors])
    for row in rows:
        writer.writerow([_text(name, row.get(name)) for name in (*HEAD, *factors)])
    return stream.getvalue()


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if name in _TIMES:  # ten digits are the whole seconds since 1970
            return str(float(value)).removesuffix(".0")
        return f"{value:.10g}"
    return str(value)


def read_rows(path: Path) -> list[Row]:
    """Read ``ingested.csv``, or refuse it with its line; factors stay text, to be checked later."""
    try:
        return _rows(path)
    except (csv.Error, UnicodeDecodeError) as problem:  # such as a field longer than 128 KiB
        raise DataError(
            f"a field cannot be read: {problem}", where=path, remedy="ingest the logs again"
        ) from problem


def _rows(path: Path) -> list[Row]:
    rows: list[Row] = []
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream)
        header = next(reader, [])
        lacking = [name for name in HEAD if name not in header]
        if lacking:
            raise DataError(f"lacks the column {lacking[0]}", where=path)
        for number, cells in enumerate(reader, start=2):
            if len(cells) != len(header):
                raise DataError("another number of cells than headings", where=f"{path}:{number}")
            row: Row = {name: cell or None for name, cell in zip(header, cells, strict=True)}
            try:
                for name in _NUMBERS:
                    row[name] = None if row[name] is None else float(row[name])
                for name in _WHOLE:
                    row[name] = int(row[name] or 0)
            except ValueError as problem:
                raise DataError(f"{name} is not a number", where=f"{path}:{number}") from problem
            if row["value"] is None:
                raise DataError("a row without a value", where=f"{path}:{number}")
            for name in ("stream", "note"):
                row[name] = row[name] or ""
            rows.append(row)
    return rows
