"""What drivers, links, queues and the log-disk test counted and timed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.values import Reported, Values, growth, rate_of, records_of, times_of

_UNIT = "ns"


def driver_values(factors: Mapping[str, Any], chosen: Reported) -> Values:
    """Derive rate, times and losses from the intervals of each requester in the measured part.

    Rates are added over processes, each over its own time; times come from the merged histograms,
    in milliseconds, and are refused in another unit than nanoseconds.
    """
    values: Values = {}
    every = [row for rows in chosen.values() for row in rows]
    rate = sum(rate_of(rows, "round_trips") for rows in chosen.values())
    if rate > 0:
        values["round_trip_rate", "mean"] = rate
    sessions = sum(rate_of(rows, "sessions") for rows in chosen.values())
    if "round_trips_per_session" in factors and sessions > 0:
        values["short_session_rate", "mean"] = sessions
    units = {str(row.get("latency_unit", _UNIT)) for row in every}
    if units - {_UNIT}:
        raise ValueError(f"latencies in {', '.join(sorted(units))}, not in {_UNIT}")
    values |= times_of("round_trip_time", every)
    # A wrong or second reply is an error, too: the work was not done as it was asked for.
    for metric, keys in (
        ("errors", ("errors", "mismatches", "duplicates")), ("reconnects", ("reconnects",)),
        ("lost_replies", ("lost",)),
    ):  # fmt: skip
        counted = (int(row.get(key) or 0) for row in every for key in keys)
        values[metric, "total"] = float(sum(counted))
    return values


WRONG = ("errors", "mismatches", "duplicates", "lost")
"""What a driver counts that must not happen."""


def accounts(lines: Iterable[RawLine], kind: str = "") -> dict[str, Mapping[str, Any]]:
    """Give what each driver of a kind counted over its whole run, by its name."""
    return {
        line.source: line.record["whole_run"]
        for line in lines
        if line.event == "end" and line.source.startswith(kind) and "whole_run" in line.record
    }


def unanswered(lines: Iterable[RawLine]) -> float:
    """Count the requests of a whole run that no reply came to, by the requesters' own accounts.

    A reply is lost when its time-out has passed, which a short measured part does not last: what
    was sent and what was received must be the same at the end. A second reply answers nothing.
    """
    found = 0
    for one in accounts(lines, "requester").values():
        sent, received, again = (int(one.get(key, 0)) for key in ("sent", "received", "duplicates"))
        found += max(0, int(one.get("lost", 0)), sent - received + again)
    return float(found)


def link_values(lines: Sequence[RawLine], begin: float, end: float, round_trips: float) -> Values:
    """Give the link's own measures, and what crossed it for each round trip of the measured part.

    The part is in milliseconds since 1970. ``link_round_trip_time`` and ``link_throughput`` come
    from the probe before the load; ``link_bytes`` from the proxy's counters, of the direction in
    which more was sent. What a run does not have is left out.
    """
    values: Values = {}
    for probe in records_of(lines, "link", "runner"):
        if probe["round_trip_ms"]:
            values["link_round_trip_time", "p50"] = median(probe["round_trip_ms"])
        if probe["gbps"]:
            values["link_throughput", "p50"] = median(probe["gbps"])
    counters = records_of(lines, "counters", "link")
    if len(counters) > 1 and round_trips > 0:
        times = [float(record["t_ms"]) for record in counters]
        crossed = [
            growth(times, [float(record[name]) for record in counters], begin, end)
            for name in ("bytes_to_host", "bytes_from_host")
        ]
        if max(crossed) > 0:
            values["link_bytes", "mean"] = max(crossed) / round_trips
    return values


def compression_values(intervals: Iterable[Mapping[str, Any]]) -> Values:
    """Give the share of the messages that compression removed, by the requesters' intervals.

    ``compression_rate`` is in percent: 100 (1 - after / before). It is left out where the drivers
    did not compress.
    """
    before = after = 0
    for record in intervals:
        before += int(record.get("bytes_before") or 0)
        after += int(record.get("bytes_after") or 0)
    return {("compression_rate", "mean"): 100 * (1 - after / before)} if before else {}


def queue_values(lines: Iterable[RawLine]) -> Values:
    """Give the depth of the queue at the end of the run, where the broker was asked for it."""
    depths = records_of(lines, "depth")
    return {("queue_depth", "single"): float(depths[-1]["messages"])} if depths else {}


_US_IN_MS = 1000.0
_OF_WRITES = ("mean", "maximum", "p50", "p99")


def log_disk_values(record: Mapping[str, Any]) -> Values:
    """Give times of a write in µs and its size, from what the runner recorded of the test.

    There is a percentile only where enough writes lie beyond it.
    """
    times = times_of("log_write_latency", [record])
    values = {key: time * _US_IN_MS for key, time in times.items() if key[1] in _OF_WRITES}
    return values and {("log_write_size", "mean"): float(record["block_bytes"]), **values}


_KIB = 1024


def connection_values(
    lines: Sequence[RawLine], samples: Sequence[Mapping[str, Any]], begin: float, end: float
) -> Values:
    """Derive the values of connecting from a raw file.

    In the measured part, given in milliseconds since 1970, all requesters stay connected. The time
    of all is from the first requester's start to the last connection, over all processes. Memory is
    what the broker's resident memory grew from before the first requester to the measured part, by
    requesters.
    """
    records = [
        line.record
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
    values |= times_of("connection_latency", records)
    held = [
        (1000 * float(sample["t"]), sum(brokers))
        for sample in samples
        if (brokers := [
            float(counters["rss"])
            for name, counters in sample["processes"].items()
            if name.startswith("broker")
        ])
    ]  # fmt: skip
    before = [rss for t, rss in held if t <= first]
    after = [rss for t, rss in held if begin <= t <= end]
    if before and after and clients:
        grown = sum(after) / len(after) - before[-1]
        if grown > 0:
            values["memory_per_client", "mean"] = grown / clients / _KIB
    return values
