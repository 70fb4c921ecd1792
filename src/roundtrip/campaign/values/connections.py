"""What connecting took: time of all, of each, and the broker's memory for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.values import Values
from roundtrip.stats.histograms import merged, summary_of

_KIB = 1024


def connection_values(
    lines: Sequence[RawLine], samples: Sequence[Mapping[str, Any]], begin: float, end: float
) -> Values:
    """Derive the values of connecting from a raw file.

    Parameters
    ----------
    lines : sequence of RawLine
    samples : sequence of mapping
        Of the sampler.
    begin, end : float
        Of the measured part, in which all requesters stay connected; milliseconds since 1970.

    Returns
    -------
    dict
        Of (metric, statistic). The time of all is from the first requester's start to the last
        connection, over all processes. Memory is what the broker's resident memory grew from before
        the first requester to the measured part, by requesters.
    """
    records = [
        line.record or {}
        for line in lines
        if line.event == "connected" and line.source.startswith("requester")
    ]
    if not records:
        return {}
    clients = sum(int(record["threads"]) for record in records)
    first = min(float(record["t_ms"]) - 1000 * float(record["seconds"]) for record in records)
    last = max(float(record["t_ms"]) for record in records)
    values: Values = {}
    if last > first and clients:
        values["connection_time", "single"] = (last - first) / 1000
        values["connection_rate", "mean"] = 1000 * clients / (last - first)
    each = summary_of(merged(str(record["histogram"]) for record in records))
    if each is not None:
        values["connection_latency", "mean"] = each.mean_ms
        values["connection_latency", "maximum"] = each.max_ms
        for name, value in each.percentiles_ms.items():
            values["connection_latency", name] = value
    before = [held for t, held in _held(samples) if t <= first]
    after = [held for t, held in _held(samples) if begin <= t <= end]
    if before and after and clients:
        grown = sum(after) / len(after) - before[-1]
        if grown > 0:
            values["memory_per_client", "mean"] = grown / clients / _KIB
    return values


def _held(samples: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """Give the brokers' resident bytes over time in milliseconds since 1970."""
    found = []
    for sample in samples:
        held = [
            float(counters["rss"])
            for name, counters in sample["processes"].items()
            if name.startswith("broker")
        ]
        if held:
            found.append((1000 * float(sample["t"]), sum(held)))
    return found
