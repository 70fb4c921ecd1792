"""Quantities of synchronous and asynchronous replication, computed from printed peaks."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE, Chapter
from roundtrip.present.numbers import Quantity

_ALONE = "round_trip_time"
_SAME_ROW = ["table_id", "row_label", "platform", "ha", "replication"]

PERSISTENT_MESSAGES = 2
"""Messages that each round trip writes to the recovery log: the request and its reply."""


def with_single_thread(points: pd.DataFrame) -> pd.DataFrame:
    """Put the round-trip time that one requester alone sees beside each peak.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`: peaks, and points of one requester with ``round_trip_time``.

    Returns
    -------
    pandas.DataFrame
        The peaks, in their order, with the ``round_trip_time`` of the same printed row.
    """
    timed = [_ALONE, f"{_ALONE}_cell", f"{_ALONE}_decimals"]
    peaks = points[points[RATE].notna()].drop(columns=timed)
    alone = points[points[_ALONE].notna()][[*_SAME_ROW, *timed]]
    return peaks.merge(alone, on=_SAME_ROW, how="left", validate="one_to_one")


def with_arrangement(points: pd.DataFrame) -> pd.DataFrame:
    """Name how each point's queue manager is protected, in a column ``arrangement``.

    ``none``, the kind of high availability, the kind of replication, or both.
    """
    names = []
    for ha, replication in zip(points["ha"], points["replication"], strict=True):
        kinds = [str(kind) for kind in (ha, replication) if not pd.isna(kind) and kind != "none"]
        if len(kinds) == 2 and kinds[0].split()[0] == kinds[1].split()[0]:
            kinds[1] = kinds[1].partition(" ")[2]  # "appliance HA and DR"
        names.append(" and ".join(kinds) or "none")
    return points.assign(arrangement=names)


def link_round_trips(near: Quantity, far: Quantity, added_ms: float) -> Quantity:
    """Compute how often one round trip waits for the link, one wait after the other.

    What an added delay adds to the round-trip time of one requester, divided by that delay.

    Parameters
    ----------
    near, far : Quantity
        Round-trip time of one requester without and with the delay, in ms.
    added_ms : float
        The delay that was added, there and back.
    """
    cells = tuple(dict.fromkeys(far.cells + near.cells))
    return Quantity((far.value - near.value) / added_ms, "", cells, 1)


def mean_round_trip_time(chapter: Chapter, clients: Quantity, rate: Quantity) -> Quantity:
    """Compute the mean round-trip time of requesters that do not pause, in ms.

    Little's law for a closed system without think time: number of requesters over rate
    (Little 1961, doi:10.1287/opre.9.3.383).
    """
    value = 1e3 * clients.value / per_second(chapter, rate)
    return Quantity(value, "ms", tuple(dict.fromkeys(clients.cells + rate.cells)), 1)


def requester_ceiling(
    chapter: Chapter, clients: Quantity, waits: Quantity, delay_ms: float
) -> Quantity:
    """Compute the rate that requesters cannot exceed when each round trip waits for a link.

    Requesters, divided by the time their waits take. Real rates stay below it, since nothing else
    is counted: processors, disks, and time spent waiting for a log write that is under way.
    """
    per_trip = MESSAGES_PER_ROUND_TRIP if chapter.rate_unit == "messages/s" else 1
    rate = per_trip * clients.value / (waits.value * delay_ms / 1e3)
    cells = tuple(dict.fromkeys(clients.cells + waits.cells))
    return Quantity(rate, chapter.unit(RATE), cells, 0)


def replicated_payload(chapter: Chapter, rate: Quantity, message_bytes: float) -> Quantity:
    """Compute the payload that a replication link must carry at a rate, in Gb/s.

    Request and reply once each. Headers, log records without payload and what is sent twice come
    on top: the true load is higher.
    """
    bits = per_second(chapter, rate) * PERSISTENT_MESSAGES * message_bytes * 8
    return Quantity(bits / 1e9, "Gb/s", rate.cells, 1)


def payload_in_flight(
    chapter: Chapter, rate: Quantity, message_bytes: float, delay_ms: float, queue_managers: float
) -> Quantity:
    """Compute the payload under way on a link for each queue manager, in MB.

    Bandwidth-delay product of the payload: rate, times request and reply, times the delay there
    and back. A sender that may have only so much unacknowledged data cannot be faster.
    """
    data = per_second(chapter, rate) * PERSISTENT_MESSAGES * message_bytes * delay_ms / 1e3
    return Quantity(data / queue_managers / 1e6, "MB", rate.cells, 2)


def link_ceiling(chapter: Chapter, gbps: float, message_bytes: float) -> Quantity:
    """Compute the rate at which the payload of persistent messages fills a replication link."""
    per_trip = MESSAGES_PER_ROUND_TRIP if chapter.rate_unit == "messages/s" else 1
    bits = PERSISTENT_MESSAGES * message_bytes * 8
    return Quantity(per_trip * gbps * 1e9 / bits, chapter.unit(RATE), ())


def catch_up(outage_s: float, load_share: float) -> Quantity:
    """Compute how long a backlog takes to drain after a link was down, in seconds.

    The backlog grows at the load during the outage and shrinks afterwards at what the link has to
    spare: outage times load over spare capacity.

    Parameters
    ----------
    outage_s : float
        How long the link was down.
    load_share : float
        Load as a share of what the link can carry, below 1.

    Raises
    ------
    ValueError
        If the link has nothing to spare: the backlog never drains.
    """
    if not 0 <= load_share < 1:
        raise ValueError(f"a link with a load of {load_share:.0%} never catches up")
    return Quantity(outage_s * load_share / (1 - load_share), "s", (), 0)


def time_at(amount: Quantity, per_s: Quantity) -> Quantity:
    """Divide an amount of data by a rate of data, in ms."""
    if f"{amount.unit}/s" != per_s.unit:
        raise ValueError(f"{amount.unit} is not divided by {per_s.unit}")
    cells = tuple(dict.fromkeys(amount.cells + per_s.cells))
    return Quantity(1e3 * amount.value / per_s.value, "ms", cells, 1)


def per_second(chapter: Chapter, rate: Quantity) -> float:
    """Give a rate in round trips/s, whatever unit this edition shows."""
    return rate.value / (MESSAGES_PER_ROUND_TRIP if chapter.rate_unit == "messages/s" else 1)


def kept_shares(
    chapter: Chapter, points: pd.DataFrame, delay: str, by: Sequence[str]
) -> list[tuple[tuple[object, ...], float, Quantity]]:
    """Compute which share of the rate at the smallest delay is left at each delay.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
    delay : str
        Factor that holds the delay in ms.
    by : sequence of str
        Columns that tell the series apart.

    Returns
    -------
    list of (values of `by`, delay, share)
        In the order of the points, each series by rising delay.
    """
    shares = []
    for key, part in points.groupby(list(by), sort=False):
        part = part.sort_values(delay)
        rates = chapter.quantities(part)
        for value, rate in zip(part[delay], rates, strict=True):
            shares.append((key, float(value), rate.percent_of(rates[0], 1)))
    return shares


def peak_cells(
    chapter: Chapter, points: pd.DataFrame, **factors: object
) -> tuple[Quantity | None, ...]:
    """Give rate, CPU, clients and the round-trip time of one requester of the point selected.

    Nothing for each where there is no such point.
    """
    found = chapter.select(points, **factors)
    metrics = (RATE, "cpu", "clients", _ALONE)
    if found.empty:
        return (None,) * len(metrics)
    return tuple(chapter.quantity(found, metric) for metric in metrics)


def link_gbps(chapter: Chapter, host_set: str, carries: str) -> Quantity:
    """Give the nominal bandwidth of the link of a host set that carries something.

    Raises
    ------
    ValueError
        If the source describes no such link, or several, or not its bandwidth.
    """
    links = [
        link.bandwidth_gbps
        for link in chapter.about.host_sets[host_set].links
        if link.carries is not None and carries in link.carries and link.bandwidth_gbps
    ]
    if len(links) != 1:
        raise ValueError(f"{len(links)} links of {host_set} carry '{carries}', not one")
    return Quantity(links[0], "Gb/s", ())
