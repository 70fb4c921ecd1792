"""Tables of printed points: every printed value, its marks and its cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.outputs import Align, BodyCell, HeaderCell
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.numbers import Quantity
from roundtrip.present.repeats import margin_of_ratios, ratio_margin
from roundtrip.present.suspect_cells import cross_check
from roundtrip.present.tables import Table
from support.aix_v7.comparisons import Comparison, peak_row

_NONE = "\u2013"
_MARK = "\u00a0\u2020"


class PrintedCells:
    """Writes values of points as they were printed, and remembers the doubts about them.

    Attributes
    ----------
    used : list of str
        Observation ids of the cells written so far.
    notes : list of str
        The reason for each mark.
    rows : list
        What was written, for the download.
    """

    def __init__(self, chapter: Chapter) -> None:
        self.chapter = chapter
        self.used: list[str] = []
        self.notes: list[str] = []
        self.rows: list[list[Any]] = []
        frame = chapter.observations.frame
        frame = frame[frame["source"] == chapter.about.id].set_index("observation_id")
        names = ["value", "value_printed", "value_corrected", "unit", "status", "note", "statistic",
                 "table"]  # fmt: skip
        self._cells = {
            str(cell): {str(name): value for name, value in row.items()}
            for cell, row in frame[names].iterrows()
        }

    def write(self, point: pd.Series, metric: str, where: str, *, mark_peak: bool) -> BodyCell:
        """Write one value of a point.

        Parameters
        ----------
        point : pandas.Series
            A row of `Chapter.points`.
        where : str
            Names the point, for notes and the download.
        mark_peak : bool
            Emphasise it if its source marks the point as a peak.
        """
        cell = point.get(f"{metric}_cell")
        if not isinstance(cell, str):
            return BodyCell(_NONE)
        about = self._cells[cell]
        value = float(about["value"])
        if metric == RATE:  # the points are in the unit of this edition
            corrected = about["value_corrected"]
            known = value if pd.isna(corrected) else float(corrected)
            value *= float(point[RATE]) / known
        quantity = Quantity(
            value, self.chapter.unit(metric), (cell,), int(point[f"{metric}_decimals"])
        )
        text = self.chapter.write(quantity, unit=False)
        if about["status"] != "as_printed":
            note = f"\u2020 {where}, {text}: {about['note']}{cross_check(about)}"
            if note not in self.notes:
                self.notes.append(note)
            text += _MARK
        if cell not in self.used:
            self.used.append(cell)
        self.rows.append([where, metric, f"{value:.10g}", self.chapter.unit(metric), cell])
        strong = mark_peak and about["statistic"] == "peak"
        return BodyCell(text, strong=strong, link=cell_anchor(cell))

    def table(
        self,
        caption: str,
        header: tuple[tuple[HeaderCell, ...], ...],
        rows: Sequence[tuple[BodyCell, ...]],
        notes: Sequence[str],
    ) -> Table:
        """Put the table together, with what was remembered."""
        text = csv_text(["point", "metric", "value", "unit", "cell"], self.rows)
        return Table(
            caption, header, tuple(rows), (*notes, *self.notes), tuple(self.used),
            text.replace("\u00a0", " "),
        )  # fmt: skip


_MEASURED = (RATE, "round_trip_time", "cpu")


def head_of(chapter: Chapter, metric: str) -> str:
    """Give the head of a metric's column, with its unit where the label has none."""
    if metric == "clients":
        return "Requesters"
    if metric == "rate_per_client":
        return "Target rate (per\u00a0h)"
    label, unit = chapter.label(metric), chapter.unit(metric)
    if metric == RATE or "(" in label or "/" in label or not unit:
        return label
    return f"{label} ({unit})"


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
    first = [HeaderCell("Test", align="left")]
    if paired:
        first.append(HeaderCell("Requesters"))
    blank = tuple(HeaderCell("", align=cell.align) for cell in first)
    sides = [HeaderCell(head_of(chapter, metric)) for metric in metrics]
    over = [HeaderCell(side, len(metrics), "center") for side in (base, other)]
    header = (
        (*blank, *over, HeaderCell("")),
        (*first, *sides, *sides, HeaderCell("Ratio (%)")),
    )  # fmt: skip
    rows: list[tuple[BodyCell, ...]] = []
    for group in dict.fromkeys(item.group for item in comparisons):
        if len({item.group for item in comparisons}) > 1:
            rows.append((BodyCell(group, "left", kind="group"),))
        for item in comparisons:
            if item.group == group:
                rows += _test_rows(chapter, cells, item, (base, other), metrics, paired)
    margin = ratio_margin(chapter, cells.used)
    return cells.table(caption, header, rows, [*notes, *([margin] if margin else [])])


def _test_rows(
    chapter: Chapter,
    cells: PrintedCells,
    item: Comparison,
    names: tuple[str, str],
    metrics: Sequence[str],
    paired: bool,
) -> list[tuple[BodyCell, ...]]:
    sides = (item.base, item.other)
    counts: list[Any] = [None]
    if paired:
        counts = sorted({float(count) for side in sides for count in side["clients"]})
    share = chapter.write(item.share(chapter), unit=False) if item.complete else _NONE
    rows = []
    for position, count in enumerate(counts):
        line = [BodyCell("" if position else item.name, "left", kind="label")]
        found = [side[side["clients"] == count] if paired else peak_row(side) for side in sides]
        if paired:
            # The number is printed on both sides; a doubt about either must show.
            written = [
                cells.write(part.iloc[0], "clients", f"{item.name}, {name}", mark_peak=False)
                for part, name in zip(found, names, strict=True)
                if not part.empty
            ]
            line.append(next((cell for cell in written if _MARK in cell.text), written[0]))
        for part, name in zip(found, names, strict=True):
            for metric in metrics:
                if part.empty:
                    line.append(BodyCell(_NONE))
                    continue
                where = f"{item.name}, {name}, {part['clients'].iloc[0]:g} requesters"
                line.append(cells.write(part.iloc[0], metric, where, mark_peak=metric != "clients"))
        line.append(BodyCell(share if position == 0 else ""))
        rows.append(tuple(line))
    return rows


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
        head: "right" if all(_text(value).isdigit() for value in points[column]) else "left"
        for head, column in texts.items()
    }
    header = (
        HeaderCell(row[0], align="left"),
        *[HeaderCell(head, align=aligned[head]) for head in texts],
        *[HeaderCell(head_of(chapter, metric)) for metric in metrics],
        *[HeaderCell(head) for head in computed],
    )
    rows: list[tuple[BodyCell, ...]] = []
    heading = None
    for position, (_, point) in enumerate(points.iterrows()):
        if group is not None and point[group] != heading:
            heading = point[group]
            rows.append((BodyCell(str(heading), "left", kind="group"),))
        where = ", ".join(str(point[name]) for name in (group, row[1]) if name is not None)
        line = [BodyCell(str(point[row[1]]), "left", kind="label")]
        line += [BodyCell(_text(point[column]), aligned[head]) for head, column in texts.items()]
        line += [cells.write(point, metric, where, mark_peak=True) for metric in metrics]
        for quantities in computed.values():
            quantity = quantities[position]
            shown = _NONE if quantity is None else chapter.write(quantity, unit=False)
            line.append(BodyCell(shown))
        rows.append(tuple(line))
    margin = margin_of_ratios(chapter, [one for each in computed.values() for one in each])
    return cells.table(caption, (header,), rows, [*notes, *([margin] if margin else [])])


def _text(value: Any) -> str:
    return _NONE if value is None or value != value else str(value)
