"""What limits the appliances: processors and what a round trip takes of them, network, links."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from roundtrip.present import Figure, Quantity, chart, cpu_cost, smallest, style_of
from support.appliance.peaks import CASES, LOGGED, ONE, PLAIN, PROTECTED, TEN, Peaks
from support.shared.arrangements import link_bandwidth
from support.shared.ends import Ends, ends
from support.shared.flows import payload

Row = tuple[str, str, str, Quantity]
_MODELS = ("M2003A", "M2003B")
_MARKS = {PLAIN: ("solid", "circle"), LOGGED: ("dot", "square")}


@dataclass(frozen=True)
class Limits:
    """Processor time and payload at the printed peaks.

    Attributes
    ----------
    busy, network, copied : list of Row
        Processor time of M2003A; payload of non-persistent messages; payload of persistent ones
        on M2003A.
    ports, link : Quantity
        Bandwidth of the network module, and of a replication link.
    """

    peaks: Peaks
    busy: list[Row]
    network: list[Row]
    copied: list[Row]
    ports: Quantity
    link: Quantity

    @property
    def copies(self) -> Ends:
        """The ends of the payload that has a copy."""
        return ends(row for row in self.copied if row[1] != "neither")

    @property
    def larger_sizes(self) -> list[str]:
        """The larger message sizes."""
        return self.peaks.sizes[2:] or self.peaks.sizes

    def of_one(self, rows: list[Row]) -> Ends:
        """Give the ends of one queue manager with a copy, at the larger sizes."""
        plain = (PLAIN, LOGGED, "neither")
        return ends(
            row
            for row in rows
            if row[0] == ONE and row[1] not in plain and row[2] in self.larger_sizes
        )

    def least_cpu(self, model: str, size: str) -> Quantity:
        """Give the lowest processor time of a model with ten queue managers."""
        chapter = self.peaks.chapter
        found = chapter.select(self.peaks.points, model=model, managers=TEN, size_name=size)
        return smallest(chapter.quantities(found, "cpu"))

    def payload(self, size: str) -> Quantity:
        """Give the payload of non-persistent messages on M2003A with ten queue managers."""
        return next(row[-1] for row in self.network if row[:3] == (TEN, "M2003A", size))


def limits(peaks: Peaks) -> Limits:
    """Give processor time and payload."""
    chapter = peaks.chapter
    points = peaks.points.sort_values("message_bytes", kind="stable")
    of_a = chapter.select(points, model="M2003A")
    plain, logged = chapter.select(points, case=PLAIN), chapter.select(of_a, delivery="persistent")
    copies = logged.assign(copy=logged["protection"].replace("none", "neither"))
    cpu = [replace(share, decimals=0) for share in chapter.quantities(of_a, "cpu")]
    return Limits(
        peaks,
        _rows(of_a, "case", cpu),
        _rows(plain, "model", _payloads(peaks, plain)),
        _rows(copies, "copy", _payloads(peaks, copies)),
        Quantity(float(plain["link_gbps"].dropna().iloc[0]), "Gb/s", ()),
        link_bandwidth(chapter, "m2003a-ha", "synchronous"),
    )


def _payloads(peaks: Peaks, points: pd.DataFrame) -> list[Quantity]:
    rates = peaks.chapter.quantities(points)
    return [
        payload(peaks.chapter, rate, size)
        for rate, size in zip(rates, points["message_bytes"], strict=True)
    ]


def _rows(points: pd.DataFrame, series: str, values: list[Quantity]) -> list[Row]:
    names = (points[name].astype(str) for name in ("managers", series, "size_name"))
    return list(zip(*names, values, strict=True))


def cpu_figure(found: Limits, *, caption: str) -> Figure:
    """Draw the processor time of M2003A."""
    chapter, of = found.peaks.chapter, ends(row[1:] for row in found.busy)
    return chart(
        chapter, found.busy, y_title="CPU at the peak (%)", x_title="Message size",
        mark="line", styles=CASES,
        title=f"M2003A uses {chapter.write(of.low)} ({of.low_at}) to {chapter.write(of.high)} "
        f"({of.high_at}) of its processors at the peak",
        varied={"host_set", "delivery", "message_bytes", "queue_managers", "ha", "replication"},
        caption=caption,
    )  # fmt: skip


def network_figure(found: Limits, *, caption: str) -> Figure:
    """Draw the payload of non-persistent messages."""
    write = found.peaks.chapter.write
    return chart(
        found.peaks.chapter, found.network, y_title="Payload each way (Gb/s)",
        x_title="Message size", reference=(found.ports.value, "capacity of the network module"),
        styles={name: style_of(name) for name in _MODELS},
        title=f"Without persistence, payload reaches {write(ends(found.network).high)} of the "
        f"{write(found.ports)} that the ports carry",
        varied={"platform", "message_bytes", "queue_managers"}, caption=caption,
    )  # fmt: skip


def copies_figure(found: Limits, *, caption: str) -> Figure:
    """Draw the payload of persistent messages."""
    write = found.peaks.chapter.write
    return chart(
        found.peaks.chapter, found.copied, y_title="Payload put (Gb/s)", x_title="Message size",
        reference=(found.link.value, "bandwidth of a replication link"), columns=1,
        styles={"neither": style_of("none"), **PROTECTED},
        title=f"Queue managers with a copy put up to {write(found.copies.high)} of payload; a "
        f"replication link carries {write(found.link)}",
        varied={"host_set", "message_bytes", "queue_managers", "ha", "replication"},
        caption=caption,
    )  # fmt: skip


def cost_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw the core time of a round trip by message size, model and persistence."""
    chapter = found.chapter
    points = chapter.select(found.points, protection="none", managers=ONE)
    points = points.sort_values("message_bytes")
    points = points.assign(label=points["model"] + ", " + points["case"])
    rows = [
        row
        for model in _MODELS
        for row in cpu_cost(chapter, chapter.select(points, model=model), model.lower(), "label")
    ]
    cost = {(name, place): quantity for name, place, quantity in rows}
    of = ends(
        (cost[f"M2003B, {case}", size].percent_of(cost[f"M2003A, {case}", size]),)
        for case in _MARKS
        for size in found.sizes
    )
    return chart(
        chapter, rows, mark="line", log={"y"}, y_title="Core time per round trip (µs)",
        x_title="Message size",
        styles={
            f"{model}, {case}": replace(style_of(model), dash=dash, symbol=symbol)
            for model in _MODELS for case, (dash, symbol) in _MARKS.items()
        },
        title=f"On M2003B a round trip takes between {chapter.write(of.low)} and "
        f"{chapter.write(of.high)} of the core time it takes on M2003A",
        varied={"platform", "delivery", "message_bytes"}, caption=caption,
    )  # fmt: skip
