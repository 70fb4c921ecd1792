"""Tables: written whole, with units, ratios and the cell that every number comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.outputs import NOTHING, TABLE, BodyCell, HeaderCell, Kind, is_group
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import RATE, Chapter, with_unit
from roundtrip.present.comparability import state_differences
from roundtrip.present.repeats import ratio_margin
from roundtrip.present.suspect_cells import DOUBTED, doubted_cells
from roundtrip.table_html import table_rows

_LOOK = (
    "<style>.rt-table th, .rt-table td { text-align: right }\n"
    ".rt-table .left, .rt-table [scope=rowgroup] { text-align: left }\n"
    ".rt-table .center, .rt-table .spanner { text-align: center }\n"
    ".rt-table [data-pad]::after { content: attr(data-pad); visibility: hidden }</style>"
)


@dataclass(frozen=True)
class Table:
    """A table as a chapter shows it.

    Attributes
    ----------
    caption : str
        What it holds, in plain text.
    header, rows
        Header rows and body rows.
    notes : tuple of str
        Remarks below it.
    cells : tuple of str
        Observation ids of the cells it shows.
    csv : str
        Its values for download.
    label : str or None
        Its own label, where one notebook cell shows several tables.
    filter : (str, str) or None
        What its rows are, and its name among the tables of such rows: on the site a reader
        filters them together.
    shares : tuple of int
        Widths of the columns in per cent, where sentences stand side by side; by default they
        follow from what the columns hold.
    """

    caption: str
    header: tuple[tuple[HeaderCell, ...], ...]
    rows: tuple[tuple[BodyCell, ...], ...]
    notes: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    csv: str = field(default="", repr=False)
    label: str | None = None
    filter: tuple[str, str] | None = None
    shares: tuple[int, ...] = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Mapping[str, Any]:
        rows = table_rows(self.header, self.rows, lambda anchor: None, self.shares)
        return {
            TABLE: asdict(self),
            # For JupyterLab, where no style sheet of ours is.
            "text/html": f'{_LOOK}\n<table class="rt-table">\n{rows}</table>',
            "text/plain": self.csv or self.caption,
        }


def left_heads(*names: str) -> tuple[HeaderCell, ...]:
    """Give heads over columns of text."""
    return tuple(HeaderCell(name, align="left") for name in names)


def plain_table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    group_by_first: bool = False,
    code_columns: Sequence[int] = (),
    right_columns: Sequence[int] = (),
    notes: Sequence[str] = (),
    label: str | None = None,
    shares: tuple[int, ...] = (),
) -> Table:
    """Make a table of text, such as a glossary or a list of settings.

    Parameters
    ----------
    rows : sequence of sequence of str
        As many texts in each as there are headers.
    group_by_first : bool
        Turn the first column into headings over the rows that share it.
    code_columns, right_columns : sequence of int
        Columns set in monospace; columns aligned to the right.
    label, shares
        As those of `Table`.
    """
    body: list[tuple[BodyCell, ...]] = []
    group = None
    start = int(group_by_first)
    for row in rows:
        if group_by_first and row[0] != group:
            group = row[0]
            body.append((BodyCell(group, "left", kind="group"),))
        line = []
        for column, text in enumerate(row[start:], start):
            kind: Kind = "label" if column == start else "value"
            if column in code_columns and text:
                kind = "code"
            line.append(BodyCell(text, "right" if column in right_columns else "left", kind=kind))
        body.append(tuple(line))
    heads = tuple(
        HeaderCell(text, align="right" if column in right_columns else "left")
        for column, text in enumerate(header[start:], start)
    )
    return Table(
        caption, (heads,), tuple(body), tuple(notes), csv=csv_text(header, rows), label=label,
        shares=shares,
    )  # fmt: skip


def shares_of(rows: Sequence[tuple[BodyCell, ...]]) -> tuple[int, ...]:
    """Share the width among columns of sentences by what they hold, in per cent.

    Long cells count for more than short ones, yet not in proportion: they can be broken into lines.
    """
    columns = zip(*(row for row in rows if not is_group(row)), strict=True)
    wishes = [
        sum((len(cell.text) + sum(len(text) for text, _ in cell.links)) ** 2 for cell in column)
        ** (1 / 3)
        for column in columns
    ]
    return tuple(max(1, round(100 * wish / sum(wishes))) for wish in wishes)


def results_table(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    caption: str,
    row: str,
    columns: str | None = None,
    group: str | None = None,
    baseline: str | None = None,
    names: Mapping[Any, str] | None = None,
    notes: Sequence[str] = (),
    varies: Sequence[str] = (),
    metrics: Sequence[str] = (RATE, "cpu", "clients"),
) -> Table:
    """Lay out peaks: rate, CPU and requesters by factor, with ratios to a baseline.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`.
    row : str
        Factor that makes the rows.
    columns : str, optional
        Factor whose values stand side by side.
    group : str, optional
        Factor whose values head groups of rows.
    baseline : str, optional
        Value of `row` (or of `columns`) to which each rate is put in relation.
    names : mapping, optional
        Labels for the values of `row` and `columns`, where the dictionary's are not enough.
    varies : sequence of str
        Factors, beside those of rows, columns and groups, that the comparison is about.
    metrics : sequence of str
        What to show of each point, as far as the points have it.

    Returns
    -------
    Table
        Cells that are suspect or corrected are marked and explained in its notes.
    """
    shown = tuple(name for name in metrics if name in points)
    layout = _Layout(chapter, points, row, columns, group, baseline, dict(names or {}), shown)
    remarks = list(notes)
    if baseline is not None:
        compared = {name for name in (row, columns, group) if name} | {"message_bytes", *varies}
        stated = state_differences(chapter, points, compared, "")
        remarks += filter(None, [stated.strip(), ratio_margin(chapter, layout.used)])
    return layout.table(caption, tuple(remarks))


@dataclass
class _Layout:
    """A table of results in the making; its fields are the parameters of `results_table`."""

    chapter: Chapter
    points: pd.DataFrame
    row: str
    columns: str | None
    group: str | None
    baseline: str | None
    names: dict[Any, str]
    metrics: tuple[str, ...]
    csv_rows: list[list[Any]] = field(default_factory=list)

    @cached_property
    def doubts(self) -> Mapping[str, str]:
        """Cells of this table that are not as printed or not to be trusted, and why."""
        return doubted_cells(self.chapter, self.used)

    @property
    def used(self) -> tuple[str, ...]:
        return tuple(
            str(cell) for metric in self.metrics for cell in self.points[f"{metric}_cell"].dropna()
        )

    def name(self, factor: str, value: Any) -> str:
        return self.names.get(value) or self.chapter.level(factor, value)

    def levels(self, factor: str | None) -> list[Any]:
        return [None] if factor is None else list(dict.fromkeys(self.points[factor]))

    def table(self, caption: str, notes: tuple[str, ...]) -> Table:
        sides = self.levels(self.columns)
        heads = [with_unit(self.chapter.label(one), self.chapter.unit(one)) for one in self.metrics]
        of_side = {
            side: [*heads, f"Ratio to {self.name(self.columns or self.row, self.baseline)}"]
            if self.has_ratio(side)
            else heads
            for side in sides
        }
        below = (HeaderCell(head) for side in sides for head in of_side[side])
        bottom = (*left_heads(self.chapter.factor_label(self.row)), *below)
        header: tuple[tuple[HeaderCell, ...], ...] = (bottom,)
        if self.columns is not None:
            above = (
                HeaderCell(self.name(self.columns, side), len(of_side[side]), "center")
                for side in sides
            )
            header = ((*left_heads(""), *above), bottom)
        rows: list[tuple[BodyCell, ...]] = []
        for group in self.levels(self.group):
            part = self.points if group is None else self.points[self.points[self.group] == group]
            if group is not None and self.group is not None:
                title = f"{self.chapter.factor_label(self.group)}: {self.name(self.group, group)}"
                rows.append((BodyCell(title, "left", kind="group"),))
            for value in dict.fromkeys(part[self.row]):
                line = [BodyCell(self.name(self.row, value), "left", kind="label")]
                of_row = part[part[self.row] == value]
                beside = part if self.columns is None else of_row
                for side in sides:
                    point = of_row if side is None else of_row[of_row[self.columns] == side]
                    line += self.block((group, value, side), point, beside)
                rows.append(tuple(line))
        head = [name for name in (self.group, self.row, self.columns) if name is not None]
        return Table(
            caption, header, tuple(rows), (*notes, *self.doubts.values()), self.used,
            csv_text([*head, "metric", "value", "unit", "cell"], self.csv_rows),
        )  # fmt: skip

    def has_ratio(self, side: Any) -> bool:
        """Say whether a column of ratios stands on a side: that of the baseline would be ones."""
        return self.baseline is not None and (side is None or side != self.baseline)

    def block(
        self, at: tuple[Any, Any, Any], point: pd.DataFrame, beside: pd.DataFrame
    ) -> list[BodyCell]:
        """Show a point: its metrics, and its ratio to the baseline among those beside it.

        `at` says where: group, row and side. The metrics become rows of the download.
        """
        *_, side = at
        if point.empty:
            return [BodyCell(NOTHING)] * (len(self.metrics) + self.has_ratio(side))
        if len(point) > 1:
            raise ValueError(f"{len(point)} points for one place of the table: add a factor")
        # A column with gaps holds its whole numbers as floats.
        head = [int(level) if isinstance(level, float) and level.is_integer() else level
                for level in at if level is not None]  # fmt: skip
        cells = []
        for metric in self.metrics:
            if point[metric].isna().all():
                cells.append(BodyCell(NOTHING))
                continue
            decimals = int(self.points[f"{metric}_decimals"].max())  # so that the column lines up
            quantity = replace(self.chapter.quantities(point, metric)[0], decimals=decimals)
            text = self.chapter.write(quantity, unit=False)
            (cell,) = quantity.cells
            text += DOUBTED if cell in self.doubts else ""
            cells.append(BodyCell(text, link=cell_anchor(cell)))
            value = f"{quantity.value:.10g}"
            self.csv_rows.append([*head, metric, value, quantity.unit, cell])
        if self.has_ratio(side):
            base = beside[beside[self.columns or self.row] == self.baseline]
            ratio = NOTHING
            if point[RATE].notna().all() and base[RATE].notna().any():
                of, to = (self.chapter.quantities(each)[0] for each in (point, base))
                ratio = self.chapter.write(of.over(to))
            cells.append(BodyCell(ratio))
        return cells
