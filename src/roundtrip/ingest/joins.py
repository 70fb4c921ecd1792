"""Resources beside rates: values of monitors joined to the points of load drivers.

By time where both have a clock: the monitor's intervals between the beginning and the end of the
point. A clock without a zone compares only with another one, or where campaign.yml gives the zone.
By order where one of them has none: the only load of a folder with its only monitor, or as
many loads as the monitor has runs, in turn. What fits neither way stays a point of its own. Every
joined value says how it was joined. Where several monitors tell the same of a point, one of them is
shown: joined by time before joined by order, then by the name of its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from roundtrip.dictionary import TOOL_RATES
from roundtrip.ingest.clocks import LOCAL, in_utc
from roundtrip.ingest.inputs import folder_of
from roundtrip.ingest.registry import readers
from roundtrip.ingest.rows import ZONE, Row

_JOINED = frozenset({
    "cpu", "machine_cpu", "log_write_latency", "log_write_size", "log_slowest_write", "backlog",
    "network_round_trip_time", "acknowledgement_latency", "acknowledgement_size",
})  # fmt: skip
_COMBINED: dict[str, tuple[str, Callable[[np.ndarray], Any]]] = {
    "steady": ("mean", np.mean), "maximum": ("largest", np.max), "total": ("sum", np.sum),
}  # fmt: skip
"""How intervals became one value, by its statistic."""
INSTEAD = "Shown instead is"
"""How the note goes on of what another monitor tells as well."""
_LEAST = 3
_EPOCH = 86400.0 * 366

Series = Callable[[Row], tuple[np.ndarray, np.ndarray]]
"""Gives the times and the values that a row of a monitor is the mean of."""


def joinable() -> set[str]:
    """Give the names of the tools whose values are joined."""
    return {reader.name for reader in readers() if reader.watches in ("machine", "broker")}


def joined(rows: list[Row], series: Series) -> list[Row]:
    """Add the monitors' values to the points of the load drivers in the same folder.

    Rows that were joined before are made anew. `series` gives the intervals behind a monitor's row.
    """
    drivers, watching = {reader.name for reader in readers() if reader.drives}, joinable()
    own = [row for row in rows if not row["note"].startswith("joined by ")]
    folders: dict[str, list[Row]] = {}
    for row in own:
        if row["statistic"] in _COMBINED:
            folders.setdefault(folder_of(row["file"]), []).append(row)
    added: list[Row] = []
    for _, steady in sorted(folders.items()):
        points: dict[str, Row] = {}
        for row in steady:
            if row["tool"] in drivers and row["metric"] in TOOL_RATES:
                points.setdefault(row["point"], row)
        loads = sorted(points.values(), key=lambda row: (row["file"], row["run"], row["line"]))
        monitors = [
            row for row in steady
            if row["tool"] in watching and row["metric"] in _JOINED
        ]  # fmt: skip
        if loads and monitors:
            here = _by_time(loads, monitors, series)
            done = {(row["point"], row["metric"], row["file"]) for row in here}
            added += _one_each(here, _by_order(loads, monitors, done))
    return own + added


def _one_each(*found: Iterable[Row]) -> Iterator[Row]:
    """Give joined values, the most certain ones first; of each metric of a point one has it."""
    shown: dict[tuple[str, str, str], Row] = {}
    for row in chain.from_iterable(sorted(rows, key=itemgetter("file")) for rows in found):
        first = shown.setdefault((row["point"], row["metric"], row["statistic"]), row)
        other = row["file"] != first["file"]
        instead = f"{INSTEAD} that of {first['file']}" if other else "The file has another for it"
        instead = f"{row['note']}. {instead}"
        yield row if first is row else row | {"metric": None, "note": instead}


def clock_apart(rows: Iterable[Row]) -> str | None:
    """Name a file whose times have no zone where those of others have one; None for none."""
    files = {row[ZONE]: row["file"] for row in rows if _timed(row)}
    return files.get(LOCAL) if len(files) > 1 else None


def _timed(row: Mapping[str, Any]) -> bool:
    """Whether a row has a time of day: a time since the start of a run compares with nothing."""
    return row.get("begin") is not None and row["begin"] > _EPOCH


def _span(row: Mapping[str, Any]) -> tuple[float, float]:
    """Give when a point begins and ends, in seconds since 1970."""
    begin, end = in_utc(np.array([row["begin"], row["end"]]), row.get(ZONE))
    return float(begin), float(end)


def _by_time(loads: list[Row], monitors: list[Row], series: Series) -> list[Row]:
    added = []
    timed = [load for load in loads if _timed(load)]
    for monitor in monitors if timed else ():
        if not _timed(monitor):
            continue
        times, values = series(monitor)
        times = in_utc(times, monitor.get(ZONE))
        unknown = monitor.get(ZONE) == LOCAL
        for load in timed:
            if (load.get(ZONE) == LOCAL) != unknown:
                continue
            # What the monitor's own point leaves out, such as means since boot, does not count.
            begin, end = np.array([_span(load), _span(monitor)]).T
            begin, end = begin.max(), end.min()
            within = values[(times >= begin) & (times <= end) & np.isfinite(values)]
            if len(within) >= _LEAST:
                how, combine = _COMBINED[monitor["statistic"]]
                note = f"joined by time: {how} of {len(within)} intervals within those of the load"
                note += ", both of clocks without a zone" if unknown else ""
                added.append(_joined(load, monitor, float(combine(within)), len(within), note))
    return added


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
