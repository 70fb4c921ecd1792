"""The lowest and the highest of the rows of a chart, and what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from roundtrip.present import Quantity, largest, smallest


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


def ends(rows: Iterable[Quantity | tuple[Any, ...]]) -> Ends:
    """Find the lowest and the highest of quantities, or of rows that a chart draws of them."""
    placed = [row if isinstance(row, tuple) else (row,) for row in rows]
    values: list[Quantity] = [row[-1] for row in placed]
    low, high = (placed[values.index(end(values))] for end in (smallest, largest))
    return Ends(low[-1], _place(low), high[-1], _place(high))


def _place(row: tuple[Any, ...]) -> str:
    return ", ".join(str(part) for part in row[:-1] if part)
