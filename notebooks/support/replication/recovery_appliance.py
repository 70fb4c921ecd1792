"""A recovery appliance: what it costs alone and beside a pair, near and over distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, largest, size_label, smallest
from roundtrip.present.quantities import Row, quantity_table
from support.replication.mirror import DELAY
from support.shared.appliances import Peaks, peaks
from support.shared.ends import Ends, ends
from support.shared.flows import payload, payload_in_transit
from support.shared.replication import peak_cells

_KINDS = ("DR", "HA", "HA and DR")
_NEAR = ("table-08", "table-09", "table-12", "table-13", "table-15", "table-16")
_FAR = ("table-13", "table-14-a", "table-14-b", "table-14-c", "table-14-d")
_LARGE = 20480  # from here on the window is full
_LITTLE_LEFT = 80  # percent of the link


@dataclass(frozen=True)
class Near:
    """Appliances next to each other.

    Attributes
    ----------
    peaks : Peaks
    link : Quantity
        Bandwidth of the link to the recovery appliance.
    """

    peaks: Peaks
    link: Quantity

    @cached_property
    def shares(self) -> dict[tuple[str, str, float], Quantity]:
        """What is kept of the rate of one appliance: by protection, queue managers and size."""
        of, points, found = self.peaks, self.peaks.points, {}
        for managers in of.managers:
            for size in of.sizes:
                for kind in _KINDS:
                    with_it = of.chapter.select(points, protection=kind, managers=managers)
                    # Each table repeats the rate of one appliance.
                    table = with_it["table_id"].iloc[0]
                    alone = of.chapter.quantity(
                        points, table_id=table, protection="none", message_bytes=size
                    )
                    found[kind, managers, size] = of.of(kind, managers, size).percent_of(alone)
        return found

    @property
    def beside_pair(self) -> SimpleNamespace:
        """How DR compares with HA, and what it takes of a pair's rate and of its link."""
        of = self.peaks.of
        keys = [(managers, size) for managers in self.peaks.managers for size in self.peaks.sizes]
        left = [of("HA and DR", *key).percent_of(of("HA", *key)) for key in keys]
        loads = {key: payload(self.peaks.chapter, of("DR", *key), key[1]) for key in keys}
        fullest = max(loads, key=lambda key: loads[key].value)
        share = loads[fullest].percent_of(self.link)
        return SimpleNamespace(
            cheaper=sum(of("DR", *key).value > of("HA", *key).value for key in keys),
            cases=len(keys), least=smallest(left), most=largest(left), load=loads[fullest],
            size=size_label(fullest[1]), managers=fullest[0],
            room="little" if share.value > _LITTLE_LEFT else "some",
        )  # fmt: skip


def near(chapter: Chapter, link: Quantity) -> Near:
    """Give the peaks without delay."""
    return Near(peaks(chapter, *_NEAR), link)


def cost_figure(found: Near, *, caption: str) -> Figure:
    """Draw what is kept of the rate of one appliance with DR, HA and both."""
    rows = [
        (kind, f"{managers}, {size_label(size)}", share)
        for (kind, managers, size), share in found.shares.items()
    ]
    dr, write = ends(row[1:] for row in rows if row[0] == "DR"), found.peaks.chapter.write
    return chart(
        found.peaks.chapter, rows, horizontal=True, caption=caption,
        y_title="Rate relative to one appliance without HA and DR (%)",
        title=f"With DR an appliance keeps {write(dr.low)} ({dr.low_at}) to {write(dr.high)} "
        f"({dr.high_at}) of its rate",
        varied={"host_set", "ha", "replication", "message_bytes", "queue_managers"},
    )  # fmt: skip


def near_table(found: Near, *, caption: str, notes: Sequence[str]) -> Table:
    """List the peaks with DR, alone and beside a pair."""
    chapter, kinds = found.peaks.chapter, ("DR", "HA and DR")
    rows = []
    for managers in found.peaks.managers:
        rows.append(Row(managers.capitalize()))
        for size in found.peaks.sizes:
            cells: list[Quantity | None] = []
            for kind in kinds:
                at = {"protection": kind, "managers": managers, "message_bytes": size}
                cells += peak_cells(chapter, found.peaks.points, **at)
                cells.append(found.shares[kind, managers, size])
            rows.append(Row(size_label(size), tuple(cells)))
    block = [chapter.label("round_trip_rate"), "CPU (%)", "Clients", "Alone (ms)", "Kept (%)"]
    return quantity_table(
        chapter, rows, caption=caption, header=["Message size", *block, *block], notes=notes,
        over=[(f"With {kind}", len(block)) for kind in kinds],
    )  # fmt: skip


