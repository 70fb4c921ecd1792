"""Message size with V7: rates, payload on the network, the price of persistence, what limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from roundtrip.present import (
    Chapter,
    Figure,
    Quantity,
    chart,
    largest,
    size_label,
    smallest,
    style_of,
)
from support.aix_v7.comparisons import peaks_by
from support.aix_v7.printed import KINDS, Printed
from support.shared.payload import payload_per_host

_NETWORKED = ("RR-CB", "RR-DQ-BB")
_SHORT = {"RR-BB": "local", "RR-CB": "clients", "RR-DQ-BB": "distributed queuing"}
_USUAL = 2048


@dataclass(frozen=True)
class Peaks:
    """V7's highest rates by kind of connection, delivery and message size.

    Attributes
    ----------
    points : pandas.DataFrame
        One for each combination.
    sizes : list of int
        Message sizes in bytes, ascending.
    """

    chapter: Chapter
    points: pd.DataFrame
    sizes: list[int]

    def at(
        self, workload: str, delivery: str, size: int, metric: str = "round_trip_rate"
    ) -> Quantity:
        """Give one value."""
        return self.chapter.quantity(
            self.points, metric, workload=workload, delivery=delivery, message_bytes=size
        )

    def kept(self, workload: str, size: int) -> Quantity:
        """Give the persistent rate in percent of the non-persistent one."""
        return self.at(workload, "persistent", size).percent_of(
            self.at(workload, "nonpersistent", size)
        )


def peaks(printed: Printed) -> Peaks:
    """Give V7's highest rates, with usual bindings and without sockets shared by default."""
    points = printed.points
    normal = points[
        (points["product_version"] == "V7")
        & (points["application_binding"] == "normal")
        & (points["sharecnv"] != "default")
    ]
    best = peaks_by(normal, ["workload", "delivery", "message_bytes"])
    return Peaks(printed.sized, best, sorted({int(size) for size in best["message_bytes"]}))


def sizes_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw the rates over message size."""
    chapter = found.chapter
    ends = [(found.sizes[0], 1), (found.sizes[-1], 0)]
    small, large = (
        found.at("RR-BB", "nonpersistent", size).over(
            found.at("RR-CB", "nonpersistent", size), decimals
        )
        for size, decimals in ends
    )
    return chart(
        chapter,
        found.points,
        mark="line",
        x="message_bytes",
        y="round_trip_rate",
        log={"message_bytes", "round_trip_rate"},
        varied=["syncpoint", "reply_queue", "link_gbps"],
        panels="delivery",
        series="workload",
        names=KINDS,
        title=(
            f"A local queue manager reaches {chapter.write(small)} times the clients' "
            f"non-persistent rate at {size_label(found.sizes[0])}, {chapter.write(large)} "
            f"times at {size_label(found.sizes[-1])}"
        ),
        caption=caption,
    )


@dataclass(frozen=True)
class Payload:
    """What non-persistent messages carry over the network, each way.

    Attributes
    ----------
    first : str
        The smallest of the sizes that `least` and `most` are taken over.
    least, most, both_ways : Quantity
        The last one is twice the most.
    cpu : Quantity
        The largest share of the server's processors at these rates.
    """

    chapter: Chapter
    rows: list[tuple[str, str, Quantity]]
    first: str
    least: Quantity
    most: Quantity
    both_ways: Quantity
    cpu: Quantity


def payload(found: Peaks) -> Payload:
    """Compute the payload from the highest non-persistent rates and the message sizes."""
    chapter = found.chapter
    points = found.points[found.points["delivery"] == "nonpersistent"]
    rows = [
        (KINDS[kind], size, replace(load, decimals=2))
        for kind in _NETWORKED
        for _, size, load in payload_per_host(
            chapter, points[points["workload"] == kind].sort_values("message_bytes")
        )
    ]
    heavy = [row for row in rows if row[1] != size_label(_USUAL)] or rows
    loads = [load for _, _, load in heavy]
    cpu = [
        found.at(kind, "nonpersistent", size, "cpu")
        for kind in _NETWORKED
        for size in found.sizes
        if size > _USUAL or len(found.sizes) == 1
    ]
    most = largest(loads)
    return Payload(chapter, rows, heavy[0][1], smallest(loads), most, most.times(2), largest(cpu))


def payload_figure(found: Payload, *, caption: str) -> Figure:
    """Draw the payload beside the bandwidth of the link."""
    chapter = found.chapter
    link = chapter.about.host_sets["p570-4core"].links[0].bandwidth_gbps
    return chart(
        chapter,
        found.rows,
        y_title="Payload each way (Gb/s)",
        x_title="Message size",
        reference=None
        if link is None
        else (link, f"nominal link bandwidth, {link:g} Gb/s each way"),
        styles={KINDS[kind]: style_of(kind) for kind in _NETWORKED},
        title=(
            f"From {found.first} up, client channels and distributed queuing carry "
            f"{chapter.write(found.least, unit=False)} to {chapter.write(found.most)} each "
            "way, whatever the size"
        ),
        varied={"workload", "message_bytes"},
        caption=caption,
    )


def persistent_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw the persistent rates in percent of the non-persistent ones."""
    chapter = found.chapter
    kept = [(kind, size, found.kept(kind, size)) for kind in KINDS for size in found.sizes]
    ends = [choose(kept, key=lambda row: row[2].value) for choose in (min, max)]
    low, top = (
        f"{chapter.write(share)} ({_SHORT[kind]}, {size_label(size)})" for kind, size, share in ends
    )
    return chart(
        chapter,
        [(KINDS[kind], size_label(size), share) for kind, size, share in kept],
        y_title="Persistent rate relative to non-persistent (%)",
        x_title="Message size",
        reference=(100, "non-persistent"),
        styles={name: style_of(kind) for kind, name in KINDS.items()},
        title=f"Persistent messages reach {low} to {top} of the non-persistent rate",
        varied={"workload", "delivery", "syncpoint", "message_bytes"},
        caption=caption,
    )


