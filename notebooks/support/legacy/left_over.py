"""Messages left on the response queue: rates by their number, and what each adds."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from roundtrip.present import Figure, Quantity, Table, chart
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.rates import (
    MQSERIES,
    MSMQ,
    PRODUCTS,
    Rates,
    rate_of_one,
    rates_figure,
    time_between,
)

STRAIGHT_FROM = 200
"""From how many messages on the time grows in a straight line."""
_BEFOREHAND = "Messages on the response queue beforehand"


def per_message(found: Rates, first: int = 0, last: int | None = None) -> Quantity:
    """Give what each message between two depths adds to MSMQ's time between two completions.

    Without `last`, up to the most messages.
    """
    times = dict(zip(found.levels, found.times(MSMQ), strict=True))
    last = found.levels[-1] if last is None else last
    added = times[last].minus(times[first])
    return Quantity(added.value / (last - first), "ms", added.cells, 2)


def slowed(found: Rates, rate: Quantity) -> Quantity:
    """Give what a rate would fall to if each completion had to pass the most messages."""
    each = per_message(found)
    time = time_between(found.chapter, rate).value + found.levels[-1] * each.value
    return rate_of_one(found.chapter, time, rate.cells + each.cells)


def left_over_figure(found: Rates, *, caption: str) -> Figure:
    """Draw the rates over the number of messages left, and below them the printed ratio."""
    write = found.chapter.write
    msmq, mqseries = found.of[MSMQ], found.of[MQSERIES]
    return rates_figure(
        found,
        x_title=_BEFOREHAND,
        title=(
            f"{found.chapter.numbers.write(found.levels[-1])} messages left on the queue take "
            f"MSMQ from {write(msmq[0], unit=False)} to {write(msmq[-1])}; MQSeries holds "
            f"{write(mqseries[-1], unit=False)}"
        ),
        caption=caption,
    )


def left_over_table(found: Rates, *, caption: str, notes: Sequence[str]) -> Table:
    """List the rates by the number of messages left, with the printed ratio."""
    columns = (*found.of.values(), found.ratios)
    return quantity_table(
        found.chapter,
        [
            Row(found.chapter.numbers.write(depth), tuple(values))
            for depth, *values in zip(found.levels, *columns, strict=True)
        ],
        header=["Preloaded messages", MQSERIES, MSMQ, "MQSeries / MSMQ"],
        caption=caption,
        notes=notes,
    )


def search_figure(found: Rates, *, caption: str) -> Figure:
    """Draw the time between two completed round trips over the number of messages left."""
    rows = [
        (name, depth, time)
        for name in PRODUCTS
        for depth, time in zip(found.levels, found.times(name), strict=True)
    ]
    return chart(
        found.chapter,
        pd.DataFrame(rows, columns=["product", found.factor, "time"]),
        x=found.factor,
        y="time",
        series="product",
        varied={"product_version", "channel_binding", "syncpoint"},
        mark="line",
        x_title=_BEFOREHAND,
        y_title="Time between completions (ms)",
        title=(
            f"Each message left on the queue adds {found.chapter.write(per_message(found))} on "
            "average to MSMQ's time between completions"
        ),
        caption=caption,
    )
