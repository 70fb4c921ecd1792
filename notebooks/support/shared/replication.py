"""Quantities of synchronous and asynchronous replication, computed from printed peaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Quantity
from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP
from support.shared.flows import rate_in_edition


def link_round_trips(near: Quantity, far: Quantity, added_ms: float) -> Quantity:
    """Compute how often one round trip waits for the link in sequence.

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


def requester_ceiling(
    chapter: Chapter, clients: Quantity, waits: Quantity, delay_ms: float
) -> Quantity:
    """Compute the rate that requesters cannot exceed when each round trip waits for a link.

    Requesters, divided by the time their waits take. Real rates stay below it, since nothing else
    is counted: processors, disks, and time spent waiting for a log write that is under way.
    """
    rate = rate_in_edition(chapter, clients.value / (waits.value * delay_ms / 1e3))
    return replace(rate, cells=tuple(dict.fromkeys(clients.cells + waits.cells)))


def link_ceiling(chapter: Chapter, gbps: float, message_bytes: float) -> Quantity:
    """Compute the rate at which the payload of persistent messages fills a replication link.

    Every round trip sends request and reply. Headers and data that is sent twice are not counted:
    without compression no real rate can be higher.
    """
    bits = MESSAGES_PER_ROUND_TRIP * message_bytes * 8
    return rate_in_edition(chapter, gbps * 1e9 / bits)


def time_at(amount: Quantity, per_s: Quantity) -> Quantity:
    """Divide an amount of data by a rate of data, in ms.

    Raises
    ------
    ValueError
        If the units do not fit.
    """
    if f"{amount.unit}/s" != per_s.unit:
        raise ValueError(f"{amount.unit} is not divided by {per_s.unit}")
    cells = tuple(dict.fromkeys(amount.cells + per_s.cells))
    return Quantity(1e3 * amount.value / per_s.value, "ms", cells, 1)


def kept_shares(
    chapter: Chapter, points: pd.DataFrame, delay: str, by: Sequence[str], decimals: int = 1
) -> list[tuple[tuple[Any, ...], float, Quantity]]:
    """Compute which share of the rate at the smallest delay is left at each delay.

    Parameters
    ----------
    delay : str
        Factor that holds the delay in ms.
    by : sequence of str
        Columns that tell the series apart.
    decimals : int
        With which shares are written.

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
            shares.append((key, float(value), rate.percent_of(rates[0], decimals)))
    return shares