@dataclass(frozen=True)
class Distance:
    """A recovery appliance over distance.

    Attributes
    ----------
    peaks : Peaks
        With ten queue managers.
    buffer : Quantity
        TCP send buffer of a queue manager, at most.
    """

    peaks: Peaks
    buffer: Quantity

    @property
    def managers(self) -> str:
        """The number of queue managers in words."""
        return self.peaks.managers[0]

    @property
    def large(self) -> list[float]:
        """The sizes with which the window is full at every delay."""
        return [size for size in self.peaks.sizes if size >= _LARGE] or self.peaks.sizes

    @property
    def from_size(self) -> str:
        """The smallest of them."""
        return size_label(self.large[0])

    @property
    def full(self) -> Ends:
        """The payload under way for each queue manager, with these sizes."""
        delays = self.peaks.delays[1:]
        return ends((self.flight(size, delay),) for size in self.large for delay in delays)

    def flight(self, size: float, delay: float) -> Quantity:
        """Compute the payload under way for each queue manager, in MB."""
        rate = self.peaks.over(size, delay)
        managers = float(self.peaks.points["queue_managers"].iloc[0])
        payload = payload_in_transit(self.peaks.chapter, rate, size, delay)
        return Quantity(payload.value / managers, "MB", rate.cells, 2)

    def kept(self, size: float) -> dict[float, Quantity]:
        """Give what each delay leaves of the rate without one; nothing for a size not shown."""
        shown = size in self.peaks.sizes
        return {delay: self.peaks.kept(size, delay, 1) for delay in self.peaks.delays if shown}

    @property
    def alone(self) -> SimpleNamespace:
        """What a single requester sees over the smallest and the largest delay."""
        sizes, (_, first, *_, last) = self.peaks.sizes, self.peaks.delays
        over, time = self.peaks.over, "round_trip_time"
        return SimpleNamespace(
            first=f"{first:g} ms", last=f"{last:g} ms", small=size_label(sizes[0]),
            small_first=over(sizes[0], first, time), small_last=over(sizes[0], last, time),
            large=size_label(sizes[-1]), large_last=over(sizes[-1], last, time),
        )  # fmt: skip


def distance(chapter: Chapter) -> Distance:
    """Give the peaks over all delays."""
    buffer = next(s.value for s in chapter.about.tuning if s.name == "TCP send buffer")
    held = Quantity(float(buffer.split(" MB")[0].split()[-1]), "MB", ())
    return Distance(peaks(chapter, *_FAR, delay=DELAY, replication="appliance DR"), held)


def distance_figure(found: Distance, *, caption: str) -> Figure:
    """Draw what delays leave of the rate, by message size."""
    of, write = found.peaks, found.peaks.chapter.write
    small, large, first, last = of.sizes[0], of.sizes[-1], of.delays[1], of.delays[-1]
    return chart(
        of.chapter,
        [
            (found.managers, size_label(size), delay, share)
            for size in of.sizes for delay, share in found.kept(size).items()
        ],
        mark="line", x_title="Added delay (ms)", y_title="Share of the rate without delay (%)",
        title=f"{first:g} ms to the recovery appliance leave {write(of.kept(small, first))} at "
        f"{size_label(small)} and {write(of.kept(large, first))} at {size_label(large)}; "
        f"{last:g} ms leave {write(of.kept(small, last))} and {write(of.kept(large, last))}",
        varied={DELAY, "message_bytes"}, caption=caption,
    )  # fmt: skip


def flight_figure(found: Distance, *, caption: str) -> Figure:
    """Draw the payload under way beside the send buffer, by message size."""
    of, write, full = found.peaks, found.peaks.chapter.write, found.full
    return chart(
        of.chapter,
        [
            (found.managers, size_label(size), delay, found.flight(size, delay))
            for size in of.sizes for delay in of.delays[1:]
        ],
        mark="line", x_title="Added delay (ms)",
        y_title="Payload under way per queue manager (MB)",
        reference=(found.buffer.value, f"TCP send buffer, {write(found.buffer)} at most"),
        title=f"From {found.from_size} on {write(full.low, unit=False)} to {write(full.high)} "
        "are under way for each queue manager, whatever the delay",
        varied={DELAY, "message_bytes"}, caption=caption,
    )  # fmt: skip


def distance_table(found: Distance, *, caption: str, notes: Sequence[str]) -> Table:
    """List the peaks over distance, what is left of the rate, and what is under way."""
    of, chapter = found.peaks, found.peaks.chapter
    rows = []
    for delay in of.delays[1:]:
        rows.append(Row(f"{delay:g} ms added"))
        for size in of.sizes:
            peak = peak_cells(chapter, of.points, **{"message_bytes": size, DELAY: delay})
            left = (of.over(size, delay, "relative_rate"), of.kept(size, delay, 1))
            rows.append(Row(size_label(size), (*peak, *left, found.flight(size, delay))))
    return quantity_table(
        chapter, rows, caption=caption, notes=notes,
        header=["Message size", chapter.label("round_trip_rate"), "CPU (%)", "Clients",
                "Alone (ms)", "printed (%)", "computed (%)", "Under way (MB)"],
        over=[("", 4), ("Share left", 2), ("", 1)],
    )  # fmt: skip
