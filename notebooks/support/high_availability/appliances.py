"""A pair of appliances: what it keeps of the rate of one, on its link and over distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import (
    Chapter,
    Figure,
    Quantity,
    Table,
    Text,
    chart,
    largest,
    size_label,
    smallest,
)
from roundtrip.present.quantities import Row, quantity_table
from support.appliance.arrangements import link_bandwidth
from support.high_availability.arrangements import DELAY, Arrangements
from support.shared.appliances import Peaks, peaks
from support.shared.flows import payload, time_in_round_trip
from support.shared.replication import (
    kept_shares,
    link_round_trips,
    peak_cells,
    requester_ceiling,
    written_ends,
)

Key = tuple[str, float]
"""Number of queue managers in words, and message size."""
_LITTLE_ROOM = 80  # percent of the link


@dataclass(frozen=True)
class Pair:
    """A pair of appliances beside one.

    Attributes
    ----------
    peaks : Peaks
    link : Quantity
        Bandwidth of the link between the two.
    """

    peaks: Peaks
    link: Quantity

    @property
    def chapter(self) -> Chapter:
        """Gives units and formats."""
        return self.peaks.chapter

    @cached_property
    def shares(self) -> dict[Key, Quantity]:
        """What the pair keeps of the rate of one appliance."""
        of = self.peaks.of
        return {key: of("HA", *key).percent_of(of("none", *key)) for key in self._keys}

    @cached_property
    def loads(self) -> dict[Key, Quantity]:
        """The payload over the link."""
        return {key: payload(self.chapter, self.peaks.of("HA", *key), key[1]) for key in self._keys}

    @property
    def fullest(self) -> Key:
        """Where the link carries most."""
        return max(self.loads, key=lambda key: self.loads[key].value)

    @property
    def use_of_link(self) -> SimpleNamespace:
        """How much of the link is used, with many queue managers and with few."""
        name, size = self.fullest
        few = [key for key in self.loads if key[0] == self.peaks.managers[0]]
        fullest_of_few = max(few, key=lambda key: self.loads[key].value)
        share = self.loads[name, size].percent_of(self.link)
        return SimpleNamespace(
            size=size_label(size),
            managers=name,
            share=share,
            room="little room" if share.value > _LITTLE_ROOM else "room",
            few=fullest_of_few[0],
            most_of_few=self.loads[fullest_of_few],
            cpu_of_few=self.peaks.of("HA", *fullest_of_few, "cpu"),
        )

    def beside_single(self, size: float) -> dict[str, Quantity]:
        """Give what a pair with one queue manager keeps; nothing for a size not shown."""
        key = (self.peaks.managers[0], size)
        return {"replicated pair": self.shares[key]} if key in self.shares else {}

    @property
    def most_cpu(self) -> Quantity:
        """The most of the processors that a peak without added delay uses."""
        return largest(self.peaks.of("HA", *key, "cpu") for key in self._keys)

    @property
    def _keys(self) -> list[Key]:
        return [(name, size) for name in self.peaks.managers for size in self.peaks.sizes]


def pair(chapter: Chapter) -> Pair:
    """Give the pair of appliances of the report, beside one."""
    link = link_bandwidth(chapter, "m2003a-ha", "synchronous replication")
    return Pair(peaks(chapter, "table-08", "table-09"), link)


def shares_figure(found: Pair, *, caption: str) -> Figure:
    """Draw what the pair keeps, by message size and number of queue managers."""
    low, high = written_ends(found.chapter, found.shares)
    return chart(
        found.chapter,
        [(name, size_label(size), share) for (name, size), share in found.shares.items()],
        y_title="Rate relative to one appliance (%)",
        x_title="Message size",
        reference=(100, f"one appliance = {found.chapter.write(Quantity(100, '%', ()))}"),
        title=f"A pair keeps {low} to {high} of the rate of one appliance",
        varied={"host_set", "ha", "message_bytes", "queue_managers"},
        caption=caption,
    )


def peaks_table(found: Pair, *, caption: str, notes: Sequence[str]) -> Table:
    """List the peaks with and without HA."""
    chapter, points = found.chapter, found.peaks.points
    rows = []
    for name in found.peaks.managers:
        rows.append(Row(name.capitalize()))
        for size in found.peaks.sizes:
            at = {"managers": name, "message_bytes": size}
            two = peak_cells(chapter, points, protection="HA", **at)
            one = peak_cells(chapter, points, protection="none", **at)
            rows.append(Row(size_label(size), (*two, *one, found.shares[name, size])))
    block = [chapter.label("round_trip_rate"), "CPU (%)", "Clients", "Alone (ms)"]
    return quantity_table(
        chapter,
        rows,
        caption=caption,
        header=["Message size", *block, *block, "Kept (%)"],
        over=[("With HA", len(block)), ("Without HA", len(block)), ("", 1)],
        notes=notes,
    )


def link_figure(found: Pair, *, caption: str) -> Figure:
    """Draw the payload over the link, beside what the link carries."""
    link, (name, size) = found.chapter.write(found.link), found.fullest
    return chart(
        found.chapter,
        [(name, size_label(size), load) for (name, size), load in found.loads.items()],
        y_title="Payload over the HA link (Gb/s)",
        x_title="Message size",
        reference=(found.link.value, f"HA link, {link}"),
        title=(
            f"With {name} and {size_label(size)} the HA link carries at least "
            f"{found.chapter.write(found.loads[found.fullest])} of its {link}"
        ),
        varied={"message_bytes", "queue_managers"},
        caption=caption,
    )


@dataclass(frozen=True)
class Distance:
    """A pair over distance, and the arrangements of the other report beside it.

    Attributes
    ----------
    near : Arrangements
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
        return [(size, kind, at, share) for (size, kind), at, share in found]

    @property
    def step(self) -> float:
        """The largest delay in both reports; of the pair alone where they share none."""
        delays = self.peaks.delays[1:]
        return max(set(delays) & set(self.near.delays), default=delays[-1])

    @property
    def at_step(self) -> dict[tuple[str, float], Quantity]:
        """What that delay leaves, by arrangement and message size."""
        return {(kind, size): share for size, kind, at, share in self.kept if at == self.step}

    @property
    def step_words(self) -> str:
        """That delay in words."""
        return f"{self.step:g} ms"

    @property
    def ranges(self) -> Text:
        """What that delay leaves of each arrangement, over the message sizes."""
        kinds = sorted(dict.fromkeys(kind for kind, _ in self.at_step), key="appliance HA".__ne__)
        ranges = []
        for kind in kinds:
            shares = [share for (name, _), share in self.at_step.items() if name == kind]
            ends = {"least": smallest(shares), "most": largest(shares)}
            text = "{kind} keeps between {least} and {most}, by message size"
            ranges.append(self.near.chapter.text(text, kind=kind, **ends).markdown)
        return Text("; ".join(ranges))

    def kept_by(self, size: float) -> dict[float, Quantity]:
        """Give what each delay leaves of the pair's rate; nothing for a size not shown."""
        shown = size in self.peaks.sizes
        return {at: self.peaks.kept(size, at) for at in self.peaks.delays[1:] if shown}

    def waits(self, size: float, delay: float) -> Quantity:
        """Give how often a round trip of a single requester waits for the link."""
        near, far = (
            self.peaks.over(size, at, "round_trip_time") for at in (self.peaks.delays[0], delay)
        )
        return link_round_trips(near, far, delay)

    def mean(self, size: float, delay: float) -> Quantity:
        """Give the mean time of a round trip at the peak."""
        clients = self.peaks.over(size, delay, "clients")
        return time_in_round_trip(self.peaks.chapter, self.peaks.over(size, delay), clients)


