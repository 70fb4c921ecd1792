"""The lowest and the highest of the rows of a chart, and what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from roundtrip.present import Quantity


@dataclass(frozen=True)
class Ends:
    """The lowest and the highest of some quantities.

    Attributes
    ----------
    low_at, high_at : str
        What they are about.
    """

    low: Quantity
    low_at: str
    high: Quantity
    high_at: str


def ends(rows: Iterable[tuple[Any, ...]]) -> Ends:
    """Find the lowest and the highest of rows as `roundtrip.present.chart` draws them."""
    ordered = sorted(rows, key=lambda row: float(row[-1].value))
    low, high = ordered[0], next(row for row in ordered if row[-1].value == ordered[-1][-1].value)
    return Ends(low[-1], _place(low), high[-1], _place(high))


def _place(row: tuple[Any, ...]) -> str:
    return ", ".join(str(part) for part in row[:-1] if part)
