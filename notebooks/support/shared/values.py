"""Single printed values: samples of output, and numbers that a source states in its text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pandas as pd

from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE, Chapter
from roundtrip.present.numbers import Quantity
from roundtrip.present.quantities import Row

_COUNTS = ("extent", "extents", "files", "rebases", "word")
"""Units that say what is counted: a row's label does so already."""

_NUMBER = re.compile(r"[-+\u2212]?[\d,]*\.?\d+")


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
    frame = _rows(chapter, table)
    frame = frame[frame["metric"] == metric]
    asked = {"statistic": statistic, "row_label": row, **factors}
    for name, value in asked.items():
        if value is not None:
            frame = frame[frame[name] == value]
    if len(frame) != 1:
        raise ValueError(f"{metric} of {table} with {asked} selects {len(frame)} values, not one")
    return _quantity(chapter, frame.iloc[0])


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
    sides = []
    for table in tables:
        frame = _rows(chapter, table)
        sides.append(frame[~frame["metric"].isin(leave_out)])
    rows = []
    for position in range(len(sides[0])):
        cells = [side.iloc[position] for side in sides]
        label = str(cells[0]["row_label"])
        if any(str(cell["row_label"]) != label for cell in cells):
            raise ValueError(f"{', '.join(tables)} do not print the same lines: '{label}'")
        quantities = [_quantity(chapter, cell) for cell in cells]
        if quantities[0].unit.endswith("/s"):
            label += " per second"
        rows.append(
            Row(label, tuple(replace(q, unit="") if q.unit in _COUNTS else q for q in quantities))
        )
    return rows


def in_unit(quantity: Quantity, unit: str, units_each: float, decimals: int) -> Quantity:
    """Express a quantity in another unit, of which `units_each` make one of its own.

    Examples
    --------
    A rate of 7,000,000 B/s in MB/s: ``in_unit(rate, "MB/s", 1e-6, 1)``.
    """
    return replace(quantity, value=quantity.value * units_each, unit=unit, decimals=decimals)


def _rows(chapter: Chapter, table: str) -> pd.DataFrame:
    frame = chapter.observations.frame
    return frame[(frame["source"] == chapter.about.id) & (frame["table_id"] == table)]


def _quantity(chapter: Chapter, row: pd.Series) -> Quantity:
    printed = str(row["value_printed"])
    found = _NUMBER.search(printed)
    corrected = row["value_corrected"]
    value = float(row["value"] if pd.isna(corrected) else corrected)
    number = "" if found is None else found.group().replace(",", "")
    # A converted value has the digits its metric is shown with, not those of the printed unit.
    as_printed = bool(number) and float(number) == value
    decimals = (
        len(number.partition(".")[2])
        if as_printed
        else chapter.dictionary.metrics[str(row["metric"])].decimals
    )
    if row["metric"] == RATE and chapter.rate_unit == "messages/s":
        value *= MESSAGES_PER_ROUND_TRIP
    return Quantity(
        value, chapter.unit(str(row["metric"])), (str(row["observation_id"]),), decimals
    )
