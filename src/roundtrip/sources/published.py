"""Published reports: transcribed tables, text and curves of figures, read value by value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roundtrip.csvfile import csv_records
from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, unknown
from roundtrip.sources.cells import CLIENTS, cell_row, doubt_about
from roundtrip.sources.declared import TEXT_TABLE, Drawing, Figure, Table, TextValues, section_named
from roundtrip.sources.disclosure import PublishedReport
from roundtrip.sources.folders import source_folders
from roundtrip.yamlfile import load_model, place_in

# What is said of a report's values, beside the values themselves.
CLAIMS_FILE = "claims.yml"
ERRATA_FILE = "errata.yml"

FIGURE_FOLDER = "figures"
_TEXT_FILE = f"{TEXT_TABLE}.csv"
_TEXT_COLUMNS = ("row", "section", "metric", "statistic", "value")
_PLACE = "place"
_FIGURE_COLUMNS = ("figure", "series", "axis", "requesters", "value", "unit")


def load_report(folder: Path) -> PublishedReport:
    """Read ``report.yml`` of one published report and check its folder for completeness.

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
    if report.text is not None:
        named.add(_TEXT_FILE)
    named |= {f"{FIGURE_FOLDER}/{file}.csv" for file in report.drawings}
    present = {
        file.relative_to(folder).as_posix()
        for pattern in ("*.csv", f"{FIGURE_FOLDER}/*.csv")
        for file in folder.glob(pattern)
    }
    problems = [f"{name} is named in report.yml but missing" for name in sorted(named - present)]
    problems += [f"{name} is not named in report.yml" for name in sorted(present - named)]
    if problems:
        raise DataError(
            "; ".join(problems),
            where=folder,
            remedy="add the missing files, or correct what report.yml lists",
        )
    return report


def report_folders(published: Path) -> list[Path]:
    """List the folders of all published reports, by name.

    Raises
    ------
    DataError
        If a folder has no ``report.yml`` or cannot be read.
    """
    return source_folders(published, "report.yml")


def read_report(folder: Path, dictionary: Dictionary, base: Path) -> list[dict[str, Any]]:
    """Read every value of a published report: of its tables, its text and its figures.

    Parameters
    ----------
    base : Path
        Files are named relative to it.

    Returns
    -------
    list of dict
        Rows of the tidy table: the cells of the tables in printed order, then the values of the
        text, then those read off figures.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    report = load_report(folder)
    _check_scenarios(report, dictionary, folder / "report.yml")
    _check_columns(report, dictionary, folder / "report.yml")
    rows: list[dict[str, Any]] = []
    for table in report.tables:
        path = folder / f"{table.id}.csv"
        found = _read_table(path, report, table, dictionary, base)
        rows += _counted(found, table.number, table.cells, path)
    if report.text is not None:
        path = folder / _TEXT_FILE
        found = _read_text_values(path, report, report.text, dictionary, base)
        rows += _counted(found, "the text", report.text.values, path)
    _refuse_unknown_suspects(report, rows, folder)
    for figure in report.figures:
        if figure.drawing is not None:
            path = folder / FIGURE_FOLDER / f"{figure.drawing.file}.csv"
            found = _read_figure(path, report, figure, figure.drawing, dictionary, base)
            rows += _counted(found, figure.number, figure.drawing.values, path)
    return rows


def _counted(
    found: Iterator[dict[str, Any]], what: str, declared: int, path: Path
) -> list[dict[str, Any]]:
    """Give the rows that were read of a file, or refuse another number than is declared."""
    rows = list(found)
    if len(rows) != declared:
        raise DataError(
            f"{what} has {len(rows)} values, report.yml declares {declared}",
            where=path,
            remedy="compare the file with the source, then correct the file or the count",
        )
    return rows


def _check_scenarios(report: PublishedReport, dictionary: Dictionary, path: Path) -> None:
    """Hold what scenarios set against the dictionary and the rest of the disclosure."""
    disclosed = {"host_set": list(report.host_sets), "workload": list(report.workloads)}
    for scenario in report.scenarios:
        where = f"{path}: scenario {scenario.name} of section {scenario.section}"
        stated = dictionary.factor_values(scenario.factors, where)
        for name, known in disclosed.items():
            if name in stated and stated[name] not in known:
                raise unknown(DataError, name, str(stated[name]), known, where=where)


def _check_columns(report: PublishedReport, dictionary: Dictionary, path: Path) -> None:
    """Hold what tables and their columns declare against the dictionary."""
    for at, table in enumerate(report.tables):
        for number, column in enumerate(table.columns):
            key: tuple[str | int, ...] = ("tables", at, "columns", number)
            try:
                dictionary.metric(column.metric, "")
                dictionary.factor_values(column.factors, "")
                key = ("tables", at, "factors")
                dictionary.factor_values(table.factors, "")
            except DataError as problem:
                problem.where = f"{place_in(path, *key)}: {table.id}: {column.header}"
                raise


def _read_table(
    path: Path, report: PublishedReport, table: Table, dictionary: Dictionary, base: Path
) -> Iterator[dict[str, Any]]:
    file = path.relative_to(base).as_posix()
    common = report.factors | table.factors
    headers = tuple(column.header for column in table.columns)
    # The number of clients tells points of one printed row apart, as a factor would.
    beside = frozenset(column.header for column in table.columns if column.metric != CLIENTS)
    for index, line, record in csv_records(
        path, ("row", *headers), ("metric", "statistic"), beside, dictionary
    ):
        own = {key: text for key, text in record.items() if key in dictionary.factors and text}
        points: dict[str, int] = {}
        rows: list[dict[str, Any]] = []
        requesters: dict[str, int] = {}
        for position, column in enumerate(table.columns, start=1):
            printed = record[column.header].strip()
            if not printed:
                continue
            where = f"{path}:{line}: {column.header}"
            metric = record.get("metric") or column.metric
            statistic = record.get("statistic") or column.statistic
            together = repr((column.point, sorted(column.factors.items())))
            point = points.setdefault(together, len(points) + 1)
            row = cell_row(
                report, (index, position, point), printed, dictionary, where, column.unit,
                source_kind="table", section=table.section, table_id=table.id, table=table.number,
                row_label=record["row"], column_label=column.header,
                metric=metric, statistic=statistic, file=file, line=line,
                **dictionary.factor_values({**common, **column.factors, **own}, where),
            )  # fmt: skip
            rows.append(row)
            if metric == CLIENTS:
                settled = row["value"] if row["value_corrected"] is None else row["value_corrected"]
                requesters[row["point_id"]] = int(settled)
        for row in rows:
            if row["point_id"] in requesters:
                row["requesters"] = requesters[row["point_id"]]
            yield row


def _refuse_unknown_suspects(
    report: PublishedReport, rows: list[dict[str, Any]], folder: Path
) -> None:
    address = ("table_id", "row_label", "column_label", "value_printed")
    used = {id(doubt_about(report, *(row[name] for name in address))) for row in rows}
    for item in report.suspect:
        if id(item) not in used:
            raise DataError(
                f"suspect cell {item.table} / {item.row} / {item.column} does not exist",
                where=folder / "report.yml",
            )


def _read_text_values(
    path: Path, report: PublishedReport, text: TextValues, dictionary: Dictionary, base: Path
) -> Iterator[dict[str, Any]]:
    """Read ``text.csv`` of a published report.

    Its columns: ``row`` says in our words what the value is, ``section`` where it stands, then
    ``metric``, ``statistic``, ``value`` as printed, and factors; if captions state values too,
    ``place`` names them (``Figure A``, empty for running text). Each value is a point of its own.
    A value is told by its row alone, so that no two rows say the same. Files are named relative to
    `base`.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    beside_row = frozenset({*_TEXT_COLUMNS[1:], _PLACE, *dictionary.factors})
    for index, line, record in csv_records(path, _TEXT_COLUMNS, (_PLACE,), beside_row, dictionary):
        where = f"{path}:{line}"
        own = {key: said for key, said in record.items() if key in dictionary.factors and said}
        yield cell_row(
            report, (index, 1, 1), record["value"].strip(), dictionary, where,
            source_kind="text", section=record["section"], table_id=TEXT_TABLE,
            table=record.get(_PLACE) or section_named(record["section"], "sec"),
            row_label=record["row"], column_label="value",
            metric=record["metric"], statistic=record["statistic"],
            file=path.relative_to(base).as_posix(), line=line,
            **dictionary.factor_values({**report.factors, **text.factors, **own}, where),
        )  # fmt: skip


