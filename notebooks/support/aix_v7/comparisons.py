"""Two sweeps of one test side by side: peaks, their ratio, what rounding and repeats leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Quantity, cpu_cost, size_label
from roundtrip.present.chapter import RATE
from roundtrip.present.repeats import repeat_spreads

KINDS = {
    "RR-BB": "Local queue manager",
    "RR-CB": "Client channels",
    "RR-DQ-BB": "Distributed queuing",
}
"""Kind of connection, by workload."""
DELIVERIES = {"nonpersistent": "Non-persistent", "persistent": "Persistent"}

FEW_PERCENT = 5
"""What is not attributed to the product where a source does not say how often it measured."""


@dataclass(frozen=True)
class Comparison:
    """One test on two sides, such as two versions of the product.

    Attributes
    ----------
    test : str
        What the test is, for a reader.
    variant : str
        Which variant of the other side it is; empty where there is one only.
    group : str
        What it belongs to, for subheadings.
    base, other : pandas.DataFrame
        Points of the side that ratios refer to, and of the other; either may be empty.
    """

    chapter: Chapter
    test: str
    variant: str
    group: str
    base: pd.DataFrame
    other: pd.DataFrame

    @property
    def name(self) -> str:
        """Test and variant."""
        return f"{self.test}, {self.variant}" if self.variant else self.test

    @property
    def factors(self) -> pd.Series[Any]:
        """Factors of the other side's points, or of the only side's."""
        return (self.base if self.other.empty else self.other).iloc[0]

    @property
    def complete(self) -> bool:
        """Whether both sides were printed."""
        return not (self.base.empty or self.other.empty)

    @property
    def base_rate(self) -> Quantity:
        """The base's highest rate."""
        return self.chapter.quantities(peak_row(self.base))[0]

    @property
    def rate(self) -> Quantity:
        """The other side's highest rate."""
        return self.at_peak(RATE)

    @property
    def cpu(self) -> Quantity:
        """The processors in use at the other side's highest rate."""
        return self.at_peak("cpu")

    @property
    def requesters(self) -> Quantity:
        """The number of requesters at the other side's highest rate."""
        return self.at_peak("clients")

    @property
    def core_time(self) -> Quantity:
        """The core time of a round trip at the other side's highest rate."""
        time: Quantity = core_times(self.chapter, peak_row(self.other)).iloc[0]
        return time

    def at_peak(self, metric: str) -> Quantity:
        """Give a metric at the other side's highest rate."""
        return self.chapter.quantities(peak_row(self.other), metric)[0]

    def share(self, decimals: int = 1) -> Quantity:
        """Give the highest rate of the other side in percent of the base's highest."""
        return self.rate.percent_of(self.base_rate, decimals)

    def bounds(self) -> tuple[float, float]:
        """Give the shares, in percent, that the rounding of the two printed rates allows."""
        one, other = self.rate, self.base_rate
        half_one, half_other = (
            0.5 * 10.0**-rate.decimals * self.chapter.rate_scale for rate in (one, other)
        )
        return (
            100 * (one.value - half_one) / (other.value + half_other),
            100 * (one.value + half_one) / (other.value - half_other),
        )

    def band(self) -> tuple[float, float]:
        """Widen the bounds by how far rates differ that sources print twice."""
        low, high = self.bounds()
        spread = 1 + repeats(self.chapter).value / 100
        return low / spread, high * spread

    def differs(self) -> bool:
        """Whether the two peaks differ, whatever their rounding, by more than `FEW_PERCENT`."""
        low, high = self.bounds()
        return high < 100 - FEW_PERCENT or low > 100 + FEW_PERCENT

    def allows(self, change: Quantity) -> bool:
        """Whether a stated change in percent agrees with the peaks, as far as rounding goes."""
        low, high = self.bounds()
        half = 0.5 * 10.0**-change.decimals
        return low - half <= 100 + change.value <= high + half


def repeats(chapter: Chapter) -> Quantity:
    """Give the most, in percent, by which rates of one set-up differ that a source prints twice.

    This one prints none twice, so what counts as no difference is taken from the others.

    Raises
    ------
    ChapterError
        If no source prints any twice.
    """
    spreads = repeat_spreads(chapter)
    if not spreads:
        raise ChapterError("no source prints a rate of one set-up twice")
    return spreads.get(chapter.about.id, max(spreads.values(), key=lambda one: one.value))


def peak_row(points: pd.DataFrame) -> pd.DataFrame:
    """Give the point with the highest rate, whatever its source marks as the peak."""
    return points.loc[[points[RATE].idxmax()]]


def peaks_by(points: pd.DataFrame, *factors: str) -> pd.DataFrame:
    """Give the point with the highest rate for every combination of some factors."""
    best = points.groupby(list(factors), sort=False, dropna=False)[RATE].idxmax()
    return points.loc[best].reset_index(drop=True)


def core_times(chapter: Chapter, points: pd.DataFrame) -> pd.Series[Any]:
    """Compute the core time of a round trip for each point, in microseconds.

    Points may belong to several host sets; see `roundtrip.present.derived.cpu_cost`.
    """
    found = [
        cpu_cost(chapter, points.iloc[[position]], str(host_set), "table_id", by="table_id")[0][2]
        for position, host_set in enumerate(points["host_set"])
    ]
    return pd.Series(found, points.index, dtype=object)


def version_comparisons(chapter: Chapter, points: pd.DataFrame) -> list[Comparison]:
    """Split tables that print two versions of the product into comparisons, V6 being the base.

    A table may hold several variants of V7, told apart by SHARECNV: each becomes a comparison of
    its own.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`.

    Returns
    -------
    list of Comparison
        In the order of the points.
    """
    found = []
    for _, part in points.groupby("table_id", sort=False):
        is_base = part["product_version"] == "V6"
        for _, variant in part[~is_base].groupby("sharecnv", sort=False, dropna=False):
            first = variant.iloc[0]
            names = (test_name(chapter, first), sharing_name(first), KINDS[first["workload"]])
            found.append(Comparison(chapter, *names, part[is_base], variant))
    return found


def test_name(chapter: Chapter, point: pd.Series[Any]) -> str:
    """Name a test by message size, delivery and bindings."""
    delivery = chapter.level("delivery", point["delivery"])
    name = f"{size_label(point['message_bytes'])} {delivery}"
    return f"{name}, non-trusted" if point["application_binding"] == "non-trusted" else name


def sharing_name(point: pd.Series[Any]) -> str:
    """Say how many clients share a socket; nothing where the source does not tell."""
    sharing = point["sharecnv"]
    if pd.isna(sharing):
        return ""
    return "default sharing" if sharing == "default" else f"SHARECNV({sharing})"


def matching(
    comparisons: Sequence[Comparison], point: pd.Series[Any], names: Sequence[str]
) -> Comparison | None:
    """Find the one comparison that agrees with a point in some factors, or None."""
    wanted = point[list(names)]

    def agrees(item: Comparison) -> bool:
        own = item.factors[list(names)]
        return bool((own.eq(wanted) | (own.isna() & wanted.isna())).all())

    found = [item for item in comparisons if item.complete and agrees(item)]
    return found[0] if len(found) == 1 else None


def mean_share(comparisons: Sequence[Comparison]) -> Quantity:
    """Give the geometric mean of the shares of several comparisons, in percent."""
    shares = [item.share() for item in comparisons]
    cells = tuple(dict.fromkeys(cell for share in shares for cell in share.cells))
    return Quantity(geometric_mean([share.value for share in shares]), "%", cells, 1)
