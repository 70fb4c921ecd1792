"""Rates of both products over a factor, with their ratio as the source prints it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, chart, largest, smallest
from roundtrip.present.chapter import RATE
from roundtrip.present.theme import Style
from roundtrip.theme import load_theme
from support.legacy.products import PRODUCTS, rates_of, time_between


@dataclass(frozen=True)
class Rates:
    """Rates by the levels of a factor, from the smallest to the largest.

    Attributes
    ----------
    ratios : list of Quantity
        MQSeries over MSMQ, as printed.
    of : dict of str to list of Quantity
        The rates of each product.
    """

    chapter: Chapter
    factor: str
    points: pd.DataFrame
    levels: list[int]
    ratios: list[Quantity]
    of: dict[str, list[Quantity]]

    def at(self, product: str, level: int, metric: str = RATE) -> Quantity:
        """Give one value."""
        at = {"product": product, self.factor: level}
        return self.chapter.quantity(self.points, metric, **at)

    def times(self, product: str) -> list[Quantity]:
        """Give the time between two completed round trips of a product at all levels."""
        return [time_between(self.chapter, rate) for rate in self.of[product]]

    def ends(self, product: str) -> tuple[Quantity, Quantity]:
        """Give the lowest and the highest rate of a product."""
        return smallest(self.of[product]), largest(self.of[product])


def rates_over(chapter: Chapter, table: str, factor: str) -> Rates:
    """Give the rates that a table prints by the levels of a factor."""
    points = rates_of(chapter, table)
    levels = sorted(set(points[factor]))
    printed = points[points["product"].isna()].sort_values(factor)
    ratios = chapter.quantities(printed, "product_rate_ratio")
    of = {
        name: [chapter.quantity(points, product=name, **{factor: level}) for level in levels]
        for name in PRODUCTS
    }
    return Rates(chapter, factor, points, levels, ratios, of)


def rates_figure(found: Rates, *, title: str, caption: str, **look: Any) -> Figure:
    """Draw the rates over the factor, and below them the printed ratio; `look` is for `chart`."""
    rows: list[tuple[str, int, Quantity | None, Quantity | None]] = [
        (name, level, rate, None)
        for name, rates in found.of.items()
        for level, rate in zip(found.levels, rates, strict=True)
    ]
    rows += [
        ("", level, None, replace(ratio, unit=""))
        for level, ratio in zip(found.levels, found.ratios, strict=True)
    ]
    return chart(
        found.chapter,
        pd.DataFrame(rows, columns=["series", found.factor, RATE, "ratio"]),
        x=found.factor,
        y=(RATE, "ratio"),
        mark="line",
        series="series",
        one_scale=False,
        styles={"": Style(load_theme(found.chapter.project).light.muted, "circle", "solid", "")},
        varied={"product", "product_version", "channel_binding", "syncpoint"},
        reference={"ratio": (1, "equal rates")},
        y_title=(found.chapter.label(RATE), "Ratio (printed)"),
        title=title,
        caption=caption,
        **look,
    )
