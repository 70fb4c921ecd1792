"""Two sweeps of one test side by side: peaks, their ratio, what rounding and repeats leave open."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError
from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE, Chapter
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.repeats import repeat_spreads

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
    def factors(self) -> Mapping[str, Any]:
        """Factors of the other side's points, or of the only side's."""
        points = self.base if self.other.empty else self.other
        return {str(key): value for key, value in points.iloc[0].items()}

    @property
    def complete(self) -> bool:
        """Whether both sides were printed."""
        return not (self.base.empty or self.other.empty)

    def share(self, chapter: Chapter, decimals: int = 1) -> Quantity:
        """Give the highest rate of the other side in percent of the base's highest."""
        return peak_of(chapter, self.other).percent_of(peak_of(chapter, self.base), decimals)

    def bounds(self, chapter: Chapter) -> tuple[float, float]:
        """Give the shares, in percent, that the rounding of the two printed rates allows."""
        one, other = peak_of(chapter, self.other), peak_of(chapter, self.base)
        half = [_half_step(chapter, rate) for rate in (one, other)]
        return (
            100 * (one.value - half[0]) / (other.value + half[1]),
            100 * (one.value + half[0]) / (other.value - half[1]),
        )

    def band(self, chapter: Chapter) -> tuple[float, float]:
        """Widen the bounds by how far rates differ that the source prints twice."""
        low, high = self.bounds(chapter)
        spread = 1 + repeats(chapter).value / 100
        return low / spread, high * spread

    def differs(self, chapter: Chapter) -> bool:
        """Whether the two peaks differ, whatever their rounding, by more than `FEW_PERCENT`."""
        low, high = self.bounds(chapter)
        return high < 100 - FEW_PERCENT or low > 100 + FEW_PERCENT

    def allows(self, chapter: Chapter, change: Quantity) -> bool:
        """Whether a stated change in percent agrees with the peaks, as far as rounding goes."""
        low, high = self.bounds(chapter)
        half = 0.5 * 10.0**-change.decimals
        return low - half <= 100 + change.value <= high + half


def repeats(chapter: Chapter) -> Quantity:
    """Give the most, in percent, by which rates of one set-up differ that the source prints twice.

    Raises
    ------
    ChapterError
        If it prints none twice.
    """
    spreads = repeat_spreads(chapter)
    if chapter.about.id not in spreads:
        raise ChapterError(f"{chapter.about.short_title} prints no rate twice")
    return spreads[chapter.about.id]


def _half_step(chapter: Chapter, rate: Quantity) -> float:
    messages = MESSAGES_PER_ROUND_TRIP if chapter.rate_unit == "messages/s" else 1
    return 0.5 * float(10**-rate.decimals) * messages


def peak_row(points: pd.DataFrame) -> pd.DataFrame:
    """Give the point with the highest rate, whatever its source marks as the peak."""
    return points.loc[[points[RATE].idxmax()]]


def peak_of(chapter: Chapter, points: pd.DataFrame, metric: str = RATE) -> Quantity:
    """Give a metric at the point with the highest rate."""
    return chapter.quantities(peak_row(points), metric)[0]


def peaks_by(points: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Give the point with the highest rate for every combination of some factors."""
    best = points.groupby(list(factors), sort=False, dropna=False)[RATE].idxmax()
    return points.loc[best].reset_index(drop=True)


def version_comparisons(
    points: pd.DataFrame, *, baseline: str, groups: Mapping[str, str]
) -> list[Comparison]:
    """Split tables that print two versions of a product into comparisons.

    A table may hold several variants of the newer version, told apart by SHARECNV: each becomes
    a comparison of its own.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`.
    baseline : str
        Version that ratios refer to.
    groups : mapping
        Workload to the name of its group.

    Returns
    -------
    list of Comparison
        In the order of the points.
    """
    found = []
    for _, part in points.groupby("table_id", sort=False):
        base = part[part["product_version"] == baseline]
        others = part[part["product_version"] != baseline]
        for _, variant in others.groupby("sharecnv", sort=False, dropna=False):
            first = variant.iloc[0]
            group = groups[str(first["workload"])]
            found.append(Comparison(test_name(first), sharing_name(first), group, base, variant))
    return found


def test_name(point: Mapping[str, Any] | pd.Series) -> str:
    """Name a test by message size, delivery and bindings."""
    name = f"{size_label(float(point['message_bytes']))} {delivery_name(str(point['delivery']))}"
    return f"{name}, non-trusted" if point["application_binding"] == "non-trusted" else name


def sharing_name(point: Mapping[str, Any] | pd.Series) -> str:
    """Say how many clients share a socket; nothing where the source does not tell."""
    sharing = point["sharecnv"]
    if not isinstance(sharing, str):
        return ""
    return "default sharing" if sharing == "default" else f"SHARECNV({sharing})"


def delivery_name(delivery: str) -> str:
    """Spell a delivery for a reader."""
    return "non-persistent" if delivery == "nonpersistent" else delivery


def matching(
    comparisons: Sequence[Comparison],
    factors: Mapping[str, Any] | pd.Series,
    names: Sequence[str],
) -> Comparison | None:
    """Find the one comparison that agrees with a point in some factors, or None."""

    def same(one: Any, other: Any) -> bool:
        return bool(one == other or (pd.isna(one) and pd.isna(other)))

    found = [
        item
        for item in comparisons
        if item.complete and all(same(item.factors[name], factors[name]) for name in names)
    ]
    return found[0] if len(found) == 1 else None


def mean_share(chapter: Chapter, comparisons: Sequence[Comparison]) -> Quantity:
    """Give the geometric mean of the shares of several comparisons, in percent."""
    shares = [item.share(chapter) for item in comparisons]
    mean = math.exp(sum(math.log(share.value) for share in shares) / len(shares))
    cells = tuple(dict.fromkeys(cell for share in shares for cell in share.cells))
    return Quantity(mean, "%", cells, 1)
