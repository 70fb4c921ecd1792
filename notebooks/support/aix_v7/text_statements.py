"""Values that a report states in its text, listed beside what its tables give."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import Chapter
from roundtrip.present.numbers import Quantity
from roundtrip.present.tables import Table


def stated_quantities(chapter: Chapter, points: pd.DataFrame) -> list[Quantity]:
    """Give the one value of every statement, in order.

    Parameters
    ----------
    points : pandas.DataFrame
        From ``chapter.points("text")``.
    """
    metrics = [name.removesuffix("_cell") for name in points.columns if name.endswith("_cell")]
    found = []
    for position in range(len(points)):
        row = points.iloc[[position]]
        metric = next(name for name in metrics if row[name].notna().iloc[0])
        found.append(chapter.quantities(row, metric)[0])
    return found


def statements_table(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    caption: str,
    value: str,
    computed: tuple[str, Sequence[str]] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """List values that the source's text states, each with the link to where it is kept.

    Parameters
    ----------
    points : pandas.DataFrame
        From ``chapter.points("text")``, of metrics that share a column.
    value : str
        Head of the column of stated values.
    computed : (head, texts), optional
        What the tables of the source give instead, one text for each statement.
    """
    sections = _sections(chapter)
    header = [HeaderCell("Statement", align="left"), HeaderCell("Section")]
    header.append(HeaderCell(value))
    if computed is not None:
        header.append(HeaderCell(computed[0]))
    rows = []
    csv_rows = []
    for position, quantity in enumerate(stated_quantities(chapter, points)):
        name, cell = str(points["row_label"].iloc[position]), quantity.cells[0]
        line = [
            BodyCell(name, "left", kind="label"),
            BodyCell(sections[cell]),
        ]
        line.append(BodyCell(chapter.write(quantity), link=cell_anchor(cell)))
        if computed is not None:
            line.append(BodyCell(computed[1][position]))
        rows.append(tuple(line))
        csv_rows.append([name, sections[cell], f"{quantity.value:g}", quantity.unit, cell])
    return Table(
        caption, (tuple(header),), tuple(rows), tuple(notes),
        cells=tuple(str(row[-1]) for row in csv_rows),
        csv=csv_text(["statement", "section", "value", "unit", "cell"], csv_rows),
    )  # fmt: skip


def _sections(chapter: Chapter) -> dict[str, str]:
    frame = chapter.observations.frame
    frame = frame[frame["source"] == chapter.about.id]
    return dict(zip(frame["observation_id"], frame["section"].astype(str), strict=True))
