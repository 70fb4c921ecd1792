"""Laws of what can be: limits of links, of order, and of requests in flight.

Each law stands here once, first what it holds against what. How far a value may be off, and what
that says, is for those who apply it: the rules of suites below, detectors, rules of method.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import pandas as pd

from roundtrip.checks.precision import Cell, off, room
from roundtrip.checks.reference import Finding, Reference
from roundtrip.checks.selection import records, require_columns, rows_where, stated_factors
from roundtrip.dictionary import RATE, RATES, TIME

BITS_PER_BYTE = 8
GIGA = 1e9
MILLISECONDS = 1000
SECONDS_PER_HOUR = 3600
MEANS = frozenset({
    "peak", "comparison", "mean", "steady", "plateau", "rated", "single", "derived",
})  # fmt: skip
"""Statistics of which a value is the mean of a point, or one value that stands for it."""
KEPT_WITHIN = 0.05
"""Share of the offered rate by which every run may miss it."""
FEW = 100
"""Round trips: with fewer in a run, its rate is too coarse to tell whether it was kept."""
_AT_ENDS = 2
"""Round trips: one at either end of a run, which cuts through an even schedule."""
_TOTALS = ("target_rate", "overload_rate")


def loads_of_links(
    rates: pd.DataFrame, messages_each_way: Mapping[str, int]
) -> Iterator[tuple[Cell, float]]:
    """Yield rates with what their messages alone take of their link, in Gb/s each way.

    Those are left out whose workload, message size or link is not known. `messages_each_way` are
    the messages of one round trip that cross the link in one direction, by workload.
    """
    rates = rates[rates["workload"].isin([*messages_each_way])]
    for cell in records(rates.dropna(subset=["message_bytes", "link_gbps"])):
        messages = cell["settled"] * messages_each_way[cell["workload"]]
        yield cell, messages * cell["message_bytes"] * BITS_PER_BYTE / GIGA


def beside_slowest(
    cells: Iterable[Cell], factor: str, faster: int = 1
) -> Iterator[tuple[Cell, Cell]]:
    """Pair each value with the slowest one at a lower level of a factor that slows things down.

    `faster` is 1 where more is faster, as of rates, and -1 where less is, as of times.
    """
    slowest: Cell | None = None
    for _, level in groupby(sorted(cells, key=itemgetter(factor)), key=itemgetter(factor)):
        here = sorted(level, key=lambda cell: faster * cell["settled"])
        if slowest is None:
            slowest = here[0]
            continue
        for cell in here:
            yield cell, slowest
        slowest = min(slowest, here[0], key=lambda cell: faster * cell["settled"])


def above_peak(peak: Cell, cells: Iterable[Cell]) -> list[Cell]:
    """Choose the cells of a series that lie above what is called its peak."""
    return [cell for cell in cells if cell["settled"] - peak["settled"] > room(peak, cell)]


def rates_with_times(
    cells: pd.DataFrame, keys: Sequence[str], of: Sequence[str] = RATES
) -> Iterator[tuple[Cell, Cell]]:
    """Pair rates with the round-trip times that agree in some columns; what neither states agrees.

    Times are means, as the law of flow takes them; no percentile is one.
    """
    rates = cells[cells["metric"].isin(of)]
    times = cells[(cells["metric"] == TIME) & cells["statistic"].isin(MEANS)]
    pairs = rates.merge(times[[*keys, "position"]], on=list(keys), suffixes=("", "_time"))
    time_at = {time["position"]: time for time in records(times)}
    for rate in records(pairs):
        yield rate, time_at[rate["position_time"]]


def requests_in_flight(rate: Cell, time: Cell, side: int = 0) -> float:
    """Give the requests in flight at a rate per second and a time in milliseconds.

    Requesters that never wait keep one each (J. D. C. Little, Operations Research 9, 1961, p. 383).
    With `side` -1 or 1 both are taken as the least or the greatest that they may be.
    """
    per_second, milliseconds = (one["settled"] + side * one["slack"] for one in (rate, time))
    return float(per_second * milliseconds / MILLISECONDS)


def offered(factors: Mapping[Any, Any]) -> float | None:
    """Give the rate that the drivers of an operating point were told to keep.

    Parameters
    ----------
    factors : mapping
        Of the point; what was not set may be missing or NA.

    Returns
    -------
    float or None
        Round trips per second, or messages where nobody answers; None where drivers ran unrated.
    """
    each = _number(factors.get("requester_rate")) * _number(factors.get("requesters"))
    every = (each / SECONDS_PER_HOUR, *(_number(factors.get(name)) for name in _TOTALS))
    return next((rate for rate in every if rate > 0), None)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):  # pandas.NA, and a factor that was not set
        return math.nan


def is_kept(values: Sequence[float], rate: float, seconds: float) -> bool:
    """Say whether every run kept the rate that was offered.

    One round trip at either end is allowed as well: moments are fixed and evenly spread, and it is
    open whether one at an end is counted.

    Parameters
    ----------
    values : sequence of float
        Achieved rate of each run.
    rate : float
        The offered one, in the same unit.
    seconds : float
        Length of the measured part.
    """
    within = rate * KEPT_WITHIN + _AT_ENDS / seconds
    return all(abs(value - rate) <= within for value in values)


def rates_fit_link(cells: pd.DataFrame, messages_each_way: dict[str, int]) -> Finding:
    """See that no uncompressed rate needs more bandwidth than its link has."""
    finding = Finding(0)
    rates = cells[(cells["metric"] == RATE) & (cells["compression"] == "none")]
    for cell, needed in loads_of_links(rates, messages_each_way):
        finding.checked += 1
        if needed > cell["link_gbps"]:
            has = f"the link has {cell['link_gbps']:g}"
            finding.add_row(cell["position"], f"the messages alone need {needed:.1f} Gb/s, {has}")
    return finding


def rates_fall_with(cells: pd.DataFrame, reference: Reference, factor: str) -> Finding:
    """See that peak rates fall as one factor rises and all others stay.

    The number of requesters is not held: each peak has its own.
    """
    require_columns(cells, [factor])
    peaks = cells[
        (cells["metric"] == RATE) & (cells["statistic"] == "peak") & cells[factor].notna()
    ]
    finding = Finding(0)
    held = ["source", *stated_factors(peaks, reference.dictionary, factor, "requesters")]
    for _, group in peaks.groupby(held, dropna=False, sort=False):
        finding.checked += len(group) if group[factor].nunique() > 1 else 0
        for cell, slowest in beside_slowest(records(group), factor):
            if cell["settled"] >= slowest["settled"]:
                problem = f"Not below {slowest['settled']:,.0f} at a lower {factor}"
                finding.add_contradiction([cell, slowest], problem)
    return finding


def peaks_are_highest(cells: pd.DataFrame, metric: str, by: list[str]) -> Finding:
    """See that no value of a table lies above the peak of its series.

    Cells that agree in the columns `by` belong to one series.
    """
    require_columns(cells, by)
    cells_of = cells[(cells["metric"] == metric) & (cells["source_kind"] == "table")]
    finding = Finding(0)
    for _, series in cells_of.groupby(["table_id", *by], dropna=False, sort=False):
        is_peak = series["statistic"] == "peak"
        others = records(series[~is_peak])
        for peak in records(series[is_peak]):
            finding.checked += len(others)
            for other in above_peak(peak, others):
                problem = f"Called the peak, but {other['value_printed']} stands beside it"
                finding.add_contradiction([peak, other], problem)
    return finding


def requests_in_flight_fit(
    cells: pd.DataFrame, least: float, most: float, where: dict[str, Any] | None = None
) -> Finding:
    """See that rate times round-trip time is about the number of requesters.

    `least` and `most` are what is allowed for each of them, which never wait.
    """
    chosen = cells[rows_where(cells, where) & cells["requesters"].notna()]
    finding = Finding(0)
    for rate, time in rates_with_times(chosen, ["point_id"], [RATE]):
        finding.checked += 1
        requesters = int(rate["requesters"])
        low, flight, high = (requests_in_flight(rate, time, side) for side in (-1, 0, 1))
        if high < least * requesters or low > most * requesters:
            point = records(chosen[chosen["point_id"] == time["point_id"]])
            problem = f"{flight:.1f} requests in flight for {requesters} requesters"
            finding.add_contradiction([time, *point], problem)
    return finding


def rates_keep_target(cells: pd.DataFrame, most: float) -> Finding:
    """See that no rate is above what its requesters were told to keep.

    `most` is the share of it that may be reached.
    """
    rated = cells[
        (cells["metric"] == RATE) & cells["requester_rate"].notna() & cells["requesters"].notna()
    ]
    finding = Finding(len(rated))
    for cell in records(rated):
        target = offered(cell) or 0.0
        if cell["settled"] > most * target:
            same_point = records(cells[cells["point_id"] == cell["point_id"]])
            problem = f"{cell['requesters']:,} requesters were told to keep {target:,.0f}"
            finding.add_contradiction([cell, *same_point], problem)
    return finding


def times_are_reciprocal(cells: pd.DataFrame, reference: Reference, rate: str) -> Finding:
    """See that the round-trip time of one requester is the reciprocal of its rate.

    It has one request in flight, exactly. Held against each other are all values with the same
    factors, printed or drawn.
    """
    alone = cells[cells["requesters"] == 1]
    finding = Finding(0)
    for of, time in rates_with_times(
        alone, ["source", *stated_factors(alone, reference.dictionary)], [rate]
    ):
        finding.checked += 1
        least, most = (requests_in_flight(of, time, side) for side in (-1, 1))
        if off({"settled": 1, "slack": 0}, least, most):
            problem = f"{of['table']} gives {MILLISECONDS / of['settled']:.3g} ms"
            finding.add_contradiction([time, of], problem)
    return finding
