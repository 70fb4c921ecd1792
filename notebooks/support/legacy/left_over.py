"""Messages left on the response queue: rates by their number, and what each adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roundtrip.present import Chapter, Figure, Quantity, Table
from roundtrip.present.chapter import RATE
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.products import (
    MQSERIES,
    MSMQ,
    PRODUCTS,
    STYLES,
    rate_of_one,
    rates_of,
    spread,
    time_between,
)
from support.legacy.swept import Axis, swept_lines

_STRAIGHT_FROM = 200  # messages
_UNLABELLED = (50, 150)  # too close to their neighbours


@dataclass(frozen=True)
class LeftOver:
    """Rates by the number of messages that lay on the queue beforehand.

    Attributes
    ----------
    rates : dict of str to list of Quantity
        By product, in the order of the depths.
    ratios : list of Quantity
        MQSeries over MSMQ, as printed.
    level, sinking : str
        The product whose rate changes less, and the other.
    """

    chapter: Chapter
    depths: list[int]
    rates: dict[str, list[Quantity]]
    ratios: list[Quantity]
    level: str
    sinking: str

    def share(self, product: str, depth: int) -> Quantity:
        """Give the rate in percent of that with an empty queue."""
        rates = self.rates[product]
        return rates[self.depths.index(depth)].percent_of(rates[self.depths.index(0)])

    def times(self, product: str) -> list[Quantity]:
        """Give the time between two completed round trips at each depth."""
        return [time_between(self.chapter, rate) for rate in self.rates[product]]

    def per_message(self, first: int, last: int | None = None) -> Quantity:
        """Give what each message between two depths adds to the time between two completions.

        Of the sinking product; without `last`, up to the most messages.
        """
        times = self.times(self.sinking)
        last = self.depths[-1] if last is None else last
        start, end = times[self.depths.index(first)], times[self.depths.index(last)]
        each = (end.value - start.value) / (last - first)
        return Quantity(each, "ms", end.cells + start.cells, 2)

    @property
    def late(self) -> Quantity:
        """What each message adds where the time grows in a straight line."""
        return self.per_message(_STRAIGHT_FROM)

    @property
    def early(self) -> Quantity:
        """What each message adds on average before that."""
        return self.per_message(self.depths[0], _STRAIGHT_FROM)

    @property
    def straight_from(self) -> str:
        """The depth at which the straight line begins."""
        return self.chapter.numbers.write(_STRAIGHT_FROM)

    @property
    def most(self) -> str:
        """The largest number of messages left."""
        return self.chapter.numbers.write(self.depths[-1])

    def slowed(self, rate: Quantity) -> Quantity:
        """Give what a rate would fall to if each completion had to pass the most messages."""
        each = self.per_message(self.depths[0])
        time = time_between(self.chapter, rate).value + self.depths[-1] * each.value
        return rate_of_one(self.chapter, time, rate.cells + each.cells)

    def axis(self) -> Axis:
        """Give the axis of the depths."""
        write = self.chapter.numbers.write
        return Axis(
            "Messages on the response queue beforehand",
            {depth: write(depth) for depth in self.depths if depth not in _UNLABELLED},
            name=write,
        )


def left_over(chapter: Chapter) -> LeftOver:
    """Give the rates by the number of messages left."""
    points = rates_of(chapter, "table-06")
    products = points[points["product"].notna()]
    printed = points[points["product"].isna()]
    depths = sorted(set(points["preloaded_messages"]))
    rates = {
        name: [
            chapter.quantity(products, product=name, preloaded_messages=depth) for depth in depths
        ]
        for name in PRODUCTS
    }
    ratios = [
        chapter.quantity(printed, "product_rate_ratio", preloaded_messages=depth)
        for depth in depths
    ]
    level, sinking = sorted(PRODUCTS, key=lambda name: spread(rates[name]))
    return LeftOver(chapter, depths, rates, ratios, level, sinking)


def left_over_figure(found: LeftOver, *, caption: str) -> Figure:
    """Draw the rates over the number of messages left, and below them the printed ratio."""
    chapter = found.chapter
    sinking, level = found.rates[found.sinking], found.rates[found.level]
    return swept_lines(
        chapter,
        _rows(found, found.rates),
        across=found.axis(),
        axis=chapter.label(RATE),
        styles=STYLES,
        ratio=list(zip(found.depths, found.ratios, strict=True)),
        ratio_axis="Ratio (printed)",
        title=(
            f"{found.most} messages left on the queue take {found.sinking} from "
            f"{chapter.write(sinking[0], unit=False)} to {chapter.write(sinking[-1])}; "
            f"{found.level.removeprefix('IBM ')} holds {chapter.write(level[-1], unit=False)}"
        ),
        caption=caption,
    )


def left_over_table(found: LeftOver, *, caption: str, notes: Sequence[str]) -> Table:
    """List the rates by the number of messages left, with the printed ratio."""
    return quantity_table(
        found.chapter,
        [
            Row(found.chapter.numbers.write(depth), (*rates, ratio))
            for depth, *rates, ratio in zip(
                found.depths, *(found.rates[name] for name in PRODUCTS), found.ratios, strict=True
            )
        ],
        header=["Preloaded messages", MQSERIES, MSMQ, "MQSeries / MSMQ"],
        caption=caption,
        notes=notes,
    )


def search_figure(found: LeftOver, *, caption: str) -> Figure:
    """Draw the time between two completed round trips over the number of messages left."""
    each = found.per_message(found.depths[0])
    return swept_lines(
        found.chapter,
        _rows(found, {name: found.times(name) for name in PRODUCTS}),
        across=found.axis(),
        axis="Time between completions (ms)",
        styles=STYLES,
        title=(
            f"Each message left on the queue adds {found.chapter.write(each)} on average to "
            f"{found.sinking}'s time between completions"
        ),
        caption=caption,
    )


def _rows(found: LeftOver, values: dict[str, list[Quantity]]) -> list[tuple[str, float, Quantity]]:
    return [
        (name, depth, value)
        for name in PRODUCTS
        for depth, value in zip(found.depths, values[name], strict=True)
    ]
