"""What a raw file says, one module for each kind of value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from roundtrip.campaign.raw import RawLine
from roundtrip.stats.histograms import merged, summary_of

Values = dict[tuple[str, str], float]
"""By metric and statistic."""
Reported = Mapping[str, Sequence[Mapping[str, Any]]]
"""Intervals by the driver that reported them."""
TOLERANCE_MS = 60.0
"""How far the ends of the drivers' intervals may lie from those of the measured part."""


def records_of(lines: Iterable[RawLine], event: str, source: str = "") -> list[dict[str, Any]]:
    """Give the records of an event, of one source or of all."""
    return [line.record for line in lines if line.event == event and source in ("", line.source)]


def intervals_of(lines: Iterable[RawLine], kind: str) -> dict[str, list[Mapping[str, Any]]]:
    """Give the intervals that each driver of a kind reported, by its name."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        if line.event == "interval" and line.source.startswith(kind):
            found.setdefault(line.source, []).append(line.record)
    return found


def ending_within(
    intervals: Reported, after_ms: float, until_ms: float
) -> dict[str, list[Mapping[str, Any]]]:
    """Give those intervals that end in a part of the run, in milliseconds since 1970."""
    return {
        name: [row for row in rows if after_ms < float(row["t_ms"]) <= until_ms]
        for name, rows in intervals.items()
    }


def together(intervals: Reported) -> list[tuple[float, float]]:
    """Give end and rate of all drivers together, interval by interval, as far as all have some."""
    return [
        (max(float(row["t_ms"]) for row in rows), sum(float(row["rate"]) for row in rows))
        for rows in zip(*intervals.values(), strict=False)
    ]


def times_of(metric: str, records: Iterable[Mapping[str, Any]]) -> Values:
    """Give mean, maximum and percentiles of the histograms in records; nothing without a time."""
    found = summary_of(merged(str(row["histogram"]) for row in records if row.get("histogram")))
    return {(metric, statistic): value for statistic, value in found.items()}


def rate_of(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    """Give how often a driver counted something in a second of its intervals."""
    length = sum(float(row["length_s"]) for row in rows)
    return sum(int(row.get(name) or 0) for row in rows) / length if length else 0.0


def growth(times: Sequence[float], counted: Sequence[float], begin: float, end: float) -> float:
    """Give what a counter grew by; between readings it is taken to grow evenly."""
    first, last = np.interp([begin, end], times, counted)
    return float(last - first)
