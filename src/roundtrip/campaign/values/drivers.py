"""What the drivers counted and timed in the measured part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roundtrip.campaign.values import Values
from roundtrip.stats.histograms import merged, summary_of

_UNIT = "ns"


def driver_values(
    factors: Mapping[str, Any], chosen: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Values:
    """Derive rate, times and losses from the intervals of the measured part.

    Parameters
    ----------
    factors : mapping
        Of the run.
    chosen : mapping of str to sequence of mapping
        The intervals of each requester process.

    Returns
    -------
    dict of (metric, statistic) to float
        Rates are added over processes, each over its own time; times come from the merged
        histograms, in milliseconds.

    Raises
    ------
    ValueError
        If times are in another unit than nanoseconds.
    """
    values: Values = {}
    every = [row for rows in chosen.values() for row in rows]
    rate = _rate(chosen, "round_trips")
    if rate > 0:
        values["round_trip_rate", "mean"] = rate
    if "round_trips_per_session" in factors and (sessions := _rate(chosen, "sessions")) > 0:
        values["short_session_rate", "mean"] = sessions
    units = {str(row.get("latency_unit", _UNIT)) for row in every}
    if units - {_UNIT}:
        raise ValueError(f"latencies in {', '.join(sorted(units))}, not in {_UNIT}")
    latency = summary_of(merged(str(row["histogram"]) for row in every if row.get("histogram")))
    if latency is not None:
        values["round_trip_time", "mean"] = latency.mean_ms
        values["round_trip_time", "maximum"] = latency.max_ms
        for name, value in latency.percentiles_ms.items():
            values["round_trip_time", name] = value
    for metric, key in (
        ("errors", "errors"), ("reconnects", "reconnects"), ("lost_replies", "lost"),
    ):  # fmt: skip
        values[metric, "total"] = float(sum(int(row.get(key) or 0) for row in every))
    return values


def _rate(chosen: Mapping[str, Sequence[Mapping[str, Any]]], name: str) -> float:
    """Add up how often something happened in a second, over all processes."""
    rate = 0.0
    for rows in chosen.values():
        length = sum(float(row["length_s"]) for row in rows)
        rate += sum(int(row.get(name) or 0) for row in rows) / length if length else 0.0
    return rate
