"""Quantities computed from printed ones: network load, core time, ceilings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, Chapter
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
