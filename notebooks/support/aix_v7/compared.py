"""Tables of printed points: every printed value, its marks and its cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from roundtrip.csvfile import csv_text
from roundtrip.outputs import NOTHING, Align, BodyCell, HeaderCell
from roundtrip.present import Chapter, Quantity, Table
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import RATE, with_unit
from roundtrip.present.repeats import margins_of_ratios, ratio_margins
from roundtrip.present.suspect_cells import DOUBTED, cross_check
from support.aix_v7.comparisons import Comparison, peak_row

_MEASURED = (RATE, "round_trip_time", "cpu")
_SECONDS = re.compile(r"\b(\d+\.\d+)[ \u00a0]s\b")
_HEADS = {"clients": "Requesters", "rate_per_client": "Target rate (per\u00a0h)"}


class PrintedCells:
    """Writes values of points as they were printed, and remembers them and the doubts about them.

    Attributes
    ----------
    rows : list
        What was written, for the download; the id of each cell comes last.
    notes : list of str
        The reason for each mark.
    """

    def __init__(self, chapter: Chapter) -> None:
        self.chapter = chapter
        self.rows: list[list[str]] = []
        self.notes: list[str] = []
        frame = chapter.observations.choose(source=chapter.about.id)
        self._cells = frame.set_index("observation_id").to_dict("index")

    def write(self, point: pd.Series[Any], metric: str, where: str, *, bold: bool) -> BodyCell:
        """Write one value of a point.

        Parameters
        ----------
        point : pandas.Series
            A row of `Chapter.points`.
        where : str
            Names the point, for notes and the download.
        bold : bool
            Emphasise it if its source marks the point as a peak.
        """
        cell = point.get(f"{metric}_cell")
        if not isinstance(cell, str):
            return BodyCell(NOTHING)
        about = self._cells[cell]
        value = float(about["value"]) * (self.chapter.rate_scale if metric == RATE else 1)
        text = self.chapter.numbers.write(value, int(point[f"{metric}_decimals"]))
        if about["status"] != "as_printed":
            checked = cross_check(about, self.chapter.numbers)
            note = _SECONDS.sub(self._in_milliseconds, f"{about['note']}{checked}")
            self.notes.append(f"† {where}, {text}: {note}")
            text += DOUBTED
        self.rows.append([where, metric, f"{value:.10g}", self.chapter.unit(metric), cell])
        strong = bold and about["statistic"] == "peak"
        return BodyCell(text, strong=strong, link=cell_anchor(cell))

    def _in_milliseconds(self, seconds: re.Match[str]) -> str:
        """Write a time of a note, which the source prints in seconds, in the unit of the tables."""
        decimals = max(0, len(seconds[1].partition(".")[2]) - 3)
        return f"{self.chapter.numbers.write(1000 * float(seconds[1]), decimals)}\u00a0ms"

    @property
    def used(self) -> tuple[str, ...]:
        """Observation ids of the cells written so far."""
        return tuple(dict.fromkeys(row[-1] for row in self.rows))

    def table(
        self,
        caption: str,
        header: tuple[tuple[HeaderCell, ...], ...],
        rows: Sequence[tuple[BodyCell, ...]],
        notes: Sequence[str],
    ) -> Table:
        """Put the table together, with what was remembered; empty notes are left out."""
        text = csv_text(["point", "metric", "value", "unit", "cell"], self.rows)
        remarks = (*filter(None, notes), *dict.fromkeys(self.notes))
        return Table(
            caption, header, tuple(rows), remarks, self.used, text.replace("\u00a0", " ")
        )  # fmt: skip


def _head(chapter: Chapter, metric: str) -> HeaderCell:
    unit = "" if metric == RATE else chapter.unit(metric)
    return HeaderCell(_HEADS.get(metric) or with_unit(chapter.label(metric), unit))


def compared_table(
    chapter: Chapter,
    comparisons: Sequence[Comparison],
    *,
    caption: str,
    base: str,
    other: str,
    paired: bool = True,
    notes: Sequence[str] = (),
) -> Table:
    """Lay out comparisons, both sides of a test in one row wherever they have equal requesters.

    Parameters
    ----------
    base, other : str
        Names of the two sides; the ratio is that of the second to the first.
    paired : bool
        One row for each number of requesters; otherwise one row for each test, where each side
        names its own number.

    Returns
    -------
    Table
        Points that the source marks as peaks are emphasised; the ratio is that of the highest
        rates of the test.
    """
    cells = PrintedCells(chapter)
    metrics = _MEASURED if paired else ("clients", *_MEASURED)
    first = [HeaderCell("Test", align="left"), *([HeaderCell("Requesters")] if paired else [])]
    sides = [_head(chapter, metric) for metric in metrics]
    header = (
        (
            *(HeaderCell("", align=cell.align) for cell in first),
            *(HeaderCell(side, len(metrics), "center") for side in (base, other)),
            HeaderCell(""),
        ),
        (*first, *sides, *sides, HeaderCell("Ratio (%)")),
    )
    rows: list[tuple[BodyCell, ...]] = []
    groups = list(dict.fromkeys(item.group for item in comparisons))
    for group in groups:
        if len(groups) > 1:
            rows.append((BodyCell(group, "left", kind="group"),))
        for item in comparisons:
            if item.group == group:
                rows += _test_rows(cells, item, (base, other), metrics, paired)
    table = cells.table(caption, header, rows, notes)
    return replace(table, margins=ratio_margins(chapter, cells.used))


def _test_rows(
    cells: PrintedCells,
    item: Comparison,
    names: tuple[str, str],
    metrics: Sequence[str],
    paired: bool,
) -> Iterator[tuple[BodyCell, ...]]:
    sides = (item.base, item.other)
    counts: list[Any] = sorted({*item.base["clients"], *item.other["clients"]}) if paired else [0]
    label, share = item.name, NOTHING
    if item.complete:
        share = cells.chapter.write(item.share(), unit=False)
    for count in counts:
        line = [BodyCell(label, "left", kind="label")]
        found = [side[side["clients"] == count] if paired else peak_row(side) for side in sides]
        if paired:
            # The number is printed on both sides; a doubt about either must show.
            written = [
                cells.write(part.iloc[0], "clients", f"{item.name}, {name}", bold=False)
                for part, name in zip(found, names, strict=True)
                if not part.empty
            ]
            line.append(next((cell for cell in written if DOUBTED in cell.text), written[0]))
        for part, name in zip(found, names, strict=True):
            for metric in metrics:
                if part.empty:
                    line.append(BodyCell(NOTHING))
                    continue
                where = f"{item.name}, {name}, {part['clients'].iloc[0]:g} requesters"
                line.append(cells.write(part.iloc[0], metric, where, bold=metric != "clients"))
        yield (*line, BodyCell(share))
        label = share = ""  # they stand in the first row of the test


def points_table(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    caption: str,
    row: tuple[str, str],
    metrics: Sequence[str],
    group: str | None = None,
    texts: Mapping[str, str] | None = None,
    computed: Mapping[str, Sequence[Quantity | None]] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """List points as printed, one row each; those that the source marks as peaks are emphasised.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`.
    row : (head, column)
        Head of the first column, and the column of `points` that fills it.
    metrics : sequence of str
        Columns of values.
    group : str, optional
        Column of `points` that gives the subheadings.
    texts : mapping, optional
        Head to the column of `points` that fills it, after the first column.
    computed : mapping, optional
        Head to a computed quantity for each point, or None.
    """
    cells = PrintedCells(chapter)
    texts, computed = texts or {}, computed or {}
    aligned: dict[str, Align] = {
        column: "right" if points[column].str.isdigit().all() else "left"
        for column in texts.values()
    }
    header = (
        HeaderCell(row[0], align="left"),
        *(HeaderCell(head, align=aligned[column]) for head, column in texts.items()),
        *(_head(chapter, metric) for metric in metrics),
        *map(HeaderCell, computed),
    )
    rows: list[tuple[BodyCell, ...]] = []
    heading = None
    for position, (_, point) in enumerate(points.iterrows()):
        label = point[row[1]]
        beside = [quantities[position] for quantities in computed.values()]
        if group is not None and point[group] != heading:
            heading = point[group]
            rows.append((BodyCell(heading, "left", kind="group"),))
        where = f"{heading}, {label}" if heading else label
        rows.append((
            BodyCell(label, "left", kind="label"),
            *(BodyCell(point[column], align) for column, align in aligned.items()),
            *(cells.write(point, metric, where, bold=True) for metric in metrics),
            *(BodyCell(chapter.write(one, unit=False) if one else NOTHING) for one in beside),
        ))  # fmt: skip
    margins = margins_of_ratios(chapter, [one for each in computed.values() for one in each])
    return replace(cells.table(caption, (header,), rows, notes), margins=margins)
