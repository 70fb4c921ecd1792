"""One measured point as a share of another, and whether a published share agrees with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.measured.means import Measured, ratio_of_runs
from roundtrip.present.numbers import Quantity

if TYPE_CHECKING:
    from roundtrip.stats.intervals import Interval


@dataclass(frozen=True)
class Share:
    """A measured value as a share of another.

    Attributes
    ----------
    quantity : Quantity
        In percent, leading to the runs of both.
    interval : Interval
        Of the ratio: 1 is no difference.
    """

    quantity: Quantity
    interval: Interval

    def words(self, chapter: Chapter) -> str:
        """Write the interval in brackets, to stand behind the share."""
        if not self.interval.known:
            return " (one run each, so without an interval)"
        write = chapter.numbers.write
        low, high = write(100 * self.interval.low), write(100 * self.interval.high)
        return f" (95\u00a0% interval {low} to {high}\u00a0%)"


def share_of(
    here: Measured, of: Mapping[str, Any], base: Mapping[str, Any], metric: str = RATE,
    statistic: str = "mean",
) -> Share | None:  # fmt: skip
    """Give one measured point as a share of another.

    Parameters
    ----------
    here : Measured
    of, base : mapping
        Factors that select one operating point each.
    metric, statistic : str

    Returns
    -------
    Share or None
        None when either was not measured, or was zero in a run.
    """
    upper, lower = (here.mean(metric, statistic, **factors) for factors in (of, base))
    if upper is None or lower is None or min(*upper.values, *lower.values) <= 0:
        return None
    found = ratio_of_runs(upper.values, lower.values)
    cells = tuple(dict.fromkeys(upper.quantity.cells + lower.quantity.cells))
    return Share(Quantity(100 * found.estimate, "%", cells, 0, "measured"), found)


def verdict(published: float, found: Interval) -> str:
    """Say whether a published share, in percent, agrees with a measured one.

    Two shares are compared, each of which was formed on its own side; no value of one side is
    divided by one of the other.
    """
    if not found.is_difference:
        words = "The interval includes no difference: the measurement does not decide"
        if found.excludes(published / 100):
            return f"{words} on the direction. The published share lies outside it."
        return f"{words}."
    if found.low <= published / 100 <= found.high:
        return "Direction and size agree: the published share lies within the interval."
    if round(published) == 100:
        return "The source shows no difference, the measurement shows one."
    if (published < 100) != (found.estimate < 1):
        return "The direction differs."
    return "The direction agrees, the size does not: the published share lies outside the interval."
