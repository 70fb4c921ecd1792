"""From a raw file to what the run showed: everything here can be computed again at any time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.campaign.connection_values import connection_values
from roundtrip.campaign.derive_mirror import mirror_values
from roundtrip.campaign.failover_values import failover_values
from roundtrip.campaign.link_values import compression_values, link_values
from roundtrip.campaign.log_disk import EVENT as LOG_DISK
from roundtrip.campaign.log_disk import log_disk_values
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.queue_values import queue_values
from roundtrip.campaign.raw import RawLine, read_raw
from roundtrip.errors import DataError
from roundtrip.stats.histograms import merged, summary_of
from roundtrip.stats.steady import mser5

_TOLERANCE_MS = 60.0
MB = 1_000_000
UNIT = "ns"


@dataclass
class Summary:
    """What one raw file says.

    Attributes
    ----------
    run : dict
        The runner's record of what was to be run.
    effective, versions : dict
        Configuration in effect; versions that broker and drivers state.
    measured : dict or None
        The runner's record of the measured part; None when the run did not get so far.
    steady : bool
    reason : str or None
        Why the run broke off.
    values : dict of (metric, statistic) to float
    other_cpu : float or None
        Processor time of processes that are not ours, in percent of all processors.
    warm_up_s : float
        Time from the first interval to the measured part.
    rates : tuple of float
        Rate of every interval, warm-up included, to a failure that the course made.
    series : list of (interval, metric, statistic, value)
        What the run shows over time: seconds from the beginning of the measured part.
    """

    run: dict[str, Any] = field(default_factory=dict)
    effective: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, Any] = field(default_factory=dict)
    measured: dict[str, Any] | None = None
    steady: bool = False
    reason: str | None = None
    values: dict[tuple[str, str], float] = field(default_factory=dict)
    other_cpu: float | None = None
    warm_up_s: float = 0.0
    rates: tuple[float, ...] = ()
    series: list[tuple[float, str, str, float]] = field(default_factory=list)

    @property
    def rate(self) -> float | None:
        """Round trips per second, or messages where nobody answers; None when there were none."""
        return self.values.get(
            ("round_trip_rate", "mean"), self.values.get(("message_rate", "mean"))
        )

    @property
    def rate_unit(self) -> str:
        """What `rate` is counted in."""
        answered = ("round_trip_rate", "mean") in self.values
        return "messages/s" if self.rate and not answered else "round trips/s"

    def settled(self, interval_seconds: float) -> float | None:
        """Give when the whole series says that the run was settled, in seconds; None if unknown.

        It is a second opinion, by another rule than the one that ended the warm-up.
        """
        if self.run.get("course") == "connections":
            return None  # what is measured ends before the first interval
        cut = mser5(self.rates)
        return None if cut is None else cut * interval_seconds

    def doubt(self, plan: Plan) -> str | None:
        """Say why the run should not be trusted like the others, or None.

        Parameters
        ----------
        plan : Plan
            Its limits.
        """
        found = []
        if not self.steady:
            found.append("not steady when it was measured")
        settled = self.settled(plan.interval_seconds)
        if settled is not None and settled > self.warm_up_s:
            found.append(
                f"settled only after {settled:g} s (MSER-5), measured from {self.warm_up_s:g} s"
            )
        if self.run.get("complaint"):
            found.append(f"the machine was not quiet before: {self.run['complaint']}")
        if self.other_cpu is not None and self.other_cpu > plan.guard.other:
            found.append(f"other processes took {self.other_cpu:.0f} % of the processors")
        return "; ".join(found) or None


def summarise(path: Path) -> Summary:
    """Read a raw file.

    Parameters
    ----------
    path : Path
        Finished, failed or interrupted.

    Returns
    -------
    Summary

    Raises
    ------
    DataError
        If the file is damaged or does not begin with the run.
    """
    lines = list(read_raw(path))
    summary = Summary()
    for line in lines:
        record = line.record or {}
        if line.source == "runner":
            _note(summary, line.event, record)
        elif line.event in ("start", "ready"):
            versions = record.get("versions") or (record.get("effective") or {}).get("versions")
            if isinstance(versions, dict):
                summary.versions.update(versions)
    if not summary.run:
        raise DataError("does not say which run it holds", where=path)
    try:
        _measure(summary, lines)
    except (KeyError, TypeError, ValueError) as problem:
        raise DataError(f"a record lacks something: {problem}", where=path) from problem
    return summary


def _note(summary: Summary, event: str, record: dict[str, Any]) -> None:
    if event == "run":
        summary.run = record
    elif event == "broker":
        summary.effective = dict(record.get("effective") or {})
    elif event == LOG_DISK:
        summary.values.update(log_disk_values(record))
    elif event == "measure":
        summary.steady = bool(record["steady"])
        summary.warm_up_s = float(record["warm_up_s"])
    elif event == "finished":
        summary.measured = record
    elif event == "failed":
        summary.reason = str(record["reason"])


def _measure(summary: Summary, lines: Sequence[RawLine]) -> None:
    intervals: dict[str, list[dict[str, Any]]] = {}
    samples: list[dict[str, Any]] = []
    for line in lines:
        if line.event == "interval" and line.source.startswith("requester"):
            intervals.setdefault(line.source, []).append(line.record or {})
        elif line.event == "sample" and line.source == "sampler":
            samples.append(line.record or {})
    # What comes after a failure that was wanted says nothing about whether the run was settled.
    until = min(
        (float((line.record or {})["at_ms"]) for line in lines if line.event == "killed"),
        default=math.inf,
    )
    series = zip(
        *([float(r["rate"]) for r in rows if float(r["t_ms"]) <= until]
          for rows in intervals.values()),
        strict=False,
    )  # fmt: skip
    summary.rates = tuple(sum(rates) for rates in series)
    if summary.measured is None:
        return
    begin, end = float(summary.measured["from_ms"]), float(summary.measured["to_ms"])
    chosen = {
        name: [r for r in rows if begin + _TOLERANCE_MS < float(r["t_ms"]) <= end]
        for name, rows in intervals.items()
    }
    _driver_values(summary, chosen)
    round_trips = (summary.values.get(("round_trip_rate", "mean")) or 0) * (end - begin) / 1000
    summary.values.update(link_values(lines, begin, end, round_trips))
    summary.values.update(failover_values(lines, _rate_before(summary)))
    summary.values.update(queue_values(lines))
    summary.values.update(compression_values(r for rows in chosen.values() for r in rows))
    values, summary.series = mirror_values(summary.run, lines, begin, end)
    summary.values.update(values)
    if summary.run.get("course") == "connections":
        summary.values.update(connection_values(lines, samples, begin, end))
    _resource_values(summary, samples, begin / 1000, end / 1000)


def _rate_before(summary: Summary) -> float | None:
    """Give the rate that was kept; one above the set rate only made up for a slow start."""
    target = summary.run.get("factors", {}).get("target_rate")
    rate = summary.rate
    return rate if rate is None or target is None else min(rate, float(target))


def _driver_values(summary: Summary, chosen: dict[str, list[dict[str, Any]]]) -> None:
    rate = 0.0
    for rows in chosen.values():
        length = sum(float(row["length_s"]) for row in rows)
        rate += sum(int(row["round_trips"]) for row in rows) / length if length else 0.0
    every = [row for rows in chosen.values() for row in rows]
    if "round_trips_per_session" in summary.run.get("factors", {}):
        lengths = [sum(float(row["length_s"]) for row in rows) for rows in chosen.values()]
        ended = [sum(int(row.get("sessions") or 0) for row in rows) for rows in chosen.values()]
        sessions = sum(n / length for n, length in zip(ended, lengths, strict=True) if length)
        if sessions > 0:
            summary.values["short_session_rate", "mean"] = sessions
    if rate > 0:
        summary.values["round_trip_rate", "mean"] = rate
    units = {str(row.get("latency_unit", UNIT)) for row in every}
    if units - {UNIT}:
        raise ValueError(f"latencies in {', '.join(sorted(units))}, not in {UNIT}")
    latency = summary_of(merged(str(row["histogram"]) for row in every if row.get("histogram")))
    if latency is not None:
        summary.values["round_trip_time", "mean"] = latency.mean_ms
        summary.values["round_trip_time", "maximum"] = latency.max_ms
        for name, value in latency.percentiles_ms.items():
            summary.values["round_trip_time", name] = value
    for metric, key in (
        ("errors", "errors"), ("reconnects", "reconnects"), ("lost_replies", "lost"),
    ):  # fmt: skip
        summary.values[metric, "total"] = float(sum(int(row.get(key) or 0) for row in every))


def _resource_values(
    summary: Summary, samples: list[dict[str, Any]], begin: float, end: float
) -> None:
    """Take counters at the ends of the measured part, by linear interpolation between samples."""
    length = end - begin
    if len(samples) < 2 or length <= 0:
        return
    times = np.array([float(sample["t"]) for sample in samples])
    processors = float(summary.run["processors"])

    def grown(values: list[float | None]) -> float | None:
        known = [(t, v) for t, v in zip(times, values, strict=True) if v is not None]
        if len(known) < 2:
            return None
        at, counter = (np.array(part, dtype=float) for part in zip(*known, strict=True))
        ends = np.interp([begin, end], at, counter)
        return float(ends[1] - ends[0])

    def of_process(group: str, name: str) -> list[list[float | None]]:
        names = sorted({key for sample in samples for key in sample["processes"]})
        return [
            [(sample["processes"].get(key) or {}).get(name) for sample in samples]
            for key in names
            if key.startswith(group)
        ]

    def of_machine(name: str) -> float | None:
        return grown([sample["machine"].get(name) for sample in samples])

    ours = 0.0
    round_trips = (summary.values.get(("round_trip_rate", "mean")) or 0) * length
    for metric, groups in (
        ("broker", ("broker",)), ("driver", ("requester", "responder", "sender", "receiver")),
        ("link", ("link",)), ("backup", ("broker-backup",)),
    ):  # fmt: skip
        counters = [series for group in groups for series in of_process(group, "cpu_s")]
        spent = [value for series in counters if (value := grown(series)) is not None]
        if spent:
            ours += sum(spent) if metric != "backup" else 0  # it is one of the brokers
            summary.values[f"{metric}_cpu", "mean"] = _share(sum(spent), length, processors)
            # A process that a busy machine kept from running at all has no cost of a round trip.
            if round_trips and sum(spent) > 0:
                summary.values[f"{metric}_cpu_time", "mean"] = 1e6 * sum(spent) / round_trips
    inside = (times >= begin) & (times <= end)
    held = [
        float(np.mean(known))
        for series in of_process("broker", "rss")
        if (known := [v for v, w in zip(series, inside, strict=True) if w and v is not None])
    ]
    if held:
        summary.values["broker_memory", "mean"] = sum(held) / MB
    written = [value for s in of_process("broker", "written") if (value := grown(s)) is not None]
    if written:
        summary.values["disk_write_rate", "mean"] = max(0.0, sum(written)) / length / MB
    busy, steal = of_machine("busy_s"), of_machine("steal_s")
    if busy is not None:
        summary.values["machine_cpu", "mean"] = _share(busy, length, processors)
        summary.other_cpu = _share(max(0.0, busy - ours), length, processors)
        summary.values["other_cpu", "mean"] = summary.other_cpu
    if steal is not None:
        summary.values["cpu_steal", "mean"] = _share(steal, length, processors)
    for metric, name in (("cpu_wait", "cpu_wait_s"), ("disk_wait", "io_wait_s")):
        waited = of_machine(name)
        if waited is not None:
            summary.values[metric, "mean"] = _share(waited, length, 1)
    sent = of_machine("sent")
    if sent is not None:
        summary.values["network_rate", "mean"] = max(0.0, sent) / length / MB


def _share(seconds: float, length: float, processors: float) -> float:
    """Give processor seconds as percent of all processors; clocks may overshoot a little."""
    return min(100.0, max(0.0, 100 * seconds / length / processors))
