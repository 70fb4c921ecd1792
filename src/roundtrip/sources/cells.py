"""What readers of published reports share: a value with all that is known about it."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Literal, NamedTuple

from roundtrip.dictionary import Dictionary, FactorValue
from roundtrip.errors import DataError, nearest
from roundtrip.sources.disclosure import PublishedReport, SuspectCell

_NUMBER = re.compile(
    r"(-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?) ?(|%|[A-Za-zµ/][A-Za-zµ/ ]*)"
)
CLIENTS = "clients"
"""The metric that is a factor of its point too."""


@dataclass(frozen=True)
class Cell:
    """One value that a report gives.

    Attributes
    ----------
    report, table, number, section : str
        Report id, table id, the table's number as printed, its section.
    row, column : str
        Printed row label and column header.
    row_index, column_index, point_index : int
        Place in the table, from 1; the point within the row.
    printed, printed_unit : str or None
        The value as printed, and its unit there; None where it is drawn and not printed.
    value : float
        The value as a number, in `unit`.
    factors : dict
        What was set, without the factors that the source does not state.
    line : int
        Line of the CSV file.
    accuracy : float or None
        How far a drawn value may be off, in `unit`; None for a printed one.
    suspect : SuspectCell or None
        Why the cell is doubted.
    kind : {"table", "text", "figure"}
        Whether a table prints it, the running text or a caption states it, or a figure draws it.
    """

    report: str
    table: str
    number: str
    section: str
    row: str
    column: str
    row_index: int
    column_index: int
    point_index: int
    metric: str
    statistic: str
    printed: str | None
    printed_unit: str | None
    value: float
    unit: str
    file: str
    line: int
    factors: dict[str, FactorValue] = field(default_factory=dict)
    accuracy: float | None = None
    suspect: SuspectCell | None = None
    kind: Literal["table", "text", "figure"] = "table"

    @property
    def id(self) -> str:
        """Address of the cell, for example ``ibm-mq-v9.4-linux/table-03/r1c1``."""
        return f"{self.report}/{self.table}/r{self.row_index}c{self.column_index}"

    @property
    def settled(self) -> float:
        """The value, or the one that takes its place where the source disproves it."""
        corrected = None if self.suspect is None else self.suspect.corrected
        return self.value if corrected is None else corrected

    @property
    def point_id(self) -> str:
        """Address of the operating point that the cell belongs to."""
        return f"{self.report}/{self.table}/r{self.row_index}p{self.point_index}"


def parse_printed(text: str) -> tuple[float, str]:
    """Read a printed number: digits with thousands commas, a point, the unit that follows.

    Parameters
    ----------
    text : str
        For example ``370,602``, ``97.69``, ``34%`` or ``0.002 seconds``.

    Returns
    -------
    value : float
    unit : str
        A percent sign or a unit in letters, as printed; empty where none follows.

    Raises
    ------
    ValueError
        If the text is anything else. Misplaced commas are refused, not ignored.
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is not a number")
    digits = match[1].replace(",", "")
    value = float(digits)
    if Decimal(digits) != Decimal(str(value)):
        raise ValueError(f"'{text}' has more digits than a number keeps")
    return value, match[2]


def printed_decimals(text: str) -> int:
    """Count the digits that a printed number has after its point.

    Raises
    ------
    ValueError
        If the text is no number.
    """
    parse_printed(text)
    return len(re.split(r"[^\d.,]", text.strip().lstrip("-"))[0].partition(".")[2])


class Reading(NamedTuple):
    """A printed value as a number, in the unit of its metric, and the unit it was printed in."""

    value: float
    unit: str
    printed_unit: str


def checked_value(
    printed: str,
    metric: str,
    statistic: str,
    dictionary: Dictionary,
    where: str,
    header_unit: str | None = None,
) -> Reading:
    """Read a printed value and hold it against the dictionary.

    Parameters
    ----------
    printed : str
        The value as printed.
    metric, statistic : str
        What it is said to be.
    dictionary : Dictionary
        Gives units, ranges and names.
    where : str
        Place of the value, for error messages.
    header_unit : str, optional
        The unit of values that do not carry one themselves; the metric's own without it.

    Returns
    -------
    Reading

    Raises
    ------
    DataError
        If a name is unknown, the text is no number, the unit is not one that the metric is
        printed in, or the number is outside the metric's range.
    """
    known = dictionary.metric(metric, where)
    if statistic not in dictionary.statistics:
        raise DataError(
            f"unknown statistic '{statistic}'{nearest(statistic, dictionary.statistics)}",
            where=where,
            allowed=", ".join(dictionary.statistics),
        )
    try:
        number, unit = parse_printed(printed)
    except ValueError as problem:
        raise DataError(
            str(problem),
            where=where,
            allowed="digits with thousands commas, a decimal point, a percent sign or unit",
            remedy="correct the cell; leave it empty where the source prints nothing",
        ) from problem
    unit = unit or header_unit or known.unit
    try:
        value = known.converted(number, unit)
    except KeyError:
        sign = "a percent sign" if unit == "%" else f"the unit '{unit}'"
        raise DataError(
            f"{metric} '{printed}' has {sign}, but {metric} is in {known.unit}",
            where=where,
            allowed=", ".join(dict.fromkeys((known.unit, *known.printed_units))),
            remedy="correct the cell, or add the unit to printed_units in data/dictionary.yml",
        ) from None
    refusal = known.refusal(value)
    if metric == CLIENTS and not value.is_integer():
        refusal = "is not a whole number"
    if refusal:
        raise DataError(f"{metric} '{printed}' {refusal}", where=where)
    return Reading(value, known.unit, known.spelled(unit))


