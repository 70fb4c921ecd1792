"""Published reports: transcribed tables, read cell by cell."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from roundtrip.dictionary import Dictionary, FactorValue
from roundtrip.errors import DataError, nearest
from roundtrip.sources.disclosure import Column, PublishedReport, SuspectCell, Table
from roundtrip.yamlfile import load_model

_NUMBER = re.compile(r"(-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?) ?(%?)")
_MOST_DIGITS = 15
"""A float keeps so many digits of any number; no measurement prints more."""
_CLIENTS = "clients"
"""The metric that is a factor of its point too."""
_OWN_COLUMNS = ("row", "metric", "statistic")


@dataclass(frozen=True)
class Cell:
    """One printed numeric cell.

    Attributes
    ----------
    report, table, number, section : str
        Report id, table id, the table's number as printed, its section.
    row, column : str
        Printed row label and column header.
    row_index, column_index, point_index : int
        Place in the table, from 1; the point within the row.
    printed : str
        The value as printed.
    value : float
        The value as a number, in `unit`.
    factors : dict
        What was set, without the factors that the source does not state.
    line : int
        Line of the CSV file.
    suspect : SuspectCell or None
        Why the cell is doubted.
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
    printed: str
    value: float
    unit: str
    file: str
    line: int
    factors: dict[str, FactorValue] = field(default_factory=dict)
    suspect: SuspectCell | None = None

    @property
    def id(self) -> str:
        """Address of the cell, for example ``ibm-mq-v9.4-linux/table-03/r1c1``."""
        return f"{self.report}/{self.table}/r{self.row_index}c{self.column_index}"

    @property
    def point_id(self) -> str:
        """Address of the operating point that the cell belongs to."""
        return f"{self.report}/{self.table}/r{self.row_index}p{self.point_index}"


def parse_printed(text: str) -> tuple[float, bool]:
    """Read a printed number: digits with thousands commas, a point, a percent sign.

    Parameters
    ----------
    text : str
        For example ``370,602``, ``97.69`` or ``34%``.

    Returns
    -------
    value : float
    percent : bool
        Whether a percent sign followed.

    Raises
    ------
    ValueError
        If the text is anything else. Misplaced commas are refused, not ignored.
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is not a number")
    if sum(character.isdigit() for character in match[1]) > _MOST_DIGITS:
        raise ValueError(f"'{text}' has more than {_MOST_DIGITS} digits")
    return float(match[1].replace(",", "")), match[2] == "%"


@lru_cache(maxsize=32)
def load_report(folder: Path) -> PublishedReport:
    """Read ``report.yml`` of one published report and check its folder for completeness.

    Parameters
    ----------
    folder : Path
        ``data/published/<report>``.

    Returns
    -------
    PublishedReport

    Raises
    ------
    DataError
        If the file breaks its schema, its id is not the folder's name, or tables and CSV files
        do not match one to one.
    """
    path = folder / "report.yml"
    report = load_model(path, PublishedReport, DataError)
    if report.id != folder.name:
        raise DataError(f"id is '{report.id}', but the folder is '{folder.name}'", where=path)
    named = {f"{table.id}.csv" for table in report.tables}
    present = {file.name for file in folder.glob("*.csv")}
    problems = [f"{name} is named in report.yml but missing" for name in sorted(named - present)]
    problems += [f"{name} is not named in report.yml" for name in sorted(present - named)]
    if problems:
        raise DataError(
            "; ".join(problems),
            where=folder,
            remedy="add the missing files, or correct the list of tables in report.yml",
        )
    return report


def report_folders(published: Path) -> list[Path]:
    """List the folders of all published reports, by name."""
    return sorted(path.parent for path in published.glob("*/report.yml"))


def read_report(folder: Path, dictionary: Dictionary, base: Path) -> list[Cell]:
    """Read every numeric cell of a published report.

    Parameters
    ----------
    folder : Path
        ``data/published/<report>``.
    dictionary : Dictionary
        Gives types, units and allowed values.
    base : Path
        Files are named relative to it.

    Returns
    -------
    list of Cell
        In printed order.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    report = load_report(folder)
    cells: list[Cell] = []
    for table in report.tables:
        found = list(_read_table(folder, report, table, dictionary, base))
        if len(found) != table.cells:
            raise DataError(
                f"{table.number} has {len(found)} numeric cells, report.yml declares {table.cells}",
                where=folder / f"{table.id}.csv",
                remedy="lay the file beside the printed table, then correct the file or the count",
            )
        cells += found
    _refuse_unknown_suspects(report, cells, folder)
    return cells


