"""Quantities computed from printed ones: network load, core time, ceilings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE, Chapter
from roundtrip.present.numbers import Quantity, size_label

Row = tuple[str, str, Quantity]

_MESSAGES_EACH_WAY = {"RR-CC": 2, "RR-CB": 1, "RR-DQ-BB": 1}
"""Messages into a host, and as many out of it, for each round trip over the network."""


def _round_trips(chapter: Chapter, quantity: Quantity) -> float:
    """Give a rate in round trips/s, whatever unit this edition shows."""
    return quantity.value / (1 if chapter.rate_unit == "round trips/s" else MESSAGES_PER_ROUND_TRIP)


def payload_per_host(chapter: Chapter, points: pd.DataFrame) -> list[Row]:
    """Compute the payload that enters, and leaves, the busiest host, in Gb/s.

    Rate times message size times the messages that each round trip sends into the host over the
    network. Headers are not counted: the true load is higher.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``workload``, ``api``, ``message_bytes`` and a rate.

    Returns
    -------
    list of (series, message size, Quantity)
    """
    rows = []
    for (_, point), rate in zip(points.iterrows(), chapter.quantities(points), strict=True):
        messages = _MESSAGES_EACH_WAY[str(point["workload"])]
        bits = _round_trips(chapter, rate) * messages * float(point["message_bytes"]) * 8
        series = f"{point['workload']}, {point['api']}"
        place = size_label(float(point["message_bytes"]))
        rows.append((series, place, Quantity(bits / 1e9, "Gb/s", rate.cells, 1)))
    return rows


def cores_of(chapter: Chapter, host_set: str) -> int:
    """Count the physical cores of a host set's first host, the queue manager's.

    Raises
    ------
    ValueError
        If the source does not disclose them.
    """
    host = chapter.about.host_sets[host_set].hosts[0]
    if host.sockets is None or host.cores_per_socket is None:
        raise ValueError(f"the cores of host set {host_set} are not disclosed")
    return host.sockets * host.cores_per_socket


def cpu_cost(
    chapter: Chapter,
    points: pd.DataFrame,
    host_set: str,
    series: str,
    names: Mapping[Any, str] | None = None,
    by: str = "message_bytes",
) -> list[Row]:
    """Compute the core time that one round trip costs at its peak, in microseconds.

    CPU share times physical cores of the host, divided by the rate (utilisation law: service
    demand is utilisation over throughput; Denning & Buzen 1978, doi:10.1145/356733.356735).

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``cpu`` and a rate.
    host_set : str
        Key of the disclosure's host sets.
    series : str
        Column that names the series.
    names : mapping, optional
        Names of the series.
    by : str
        Factor that names the places.

    Returns
    -------
    list of (series, place, Quantity)
    """
    cores = cores_of(chapter, host_set)
    rows = []
    for (_, point), rate, cpu in zip(
        points.iterrows(),
        chapter.quantities(points),
        chapter.quantities(points, "cpu"),
        strict=True,
    ):
        cost = cpu.value / 100 * cores / _round_trips(chapter, rate) * 1e6
        name = (names or {}).get(point[series], str(point[series]))
        quantity = Quantity(cost, "µs", cpu.cells + rate.cells, 0 if cost >= 100 else 1)
        rows.append((name, chapter.level(by, point[by]), quantity))
    return rows


def link_ceilings(chapter: Chapter, points: pd.DataFrame, gbps: float) -> list[Row]:
    """Compute how many RR-CC round trips fit through a link, by compression algorithm.

    Bandwidth divided by the compressed payload that a round trip sends each way. Headers and
    processor time are not counted: no real rate can be higher.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``compression``, ``message_bytes`` and ``compression_rate``.
    gbps : float
        Bandwidth of the link in Gb/s, each way.

    Returns
    -------
    list of (algorithm, message size, Quantity)
        No compression first.
    """
    sizes = sorted({float(size) for size in points["message_bytes"]})
    per_trip = MESSAGES_PER_ROUND_TRIP if chapter.rate_unit == "messages/s" else 1

    def ceiling(size: float, removed: float, cells: tuple[str, ...]) -> Quantity:
        bits = _MESSAGES_EACH_WAY["RR-CC"] * size * 8 * (1 - removed / 100)
        return Quantity(per_trip * gbps * 1e9 / bits, chapter.unit(RATE), cells)

    rows: list[Row] = [("no compression", size_label(s), ceiling(s, 0, ())) for s in sizes]
    for (_, point), removed in zip(
        points.iterrows(), chapter.quantities(points, "compression_rate"), strict=True
    ):
        size = float(point["message_bytes"])
        rows.append(
            (
                str(point["compression"]),
                size_label(size),
                ceiling(size, removed.value, removed.cells),
            )
        )
    return rows


def cipher_family(cipher: str) -> str:
    """Name the family of a CipherSpec: protocol, and for TLS 1.2 the mode of its cipher.

    Parameters
    ----------
    cipher : str
        IBM MQ's name. ``none`` for no TLS.
    """
    if cipher == "none":
        return "none"
    # Those of TLS 1.3 name no key exchange.
    if cipher.startswith("TLS_") and "_WITH_" not in cipher:
        return "TLS 1.3"
    return "TLS 1.2 CBC" if "_CBC_" in cipher else "TLS 1.2 GCM"
