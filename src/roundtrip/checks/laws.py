"""Rules about what can be: limits of links, of order, and of requests in flight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from roundtrip.checks.precision import near, quotient_bounds
from roundtrip.checks.reference import Finding, Reference, records, require_columns, rows_where
from roundtrip.dictionary import RATE, TIME

BITS_PER_BYTE = 8
GIGA = 1e9
MILLISECONDS = 1000
SECONDS_PER_HOUR = 3600
MEANS = frozenset({
    "peak", "comparison", "mean", "steady", "plateau", "rated", "single", "derived",
})  # fmt: skip
"""Statistics of which a value is the mean of a point, or one value that stands for it."""

Numbers = NDArray[np.float64]


def bandwidth_needed(frame: pd.DataFrame, messages_each_way: Mapping[str, int]) -> Numbers:
    """Give what the messages of each row's rate take of a link, in Gb/s and each direction.

    Parameters
    ----------
    frame : pandas.DataFrame
        Observations; `value` is taken for round trips per second.
    messages_each_way : mapping
        Messages of one round trip that cross the link in one direction, by workload.

    Returns
    -------
    array, shape (rows,)
        Not a number where workload, size or value is not stated.
    """
    messages = frame["workload"].map(messages_each_way).to_numpy(dtype=float, na_value=np.nan)
    size = frame["message_bytes"].to_numpy(dtype=float, na_value=np.nan)
    needed = frame["value"].to_numpy(dtype=float) * messages * size * BITS_PER_BYTE / GIGA
    return np.asarray(needed, dtype=np.float64)


def rates_fit_link(cells: pd.DataFrame, messages_each_way: dict[str, int]) -> Finding:
    """See that no uncompressed rate needs more bandwidth than its link has."""
    link = cells["link_gbps"].to_numpy(dtype=float, na_value=np.nan)
    needed = bandwidth_needed(cells.assign(value=cells["settled"]), messages_each_way)
    bound = (
        (cells["metric"] == RATE).to_numpy(dtype=bool)
        & (cells["compression"] == "none").to_numpy(dtype=bool)
        & np.isfinite(needed)
        & np.isfinite(link)
    )
    finding = Finding(int(bound.sum()))
    with np.errstate(invalid="ignore"):
        beyond = bound & (needed > link)
    for at in np.flatnonzero(beyond).tolist():
        problem = f"the messages alone need {needed[at]:.1f} Gb/s, the link has {link[at]:g}"
        finding.add_row(at, problem)
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
    held = ["source", *_stated(peaks, reference, (factor, "requesters"))]
    for _, group in peaks.groupby(held, dropna=False, sort=False):
        levels = [level.sort_values("settled") for _, level in group.groupby(factor)]
        if len(levels) < 2:
            continue
        finding.checked += len(group)
        lowest: dict[str, Any] = {"settled": np.inf}
        for level in levels:
            rows = records(level)
            for row in rows:
                if row["settled"] >= lowest["settled"]:
                    problem = f"Not below {lowest['settled']:,.0f} at a lower {factor}"
                    finding.add_contradiction([row, lowest], problem)
            lowest = min(lowest, rows[0], key=lambda row: row["settled"])
    return finding


def _stated(cells: pd.DataFrame, reference: Reference, but: Sequence[str]) -> list[str]:
    """List the factors that some of the cells state."""
    return [
        name
        for name in reference.dictionary.factors
        if name not in but and cells[name].notna().any()
    ]


def peaks_are_highest(cells: pd.DataFrame, metric: str, by: list[str]) -> Finding:
    """See that no value of a table lies above the peak of its series.

    Cells that agree in the columns `by` belong to one series.
    """
    require_columns(cells, by)
    cells_of = cells[(cells["metric"] == metric) & (cells["source_kind"] == "table")]
    finding = Finding(0)
    for _, series in cells_of.groupby(["table_id", *by], dropna=False, sort=False):
        peak = series["statistic"] == "peak"
        for top in records(series[peak]):
            others = series[~peak]
            finding.checked += len(others)
            for other in records(others[others["settled"] > top["settled"]]):
                problem = f"Called the peak, but {other['value_printed']} stands beside it"
                finding.add_contradiction([top, other], problem)
    return finding


def mean_times(cells: pd.DataFrame) -> pd.DataFrame:
    """Choose the round-trip times that are means, as laws of flow take them; no percentile is."""
    return cells[(cells["metric"] == TIME) & cells["statistic"].isin(MEANS)]


def requests_in_flight(rates: Any, times: Any) -> Any:
    """Give the requests in flight at rates per second and times in milliseconds (Little's law)."""
    return rates * times / MILLISECONDS


def requests_in_flight_fit(
    cells: pd.DataFrame, least: float, most: float, where: dict[str, Any] | None = None
) -> Finding:
    """See that rate times round-trip time is about the number of requesters.

    Requesters that never wait keep one request each in flight (Little's law). `least` and `most`
    are what is allowed for each of them.
    """
    chosen = cells[rows_where(cells, where) & cells["requesters"].notna()]
    finding = Finding(0)
    for _, point in chosen.groupby("point_id", sort=False):
        rates = records(point[point["metric"] == RATE])
        times = records(mean_times(point))
        if not rates or not times:
            continue
        finding.checked += 1
        rate, time, requesters = rates[0], times[0], int(point["requesters"].iloc[0])
        flight = float(requests_in_flight(rate["settled"], time["settled"]))
        low = flight * (1 - time["slack"] / time["settled"])
        high = flight * (1 + time["slack"] / time["settled"])
        if high < least * requesters or low > most * requesters:
            problem = f"{flight:.1f} requests in flight for {requesters} requesters"
            finding.add_contradiction([time, *records(point)], problem)
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
        target = cell["requesters"] * cell["requester_rate"] / SECONDS_PER_HOUR
        if cell["settled"] > most * target:
            same_point = records(cells[cells["point_id"] == cell["point_id"]])
            problem = f"{cell['requesters']:,} requesters were told to keep {target:,.0f}"
            finding.add_contradiction([cell, *same_point], problem)
    return finding


def times_are_reciprocal(cells: pd.DataFrame, reference: Reference, rate: str) -> Finding:
    """See that the round-trip time of one requester is the reciprocal of its rate.

    Held against each other are all values with the same factors, printed or drawn.
    """
    alone = cells[cells["requesters"] == 1]
    rates = alone[alone["metric"] == rate]
    times = mean_times(alone)
    factors = ["source", *_stated(alone, reference, ())]
    pairs = times.merge(rates, on=factors, suffixes=("", "_rate"))
    finding = Finding(len(pairs))
    for pair in records(pairs):
        least, most = quotient_bounds(MILLISECONDS, 0, pair["settled_rate"], pair["slack_rate"])
        middle, half = (least + most) / 2, (most - least) / 2
        if not near(pair["settled"], middle, half + pair["slack"]):
            other = {name: pair[f"{name}_rate"] for name in ("status", "note")}
            problem = f"{pair['table_rate']} gives {MILLISECONDS / pair['settled_rate']:.3g} ms"
            finding.add_contradiction([pair, other], problem)
    return finding
