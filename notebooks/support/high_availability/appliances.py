"""A pair of appliances: what it keeps of the rate of one, on its link and over distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace

import pandas as pd

from roundtrip.outputs import listed
from roundtrip.present import Chapter, Figure, Quantity, Text, chart, largest, size_label
from support.high_availability.arrangements import DELAY, Arrangements
from support.shared.appliances import Peaks, peaks
from support.shared.arrangements import link_bandwidth
from support.shared.ends import ends
from support.shared.flows import payload, time_in_round_trip
from support.shared.replication import (
    kept_shares,
    link_round_trips,
    requester_ceiling,
)

_LITTLE_ROOM = 80  # percent of the link
_ALONE = "round_trip_time"


@dataclass(frozen=True)
class Pair:
    """A pair of appliances beside one.

    Attributes
    ----------
    link : Quantity
        Bandwidth of the link between the two.
    shares, loads : dict
        What the pair keeps of the rate of one appliance, and the payload over the link: by number
        of queue managers in words, and message size.
    """

    peaks: Peaks
    link: Quantity
    shares: dict[tuple[str, float], Quantity]
    loads: dict[tuple[str, float], Quantity]

    @property
    def fullest(self) -> tuple[str, float]:
        """Where the link carries most."""
        return max(self.loads, key=lambda key: self.loads[key].value)

    @property
    def use_of_link(self) -> SimpleNamespace:
        """How much of the link is used, with many queue managers and with few."""
        managers, size = self.fullest
        share = self.loads[self.fullest].percent_of(self.link)
        few = {key: load for key, load in self.loads.items() if key[0] == self.peaks.managers[0]}
        fullest = max(few, key=lambda key: few[key].value)
        return SimpleNamespace(
            size=size_label(size), managers=managers, share=share,
            room="little room" if share.value > _LITTLE_ROOM else "room",
            few=fullest[0], most_of_few=few[fullest],
            cpu_of_few=self.peaks.of("HA", *fullest, "cpu"),
        )  # fmt: skip

    @property
    def most_cpu(self) -> Quantity:
        """The most of the processors that a peak without added delay uses."""
        return largest(self.peaks.of("HA", *key, "cpu") for key in self.shares)

    @property
    def most_cpu_small(self) -> Quantity:
        """The same of the smaller model."""
        chapter = self.peaks.chapter
        small = peaks(chapter, "table-17", "table-18", platform="MQ Appliance M2003B")
        return largest(chapter.quantities(small.points, "cpu"))

    def beside_single(self, size: float) -> dict[str, Quantity]:
        """Give what a pair with one queue manager keeps; nothing for a size not shown."""
        key = (self.peaks.managers[0], size)
        return {"replicated pair": self.shares[key]} if key in self.shares else {}


def pair(chapter: Chapter) -> Pair:
    """Give the pair of appliances of the report, beside one."""
    found = peaks(chapter, "table-08", "table-09")
    shares, loads = {}, {}
    for key in [(name, size) for name in found.managers for size in found.sizes]:
        rate = found.of("HA", *key)
        shares[key] = rate.percent_of(found.of("none", *key))
        loads[key] = payload(chapter, rate, key[1])
    link = link_bandwidth(chapter, "m2003a-ha", "synchronous replication")
    return Pair(found, link, shares, loads)


@dataclass(frozen=True)
class Distance:
    """A pair over distance, and the arrangements of the other report beside it.

    Attributes
    ----------
    peaks : Peaks
        Of the pair, with ten queue managers, over all delays.
    """

    near: Arrangements
    peaks: Peaks

    @cached_property
    def kept(self) -> list[tuple[float, str, float, Quantity]]:
        """Message size, arrangement, delay, and what that leaves of the rate without delay."""
        points = self.peaks.points.assign(arrangement=self.peaks.points["ha"])
        both = pd.concat([self.near.far, points], ignore_index=True)
        found = kept_shares(self.near.chapter, both, DELAY, ["message_bytes", "arrangement"])
        return [(size, kind, delay, share) for (size, kind), delay, share in found]

    @property
    def _step(self) -> float:
        """The largest delay in both reports; of the pair alone where they share none."""
        delays = self.peaks.delays[1:]
        return max(set(delays) & set(self.near.delays), default=delays[-1])

    @property
    def step(self) -> str:
        """That delay in words."""
        return f"{self._step:g} ms"

    @property
    def at_step(self) -> list[tuple[str, str, Quantity]]:
        """What that delay leaves, by arrangement and message size."""
        return [
            (kind, size_label(size), replace(share, decimals=0))
            for size, kind, delay, share in self.kept if delay == self._step
        ]  # fmt: skip

    @property
    def ranges(self) -> Text:
        """What that delay leaves of each arrangement, over the message sizes."""
        said = "{kind} keeps {least} to {most}"
        ranges = []
        kinds = sorted({kind for kind, *_ in self.at_step})
        for kind in sorted(kinds, key="appliance HA".__ne__):
            left = ends(row for row in self.at_step if row[0] == kind)
            text = self.near.chapter.text(said, kind=kind, least=left.low, most=left.high)
            ranges.append(text.markdown)
        return Text(listed(ranges))

    def kept_by(self, size: float) -> dict[float, Quantity]:
        """Give what each delay leaves of the pair's rate; nothing for a size not shown."""
        shown = size in self.peaks.sizes
        return {at: self.peaks.kept(size, at) for at in self.peaks.delays[1:] if shown}

    def waits(self, size: float, delay: float) -> Quantity:
        """Give how often a round trip of a single requester waits for the link."""
        near, far = (self.peaks.over(size, at, _ALONE) for at in (self.peaks.delays[0], delay))
        return link_round_trips(near, far, delay)

    def mean(self, size: float, delay: float) -> Quantity:
        """Give the mean time of a round trip at the peak."""
        clients = self.peaks.over(size, delay, "clients")
        return time_in_round_trip(self.peaks.chapter, self.peaks.over(size, delay), clients)

    @cached_property
    def farthest(self) -> SimpleNamespace:
        """What the largest delay does to requesters, most of it with the smallest message."""
        of, delay, size = self.peaks, self.peaks.delays[-1], self.peaks.sizes[0]
        waits = ends((self.waits(size, delay),) for size in of.sizes)
        clients, rate = of.over(size, delay, "clients"), of.over(size, delay)
        ceiling = requester_ceiling(of.chapter, clients, self.waits(size, delay), delay)
        return SimpleNamespace(
            size=size_label(size), delay=f"{delay:g} ms", waits=waits, clients=clients, rate=rate,
            ceiling=ceiling, share=rate.percent_of(ceiling), mean=self.mean(size, delay),
            alone=of.over(size, delay, _ALONE),
            most_cpu=largest(of.over(size, delay, "cpu") for size in of.sizes),
        )  # fmt: skip


def distance(near: Arrangements, chapter: Chapter) -> Distance:
    """Give the pair of appliances over all delays."""
    tables = ("table-09", "table-10", "table-11-a", "table-11-b", "table-11-c")
    return Distance(near, peaks(chapter, *tables, ha="appliance HA"))


def distance_figure(found: Distance, *, caption: str) -> Figure:
    """Draw what delays leave of the pair's rate and of that of the arrangements, by size."""
    kept = sorted(found.kept, key=lambda row: row[0])
    left, write = ends(found.at_step), found.near.chapter.write
    return chart(
        found.near.chapter,
        [(size_label(size), kind, delay, share) for size, kind, delay, share in kept],
        mark="line", x_title="Added delay (ms)", y_title="Share of the rate without delay (%)",
        columns=len({size for size, *_ in kept}), varied=None,
        title=f"{found.step} of delay leaves between {write(left.low)} ({left.low_at}) and "
        f"{write(left.high)} ({left.high_at}) of the rate",
        caption=caption,
    )  # fmt: skip
