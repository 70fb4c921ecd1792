"""What a round trip takes of the queue manager's processors, with each option."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import (
    Chapter,
    Quantity,
    Table,
    cpu_cost,
    size_label,
)
from roundtrip.present.quantities import Row, quantity_table
from support.highlights.decisions import SIZES
from support.highlights.history import NAMES, SIZE, Reports

Costs = dict[str, Quantity]
"""Core time of a round trip, by message size in words."""


def core_times_table(reports: Reports, *, caption: str) -> Table:
    """Lay out the core time of a round trip at the printed peaks."""
    sizes = [size_label(size) for size in SIZES]
    rows = []
    for system, costs in (
        (NAMES["v9.4"], _of_linux(reports.linux)),
        (f"{NAMES['m2003']}, one queue manager", _of_appliance(reports.appliance)),
    ):
        rows.append(Row(system))
        rows += [Row(name, tuple(map(found.get, sizes))) for name, found in costs]
    return quantity_table(
        reports.linux, rows, caption=caption, header=["Option", *sizes], by_row=True,
        notes=(
            "CPU at the peak times the cores of the queue manager's host, divided by the rate; "
            "hosts that hold a copy or the log are not counted. Peaks differ in utilisation: the "
            "difference of two rows is not the cost of an option. TLS: "
            f"{' and '.join(_ciphers(reports.linux))}. Dashes: not printed.",
        ),
    )  # fmt: skip


def _of_linux(linux: Chapter) -> Iterator[tuple[str, Costs]]:
    yield "Non-persistent", _costs(linux, linux.points("table-06"))
    yield "Non-persistent, JMS", _costs(linux, linux.points("table-05"))
    stores = linux.points("table-08")
    for name in ("SSD", "NFS", "SAN"):
        yield f"Persistent, log on {name}", _costs(linux, linux.select(stores, log_storage=name))
    ciphers = _ciphers(linux)
    for storage, tables in (
        ("non-persistent", ("table-09", "table-10")), ("log on SSD", ("table-11", "table-12")),
    ):  # fmt: skip
        for table in tables:
            points = linux.points(table)
            points = points[points["tls_cipher"].isin(ciphers)]
            yield f"{points['tls_protocol'].iloc[0]}, {storage}", _costs(linux, points)
    pairs = linux.points("table-13", ha_link_rtt_ms=0)
    for name in ("MIQM", "RDQM"):
        yield f"{name}, no added delay", _costs(linux, linux.select(pairs, ha=name))


def _ciphers(linux: Chapter) -> list[str]:
    """Give the CipherSpecs that stand for their protocols: those that the source compares."""
    compared = linux.points("sec-6.3-nonpersistent")["tls_cipher"].unique()
    return [str(cipher) for cipher in compared if cipher != "none"]


def _of_appliance(appliance: Chapter) -> Iterator[tuple[str, Costs]]:
    for name, table, hosts in (
        ("Non-persistent", "table-04", "m2003a"),
        ("Persistent", "table-08", "m2003a"),
        ("HA pair of appliances", "table-08", "m2003a-ha"),
        ("Recovery appliance (DR)", "table-12", "m2003a-dr"),
    ):
        yield name, _costs(appliance, appliance.points(table, host_set=hosts))


def contended(reports: Reports) -> SimpleNamespace:
    """Give the core time of a round trip at the persistent peaks of two sizes of one appliance."""
    appliance = reports.appliance

    def cost(host_set: str) -> Quantity:
        points = appliance.points("table-05", host_set=host_set, message_bytes=SIZE)
        ((_, _, quantity),) = cpu_cost(appliance, points, host_set, "host_set")
        return quantity

    return SimpleNamespace(larger=cost("m2003a"), smaller=cost("m2003b"))


def _costs(chapter: Chapter, points: pd.DataFrame) -> Costs:
    """Give the core time at each size of some points on one set of hosts."""
    points = points[points["round_trip_rate"].notna() & points["cpu"].notna()]
    (host_set,) = set(points["host_set"])
    return {size: cost for _, size, cost in cpu_cost(chapter, points, host_set, "host_set")}
