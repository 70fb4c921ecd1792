"""Single printed values: samples of output, and numbers that a source states in its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Quantity
from roundtrip.present.chapter import RATE
from roundtrip.present.numbers import decimals_of
from roundtrip.present.quantities import Row

_COUNTS = ("extent", "extents", "files", "rebases", "word")
"""Units that say what is counted: a row's label does so already."""


def value_of(
    chapter: Chapter,
    table: str,
    metric: str,
    *,
    statistic: str | None = None,
    row: str | None = None,
    **factors: Any,
) -> Quantity:
    """Give the one value that a table, or the text, of the chapter's report holds of a metric.

    Parameters
    ----------
    table : str
        Id of the table; ``text`` for what the text states.
    statistic, row : str, optional
        Which statistic; which printed row, where the metric alone does not tell.
    **factors
        Values that factors must have.

    Returns
    -------
    Quantity
        In the unit of the dictionary, rates in that of this edition; where the source disproves
        the printed value, the value it proves.

    Raises
    ------
    ValueError
        If not exactly one value is selected.
    """
    asked = {"statistic": statistic, "row_label": row, **factors}
    wanted = {name: value for name, value in asked.items() if value is not None}
    found = chapter.select(_rows(chapter, table), metric=metric, **wanted)
    if len(found) != 1:
        raise ValueError(f"{metric} of {table} with {asked} selects {len(found)} values, not one")
    return _quantities(chapter, found)[0]


def sample_rows(chapter: Chapter, *tables: str, leave_out: tuple[str, ...] = ()) -> list[Row]:
    """Give the rows of samples that print the same lines, their values side by side.

    Parameters
    ----------
    *tables : str
        Ids of the samples' tables.
    leave_out : tuple of str
        Metrics that a reader of the chapter can do without.

    Returns
    -------
    list of Row
        For `roundtrip.present.quantities.quantity_table`, to be shown with units.
    """
    samples = [_rows(chapter, table) for table in tables]
    kept = [sample[~sample["metric"].isin(leave_out)] for sample in samples]
    labels = list(kept[0]["row_label"])
    if any(list(sample["row_label"]) != labels for sample in kept):
        raise ValueError(f"{', '.join(tables)} do not print the same lines")
    rows = []
    for label, *quantities in zip(
        labels, *(_quantities(chapter, one) for one in kept), strict=True
    ):
        per_second = " per second" * quantities[0].unit.endswith("/s")
        shown = (one.number if one.unit in _COUNTS else one for one in quantities)
        rows.append(Row(f"{label}{per_second}", tuple(shown)))
    return rows


def total(counts: Iterable[Quantity | None], unit: str) -> Quantity:
    """Add counts up, those that are known."""
    known = [count for count in counts if count is not None]
    cells = tuple(cell for count in known for cell in count.cells)
    kind = known[0].kind if known else "published"
    return Quantity(sum(count.value for count in known), unit, cells, kind=kind)


def in_unit(quantity: Quantity, unit: str, units_each: float, decimals: int) -> Quantity:
    """Express a quantity in another unit, of which `units_each` make one of its own.

    Examples
    --------
    A rate of 7,000,000 B/s in MB/s: ``in_unit(rate, "MB/s", 1e-6, 1)``.
    """
    return replace(quantity, value=quantity.value * units_each, unit=unit, decimals=decimals)


def _rows(chapter: Chapter, table: str) -> pd.DataFrame:
    return chapter.observations.choose(source=chapter.about.id, table_id=table)


def _quantities(chapter: Chapter, found: pd.DataFrame) -> list[Quantity]:
    values = found["value_corrected"].fillna(found["value"])
    values *= found["metric"].map({RATE: chapter.rate_scale}).fillna(1)
    columns = (values, found["metric"], found["observation_id"])
    return [
        Quantity(float(value), chapter.unit(metric), (cell,), decimals)
        for value, metric, cell, decimals in zip(
            *columns, decimals_of(found, chapter.dictionary), strict=True
        )
    ]
