"""Printed peaks by message size and one factor, as the text of a chapter names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Quantity, size_label
from roundtrip.present.chapter import RATE
from support.shared.ends import Ends, ends


@dataclass(frozen=True)
class BySize:
    """Peaks, one for each message size and level of a factor.

    Attributes
    ----------
    factor : str
        The factor, or a column that the chapter made.
    """

    chapter: Chapter
    points: pd.DataFrame
    factor: str

    @property
    def sizes(self) -> dict[str, float]:
        """Names of the message sizes, ascending, and what they are in bytes."""
        return {size_label(size): size for size in sorted(set(self.points["message_bytes"]))}

    @property
    def levels(self) -> list[Any]:
        """The levels of the factor, in the order of the points."""
        return list(dict.fromkeys(self.points[self.factor]))

    def of(self, metric: str, level: Any, size: str) -> Quantity:
        """Give one value of one peak."""
        at = {self.factor: level, "message_bytes": self.sizes[size]}
        return self.chapter.quantity(self.points, metric, **at)

    def rate(self, level: Any, size: str) -> Quantity:
        """Give the rate of a peak."""
        return self.of(RATE, level, size)

    def cpu(self, level: Any, size: str) -> Quantity:
        """Give the processor time of a peak."""
        return self.of("cpu", level, size)

    def clients(self, level: Any, size: str) -> Quantity:
        """Give the number of requesters of a peak."""
        return self.of("clients", level, size)

    def ratio(self, level: Any, base: Any, size: str) -> Quantity:
        """Give the rate of a level over that of another."""
        return self.rate(level, size).over(self.rate(base, size))

    def share(self, level: Any, base: Any, size: str) -> Quantity:
        """Give the rate of a level in percent of that of another."""
        return self.rate(level, size).percent_of(self.rate(base, size))

    def shares(self, base: Any) -> list[tuple[str, str, Quantity]]:
        """Give level, message size and share of every other level."""
        others = [level for level in self.levels if level != base]
        return [
            (str(level), size, self.share(level, base, size))
            for level in others
            for size in self.sizes
        ]

    def ends(self, base: Any) -> Ends:
        """Give the lowest and the highest share, and where they are."""
        return ends(self.shares(base))
