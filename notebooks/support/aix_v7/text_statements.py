"""Values that a report states in its text, listed beside what its tables give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from roundtrip.present import Chapter, Quantity, Table
from roundtrip.present.quantities import Entry, Row, quantity_table


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
    computed: Mapping[str, Sequence[Entry]] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """List values that the source's text states, each with the link to where it is kept.

    Parameters
    ----------
    points : pandas.DataFrame
        From ``chapter.points("text")``, of metrics that share a column.
    computed : mapping, optional
        Head of a further column to what it holds of each statement, such as what the tables of
        the source give instead.
    """
    beside = dict(computed or {})
    stated = stated_quantities(chapter, points)
    told = chapter.observations.rows_of([cell for one in stated for cell in one.cells])
    sections = told.set_index("observation_id")["section"].astype(str)
    rows = [
        Row(name, (sections[quantity.cells[0]], quantity, *others))
        for name, quantity, *others in zip(
            points["row_label"], stated, *beside.values(), strict=True
        )
    ]
    header = ["Statement", "Section", "Stated", *beside]
    return quantity_table(chapter, rows, caption=caption, header=header, units=True, notes=notes)
