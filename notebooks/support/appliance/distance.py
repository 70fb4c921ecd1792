"""HA and DR over a distance: what is left of the rate, and what a round trip waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, results_table, style_of
from roundtrip.present.chapter import RATE
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.present.theme import Style
from support.appliance.peaks import read_peaks
from support.appliance.sweeps import Sweeps, sweep_panels, sweeps_of
from support.shared.ends import Ends, ends
from support.shared.flows import payload, payload_in_transit, time_in_round_trip

_ALONE, _LOADED = "Single requester (printed)", "All requesters at the peak (computed)"
_TABLES = {
    "HA": ("table-09", "table-10", "table-11-a", "table-11-b", "table-11-c"),
    "DR": ("table-13", "table-14-a", "table-14-b", "table-14-c", "table-14-d"),
}
SEND_BUFFER = Quantity(4, "MB", ())
"""What that of a queue manager holds, as section 9 of the source states."""
SEND_BUFFERS = SEND_BUFFER.times(10)
"""What those of ten queue managers hold."""
_DELAYS = {"HA": "ha_link_rtt_ms", "DR": "replication_link_rtt_ms"}


@dataclass(frozen=True)
class Distance:
    """Printed peaks of M2003A with ten queue managers, by delay of the link between appliances.

    Attributes
    ----------
    protection : str
        HA or DR.
    """

    chapter: Chapter
    protection: str
    points: pd.DataFrame

    @property
    def factor(self) -> str:
        """The factor that holds the delay."""
        return _DELAYS[self.protection]

    @cached_property
    def sizes(self) -> dict[str, float]:
        """Names of the message sizes, ascending, and what they are in bytes."""
        columns = (self.points[name] for name in ("size_name", "message_bytes"))
        return dict(zip(*columns, strict=True))

    @cached_property
    def delays(self) -> list[float]:
        """The added delays, ascending, in ms; the first is none."""
        return sorted(set(self.points[self.factor]))

    @property
    def near(self) -> Quantity:
        """The shortest added delay."""
        return Quantity(self.delays[1], "ms", ())

    @property
    def far(self) -> Quantity:
        """The longest added delay."""
        return Quantity(self.delays[-1], "ms", ())

    def of(self, metric: str) -> dict[tuple[str, float], Quantity]:
        """Give a metric of the peaks, by message size and delay."""
        places = zip(self.points["size_name"], self.points[self.factor], strict=True)
        return dict(zip(places, self.chapter.quantities(self.points, metric), strict=True))

    @cached_property
    def rates(self) -> dict[tuple[str, float], Quantity]:
        """The rates."""
        return self.of(RATE)

    def left(self, size: str, delay: float) -> Quantity:
        """Give the share of the rate without delay that is left."""
        return self.rates[size, delay].percent_of(self.rates[size, 0])

    @cached_property
    def alone(self) -> dict[tuple[str, float], Quantity]:
        """The printed time of a round trip of a single requester."""
        return self.of("round_trip_time")

    @cached_property
    def loaded(self) -> dict[tuple[str, float], Quantity]:
        """The time of a round trip at the peak, from requesters and rate."""
        return {
            place: time_in_round_trip(self.chapter, self.rates[place], requesters)
            for place, requesters in self.of("clients").items()
        }

    def waits(
        self, times: Mapping[tuple[str, float], Quantity],
        steps: Sequence[tuple[int, int]] = ((0, -1),),
    ) -> Ends:  # fmt: skip
        """Give by how many times the added delay a round trip became longer.

        Parameters
        ----------
        times : mapping
            `alone` or `loaded`.
        steps : sequence of (int, int)
            Numbers of two delays each; by default none and the longest.
        """
        rows = []
        for size in self.sizes:
            for step in steps:
                start, end = (self.delays[number] for number in step)
                slope = times[size, end].minus(times[size, start]).times(1 / (end - start))
                rows.append((size, replace(slope, unit="", decimals=1)))
        return self._ends(rows)

    @property
    def first_wait(self) -> Ends:
        """The same under load, from no delay to the shortest."""
        return self.waits(self.loaded, [(0, 1)])

    @property
    def further_wait(self) -> Ends:
        """The same under load, from each delay to the next longer one."""
        return self.waits(self.loaded, [(n, n + 1) for n in range(1, len(self.delays) - 1)])

    @property
    def crowd(self) -> Ends:
        """The fewest and the most requesters of the peaks with delay."""
        clients = self.of("clients")
        return ends(
            (size, clients[size, delay]) for size in self.sizes for delay in self.delays[1:]
        )

    @property
    def underestimated(self) -> Ends:
        """How far the mean slope under load puts the rate too low at the shortest delay."""
        rows = []
        for size in self.sizes:
            none, near, far = (self.loaded[size, self.delays[n]] for n in (0, 1, -1))
            grown = far.minus(none).times(self.delays[1] / self.delays[-1])
            rows.append((size, near.percent_below(replace(grown, value=none.value + grown.value))))
        return self._ends(rows)

    def _ends(self, rows: list[tuple[str, Quantity]]) -> Ends:
        # What rests on a suspect cell is left out, unless there is nothing else.
        doubted = doubted_cells(self.chapter, [cell for _, value in rows for cell in value.cells])
        return ends([row for row in rows if doubted.keys().isdisjoint(row[1].cells)] or rows)

    def in_transit(self, size: str, delay: float) -> Quantity:
        """Give the payload put within one delay."""
        return payload_in_transit(self.chapter, self.rates[size, delay], self.sizes[size], delay)

    def payload(self, size: str, delay: float) -> Quantity:
        """Give the payload put in a second."""
        return payload(self.chapter, self.rates[size, delay], self.sizes[size])

    @property
    def window_sizes(self) -> str:
        """The message sizes with which a window of the link is full: the larger ones."""
        return " and ".join(self._larger)

    @property
    def window(self) -> Ends:
        """The least and the most payload on its way with them, with any added delay."""
        return ends(
            (size, self.in_transit(size, delay))
            for size in self._larger
            for delay in self.delays[1:]
        )

    @property
    def _larger(self) -> list[str]:
        return list(self.sizes)[2:] or list(self.sizes)


def over_distance(chapter: Chapter, protection: str) -> Distance:
    """Give the peaks of HA or DR over a distance."""
    points = read_peaks(chapter, *_TABLES[protection]).points
    points = chapter.select(points, protection=protection)
    return Distance(chapter, protection, points.sort_values("message_bytes", kind="stable"))


def left_figure(ha: Distance, dr: Distance, *, caption: str) -> Figure:
    """Draw what is left of the rate, HA beside DR."""
    write = ha.chapter.write
    near = {
        side.protection: ends((size, side.left(size, side.delays[1])) for size in side.sizes)
        for side in (ha, dr)
    }
    return chart(
        ha.chapter,
        [
            (side.protection, size, float(delay), side.left(size, delay))
            for side in (ha, dr) for size in side.sizes for delay in side.delays
        ],
        mark="line", x_title="Added delay (ms)", y_title="Rate relative to no added delay (%)",
        styles=_styles(ha),
        title=f"{ha.near.value:g} ms leaves HA {write(near['HA'].low)} to "
        f"{write(near['HA'].high)} of its rate; {dr.near.value:g} ms leaves DR "
        f"{write(near['DR'].low)} to {write(near['DR'].high)}",
        varied={"host_set", "message_bytes", "ha", "replication", *_DELAYS.values()},
        caption=caption,
    )  # fmt: skip


def time_figure(found: Distance, *, caption: str) -> Figure:
    """Draw the time of a round trip over the delay, of one requester alone and under load."""
    chapter, write = found.chapter, found.chapter.write
    times = {_ALONE: found.alone, _LOADED: found.loaded}
    alone, loaded = map(found.waits, times.values())
    doubted = doubted_cells(chapter, list(found.points["round_trip_rate_cell"]))
    suspect = found.points[found.points["round_trip_rate_cell"].isin(list(doubted))]
    remarks = [
        f" The rate at {size} and {delay:g} ms is doubtful and excluded from the slopes."
        for size, delay in zip(suspect["size_name"], suspect[found.factor], strict=True)
    ]
    return chart(
        chapter,
        [
            (panel, size, float(delay), of_panel[size, delay])
            for panel, of_panel in times.items() for size in found.sizes for delay in found.delays
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
        points.assign(delay=points[_DELAYS["HA"]].map("{:g} ms".format))
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
    chapter, window = found.chapter, found.window
    return chart(
        chapter,
        [
            ("", size, float(delay), found.in_transit(size, delay))
            for size in found.sizes for delay in found.delays
        ],
        mark="line", x_title="Added delay on the replication link (ms)",
        y_title="Payload put within one delay (MB)",
        reference=(SEND_BUFFERS.value, "send buffers of ten queue managers"), styles=_styles(found),
        title=f"DR has {chapter.write(window.low, unit=False)} to {chapter.write(window.high)} of "
        f"payload in flight at {found.window_sizes}, with {found.near.value:g} to "
        f"{found.far.value:g} ms of delay",
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
    return {size: style_of("", number) for number, size in enumerate(found.sizes)}
