"""Campaigns of a mirror as they would be measured, with numbers that tests can reckon with."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from roundtrip.campaign.manifest import Manifest, RunEntry, load_manifest
from roundtrip.campaign.points import Run, combinations_of
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.dictionary import load_dictionary
from roundtrip.project import Project
from workshop import waive

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick"
WAITS = 2.5
"""Link round trips that a synchronous round trip takes here."""
FAST_MS = 8.0
CARRIED, OVERLOAD_S = 400.0, 3.0
_NOISE = (0.98, 1.0, 1.02)
_STEP = 0.25

Row = tuple[float | None, str, str, float]


def write_campaigns(project: Project, *names: str) -> None:
    """Write sample campaigns into a project.

    Parameters
    ----------
    project : Project
    *names : str
        ``replication``, ``backlog``.
    """
    dictionary = load_dictionary(project.dictionary)
    for name in names:
        plan = resolve_plan(project, name, "quick", dictionary)
        folder = project.campaigns / f"{name}-quick"
        folder.mkdir(parents=True)
        runs = [
            Run(combination, level, repetition)
            for combination in combinations_of(plan)
            for level in combination.levels
            for repetition in (1, 2, 3)
        ]
        factors = list(dict.fromkeys(key for run in runs for key in run.factors))
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        timed = ["interval"] if name == "backlog" else []
        writer.writerow(["run", "repetition", *factors, *timed, "metric", "statistic", "value"])
        for run in runs:
            head = [run.key, run.repetition, *(run.factors.get(key, "") for key in factors)]
            rows = _round_trips(run) if name == "replication" else _backlog(run)
            for interval, metric, statistic, value in rows:
                at = ["" if interval is None else f"{interval:g}"] if timed else []
                writer.writerow([*head, *at, metric, statistic, f"{value:.6g}"])
        (folder / "points.csv").write_text(stream.getvalue())
        _manifest(plan.name, runs).model_copy(update={"plan": plan}).write(folder)
    waive(project)


def _manifest(name: str, runs: list[Run]) -> Manifest:
    entries = [
        RunEntry(run=run.key, order=order, attempt=1, steady=True, warm_up_s=1.0, noise={})
        for order, run in enumerate(runs, start=1)
    ]
    return load_manifest(SAMPLE).model_copy(
        update={"id": f"{name}-quick", "runs": tuple(entries), "configurations": (), "failed": ()}
    )


def _counts(sent: float) -> list[Row]:
    return [
        (None, "messages_sent", "total", sent), (None, "messages_arrived", "total", sent),
        (None, "messages_missing", "total", 0), (None, "messages_doubled", "total", 0),
    ]  # fmt: skip


def _round_trips(run: Run) -> list[Row]:
    noise = _NOISE[run.repetition - 1]
    factors = run.factors
    delay = float(factors.get("replication_link_rtt_ms", 0))
    waits = WAITS * delay if factors.get("mirroring") == "synchronous" else 0.0
    time = (FAST_MS + waits) * noise
    rows: list[Row] = [
        (None, "round_trip_rate", "mean", 1000 * run.requesters / time),
        (None, "round_trip_time", "p50", time), (None, "round_trip_time", "p99", 3 * time),
    ]  # fmt: skip
    if factors["replication"] == "none":
        return rows
    link: list[Row] = [
        (None, "link_round_trip_time", "p50", 0.1 + delay),
        (None, "replication_link_rate", "mean", 4.0), (None, "backlog_messages", "maximum", 50),
        (None, "backlog_growth", "mean", 2.0),
    ]  # fmt: skip
    return [*rows, *link, *_counts(5000)]


def _backlog(run: Run) -> list[Row]:
    noise = _NOISE[run.repetition - 1]
    later = float(run.factors["later_rate"])
    slowed = run.factors["mirroring"] == "synchronous"
    rate = CARRIED if slowed else float(run.factors["overload_rate"])
    highest = 8.0 if slowed else (rate - CARRIED) * OVERLOAD_S * noise
    gone = 0.25 if slowed else highest / (CARRIED - later)
    rows: list[Row] = [
        (None, "message_rate", "mean", rate), (None, "send_time", "p50", 20.0 if slowed else 2.0),
        (None, "link_throughput", "p50", 0.008), (None, "replication_link_rate", "mean", 0.95),
        (None, "backlog_messages", "maximum", highest), (None, "catch_up_time", "single", gone),
        (None, "backlog", "maximum", 2259 * highest),
    ]  # fmt: skip
    steps = int((OVERLOAD_S + gone) / _STEP) + 1
    for number in range(steps + 1):
        at = number * _STEP
        grown = highest * min(at, OVERLOAD_S) / OVERLOAD_S
        left = max(0.0, grown - max(0.0, at - OVERLOAD_S) * highest / gone)
        rows.append((at, "backlog_messages", "single", left))
    return [*rows, *_counts(rate * OVERLOAD_S)]