def _read_figure(
    path: Path, report: PublishedReport, figure: Figure, drawing: Drawing, dictionary: Dictionary,
    base: Path,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Read what was read off a figure of a published report: rows of kind ``figure``.

    The columns: ``figure`` is the figure's number, ``series`` a curve by its legend, ``axis``
    the axis it is drawn against, then ``requesters``, ``value`` and ``unit``. What a curve shows
    at one number of requesters is one point. Files are named relative to `base`.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    common = report.factors | drawing.factors
    axes = list(drawing.axes)
    factors = {
        name: dictionary.factor_values(common | curve.factors, f"{path}: {name}")
        for name, curve in drawing.curves.items()
    }
    points: dict[tuple[str, str], int] = {}
    beside = frozenset({"value", "unit"})
    for _, line, record in csv_records(path, _FIGURE_COLUMNS, (), beside, dictionary):
        where = f"{path}:{line}"
        _check_names(record, figure, drawing, where)
        axis = drawing.axes[record["axis"]]
        point = points.setdefault((record["series"], record["requesters"]), len(points) + 1)
        set_here = dictionary.factor_values({"requesters": record["requesters"]}, where)
        yield cell_row(
            report, (point, axes.index(record["axis"]) + 1, 1), record["value"], dictionary, where,
            record["unit"],
            source_kind="figure", section=figure.section, table_id=drawing.file,
            table=figure.number, row_label=record["series"], column_label=record["axis"],
            value_printed=None, unit_printed=None,
            metric=axis.metric, statistic="single", accuracy=axis.step,
            file=path.relative_to(base).as_posix(), line=line,
            **factors[record["series"]] | set_here,
        )  # fmt: skip


def _check_names(record: dict[str, str], figure: Figure, drawing: Drawing, where: str) -> None:
    if f"Figure {record['figure']}" != figure.number:
        raise DataError(f"figure '{record['figure']}' in the file of {figure.number}", where=where)
    for column, known in (("series", drawing.curves), ("axis", drawing.axes)):
        if record[column] not in known:
            remedy = f"correct the file, or declare it for {figure.number} in report.yml"
            raise unknown(DataError, column, record[column], known, where=where, remedy=remedy)
