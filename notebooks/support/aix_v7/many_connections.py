"""Many connections, as published: how many there were, and the memory that each takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, largest, smallest, style_of
from support.aix_v7.capacity import (
    PAGE_KB,
    core_times,
    join_derived_memory,
    memory_from_pages,
)
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import delivery_name, sharing_name
from support.aix_v7.printed import KINDS, Printed
from support.aix_v7.text_statements import statements_table
from support.aix_v7.versions import Changes
from support.shared.flows import rate_in_edition
from support.shared.values import in_unit

_NONE = "\u2013"
_MOST, _HUB, _FEW = "clnp_cmax (SC0)", "dnpn_q1000", "dqnp"
_SHARED, _OWN_QUEUES = "clnp_cmax (SC1)", "cl_persist_cmax_no_correllid (SC1)"
"""Printed names of tests: most clients, a hub of queue managers, few pairs of channels; clients
with SHARECNV(1), and persistent ones that have queues of their own."""


@dataclass(frozen=True)
class Capacity:
    """The tests of capacity.

    Attributes
    ----------
    clients, clients_rate, clients_cpu : Quantity
        The most clients, their rate in total, and the processors in use.
    hub_pairs, hub_rate, hub_target, hub_time : Quantity
        Queue managers connected to a hub, its rate and the one asked for, and the core time of a
        round trip.
    requesters, time : Quantity
        Few requesters over few pairs of channels, and their core time.
    """

    chapter: Chapter
    points: pd.DataFrame
    clients: Quantity
    clients_rate: Quantity
    clients_cpu: Quantity
    hub_pairs: Quantity
    hub_rate: Quantity
    hub_target: Quantity
    hub_time: Quantity
    requesters: Quantity
    time: Quantity


def capacity(printed: Printed) -> Capacity:
    """Give the tests of capacity, and what the text says of them."""
    chapter = printed.chapter
    points = chapter.points("table-34", "table-36")
    points["kind"] = [KINDS[kind] for kind in points["workload"]]
    points["messages"] = [delivery_name(delivery) for delivery in points["delivery"]]
    points["replies"] = [
        _NONE if pd.isna(queue) else f"{queue} queue" for queue in points["reply_queue"]
    ]
    pairs = chapter.quantity(points, "clients", row_label=_HUB)
    each = chapter.quantity(points, "rate_per_client", row_label=_HUB)
    target = rate_in_edition(chapter, each.value * pairs.value / 3600)
    hub_time, time = (
        core_times(chapter, chapter.select(points, row_label=test))[0] for test in (_HUB, _FEW)
    )
    return Capacity(
        chapter,
        points,
        clients=chapter.quantity(points, "clients", row_label=_MOST),
        clients_rate=chapter.quantity(points, row_label=_MOST),
        clients_cpu=chapter.quantity(points, "cpu", row_label=_MOST),
        hub_pairs=pairs,
        hub_rate=chapter.quantity(points, row_label=_HUB),
        hub_target=replace(target, cells=each.cells + pairs.cells),
        hub_time=hub_time,
        requesters=chapter.quantity(points, "clients", row_label=_FEW),
        time=time,
    )


def capacity_table(found: Capacity, *, caption: str) -> Table:
    """List all points as printed."""
    return points_table(
        found.chapter,
        found.points,
        caption=caption,
        group="kind",
        row=("Test", "row_label"),
        texts={"Messages": "messages", "Replies": "replies"},
        metrics=["clients", "rate_per_client", "round_trip_rate", "round_trip_time", "cpu"],
        notes=[
            "Names of tests are the source's: np non-persistent, r the rate per hour, c and q the "
            "number of clients and queue managers, cmax and qmax the most of them, "
            "no_correllid a reply queue for each. SC0, SC1: SHARECNV(0), SHARECNV(1). Where a "
            "test has two rows, its number of requesters is printed once. Target rate: round "
            "trips of each requester; without one, requesters do not pause."
        ],
    )


def further_statements_table(
    printed: Printed, changes: Changes, *, caption: str, notes: Sequence[str]
) -> Table:
    """List what the text states beside changes of the version and losses through SSL."""
    stated = printed.stated
    rest = stated[
        ~stated["point_id"].isin(changes.rows["point_id"]) & (stated["host_set"] != "p570-8core")
    ].reset_index(drop=True)
    return statements_table(printed.chapter, rest, caption=caption, value="Stated", notes=notes)


@dataclass(frozen=True)
class Held:
    """The most requesters for which free memory is printed, and that memory."""

    clients: Quantity
    free: Quantity


@dataclass(frozen=True)
class Memory:
    """The tests of memory, and for each point the memory per requester, where it is known."""

    chapter: Chapter
    points: pd.DataFrame
    from_pages: list[Quantity | None]

    def _of(self, workload: str) -> list[Quantity]:
        kinds = zip(self.points["workload"], self.from_pages, strict=True)
        return [each for kind, each in kinds if kind == workload and each is not None]

    def _held(self, test: str) -> Held:
        rows = self.points[self.points["row_label"] == test].dropna(subset="free_pages")
        (clients,), (pages,) = (
            self.chapter.quantities(rows.iloc[[-1]], metric) for metric in ("clients", "free_pages")
        )
        return Held(clients, in_unit(pages, "GB", PAGE_KB / 1024**2, 1))

    @property
    def most(self) -> Held:
        """The largest number of clients, with SHARECNV(0)."""
        return self._held(_MOST)

    @property
    def shared(self) -> Held:
        """Clients with SHARECNV(1)."""
        return self._held(_SHARED)

    @property
    def own_queues(self) -> Held:
        """Persistent clients, each with a reply queue of its own."""
        return self._held(_OWN_QUEUES)

    @property
    def client_least(self) -> Quantity:
        """The least that a client takes."""
        return smallest(self._of("RR-CB"))

    @property
    def client_most(self) -> Quantity:
        """The most that a client takes."""
        return largest(self._of("RR-CB"))

    @property
    def pair_least(self) -> Quantity:
        """The least that a pair of channels takes."""
        return smallest(self._of("RR-DQ-BB"))

    @property
    def pair_most(self) -> Quantity:
        """The most that a pair of channels takes."""
        return largest(self._of("RR-DQ-BB"))


def memory(printed: Printed) -> Memory:
    """Give the tests of memory."""
    chapter = printed.chapter
    points = join_derived_memory(chapter.points("table-35", "table-37"))
    points["kind"] = [KINDS[kind] for kind in points["workload"]]
    return Memory(chapter, points, memory_from_pages(chapter, points))


def memory_figure(found: Memory, *, caption: str) -> Figure:
    """Draw the memory per requester, clients and pairs of channels."""
    chapter = found.chapter
    bars = [
        (str(point["kind"]), _memory_name(point), quantity)
        for (_, point), quantity in zip(found.points.iterrows(), found.from_pages, strict=True)
        if quantity is not None
    ]
    return chart(
        chapter,
        bars,
        horizontal=True,
        y_title="Memory per requester (KB)",
        styles={KINDS[kind]: style_of(kind) for kind in ("RR-CB", "RR-DQ-BB")},
        title=(
            f"A client takes {chapter.write(found.client_least, unit=False)} to "
            f"{chapter.write(found.client_most)} of the server's memory, a channel pair "
            f"{chapter.write(found.pair_least, unit=False)} to {chapter.write(found.pair_most)}"
        ),
        varied=None,  # what differs is in the names of the bars and in the caption
        caption=caption,
    )


def _memory_name(point: pd.Series) -> str:
    delivery = delivery_name(str(point["delivery"]))
    if point["workload"] == "RR-DQ-BB":
        binding = "trusted" if point["channel_binding"] == "fastpath" else "standard"
        return f"Pair of {binding} channels, {delivery}"
    ending = ", persistent" if delivery == "persistent" else ""
    return f"{sharing_name(point)}, {point['reply_queue']} reply queue{ending}"


def memory_table(found: Memory, *, caption: str) -> Table:
    """List all points as printed, with the memory per requester recomputed from free pages."""
    return points_table(
        found.chapter,
        found.points,
        caption=caption,
        group="kind",
        row=("Test", "row_label"),
        metrics=["clients", "swap_reserved", "free_pages", "memory_per_client"],
        computed={"Recomputed from free pages (KB)": found.from_pages},
        notes=[
            "nt: standard channels instead of trusted ones, measured on a system with less "
            "memory. The persistent clients' swap space is printed once for both points."
        ],
    )
