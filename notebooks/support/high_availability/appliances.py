"""A pair of appliances: what it keeps of the rate of one, on its link and over distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, chart, largest, size_label
from support.high_availability.arrangements import DELAY, Arrangements
from support.shared import over_distance
from support.shared.arrangements import link_bandwidth, peaks
from support.shared.ends import ends
from support.shared.flows import payload
from support.shared.replication import kept_shares, link_round_trips, requester_ceiling

_LITTLE_ROOM = 80  # percent of the link


def pair(chapter: Chapter) -> SimpleNamespace:
    """Give the pair of appliances of the report, beside one.

    Returns
    -------
    namespace
        ``shares``, what the pair keeps of the rate of one appliance, by number of queue managers
        in words, and message size, and ``of_one``, the same of one queue manager by size alone;
        ``use_of_link``, how much of the link is used, with many queue managers and with few;
        ``most_cpu`` and ``most_cpu_small``, the most of the processors that a peak without added
        delay uses, and of those of the smaller model.
    """
    found = peaks(chapter, "table-08", "table-09")
    small = peaks(chapter, "table-17", "table-18", platform="MQ Appliance M2003B")
    keys = [(name, size) for name in found.managers for size in found.sizes]
    rates = {key: found.of("HA", *key) for key in keys}
    loads = {key: payload(chapter, rate, key[1]) for key, rate in rates.items()}
    managers, size = fullest = max(loads, key=lambda key: loads[key].value)
    few = max(keys[: len(found.sizes)], key=lambda key: loads[key].value)
    link = link_bandwidth(chapter, "m2003a-ha", "synchronous replication")
    share = loads[fullest].percent_of(link)
    shares = {key: rate.percent_of(found.of("none", *key)) for key, rate in rates.items()}
    return SimpleNamespace(
        shares=shares, of_one={size: shares[few[0], size] for size in found.sizes},
        use_of_link=SimpleNamespace(
            size=size_label(size), managers=managers, share=share,
            room="little room" if share.value > _LITTLE_ROOM else "room",
            few=few[0], most_of_few=loads[few], cpu_of_few=found.of("HA", *few, "cpu"),
        ),
        most_cpu=largest(found.of("HA", *key, "cpu") for key in keys),
        most_cpu_small=largest(chapter.quantities(small.points, "cpu")),
    )  # fmt: skip


@dataclass(frozen=True)
class Distance:
    """A pair over distance, and the arrangements of the other report beside it."""

    near: Arrangements
    peaks: over_distance.Distance

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

    def kept_by(self, size: float) -> dict[float, Quantity]:
        """Give what each delay leaves of the pair's rate; nothing for a size not shown."""
        shown = size in self.peaks.sizes
        return {at: self.peaks.kept(size, at) for at in self.peaks.delays[1:] if shown}

    def requesters(self, size: float) -> list[Quantity]:
        """Give the requesters of the peaks over all delays; nothing for a size not shown."""
        shown = size in self.peaks.sizes
        return [self.peaks.over(size, at, "clients") for at in self.peaks.delays if shown]

    def waits(self, size: float, delay: float) -> Quantity:
        """Give how often a round trip of a single requester waits for the link."""
        near, far = (self.peaks.alone(size, at) for at in (self.peaks.delays[0], delay))
        return link_round_trips(near, far, delay)

    @cached_property
    def farthest(self) -> SimpleNamespace:
        """What the largest delay does to requesters, most of it with the smallest message."""
        of, delay, size = self.peaks, self.peaks.delays[-1], self.peaks.sizes[0]
        waits = ends((self.waits(size, delay),) for size in of.sizes)
        clients, rate = of.over(size, delay, "clients"), of.over(size, delay)
        ceiling = requester_ceiling(of.chapter, clients, self.waits(size, delay), delay)
        return SimpleNamespace(
            size=size_label(size), delay=f"{delay:g} ms", waits=waits, clients=clients, rate=rate,
            ceiling=ceiling, share=rate.percent_of(ceiling), alone=of.alone(size, delay),
            mean=of.loaded(size, delay),
            most_cpu=largest(of.over(size, delay, "cpu") for size in of.sizes),
        )  # fmt: skip


def distance(near: Arrangements, chapter: Chapter) -> Distance:
    """Give the pair of appliances over all delays."""
    return Distance(near, over_distance.over_distance(chapter, "HA"))


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
