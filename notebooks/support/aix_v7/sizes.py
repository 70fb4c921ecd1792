"""Message size with V7: rates, payload on the network, the price of persistence."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Figure, chart, largest, size_label, style_of
from roundtrip.present.chapter import RATE
from support.aix_v7.comparisons import KINDS, peaks_by
from support.aix_v7.printed import Printed
from support.shared.ends import ends
from support.shared.flows import payload_per_host

_NETWORKED = ("RR-CB", "RR-DQ-BB")
_SHORT = {"RR-BB": "local", "RR-CB": "clients", "RR-DQ-BB": "distributed queuing"}
_USUAL = 2048


def peaks(printed: Printed) -> pd.DataFrame:
    """Give V7's highest rates by kind of connection, delivery and message size, ascending.

    With usual bindings and without sockets shared by default.
    """
    points = printed.points
    normal = points[
        (points["product_version"] == "V7")
        & (points["application_binding"] == "normal")
        & (points["sharecnv"] != "default")
    ]
    return peaks_by(normal, "workload", "delivery", "message_bytes")


def sizes_figure(printed: Printed, points: pd.DataFrame, *, caption: str) -> Figure:
    """Draw the rates over message size."""
    chapter = printed.chapter
    told = []
    for size, decimals in ((points["message_bytes"].min(), 1), (points["message_bytes"].max(), 0)):
        local, clients = (
            printed.test(kind, "nonpersistent", size).rate for kind in ("RR-BB", "RR-CB")
        )
        told += [chapter.write(local.over(clients, decimals)), size_label(size)]
    return chart(
        chapter,
        points,
        mark="line",
        x="message_bytes",
        y=RATE,
        log={"message_bytes", RATE},
        varied=["syncpoint", "reply_queue", "link_gbps"],
        panels="delivery",
        series="workload",
        names=KINDS,
        title=(
            "A local queue manager reaches {} times the clients' non-persistent rate at {}, {} "
            "times at {}"
        ).format(*told),
        caption=caption,
    )


def payload(chapter: Chapter, points: pd.DataFrame) -> SimpleNamespace:
    """Compute what the highest non-persistent rates carry over the network, each way.

    Returns
    -------
    namespace
        The ``rows`` for a chart. Of messages of more than 2 KB, or of all where there are no such:
        the smallest size, ``first``; the ends of the payload, ``each_way``; twice the most,
        ``both_ways``; and the largest share of the server's processors in use, ``cpu``.
    """
    over_network = points["workload"].isin(_NETWORKED)
    points = points[over_network & (points["delivery"] == "nonpersistent")]
    points = points.sort_values(["workload", "message_bytes"])
    loads = [replace(load, decimals=2) for *_, load in payload_per_host(chapter, points)]
    kinds, sizes = points["workload"].map(KINDS), points["message_bytes"]
    is_large = sizes > _USUAL if (sizes > _USUAL).any() else sizes > 0
    carried = list(compress(loads, is_large))
    return SimpleNamespace(
        rows=list(zip(kinds, sizes.map(size_label), loads, strict=True)),
        first=size_label(sizes[is_large].min()),
        each_way=ends(carried),
        both_ways=largest(carried).times(2),
        cpu=largest(chapter.quantities(points[is_large], "cpu")),
    )


def payload_figure(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Figure:
    """Draw the payload beside the bandwidth of the link."""
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
            f"{chapter.write(found.each_way.low, unit=False)} to "
            f"{chapter.write(found.each_way.high)} each way, whatever the size"
        ),
        varied={"workload", "message_bytes"},
        caption=caption,
    )


def persistent_figure(printed: Printed, points: pd.DataFrame, *, caption: str) -> Figure:
    """Draw the persistent rates in percent of the non-persistent ones."""
    chapter, sizes = printed.chapter, sorted(points["message_bytes"].unique())
    kept = [(kind, size_label(size), printed.kept(kind, size)) for kind in KINDS for size in sizes]
    of = ends((_SHORT[kind], size, share) for kind, size, share in kept)
    low, top = f"{chapter.write(of.low)} ({of.low_at})", f"{chapter.write(of.high)} ({of.high_at})"
    return chart(
        chapter,
        [(KINDS[kind], size, share) for kind, size, share in kept],
        y_title="Persistent rate relative to non-persistent (%)",
        x_title="Message size",
        reference=(100, "non-persistent"),
        styles={name: style_of(kind) for kind, name in KINDS.items()},
        title=f"Persistent messages reach {low} to {top} of the non-persistent rate",
        varied={"workload", "delivery", "syncpoint", "message_bytes"},
        caption=caption,
    )
