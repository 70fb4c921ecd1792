"""Messages left on the response queue: rates by their number, and what each adds."""

from __future__ import annotations

from collections.abc import Sequence

from roundtrip.present import Figure, Quantity, Table
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.products import MQSERIES, MSMQ, PRODUCTS, STYLES, rate_of_one, time_between
from support.legacy.rates import Rates, rates_figure
from support.legacy.swept import Axis, swept_lines

STRAIGHT_FROM = 200
"""From how many messages on the time grows in a straight line."""
_UNLABELLED = (50, 150)  # too close to their neighbours


def per_message(found: Rates, first: int = 0, last: int | None = None) -> Quantity:
    """Give what each message between two depths adds to the time between two completions.

    Of the falling product; without `last`, up to the most messages.
    """
    times = dict(zip(found.levels, found.times(found.falling), strict=True))
    last = found.levels[-1] if last is None else last
    added = times[last].minus(times[first])
    return Quantity(added.value / (last - first), "ms", added.cells, 2)


def slowed(found: Rates, rate: Quantity) -> Quantity:
    """Give what a rate would fall to if each completion had to pass the most messages."""
    each = per_message(found)
    time = time_between(found.chapter, rate).value + found.levels[-1] * each.value
    return rate_of_one(found.chapter, time, rate.cells + each.cells)


def _axis(found: Rates) -> Axis:
    write = found.chapter.numbers.write
    return Axis(
        "Messages on the response queue beforehand",
        {depth: write(depth) for depth in found.levels if depth not in _UNLABELLED},
        name=write,
    )


def left_over_figure(found: Rates, *, caption: str) -> Figure:
    """Draw the rates over the number of messages left, and below them the printed ratio."""
    write = found.chapter.write
    falling, steady = found.of[found.falling], found.of[found.steady]
    return rates_figure(
        found,
        _axis(found),
        title=(
            f"{found.chapter.numbers.write(found.levels[-1])} messages left on the queue take "
            f"{found.falling} from {write(falling[0], unit=False)} to {write(falling[-1])}; "
            f"{found.steady.removeprefix('IBM ')} holds {write(steady[-1], unit=False)}"
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
    return swept_lines(
        found.chapter,
        [
            (name, depth, time)
            for name in PRODUCTS
            for depth, time in zip(found.levels, found.times(name), strict=True)
        ],
        across=_axis(found),
        axis="Time between completions (ms)",
        styles=STYLES,
        title=(
            f"Each message left on the queue adds {found.chapter.write(per_message(found))} on "
            f"average to {found.falling}'s time between completions"
        ),
        caption=caption,
    )
