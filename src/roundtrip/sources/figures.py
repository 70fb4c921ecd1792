"""Curves that were read off a report's printed figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, nearest
from roundtrip.sources.cells import Cell, checked_value
from roundtrip.sources.csvfile import csv_records
from roundtrip.sources.declared import Drawing, Figure
from roundtrip.sources.disclosure import PublishedReport

FIGURE_FOLDER = "figures"
_COLUMNS = ("figure", "series", "axis", "requesters", "value", "unit")


def read_figures(
    folder: Path, report: PublishedReport, dictionary: Dictionary, base: Path
) -> list[Cell]:
    """Read the files in ``figures/`` of a published report: cells of kind ``figure``, file by file.

    Their columns: ``figure`` is the figure's number, ``series`` a curve by its legend, ``axis``
    the axis it is drawn against, then ``requesters``, ``value`` and ``unit``. What a curve shows
    at one number of requesters is one point. Files are named relative to `base`.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    cells: list[Cell] = []
    for figure in report.figures:
        if figure.drawing is None:
            continue
        path = folder / FIGURE_FOLDER / f"{figure.drawing.file}.csv"
        found = list(_read_drawing(path, report, figure, figure.drawing, dictionary, base))
        if len(found) != figure.drawing.values:
            raise DataError(
                f"{len(found)} values, report.yml declares {figure.drawing.values}",
                where=path,
                remedy="correct the file or the count",
            )
        cells += found
    return cells


def _read_drawing(
    path: Path,
    report: PublishedReport,
    figure: Figure,
    drawing: Drawing,
    dictionary: Dictionary,
    base: Path,
) -> Iterator[Cell]:
    file = path.relative_to(base).as_posix()
    common = report.factors | drawing.factors
    axes = list(drawing.axes)
    factors = {
        name: dictionary.factor_values(common | curve.factors, f"{path}: {name}")
        for name, curve in drawing.curves.items()
    }
    points: dict[tuple[str, str], int] = {}
    for _, line, record in csv_records(
        path, _COLUMNS, (), frozenset({"value", "unit"}), dictionary
    ):
        where = f"{path}:{line}"
        _check_names(record, figure, drawing, where)
        axis = drawing.axes[record["axis"]]
        point = (record["series"], record["requesters"])
        yield Cell(
            report=report.id,
            table=drawing.file,
            number=figure.number,
            section=figure.section,
            row=record["series"],
            column=record["axis"],
            row_index=points.setdefault(point, len(points) + 1),
            column_index=axes.index(record["axis"]) + 1,
            point_index=1,
            metric=axis.metric,
            statistic="single",
            printed=None,
            printed_unit=None,
            value=checked_value(
                record["value"], axis.metric, "single", dictionary, where, record["unit"]
            ).value,
            unit=dictionary.metric(axis.metric, where).unit,
            file=file,
            line=line,
            factors=factors[record["series"]]
            | dictionary.factor_values({"requesters": record["requesters"]}, where),
            accuracy=axis.step,
            kind="figure",
        )


def _check_names(record: dict[str, str], figure: Figure, drawing: Drawing, where: str) -> None:
    if f"Figure {record['figure']}" != figure.number:
        raise DataError(f"figure '{record['figure']}' in the file of {figure.number}", where=where)
    for column, known in (("series", drawing.curves), ("axis", drawing.axes)):
        name = record[column]
        if name not in known:
            raise DataError(
                f"{column} '{name}' is not declared for {figure.number}{nearest(name, known)}",
                where=where,
                allowed=", ".join(known),
                remedy="correct the file, or declare it in report.yml",
            )
