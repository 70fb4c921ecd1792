"""Latency percentiles from HdrHistograms: merged first, read afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from roundtrip.stats.hdr import Histogram, Shape, decode

HIGHEST_NS = 3_600_000_000_000
DIGITS = 3
NS_IN_MS = 1_000_000
LEAST_BEYOND = 10
"""Values that must lie beyond a percentile before it is stated: with fewer it is an anecdote."""

QUANTILES: Mapping[str, float] = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def merged(encoded: Iterable[str]) -> Histogram:
    """Add histograms of intervals, threads or processes into one.

    Percentiles of parts must not be averaged; those of the merged histogram are exact to its
    precision of three digits.

    Parameters
    ----------
    encoded : iterable of str
        Compressed HdrHistograms in base64, of nanoseconds to three digits.

    Raises
    ------
    ValueError
        If one of them is damaged or of another precision.
    """
    total = Histogram(Shape(1, DIGITS), np.zeros(0, dtype=np.int64))
    for text in encoded:
        try:
            part = decode(text)
        except ValueError as problem:
            raise ValueError(f"not a latency histogram: {problem}") from problem
        if part.shape != total.shape:
            raise ValueError("not a latency histogram: nanoseconds to three digits were expected")
        total.add(part)
    return total


def summary_of(histogram: Histogram) -> dict[str, float]:
    """Give mean, maximum and percentiles of nanoseconds, in milliseconds by statistic.

    There are none where nothing was recorded, and only those percentiles that enough values lie
    beyond.
    """
    found = histogram.statistics(QUANTILES)
    count = int(found["count"])
    if count == 0:
        return {}
    times = {"mean": found["mean"], "maximum": found["max"]}
    for name, quantile in QUANTILES.items():
        if round(count * (1 - quantile), 6) >= LEAST_BEYOND:  # 0.1 % of 10,000 is ten
            times[name] = found[name]
    return {statistic: time / NS_IN_MS for statistic, time in times.items()}