def typed_factors(
    stated: Mapping[str, FactorValue | None], dictionary: Dictionary, where: str
) -> dict[str, FactorValue]:
    """Give what was set, each factor in its own type, without those that are not stated."""
    return {
        key: typed
        for key, text in stated.items()
        if (typed := dictionary.factor_value(key, text, where)) is not None
    }


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and values of each row of a CSV file, the header first.

    Raises
    ------
    DataError
        If the file is empty, is not UTF-8, or is not CSV.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")  # spreadsheets write a byte order mark
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise DataError(
            f"is not UTF-8: {problem.reason}",
            where=f"{path}:{line}",
            remedy="save the file as UTF-8",
        ) from problem
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(
            "holds a NUL character", where=f"{path}:{line}", remedy="save the file as UTF-8 text"
        )
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found = False
    try:
        for values in reader:
            if values:
                found = True
                yield reader.line_num, values
    except csv.Error as problem:
        raise DataError(f"is not CSV: {problem}", where=f"{path}:{reader.line_num}") from problem
    if not found:
        raise DataError("the file is empty", where=path)


def csv_records(
    path: Path,
    required: tuple[str, ...],
    optional: tuple[str, ...],
    beside: frozenset[str],
    dictionary: Dictionary,
) -> Iterator[tuple[int, int, dict[str, str]]]:
    """Yield the rows of a transcribed CSV file as records, after checking its shape.

    Parameters
    ----------
    path : Path
        The file.
    required, optional : tuple of str
        Its columns; beside them it may have a column for any factor of the dictionary.
    beside : frozenset of str
        Columns that do not tell rows apart: two rows must differ in one of the others.
    dictionary : Dictionary
        Names the factors.

    Yields
    ------
    index : int
        Number of the row, from 1.
    line : int
        Line of the file.
    record : dict
        Text by column.

    Raises
    ------
    DataError
        On an unknown, missing or repeated column, a row of another length, or a repeated row.
    """
    rows = csv_rows(path)
    line, header = next(rows)
    _check_header(header, required, optional, dictionary, f"{path}:{line}")
    seen: dict[tuple[str, ...], int] = {}
    for index, (line, texts) in enumerate(rows, start=1):
        where = f"{path}:{line}"
        if len(texts) != len(header):
            raise DataError(
                f"{len(texts)} values under {len(header)} headers",
                where=where,
                remedy="quote values that hold a comma",
            )
        record = dict(zip(header, texts, strict=True))
        identity = tuple(record[name] for name in header if name not in beside)
        if identity in seen:
            label = record.get("row", ", ".join(identity))
            raise DataError(
                f"row '{label}' repeats line {seen[identity]}",
                where=where,
                remedy="delete one of them, or state what tells them apart",
            )
        seen[identity] = line
        yield index, line, record


def _check_header(
    header: list[str],
    required: tuple[str, ...],
    optional: tuple[str, ...],
    dictionary: Dictionary,
    where: str,
) -> None:
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        raise DataError(f"header '{twice[0]}' appears twice", where=where)
    missing = [name for name in required if name not in header]
    if missing:
        raise DataError(f"no column '{missing[0]}'{nearest(missing[0], header)}", where=where)
    known = {*required, *optional, *dictionary.factors}
    for name in header:
        if name not in known:
            raise DataError(
                f"unknown factor '{name}'{nearest(name, known)}",
                where=where,
                allowed=f"{', '.join((*required, *optional))}, factors of the dictionary",
            )


def doubt_about(
    report: PublishedReport, table: str, row: str, column: str, printed: str
) -> SuspectCell | None:
    """Give what `report.yml` says against a cell, None when it says nothing."""
    for item in report.suspect:
        if (item.table, item.row, item.column) == (table, row, column) and (
            item.printed is None or item.printed == printed
        ):
            return item
    return None
