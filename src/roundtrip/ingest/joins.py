"""Resources beside rates: values of monitors joined to the points of load drivers.

By time where both have a clock: the monitor's intervals between the beginning and the end of the
point. By order where one of them has none: the only load of a folder with its only monitor, or as
many loads as the monitor has runs, in turn. What fits neither way stays a point of its own. Every
joined value says how it was joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from roundtrip.ingest.records import STREAM, TIME, Columns

MONITORS = ("vmstat", "mpstat", "sar", "iostat", "sysstat-json", "amqsrua")
LOADS = ("mq-cph", "jmsperfharness", "rabbitmq-perftest", "artemis-perf", "omb")
_JOINED = frozenset({
    "cpu", "machine_cpu", "log_write_latency", "log_write_size", "log_slowest_write", "backlog",
    "network_round_trip_time", "acknowledgement_latency", "acknowledgement_size",
})  # fmt: skip
_LEAST = 3
_EPOCH = 86400.0 * 366

Row = dict[str, Any]
Series = Callable[[str], tuple[list[str], list[Columns]]]


def joined(rows: list[Row], series: Series) -> list[Row]:
    """Add the monitors' values to the points of the load drivers in the same folder.

    Parameters
    ----------
    rows : list of dict
        Rows of all points; those that were joined before are made anew.
    series : callable
        Gives the names of the streams and the intervals of an input, by its hash.

    Returns
    -------
    list of dict
        The rows, and the joined ones.
    """
    own = [row for row in rows if not row["note"].startswith("joined by ")]
    added = []
    for folder in sorted({_folder(row) for row in own}):
        here = [row for row in own if _folder(row) == folder]
        loads = _points(here, LOADS)
        monitors = [
            row for row in here
            if row["tool"] in MONITORS and row["metric"] in _JOINED
            and row["statistic"] == "steady"
        ]  # fmt: skip
        if loads and monitors:
            added += _by_time(loads, monitors, series)
            done = {(row["point"], row["metric"], row["file"]) for row in added}
            added += _by_order(loads, monitors, done)
    return own + added


def _folder(row: Mapping[str, Any]) -> str:
    return str(PurePosixPath(row["file"].split("!")[0]).parent)


def _points(rows: list[Row], tools: tuple[str, ...]) -> list[Row]:
    """Give one row for each steady point, in the order of files, runs and lines."""
    found: dict[str, Row] = {}
    for row in rows:
        rate = row["metric"] in ("round_trip_rate", "message_rate", "iteration_rate")
        if row["tool"] in tools and row["statistic"] == "steady" and rate:
            found.setdefault(row["point"], row)
    return sorted(found.values(), key=lambda row: (row["file"], row["run"], row["line"]))


def _timed(row: Mapping[str, Any]) -> bool:
    """Whether a row has a time of day: a time since the start of a run compares with nothing."""
    return row.get("begin") is not None and row["begin"] > _EPOCH


def _by_time(loads: list[Row], monitors: list[Row], series: Series) -> list[Row]:
    added = []
    for load in loads:
        if not _timed(load):
            continue
        for monitor in monitors:
            if not _timed(monitor):
                continue
            # What the monitor's own point leaves out, such as means since boot, does not count.
            begin = max(load["begin"], monitor["begin"])
            end = min(load["end"], monitor["end"])
            if begin > end:
                continue
            values = _between(monitor, begin, end, series)
            if len(values) >= _LEAST:
                note = f"joined by time: mean of {len(values)} intervals within those of the load"
                added.append(_joined(load, monitor, float(values.mean()), len(values), note))
    return added


def _between(monitor: Row, begin: float, end: float, series: Series) -> np.ndarray:
    """Give the monitor's values between two times, in the metric's unit."""
    streams, batches = series(monitor["input"])
    found = []
    for columns in batches:
        if monitor["quantity"] not in columns or monitor["stream"] not in streams:
            continue
        time = columns[TIME].astype(float)
        rows = (columns[STREAM] == streams.index(monitor["stream"])) & (time >= begin)
        rows &= time <= end
        values = columns[monitor["quantity"]][rows].astype(float)
        found.append(values[np.isfinite(values)])
    return np.concatenate(found) if found else np.empty(0)


def _by_order(loads: list[Row], monitors: list[Row], done: set[tuple[str, str, str]]) -> list[Row]:
    added = []
    for file in sorted({row["file"] for row in monitors}):
        own = [row for row in monitors if row["file"] == file]
        runs = sorted({row["run"] for row in own})
        if len(runs) != len(loads):
            continue
        for metric in sorted({row["metric"] for row in own}):
            for place, (load, run) in enumerate(zip(loads, runs, strict=True), start=1):
                if (load["point"], metric, file) in done or (
                    _timed(load) and any(_timed(row) for row in own)
                ):
                    continue
                match = [row for row in own if row["metric"] == metric and row["run"] == run]
                if len({row["stream"] for row in match}) == 1:
                    how = f"load {place} of {len(loads)} and run in turn"
                    if len(loads) == 1:
                        how = "the only load of the folder and its only run"
                    note = f"joined by order, as one of them has no clock: {how}"
                    row = match[0]
                    added.append(_joined(load, row, row["value"], row["intervals"], note))
    return added


def _joined(load: Row, monitor: Row, value: float, intervals: int, note: str) -> Row:
    """Make a row of the monitor's value at the load's point, with the load's factors."""
    made = dict(load)
    for name in ("file", "tool", "stream", "run", "line", "quantity", "metric", "unit", "status",
                 "statistic", "input"):  # fmt: skip
        made[name] = monitor[name]
    rest = monitor["note"]
    return made | {
        "value": value, "low": None, "high": None, "intervals": intervals,
        "note": f"{note}. {rest}" if rest else note,
    }  # fmt: skip
