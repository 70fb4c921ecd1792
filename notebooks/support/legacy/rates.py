"""The two products: rates over a factor, their printed ratio, the time between round trips."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, chart
from roundtrip.present.chapter import RATE
from roundtrip.present.derived import round_trips
from roundtrip.present.styles import Style
from roundtrip.theme import load_theme
from support.shared.counted import counted_once
from support.shared.flows import rate_in_edition

MQSERIES, MSMQ = PRODUCTS = ("IBM MQSeries", "MSMQ")
MODES = {"inside": "inside syncpoint", "outside": "outside syncpoint"}


def rates_of(chapter: Chapter, *tables: str) -> pd.DataFrame:
    """Give the points of some tables, with rates of round trips."""
    return counted_once(chapter, chapter.points(*tables))


def stated_rates(chapter: Chapter) -> pd.DataFrame:
    """Give the rates that the text states."""
    stated = chapter.points("text")
    return counted_once(chapter, stated[stated["message_rate"].notna()])


def time_between(chapter: Chapter, rate: Quantity) -> Quantity:
    """Give the time from one completed round trip to the next, the reciprocal of a rate, in ms.

    A round trip takes longer: by the number of requesters that wait at the same time.
    """
    time = 1000 / round_trips(chapter, rate)
    return Quantity(time, "ms", rate.cells, 1 if time < 100 else 0)


def rate_of_one(chapter: Chapter, milliseconds: float, cells: tuple[str, ...]) -> Quantity:
    """Give the rate of round trips that are completed at a distance in time."""
    return replace(rate_in_edition(chapter, 1000 / milliseconds), cells=cells, decimals=1)


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