@dataclass(frozen=True)
class Persistent:
    """The longest persistent messages, by kind of connection.

    Attributes
    ----------
    clients, local, channels, channels_cpu : Quantity
        Rates, and the processors in use.
    clients_kept, local_kept : Quantity
        Rates in percent of the non-persistent ones.
    pair_least, pair_most : Quantity
        What the source says that a second pair of channels gains.
    """

    size: str
    clients: Quantity
    local: Quantity
    channels: Quantity
    channels_cpu: Quantity
    clients_kept: Quantity
    local_kept: Quantity
    pair_least: Quantity
    pair_most: Quantity


def persistent(printed: Printed, found: Peaks) -> Persistent:
    """Give what the text says of the longest persistent messages."""
    size = found.sizes[-1]
    return Persistent(
        size_label(size),
        clients=found.at("RR-CB", "persistent", size),
        local=found.at("RR-BB", "persistent", size),
        channels=found.at("RR-DQ-BB", "persistent", size),
        channels_cpu=found.at("RR-DQ-BB", "persistent", size, "cpu"),
        clients_kept=found.kept("RR-CB", size),
        local_kept=found.kept("RR-BB", size),
        pair_least=printed.said("Two channel pairs to a queue manager against one, gain, least"),
        pair_most=printed.said("Two channel pairs to a queue manager against one, gain, most"),
    )


@dataclass(frozen=True)
class Limits:
    """Share of the server's processors in use at V7's highest rates, small and large messages.

    Attributes
    ----------
    local_least, local_most, local_large : Quantity
        Of a local queue manager with non-persistent messages: up to 200 KB, and at 2 MB.
    """

    small: str
    large: str
    local_least: Quantity
    local_most: Quantity
    local_large: Quantity
    local_log: Quantity
    local_log_large: Quantity
    channels: Quantity
    channels_log: Quantity
    channels_log_large: Quantity
    clients: Quantity


def limits(printed: Printed, found: Peaks) -> Limits:
    """Give the processors in use, where that tells what limits a test."""
    small, large = found.sizes[0], found.sizes[-1]
    *local, local_large = (
        printed.v7("RR-BB", "nonpersistent", "cpu", size) for size in (2048, 20480, 204800, 2097152)
    )
    return Limits(
        size_label(small),
        size_label(large),
        local_least=smallest(local),
        local_most=largest(local),
        local_large=local_large,
        local_log=found.at("RR-BB", "persistent", small, "cpu"),
        local_log_large=found.at("RR-BB", "persistent", large, "cpu"),
        channels=found.at("RR-DQ-BB", "nonpersistent", small, "cpu"),
        channels_log=found.at("RR-DQ-BB", "persistent", small, "cpu"),
        channels_log_large=found.at("RR-DQ-BB", "persistent", large, "cpu"),
        clients=found.at("RR-CB", "nonpersistent", small, "cpu"),
    )