def distance(near: Arrangements, chapter: Chapter) -> Distance:
    """Give the pair of appliances over all delays."""
    tables = ("table-09", "table-10", "table-11-a", "table-11-b", "table-11-c")
    return Distance(near, peaks(chapter, *tables, ha="appliance HA"))


def distance_figure(found: Distance, *, caption: str) -> Figure:
    """Draw what delays leave of the pair's rate and of that of the arrangements, by size."""
    kept = sorted(found.kept, key=lambda item: item[0])
    low, high = written_ends(found.near.chapter, found.at_step)
    return chart(
        found.near.chapter,
        [(size_label(size), kind, delay, share) for size, kind, delay, share in kept],
        mark="line",
        x_title="Added delay (ms)",
        y_title="Share of the rate without delay (%)",
        columns=len({size for size, *_ in kept}),
        title=f"{found.step_words} of delay leave between {low} and {high}",
        varied={"ha", DELAY, "message_bytes"},
        caption=caption,
    )


def farthest(found: Distance) -> SimpleNamespace:
    """Compute what the largest delay does to requesters, with the smallest message.

    Beside their waits and times, it gives the most that any size then uses of the processors.
    """
    over, sizes, delay = found.peaks.over, found.peaks.sizes, found.peaks.delays[-1]
    waits = [found.waits(size, delay) for size in sizes]
    clients, rate = over(sizes[0], delay, "clients"), over(sizes[0], delay)
    ceiling = requester_ceiling(found.peaks.chapter, clients, waits[0], delay)
    return SimpleNamespace(
        size=size_label(sizes[0]),
        delay=f"{delay:g} ms",
        least_waits=smallest(waits),
        most_waits=largest(waits),
        clients=clients,
        rate=rate,
        ceiling=ceiling,
        share=rate.percent_of(ceiling),
        mean=found.mean(sizes[0], delay),
        alone=over(sizes[0], delay, "round_trip_time"),
        most_cpu=largest(over(size, delay, "cpu") for size in sizes),
    )


def distance_table(found: Distance, *, caption: str, notes: Sequence[str]) -> Table:
    """List the peaks over distance, what is left of the rate, and times of round trips."""
    chapter, of = found.peaks.chapter, found.peaks
    rows = []
    for delay in of.delays[1:]:
        rows.append(Row(f"{delay:g} ms added"))
        for size in of.sizes:
            at = {"message_bytes": size, DELAY: delay}
            rate, cpu, clients, alone = peak_cells(chapter, of.points, **at)
            left = (of.over(size, delay, "relative_rate"), of.kept(size, delay, 1))
            times = (alone, found.waits(size, delay), found.mean(size, delay))
            rows.append(Row(size_label(size), (rate, cpu, clients, *left, *times)))
    return quantity_table(
        chapter,
        rows,
        caption=caption,
        header=["Message size", chapter.label("round_trip_rate"), "CPU (%)", "Clients",
                "printed (%)", "computed (%)", "Alone (ms)", "Waits", "Mean (ms)"],
        over=[("", 3), ("Share left", 2), ("Round-trip time", 3)],
        notes=notes,
    )  # fmt: skip
