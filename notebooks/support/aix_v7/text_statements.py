"""Values that a report states in its text, listed beside what its tables give."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.present import Chapter, Quantity, Table
from roundtrip.present.anchors import cell_anchor


def stated_quantities(chapter: Chapter, points: pd.DataFrame) -> list[Quantity]:
    """Give the one value of every statement, in order.

    Parameters
    ----------
    points : pandas.DataFrame
        From ``chapter.points("text")``.
    """
    cells = points.filter(regex="_cell$")
    metrics = cells.notna().idxmax(axis="columns").astype(str).str.removesuffix("_cell")
    return [chapter.quantities(points.loc[[at]], metric)[0] for at, metric in metrics.items()]


def statements_table(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    caption: str,
    computed: tuple[str, Sequence[str]] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """List values that the source's text states, each with the link to where it is kept.

    Parameters
    ----------
    points : pandas.DataFrame
        From ``chapter.points("text")``, of metrics that share a column.
    computed : (head, texts), optional
        What the tables of the source give instead, one text for each statement.
    """
    stated = chapter.observations.choose(source=chapter.about.id).set_index("observation_id")
    heads = [HeaderCell("Statement", align="left"), HeaderCell("Section"), HeaderCell("Stated")]
    rows, csv_rows = [], []
    for name, quantity in zip(points["row_label"], stated_quantities(chapter, points), strict=True):
        (cell,) = quantity.cells
        section = str(stated.at[cell, "section"])
        shown = BodyCell(chapter.write(quantity), link=cell_anchor(cell))
        rows.append([BodyCell(name, "left", kind="label"), BodyCell(section), shown])
        csv_rows.append([name, section, f"{quantity.value:g}", quantity.unit, cell])
    if computed is not None:
        heads.append(HeaderCell(computed[0]))
        for row, text in zip(rows, computed[1], strict=True):
            row.append(BodyCell(text))
    return Table(
        caption, (tuple(heads),), tuple(map(tuple, rows)), tuple(notes),
        cells=tuple(row[-1] for row in csv_rows),
        csv=csv_text(["statement", "section", "value", "unit", "cell"], csv_rows),
    )  # fmt: skip
