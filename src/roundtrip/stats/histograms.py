"""Latency percentiles from HdrHistograms: merged first, read afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from hdrh.histogram import HdrHistogram

HIGHEST_NS = 3_600_000_000_000
DIGITS = 3
NS_IN_MS = 1_000_000
LEAST_BEYOND = 10
"""Values that must lie beyond a percentile before it is stated: with fewer it is an anecdote."""

PERCENTILES: Mapping[str, float] = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p999": 99.9}


@dataclass(frozen=True)
class LatencySummary:
    """What a histogram says.

    Attributes
    ----------
    count : int
        Recorded values.
    mean_ms, max_ms : float
        In milliseconds.
    percentiles_ms : dict
        `p50`, `p90`, `p99`, `p999` in milliseconds, as far as enough values lie beyond them.
    """

    count: int
    mean_ms: float
    max_ms: float
    percentiles_ms: dict[str, float]


def merged(encoded: Iterable[str]) -> HdrHistogram:
    """Add histograms of intervals, threads or processes into one.

    Percentiles of parts must not be averaged; those of the merged histogram are exact to its
    precision of three digits.

    Parameters
    ----------
    encoded : iterable of str
        Compressed HdrHistograms (V2) in base64, values in nanoseconds.

    Raises
    ------
    ValueError
        If one of them is damaged or records values beyond an hour.
    """
    total = HdrHistogram(1, HIGHEST_NS, DIGITS)
    for text in encoded:
        try:
            for value, count in _recorded(HdrHistogram.decode(text)):
                if not total.record_value(value, count):
                    raise ValueError(f"{value} is beyond an hour")
        except Exception as problem:
            # The library raises whatever its zlib, base64 and struct readers do.
            raise ValueError(f"not a latency histogram: {problem}") from problem
    return total


def summary_of(histogram: HdrHistogram) -> LatencySummary | None:
    """Summarise a histogram of nanoseconds, or give None when nothing was recorded."""
    count = int(histogram.get_total_count())
    if count == 0:
        return None
    stated = {
        name: percent
        for name, percent in PERCENTILES.items()
        if round(count * (100 - percent) / 100, 6) >= LEAST_BEYOND  # 0.1 % of 10,000 is ten
    }
    found = histogram.get_percentile_to_value_dict(list(stated.values())) if stated else {}
    percentiles = {name: found[percent] / NS_IN_MS for name, percent in stated.items()}
    total = 0
    for lowest, recorded in _recorded(histogram):
        width = histogram.get_highest_equivalent_value(lowest) - lowest + 1
        total += recorded * (lowest + width // 2)
    return LatencySummary(
        count,
        total / count / NS_IN_MS,
        histogram.get_max_value() / NS_IN_MS,
        percentiles,
    )


def _recorded(histogram: HdrHistogram) -> Iterator[tuple[int, int]]:
    """Give values that were recorded, each the lowest of its class, and how often.

    The library's own sum and mean ask for each of some 50,000 counts, of which few are not zero.
    """
    counts = np.asarray(histogram.counts)
    for index in np.flatnonzero(counts).tolist():
        yield histogram.get_value_from_index(index), int(counts[index])
