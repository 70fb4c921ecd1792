"""HA and DR over a distance: what is left of the rate, and what a round trip waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

from roundtrip.present import (
    Chapter,
    Figure,
    Quantity,
    Table,
    chart,
    results_table,
    size_label,
    style_of,
)
from roundtrip.present.chapter import RATE
from roundtrip.present.styles import Style
from roundtrip.present.suspect_cells import doubted_cells
from support.appliance.sweeps import Sweeps, sweep_panels, sweeps_of
from support.shared.ends import Ends, ends
from support.shared.flows import time_in_round_trip
from support.shared.over_distance import Distance

_ALONE, _LOADED = "Single requester (printed)", "All requesters at the peak (computed)"
SEND_BUFFER = Quantity(4, "MB", ())
"""What that of a queue manager holds, as section 9 of the source states."""
SEND_BUFFERS = SEND_BUFFER.times(10)
"""What those of ten queue managers hold."""


def waits(
    found: Distance, time: Callable[[float, float], Quantity],
    steps: Sequence[tuple[int, int]] = ((0, -1),),
) -> Ends:  # fmt: skip
    """Give by how many times the added delay a round trip became longer.

    Parameters
    ----------
    time : callable
        `Distance.alone` or `Distance.loaded`.
    steps : sequence of (int, int)
        Numbers of two delays each; by default none and the longest.
    """
    rows = []
    for size in found.sizes:
        for step in steps:
            start, end = (found.delays[number] for number in step)
            slope = time(size, end).minus(time(size, start)).times(1 / (end - start))
            rows.append((size_label(size), replace(slope, unit="", decimals=1)))
    return _ends(found, rows)


def first_wait(found: Distance) -> Ends:
    """Give the same under load, from no delay to the shortest."""
    return waits(found, found.loaded, [(0, 1)])


def further_wait(found: Distance) -> Ends:
    """Give the same under load, from each delay to the next longer one."""
    return waits(found, found.loaded, list(pairwise(range(1, len(found.delays)))))


def crowd(found: Distance) -> Ends:
    """Give the fewest and the most requesters of the peaks with delay."""
    return ends(
        (size_label(size), found.over(size, delay, "clients"))
        for size in found.sizes for delay in found.delays[1:]
    )  # fmt: skip


def underestimated(found: Distance) -> Ends:
    """Give how far the mean slope under load puts the rate too low at the shortest delay."""
    rows = []
    for size in found.sizes:
        none, near, far = (found.loaded(size, found.delays[n]) for n in (0, 1, -1))
        grown = far.minus(none).times(found.delays[1] / found.delays[-1])
        share = near.percent_below(replace(grown, value=none.value + grown.value))
        rows.append((size_label(size), share))
    return _ends(found, rows)


def _ends(found: Distance, rows: list[tuple[str, Quantity]]) -> Ends:
    # What rests on a suspect cell is left out, unless there is nothing else.
    doubted = doubted_cells(found.chapter, [cell for _, value in rows for cell in value.cells])
    return ends([row for row in rows if doubted.keys().isdisjoint(row[1].cells)] or rows)


def window(found: Distance) -> tuple[str, Ends]:
    """Name the larger sizes, with which a window of the link is full, and what is on its way.

    That is the least and the most payload, with any added delay.
    """
    larger = found.sizes[2:] or found.sizes
    on_its_way = ends(
        (size_label(size), found.in_transit(size, delay))
        for size in larger for delay in found.delays[1:]
    )  # fmt: skip
    return " and ".join(map(size_label, larger)), on_its_way


def left_figure(ha: Distance, dr: Distance, *, caption: str) -> Figure:
    """Draw what is left of the rate, HA beside DR."""
    write = ha.chapter.write
    near = {
        side.protection: ends(side.kept(size, side.delays[1]) for size in side.sizes)
        for side in (ha, dr)
    }
    return chart(
        ha.chapter,
        [
            (side.protection, size_label(size), float(delay), side.kept(size, delay))
            for side in (ha, dr) for size in side.sizes for delay in side.delays
        ],
        mark="line", x_title="Added delay (ms)", y_title="Rate relative to no added delay (%)",
        styles=_styles(ha),
        title=f"{ha.near.value:g} ms leaves HA {write(near['HA'].low)} to "
        f"{write(near['HA'].high)} of its rate; {dr.near.value:g} ms leaves DR "
        f"{write(near['DR'].low)} to {write(near['DR'].high)}",
        varied={"host_set", "message_bytes", "ha", "replication", ha.factor, dr.factor},
        caption=caption,
    )  # fmt: skip


def time_figure(found: Distance, *, caption: str) -> Figure:
    """Draw the time of a round trip over the delay, of one requester alone and under load."""
    chapter, write = found.chapter, found.chapter.write
    times = {_ALONE: found.alone, _LOADED: found.loaded}
    alone, loaded = (waits(found, time) for time in times.values())
    doubted = doubted_cells(chapter, list(found.points["round_trip_rate_cell"]))
    suspect = found.points[found.points["round_trip_rate_cell"].isin(list(doubted))]
    remarks = [
        f" The rate at {size} and {delay:g} ms is doubtful and excluded from the slopes."
        for size, delay in zip(suspect["size_name"], suspect[found.factor], strict=True)
    ]
    return chart(
        chapter,
        [
            (panel, size_label(size), float(delay), time(size, delay))
            for panel, time in times.items() for size in found.sizes for delay in found.delays
        ],
        mark="line", x_title="Added delay (ms)", y_title="Time of a round trip (ms)",
        styles=_styles(found),
        title=f"On average over {found.far.value:g} ms, each added ms lengthens a round trip by "
        f"{write(alone.low)} to {write(alone.high)} ms for a single requester, {write(loaded.low)} "
        f"to {write(loaded.high)} ms under load",
        varied={found.factor, "message_bytes"}, caption=caption + "".join(remarks),
    )  # fmt: skip


def delayed_sweep(chapter: Chapter) -> SimpleNamespace:
    """Give a sweep without and with 1 ms between the appliances.

    Returns
    -------
    namespace
        The ``sweeps``; the requesters of the second and the last point with delay, ``few`` and
        ``many``, and the time of a round trip there, ``few_wait`` and ``many_wait``; the printed
        ``rate`` of as many requesters as the last point has, and the ``delayed_rate``.
    """
    found = sweeps_of(chapter, ("figure-12",), ("table-09", "table-10")).select(protection="HA")
    curves, peaks = (
        points.assign(delay=points["ha_link_rtt_ms"].map("{:g} ms".format))
        for points in (found.curves, found.peaks)
    )
    far = chapter.select(curves, delay="1 ms").sort_values("requesters")
    rates, counts = chapter.quantities(far), far["requesters"].tolist()
    few, many = (
        time_in_round_trip(chapter, rates[n], Quantity(float(counts[n]), "", ())) for n in (1, -1)
    )
    loaded = chapter.select(peaks, requesters=counts[-1])
    return SimpleNamespace(
        sweeps=Sweeps(chapter, curves, peaks), few=f"{counts[1]:g}", few_wait=few,
        many=f"{counts[-1]:g}", many_wait=many, rate=chapter.quantity(loaded, delay="0 ms"),
        delayed_rate=chapter.quantity(loaded, delay="1 ms"),
    )  # fmt: skip


def delayed_figure(found: SimpleNamespace, *, caption: str) -> Figure:
    """Draw the sweep without and with delay."""
    write = found.sweeps.chapter.write
    return sweep_panels(
        found.sweeps, panel="managers", series="delay", caption=caption,
        title=f"With 1 ms of delay, {found.many} requesters make "
        f"{write(found.delayed_rate)}; without delay, {write(found.rate, unit=False)}",
    )  # fmt: skip


def transit_figure(found: Distance, *, caption: str) -> Figure:
    """Draw the payload on its way over the delay, beside what the send buffers hold."""
    chapter, (sizes, on_its_way) = found.chapter, window(found)
    return chart(
        chapter,
        [
            ("", size_label(size), float(delay), found.in_transit(size, delay))
            for size in found.sizes for delay in found.delays[1:]
        ],
        mark="line", x_title="Added delay on the replication link (ms)",
        y_title="Payload put within one delay (MB)",
        reference=(SEND_BUFFERS.value, "send buffers of ten queue managers"), styles=_styles(found),
        title=f"At {sizes}, DR has {chapter.write(on_its_way.low, unit=False)} to "
        f"{chapter.write(on_its_way.high)} of payload in flight, if the delay is that of the round "
        "trip",
        varied={found.factor, "message_bytes"}, caption=caption,
    )  # fmt: skip


def distance_table(found: Distance) -> Table:
    """List peaks and the times of one requester alone by message size and delay."""
    return results_table(
        found.chapter, found.points, group="message_bytes", row=found.factor,
        metrics=(RATE, "cpu", "clients", "round_trip_time", "relative_rate"),
        caption=f"{found.protection} over a distance, M2003A, ten queue managers: peak and "
        "round-trip time of a single requester; the baseline is no delay",
    )  # fmt: skip


def _styles(found: Distance) -> dict[str, Style]:
    return {size_label(size): style_of("", number) for number, size in enumerate(found.sizes)}
