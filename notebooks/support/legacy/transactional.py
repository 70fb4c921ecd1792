"""Transactional messages: rates by size, and what more requesters bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, largest, size_label, smallest
from roundtrip.present.chapter import RATE
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.products import (
    MQSERIES,
    MSMQ,
    PRODUCTS,
    STYLES,
    rates_of,
    spread,
    stated_rates,
    time_between,
)
from support.legacy.swept import Axis, swept_lines

_TICKS = (100, 512, 1024, 2048, 4096, 10240, 20480, 65536)


@dataclass(frozen=True)
class Sizes:
    """Rates by message size, from the smallest to the largest.

    Attributes
    ----------
    ratios : list of (size, Quantity)
        MQSeries over MSMQ, as printed.
    steady, falling : str
        The product whose rate changes less, and the other.
    """

    chapter: Chapter
    points: pd.DataFrame
    ratios: list[tuple[int, Quantity]]
    steady: str
    falling: str

    def at(self, product: str, size: int, metric: str = RATE) -> Quantity:
        """Give one value."""
        return self.chapter.quantity(self.points, metric, product=product, message_bytes=size)

    def rates(self, product: str) -> list[Quantity]:
        """Give the rates of a product at all sizes."""
        return [self.at(product, size) for size, _ in self.ratios]

    @property
    def small(self) -> str:
        """The smallest size."""
        return size_label(self.ratios[0][0])

    @property
    def large(self) -> str:
        """The largest size."""
        return size_label(self.ratios[-1][0])

    @property
    def growth(self) -> str:
        """The largest size over the smallest."""
        return self.chapter.numbers.write(self.ratios[-1][0] / self.ratios[0][0])

    @property
    def first_ratio(self) -> Quantity:
        """The printed ratio at the smallest size."""
        return self.ratios[0][1]

    @property
    def last_ratio(self) -> Quantity:
        """The printed ratio at the largest size."""
        return self.ratios[-1][1]

    @property
    def fall(self) -> Quantity:
        """The factor by which the rate of the falling product changes."""
        rates = self.rates(self.falling)
        return rates[0].over(rates[-1], 1)

    @property
    def steady_least(self) -> Quantity:
        """The lowest rate of the steady product."""
        return smallest(self.rates(self.steady))

    @property
    def steady_most(self) -> Quantity:
        """The highest rate of the steady product."""
        return largest(self.rates(self.steady))

    @property
    def steady_time(self) -> Quantity:
        """The time between two completions of the steady product, with the smallest messages."""
        return time_between(self.chapter, self.rates(self.steady)[0])

    @property
    def falling_time(self) -> Quantity:
        """The time between two completions of the falling product, with the smallest messages."""
        return time_between(self.chapter, self.rates(self.falling)[0])


def sizes(chapter: Chapter) -> Sizes:
    """Give the rates by message size."""
    points = rates_of(chapter, "table-04")
    rates = points[points["product"].notna()].reset_index(drop=True)
    printed = points[points["product"].isna()]
    ratios = [
        (size, chapter.quantity(printed, "product_rate_ratio", message_bytes=size))
        for size in sorted(set(rates["message_bytes"]))
    ]
    steady, falling = sorted(
        PRODUCTS, key=lambda name: spread(chapter.quantities(rates[rates["product"] == name]))
    )
    return Sizes(chapter, rates, ratios, steady, falling)


def sizes_figure(found: Sizes, *, caption: str) -> Figure:
    """Draw the rates over message size, and below them the printed ratio."""
    chapter = found.chapter
    rates = found.rates(found.falling)
    return swept_lines(
        chapter,
        [(name, size, found.at(name, size)) for name in PRODUCTS for size, _ in found.ratios],
        across=Axis(
            "Message size (logarithmic)",
            {size: size_label(size) for size in _TICKS},
            logarithmic=True,
            name=size_label,
        ),
        axis=chapter.label(RATE),
        styles=STYLES,
        ratio=found.ratios,
        ratio_axis="Ratio (printed)",
        title=(
            f"{found.steady} holds {chapter.write(found.steady_least, unit=False)} to "
            f"{chapter.write(found.steady_most)} at every size; {found.falling} goes from "
            f"{chapter.write(rates[0], unit=False)} to {chapter.write(rates[-1], unit=False)}"
        ),
        caption=caption,
    )


def sizes_table(found: Sizes, *, caption: str, notes: Sequence[str]) -> Table:
    """List payload and rate of both products by message size, with the printed ratio."""
    rate = found.chapter.label(RATE)
    rows = []
    for size, ratio in found.ratios:
        values = [found.at(p, size, metric) for p in PRODUCTS for metric in ("payload_rate", RATE)]
        rows.append(Row(size_label(size), (*values, ratio)))
    return quantity_table(
        found.chapter,
        rows,
        header=["Message size", "KB/s", rate, "KB/s", rate, "MQSeries / MSMQ"],
        over=[(MQSERIES, 2), (MSMQ, 2), ("Ratio", 1)],
        caption=caption,
        notes=notes,
    )


@dataclass(frozen=True)
class Requesters:
    """Stated rates of 1 KB messages: at each product's peak, and with the most requesters.

    Attributes
    ----------
    mqseries_at, mqseries_crowd_at, msmq_at, msmq_crowd_at : str
        The numbers of requesters.
    burnt : Quantity
        Processor time of a round trip at MSMQ's peak, if all processors are busy there.
    """

    mqseries: Quantity
    mqseries_at: str
    mqseries_crowd: Quantity
    mqseries_crowd_at: str
    msmq: Quantity
    msmq_at: str
    msmq_crowd: Quantity
    msmq_crowd_at: str
    burnt: Quantity


def requesters(chapter: Chapter) -> Requesters:
    """Give the stated rates by number of requesters."""
    stated = stated_rates(chapter)

    def said(product: str, machines: int, threads: int) -> tuple[Quantity, str]:
        found = chapter.select(
            stated,
            product=product,
            delivery="transactional",
            message_bytes=1024,
            client_machines=machines,
            threads_per_client=threads,
        )
        return chapter.quantities(found)[0], chapter.numbers.write(found["requesters"].iloc[0])

    best = said(MSMQ, 4, 3)
    server = chapter.about.host_sets["windows-2000"].hosts[0]
    if server.sockets is None or server.cores_per_socket is None:
        raise ValueError("the source does not say how many processors the server has")
    processors = server.sockets * server.cores_per_socket
    return Requesters(
        *said(MQSERIES, 2, 1),
        *said(MQSERIES, 8, 15),
        *best,
        *said(MSMQ, 8, 15),
        burnt=time_between(chapter, best[0]).times(processors),
    )
