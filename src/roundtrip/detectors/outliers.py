"""Values an order of magnitude off what the others of their column lead to expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from roundtrip.checks.precision import Cell
from roundtrip.detectors import margins
from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.subject import Subject, place, printed, unstated

Values = NDArray[np.float64]
_COLUMN = ["table_id", "column_label", "metric", "statistic"]


def outliers(subject: Subject) -> Iterator[Contradiction]:
    """Propose values far off the line of their column.

    It is judged on log scales, where a lost digit is one decade wherever it happens, so that only
    metrics which are positive by definition are looked at. A value that several places print alike
    is no slip of the pen, and sure to be low only.
    """
    metrics = subject.dictionary.metrics
    positive = [name for name in metrics if metrics[name].exclusive and metrics[name].minimum == 0]
    cells = subject.tables[
        subject.tables["metric"].isin(positive) & (subject.tables["settled"] > 0)
    ]
    for _, column in cells.groupby(_COLUMN, sort=False):
        if len(column) >= margins.SERIES_LENGTH:
            logs = np.log10(column["settled"].to_numpy(dtype=np.float64))
            off = off_line(_places(subject, column), logs)
            yield from _far(subject, subject.rows(column), off)


def scatter(values: Values) -> float:
    """Give the median absolute deviation of values from their median, as a standard deviation.

    See Rousseeuw and Croux, J. Am. Stat. Assoc. 88, 1993, p. 1273.
    """
    from scipy.stats import median_abs_deviation

    return float(median_abs_deviation(values, scale="normal"))


def off_line(places: Values, values: Values) -> Values:
    """Give how far each of a series lies from the line through it, that of Theil and Sen.

    Up to 29 % of the values may be wrong. There are two at least, and all their places differ.
    """
    from scipy.stats import theilslopes

    slope = theilslopes(values, places).slope
    level = np.median(values - slope * places)
    return np.asarray(values - slope * places - level, dtype=np.float64)


def _places(subject: Subject, column: pd.DataFrame) -> Values:
    """Give where the values of a column stand: on a log scale of the one number that varies.

    They stand at equal steps where several factors vary, or one that is no positive number.
    """
    steps = np.arange(len(column), dtype=np.float64)
    varying = [name for name in subject.stated if column[name].nunique(dropna=False) > 1]
    if len(varying) != 1 or not pd.api.types.is_numeric_dtype(column[varying[0]]):
        return steps
    levels = column[varying[0]].to_numpy(dtype=float, na_value=np.nan)
    if not (levels > 0).all() or len(np.unique(levels)) < len(levels):
        return steps
    return np.asarray(np.log10(levels), dtype=np.float64)


def _far(subject: Subject, cells: Sequence[Cell], off: Values) -> Iterator[Contradiction]:
    """Yield those of the cells that are an order of magnitude off, and beyond the scatter."""
    allowed = margins.ROBUST_LIMIT * max(scatter(off), float(np.log10(margins.LEAST_SCATTER)))
    for cell, away in zip(cells, off.tolist(), strict=True):
        if abs(away) <= allowed or abs(away) < np.log10(margins.OUTLIER_FACTOR):
            continue
        twice = _printed_again(subject, cell)
        yield Contradiction(
            [cell], abs(away), allowed, "decades",
            f"{place(cell)} ({cell['row_label']}; {cell['column_label']}) prints "
            f"{printed(cell)}, {10**away:.3g} times what its column suggests"
            + (f"; {twice} prints the same." if twice else "."),
            Sure.low if twice else Sure.high,
        )  # fmt: skip


def _printed_again(subject: Subject, cell: Cell) -> str | None:
    """Name another place that prints the same value for the same setting."""
    cells = subject.cells
    same = (
        (cells["settled"] == cell["settled"])
        & (cells["metric"] == cell["metric"])
        & (cells["table"] != cell["table"])
    )
    for name in subject.stated:
        if not unstated(cell[name]):
            same &= (cells[name].isna() | (cells[name] == cell[name])).fillna(True).astype(bool)
    return place(subject.rows(cells[same].head(1))[0]) if same.any() else None
