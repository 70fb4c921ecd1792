"""How exact values are: what a rule may ask of numbers that were rounded, drawn or corrected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from roundtrip.checks.reference import Reference
from roundtrip.dictionary import Metric
from roundtrip.sources.cells import printed_step

_BINARY = 1e-9
"""Relative error that calculation with floating-point numbers may add."""


def settled_cells(frame: pd.DataFrame, reference: Reference) -> pd.DataFrame:
    """Give the rows with what rules about values need.

    Returns
    -------
    pandas.DataFrame
        The rows with ``position``, their place; ``settled``, the value or the one that takes its
        place where the source itself disproves it; and ``slack``, how far the exact value may lie
        from it: half a unit of the last printed digit, or the accuracy of a drawing.
    """
    cells = frame.reset_index(drop=True)
    printed = cells[["metric", "value_printed", "unit_printed"]]
    half = {
        said: _half_a_digit(reference.dictionary.metrics, *said)
        for said in printed.dropna().drop_duplicates().itertuples(index=False, name=None)
    }
    of_print = [half.get(said, 0.0) for said in printed.itertuples(index=False, name=None)]
    slack = np.where(cells["accuracy"].notna(), cells["accuracy"], of_print)
    corrected = cells["value_corrected"]
    given = corrected.notna().to_numpy(dtype=bool)
    # Of a number that stands in ``report.yml`` its last digit counts.
    digits = [len(f"{value:.12g}".partition(".")[2]) for value in corrected[given]]
    slack[given] = np.minimum(slack[given], 0.5 * 10.0 ** -np.array(digits, dtype=float))
    return cells.assign(
        position=np.arange(len(cells)),
        settled=corrected.fillna(pd.to_numeric(cells["value"])),
        slack=slack,
    )


Cell = Mapping[str, Any]
"""One of the rows that `settled_cells` gives."""


def near(one: float, other: float, slack: float) -> bool:
    """Say whether two values are equal to within a slack."""
    return abs(one - other) <= slack + _BINARY * max(abs(one), abs(other))


def room(one: Cell, other: Cell) -> float:
    """Give how far two readings of one value may be apart: drawings add up, roundings do not.

    Two values that round to different numbers are the same only if both lie on the edge.
    """
    slacks = (float(one["slack"]), float(other["slack"]))
    return sum(slacks) if _drawn(one, other) else max(slacks)


def alike(one: Cell, other: Cell) -> bool:
    """Say whether two values may be one, printed with fewer digits or read off a drawing."""
    exact = one["slack"] == other["slack"] and not _drawn(one, other)
    return near(one["settled"], other["settled"], 0.0 if exact else room(one, other))


def _drawn(*cells: Cell) -> bool:
    return any(bool(pd.notna(cell["accuracy"])) for cell in cells)


def quotient_bounds(dividend: Cell, divisor: Cell) -> tuple[float, float]:
    """Give the least and the greatest quotient of two positive values."""
    low, high = divisor["settled"] - divisor["slack"], divisor["settled"] + divisor["slack"]
    least = (dividend["settled"] - dividend["slack"]) / high
    return least, (dividend["settled"] + dividend["slack"]) / low if low > 0 else np.inf


def off(cell: Cell, least: float, most: float) -> tuple[float, float] | None:
    """Hold a value against the bounds of what it is computed from.

    Returns
    -------
    tuple of float or None
        How far it is from their middle, and how far it may be; None where it is no farther.
    """
    middle, allowed = (least + most) / 2, (most - least) / 2 + cell["slack"]
    if near(cell["settled"], middle, allowed):
        return None
    return abs(cell["settled"] - middle), allowed


def _half_a_digit(metrics: Mapping[str, Metric], metric: str, printed: str, unit: str) -> float:
    try:
        return 0.5 * printed_step(printed, unit, metrics[metric])
    except (KeyError, ValueError):
        return 0.0  # other rules name what does not exist, and text that is no number