def _read_table(
    folder: Path, report: PublishedReport, table: Table, dictionary: Dictionary, base: Path
) -> Iterator[Cell]:
    path = folder / f"{table.id}.csv"
    rows = _rows(path)
    line, header = next(rows)
    columns = {column.header: column for column in table.columns}
    _check_header(header, columns, dictionary, f"{path}:{line}")
    common = dict(report.factors) | dict(table.factors)
    seen: dict[tuple[str, ...], int] = {}
    for index, (line, values) in enumerate(rows, start=1):
        where = f"{path}:{line}"
        if len(values) != len(header):
            raise DataError(
                f"{len(values)} values under {len(header)} headers",
                where=where,
                remedy="quote values that hold a comma",
            )
        record = dict(zip(header, values, strict=True))
        identity = tuple(record[name] for name in header if name not in columns)
        if identity in seen:
            raise DataError(
                f"row '{record['row']}' repeats line {seen[identity]}",
                where=where,
                remedy="delete one of them, or state the factor that tells them apart",
            )
        seen[identity] = line
        own = {name: record[name] for name in header if name in dictionary.factors}
        yield from _read_row(
            report, table, dictionary, base, path, line, index, record, common, own
        )


def _read_row(
    report: PublishedReport,
    table: Table,
    dictionary: Dictionary,
    base: Path,
    path: Path,
    line: int,
    index: int,
    record: dict[str, str],
    common: dict[str, FactorValue | None],
    own: dict[str, str],
) -> Iterator[Cell]:
    points: dict[str, int] = {}
    cells: list[Cell] = []
    for position, column in enumerate(table.columns, start=1):
        printed = record[column.header].strip()
        if not printed:
            continue
        where = f"{path}:{line}: {column.header}"
        name = record.get("metric") or column.metric
        metric = dictionary.metric(name, where)
        statistic = record.get("statistic") or column.statistic
        if statistic not in dictionary.statistics:
            raise DataError(
                f"unknown statistic '{statistic}'{nearest(statistic, dictionary.statistics)}",
                where=where,
                allowed=", ".join(dictionary.statistics),
            )
        try:
            value, percent = parse_printed(printed)
        except ValueError as problem:
            raise DataError(
                str(problem),
                where=where,
                allowed="digits with thousands commas, a decimal point, a percent sign",
                remedy="correct the cell; leave it empty where the source prints nothing",
            ) from problem
        refusal = metric.refusal(value)
        if percent and metric.unit != "%":
            refusal = f"has a percent sign, but {name} is in {metric.unit}"
        if name == _CLIENTS and not value.is_integer():
            refusal = "is not a whole number"
        if refusal:
            raise DataError(f"{name} '{printed}' {refusal}", where=where)
        point = points.setdefault(repr(sorted(column.factors.items())), len(points) + 1)
        stated = common | dict(column.factors) | {k: v for k, v in own.items() if v != ""}
        factors = {
            key: typed
            for key, text in stated.items()
            if (typed := dictionary.factor_value(key, text, where)) is not None
        }
        cells.append(
            Cell(
                report=report.id,
                table=table.id,
                number=table.number,
                section=table.section,
                row=record["row"],
                column=column.header,
                row_index=index,
                column_index=position,
                point_index=point,
                metric=name,
                statistic=statistic,
                printed=printed,
                value=value,
                unit=metric.unit,
                file=path.relative_to(base).as_posix(),
                line=line,
                factors=factors,
                suspect=_suspect(report, table, record["row"], column),
            )
        )
    requesters = {cell.point_index: int(cell.value) for cell in cells if cell.metric == _CLIENTS}
    for cell in cells:
        if cell.point_index in requesters:
            cell.factors["requesters"] = requesters[cell.point_index]
        yield cell


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and values of each row, the header first."""
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


def _check_header(
    header: list[str], columns: dict[str, Column], dictionary: Dictionary, where: str
) -> None:
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        raise DataError(f"header '{twice[0]}' appears twice", where=where)
    missing = [name for name in ("row", *columns) if name not in header]
    if missing:
        raise DataError(f"no column '{missing[0]}'{nearest(missing[0], header)}", where=where)
    known = {*_OWN_COLUMNS, *columns, *dictionary.factors}
    for name in header:
        if name not in known:
            raise DataError(
                f"unknown factor '{name}'{nearest(name, known)}",
                where=where,
                allowed="row, metric, statistic, the columns of report.yml, factors of the "
                "dictionary",
            )


def _suspect(report: PublishedReport, table: Table, row: str, column: Column) -> SuspectCell | None:
    for item in report.suspect:
        if (item.table, item.row, item.column) == (table.id, row, column.header):
            return item
    return None


def _refuse_unknown_suspects(report: PublishedReport, cells: list[Cell], folder: Path) -> None:
    used = {id(cell.suspect) for cell in cells}
    for item in report.suspect:
        if id(item) not in used:
            raise DataError(
                f"suspect cell {item.table} / {item.row} / {item.column} does not exist",
                where=folder / "report.yml",
            )
