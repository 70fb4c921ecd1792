"""CSV files: read strictly, refused with file and line where wrong; written without formulas."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, nearest, unknown
from roundtrip.yamlfile import hidden_character, text_of

_AS_WRITTEN = "put back the file as it was written, or move its folder away"


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and values of each row of a CSV file, the header first.

    Raises
    ------
    DataError
        If the file is empty, is not UTF-8, or is not CSV.
    """
    text = text_of(path, DataError).removeprefix("\ufeff")  # which spreadsheets write
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found = False
    try:
        for values in reader:
            hidden = hidden_character("\n".join(values))
            if hidden is not None:
                raise DataError(f"holds {hidden}", where=f"{path}:{reader.line_num}")
            if values:
                found = True
                yield reader.line_num, values
    except csv.Error as problem:
        raise DataError(
            f"is not CSV: {problem}", where=f"{path}:{reader.line_num}",
            remedy="correct that line, or put the file back",
        ) from problem  # fmt: skip
    if not found:
        raise DataError("the file is empty", where=path, remedy="put its rows back")


def plain_records(path: Path, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and text by column of each row of a CSV file that a program wrote.

    Raises
    ------
    DataError
        As `csv_rows`, and if a needed column is missing, one is named twice, or a row has another
        length.
    """
    rows = csv_rows(path)
    _, header = next(rows)
    missing = [name for name in needed if name not in header]
    if missing or len(set(header)) < len(header):
        raise DataError(
            f"lacks the column {missing[0]}" if missing else "names a column twice",
            where=path, remedy=_AS_WRITTEN,
        )  # fmt: skip
    yield from _records(rows, header, path, _AS_WRITTEN)


def _records(
    rows: Iterable[tuple[int, list[str]]], header: list[str], path: Path, remedy: str
) -> Iterator[tuple[int, dict[str, str]]]:
    for line, values in rows:
        if len(values) != len(header):
            raise DataError(
                f"{len(values)} values under {len(header)} headers", where=f"{path}:{line}",
                remedy=remedy,
            )  # fmt: skip
        yield line, dict(zip(header, values, strict=True))


def csv_records(
    path: Path,
    required: tuple[str, ...],
    optional: tuple[str, ...],
    beside: frozenset[str],
    dictionary: Dictionary,
) -> Iterator[tuple[int, int, dict[str, str]]]:
    """Yield number, line and text by column of the rows of a transcribed CSV file, numbered from 1.

    Beside the columns that are required and optional it may have one for any factor of the
    dictionary. Two rows must differ in a column that is not among those `beside`.

    Raises
    ------
    DataError
        On an unknown, missing or repeated column, a row of another length, or a repeated row.
    """
    rows = csv_rows(path)
    line, header = next(rows)
    where = f"{path}:{line}"
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        raise DataError(f"header '{twice[0]}' appears twice", where=where)
    missing = [name for name in required if name not in header]
    if missing:
        raise DataError(f"no column '{missing[0]}'{nearest(missing[0], header)}", where=where)
    known = {*required, *optional, *dictionary.factors}
    for name in header:
        if name not in known:
            allowed = f"{', '.join((*required, *optional))}, factors of the dictionary"
            raise unknown(DataError, "factor", name, known, where=where, allowed=allowed)
    seen: dict[tuple[str, ...], int] = {}
    remedy = "quote values that hold a comma"
    for index, (line, record) in enumerate(_records(rows, header, path, remedy), start=1):
        identity = tuple(record[name] for name in header if name not in beside)
        if identity in seen:
            label = record.get("row", ", ".join(identity))
            raise DataError(
                f"row '{label}' repeats line {seen[identity]}",
                where=f"{path}:{line}",
                remedy="delete one of them, or state what tells them apart",
            )
        seen[identity] = line
        yield index, line, record


def finite_number(text: str, where: str) -> float:
    """Read a finite number, or refuse the text."""
    try:
        value = float(text)
    except ValueError:
        raise DataError(f"'{text}' is not a number", where=where) from None
    if not math.isfinite(value):
        raise DataError(f"'{text}' is not a finite number", where=where)
    return value


_FORMULA = re.compile(r"[=+@\t\r-](?!$)")
_NUMBER = re.compile(r"[+-]?[\d.,]+(e[+-]?\d+)?\s?%?", re.IGNORECASE)


def without_formula(value: Any) -> Any:
    """Give a value for a CSV file, a text with an apostrophe where a spreadsheet would compute it.

    Returns
    -------
    object
        The value itself unless it is a text that begins as formulas do and is no number.
    """
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write rows as CSV text with the line ends every platform reads, and without formulas."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([without_formula(value) for value in row] for row in (header, *rows))
    return stream.getvalue()
