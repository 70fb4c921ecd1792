"""Measured values as shares of one another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.measured.means import Mean, Measured
from roundtrip.present.numbers import Quantity
from roundtrip.stats.intervals import Interval, family_differences


@dataclass(frozen=True)
class Share:
    """A measured value as a share of another.

    Attributes
    ----------
    quantity : Quantity
        In percent, leading to the runs of both.
    interval : Interval
        Of the ratio: 1 is no difference.
    mean, base : Mean
        Of the first point; of the one that it is a share of.
    """

    quantity: Quantity
    interval: Interval
    mean: Mean
    base: Mean

    def told_apart_from(self, others: Iterable[Share]) -> bool:
        """Say whether this share of a base differs from all others of the same base."""
        return all(
            self.mean.over(other.mean).is_difference for other in others if other is not self
        )

    def without(self, cells: Collection[str]) -> Share | None:
        """Give the share without some runs, by their cells; None where a point has no others."""
        upper, lower = self.mean.without(cells), self.base.without(cells)
        return None if upper is None or lower is None else _share(upper, lower)

    def words(self, chapter: Chapter) -> str:
        """Write the interval in brackets, to stand behind the share."""
        if not self.interval.known:
            return f" ({'one run each, so ' * (self.interval.runs < 2)}without an interval)"
        low, high = self.ends(chapter)
        return f" (95\u00a0% interval {low} to {high}\u00a0%)"

    def ends(self, chapter: Chapter) -> tuple[str, str]:
        """Write the ends of its interval, in percent and without a unit.

        An end just beside 100 is not told as 100: it decides whether there is a difference.
        """
        low, high = (
            chapter.numbers.write(end, next((n for n in range(3) if round(end, n) != 100), 0))
            for end in (100 * self.interval.low, 100 * self.interval.high)
        )
        return low, high


def differing(shares: Sequence[Share]) -> list[bool]:
    """Say which shares of a family differ from their bases; see `family_differences`."""
    return family_differences([share.interval for share in shares])


def share_of(
    here: Measured, of: Mapping[str, Any], base: Mapping[str, Any], metric: str = RATE,
    statistic: str = "mean",
) -> Share | None:  # fmt: skip
    """Give one measured point as a share of another.

    Parameters
    ----------
    of, base : mapping
        Factors that select one operating point each.

    Returns
    -------
    Share or None
        None when either was not measured, or was zero in a run.
    """
    upper, lower = (here.mean(metric, statistic, **factors) for factors in (of, base))
    if upper is None or lower is None or min(*upper.values, *lower.values) <= 0:
        return None
    return _share(upper, lower)


def _share(upper: Mean, lower: Mean) -> Share:
    found = upper.over(lower)
    cells = tuple(dict.fromkeys(upper.quantity.cells + lower.quantity.cells))
    return Share(Quantity(100 * found.estimate, "%", cells, 0, "measured"), found, upper, lower)
