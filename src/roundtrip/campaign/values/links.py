"""What a raw file says of the link between clients and broker, and of compression on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.values import Values


def link_values(lines: Iterable[RawLine], begin: float, end: float, round_trips: float) -> Values:
    """Give the link's own measures, and what crossed it for a round trip.

    Parameters
    ----------
    lines : iterable of RawLine
        All of the raw file.
    begin, end : float
        The measured part, in milliseconds since 1970.
    round_trips : float
        Completed in it.

    Returns
    -------
    dict of (metric, statistic) to float
        ``link_round_trip_time`` and ``link_throughput`` from the probe before the load;
        ``link_bytes`` from the proxy's counters, of the direction in which more was sent. What a
        run does not have is left out.
    """
    values: Values = {}
    counters: list[Mapping[str, Any]] = []
    for line in lines:
        record = line.record or {}
        if line.source == "runner" and line.event == "link":
            if record["round_trip_ms"]:
                values["link_round_trip_time", "p50"] = median(record["round_trip_ms"])
            if record["gbps"]:
                values["link_throughput", "p50"] = median(record["gbps"])
        elif line.source == "link" and line.event == "counters":
            counters.append(record)
    if len(counters) > 1 and round_trips > 0:
        crossed = [
            _grown(counters, name, begin, end) for name in ("bytes_to_host", "bytes_from_host")
        ]
        if max(crossed) > 0:
            values["link_bytes", "mean"] = max(crossed) / round_trips
    return values


def _grown(counters: Sequence[Mapping[str, Any]], name: str, begin: float, end: float) -> float:
    """Give what a counter grew by, by linear interpolation between its readings."""
    times = np.array([float(record["t_ms"]) for record in counters])
    counted = np.array([float(record[name]) for record in counters])
    ends = np.interp([begin, end], times, counted)
    return float(ends[1] - ends[0])


def compression_values(intervals: Iterable[Mapping[str, Any]]) -> Values:
    """Give the share of the messages that compression removed.

    Parameters
    ----------
    intervals : iterable of mapping
        Those of the requesters in the measured part.

    Returns
    -------
    dict of (metric, statistic) to float
        ``compression_rate`` in percent, as IBM MQ defines COMPRATE: 100 (1 - after / before).
        Empty where the drivers did not compress.
    """
    before = after = 0
    for record in intervals:
        before += int(record.get("bytes_before") or 0)
        after += int(record.get("bytes_after") or 0)
    return {("compression_rate", "mean"): 100 * (1 - after / before)} if before else {}
