"""Values that a report states in its text, listed beside what its tables give."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from roundtrip.present import Chapter, Quantity, Table
from roundtrip.present.quantities import Row, quantity_table


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
    computed: tuple[str, Sequence[Quantity]] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """List values that the source's text states, each with the link to where it is kept.

    Parameters
    ----------
    points : pandas.DataFrame
        From ``chapter.points("text")``, of metrics that share a column.
    computed : (head, quantities), optional
        What the tables of the source give instead, one for each statement.
    """
    head, beside = ([], []) if computed is None else ([computed[0]], [computed[1]])
    stated = stated_quantities(chapter, points)
    told = chapter.observations.rows_of([cell for one in stated for cell in one.cells])
    sections = told.set_index("observation_id")["section"].astype(str)
    rows = [
        Row(name, (sections[quantity.cells[0]], quantity, *others))
        for name, quantity, *others in zip(points["row_label"], stated, *beside, strict=True)
    ]
    header = ["Statement", "Section", "Stated", *head]
    return quantity_table(chapter, rows, caption=caption, header=header, units=True, notes=notes)
