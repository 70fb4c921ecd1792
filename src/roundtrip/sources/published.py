"""Published reports: transcribed tables, read cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, nearest
from roundtrip.sources.cells import CLIENTS, Cell, checked_value, doubt_about
from roundtrip.sources.csvfile import csv_records
from roundtrip.sources.declared import Table
from roundtrip.sources.disclosure import PublishedReport
from roundtrip.sources.figures import FIGURE_FOLDER, read_figures
from roundtrip.sources.folders import source_folders
from roundtrip.sources.texts import TEXT_FILE, read_text_values
from roundtrip.yamlfile import load_model

# What is said of a report's values, beside the values themselves.
CLAIMS_FILE = "claims.yml"
ERRATA_FILE = "errata.yml"


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
        named.add(TEXT_FILE)
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


def read_report(folder: Path, dictionary: Dictionary, base: Path) -> list[Cell]:
    """Read every value of a published report: of its tables, its text and its figures.

    Parameters
    ----------
    base : Path
        Files are named relative to it.

    Returns
    -------
    list of Cell
        The cells of the tables in printed order, then the values of the text, then those read
        off figures.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    report = load_report(folder)
    _check_scenarios(report, dictionary, folder / "report.yml")
    cells: list[Cell] = []
    for table in report.tables:
        found = list(_read_table(folder, report, table, dictionary, base))
        if len(found) != table.cells:
            raise DataError(
                f"{table.number} has {len(found)} numeric cells, report.yml declares {table.cells}",
                where=folder / f"{table.id}.csv",
                remedy="compare the file with the printed table, then correct file or count",
            )
        cells += found
    if report.text is not None:
        cells += read_text_values(folder, report, report.text, dictionary, base)
    _refuse_unknown_suspects(report, cells, folder)
    cells += read_figures(folder, report, dictionary, base)
    return cells


def _check_scenarios(report: PublishedReport, dictionary: Dictionary, path: Path) -> None:
    """Hold what scenarios set against the dictionary and the rest of the disclosure."""
    disclosed = {"host_set": list(report.host_sets), "workload": list(report.workloads)}
    for scenario in report.scenarios:
        where = f"{path}: scenario {scenario.name} of section {scenario.section}"
        stated = dictionary.factor_values(scenario.factors, where)
        for name, known in disclosed.items():
            if name in stated and stated[name] not in known:
                raise DataError(
                    f"{name} '{stated[name]}' is not disclosed{nearest(str(stated[name]), known)}",
                    where=where,
                    allowed=", ".join(known),
                )


def _read_table(
    folder: Path, report: PublishedReport, table: Table, dictionary: Dictionary, base: Path
) -> Iterator[Cell]:
    path = folder / f"{table.id}.csv"
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
        cells: list[Cell] = []
        for position, column in enumerate(table.columns, start=1):
            printed = record[column.header].strip()
            if not printed:
                continue
            where = f"{path}:{line}: {column.header}"
            metric = record.get("metric") or column.metric
            statistic = record.get("statistic") or column.statistic
            reading = checked_value(printed, metric, statistic, dictionary, where, column.unit)
            together = repr((column.point, sorted(column.factors.items())))
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
                    point_index=points.setdefault(together, len(points) + 1),
                    metric=metric,
                    statistic=statistic,
                    printed=printed,
                    printed_unit=reading.printed_unit,
                    value=reading.value,
                    unit=reading.unit,
                    file=file,
                    line=line,
                    factors=dictionary.factor_values({**common, **column.factors, **own}, where),
                    suspect=doubt_about(report, table.id, record["row"], column.header, printed),
                )
            )
        requesters = {
            cell.point_index: int(cell.settled) for cell in cells if cell.metric == CLIENTS
        }
        for cell in cells:
            if cell.point_index in requesters:
                cell.factors["requesters"] = requesters[cell.point_index]
            yield cell


def _refuse_unknown_suspects(report: PublishedReport, cells: list[Cell], folder: Path) -> None:
    used = {id(cell.suspect) for cell in cells}
    for item in report.suspect:
        if id(item) not in used:
            raise DataError(
                f"suspect cell {item.table} / {item.row} / {item.column} does not exist",
                where=folder / "report.yml",
            )
