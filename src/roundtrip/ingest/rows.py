"""Rows of ``ingested.csv``: every value of every point, what was set, how far it is trusted.

They are made, written and read again here.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from roundtrip.csvfile import plain_records
from roundtrip.dictionary import SPANS, TOOL_RATES, Dictionary, FactorValue, is_percentile
from roundtrip.errors import DataError
from roundtrip.ingest.clocks import LOCAL, zones
from roundtrip.ingest.context import ASKED, FileContext
from roundtrip.ingest.meaning import factors_of, meaning_of, role_of
from roundtrip.ingest.points import Point
from roundtrip.ingest.records import CLOCK, IMPOSSIBLE, REPETITION, printable
from roundtrip.ingest.result import FileResult
from roundtrip.redaction.aliases import slug_of

HEAD = (
    "point", "file", "tool", "stream", "run", "line", "quantity", "metric", "statistic", "value",
    "low", "high", "intervals", "unit", "status", "note", "begin", "end", "input",
)  # fmt: skip
RUNS = (REPETITION, "run_of")
"""Columns beside them where points have runs: the number of the run, and what it is a run of."""
ROLE = "programs_role"
"""Column beside them where it is known what the programs did."""
ZONE = "clock_zone"
"""Column beside them where `begin` and `end` are not in UTC: see `clocks`."""
_NUMBERS = ("value", "low", "high", "begin", "end")
_TIMES = ("begin", "end")
_WHOLE = ("run", "line", "intervals")
_LATENCY = re.compile("latency|response")
_SWEEP = "highest of a sweep"
"""How the note of a peak begins that no output printed."""

Row = dict[str, Any]


def rows_of(
    result: FileResult, context: FileContext, points: Sequence[Point], dictionary: Dictionary
) -> list[Row]:
    """Give the rows of an input's points: columns of `HEAD`, and the factors.

    What the tool summed up of a run belongs to the point of the intervals of the same series. Where
    it did so more than once, the first value of each metric and statistic counts.
    """
    rows = []
    named: dict[tuple[str, int], tuple[str, dict[str, FactorValue]]] = {}
    summed: dict[tuple[str, str, str], int] = {}
    slug = slug_of(result.name) or "input"  # not cut: half a name could not be replaced
    explained = result.explained
    # None for UTC; of times without a zone, the one that campaign.yml gives.
    zone = (context.zone or LOCAL) if CLOCK in result.settings else None
    for number, point in enumerate(points, start=1):
        factors = factors_of(result, context, point, dictionary)
        role = role_of(result, context, point.run)
        name, place = f"{slug}-{result.sha256[:8]}-{number:03d}", (point.stream, point.run)
        if not point.summed_up:
            named[place] = name, factors
        elif place in named:
            of_run, known = named[place]
            if factors.items() <= known.items():  # a line that tells more is of its own
                name, factors = of_run, known
        repetition = context.repetition if point.repetition is None else point.repetition
        for value in point.values:
            metric, factor, unit = meaning_of(result, context, point, value, dictionary)
            low, high = (None if end is None else end * factor for end in (value.low, value.high))
            status, notes = "as_printed", [point.note]
            for key in (*point.faults, *([IMPOSSIBLE.key] if value.impossible else [])):
                fault = explained.get(key)
                if fault is None or (fault.of == "rates" and "rate" not in value.quantity):
                    continue
                if fault.of == "latencies" and not _LATENCY.search(value.quantity):
                    continue
                if key == "unit unknown" and context.histogram_unit:
                    continue  # campaign.yml says what the histogram does not
                if status != "suspect" and fault.status != "as_printed":
                    status = fault.status
                notes.append(fault.says)
            if metric and value.intervals and is_percentile(value.statistic):
                status = "suspect"
                notes.append("The mean of the intervals' percentiles, which is not that of the run")
            if metric == "iteration_rate" and role is None:
                notes.append("What its programs did, request, send or receive, is not stated")
            told = (name, metric or "", value.statistic)
            if not value.intervals and summed.setdefault(told, number) != number:
                metric = None  # an earlier summary of the run gave it
            rows.append(
                {
                    "point": name, "file": result.name, "tool": result.tool,
                    "stream": point.stream, "run": point.run, "line": point.line,
                    "quantity": printable(value.quantity), "metric": metric,
                    "statistic": value.statistic, "value": value.value * factor,
                    "low": low, "high": high,
                    "intervals": value.intervals, "unit": unit, "status": status,
                    "note": printable(". ".join(note.rstrip(".") for note in notes if note)),
                    "begin": point.begin, "end": point.end, "input": result.sha256,
                    ROLE: role, ZONE: None if point.begin is None else zone,
                    REPETITION: repetition, **factors,
                }
            )  # fmt: skip
    for row in rows:
        if row["intervals"] and (row["point"], row["metric"], row["statistic"]) in summed:
            row["metric"] = None  # the tool printed the run's own
    return rows


def with_peaks(rows: list[Row], factors: Iterable[str]) -> list[Row]:
    """Add the peak of each sweep over the number of requesters, and what was seen there.

    A sweep is three points or more that differ in the number of requesters and in no other factor,
    by the same tool in the same role. Its peak is the point of the highest rate, the steady mean
    where there is one; of a point with several runs it is their mean.
    """
    fixed = [name for name in factors if name != "requesters"]
    # Those of before are found anew; a peak that an output prints stays.
    rows = [
        row for row in rows
        if not (row["statistic"] == "peak" and row["note"].startswith(_SWEEP))
    ]  # fmt: skip
    sweeps: dict[tuple[Any, ...], list[Row]] = {}
    times: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["metric"] in ("cpu", "machine_cpu", *SPANS):
            times.setdefault((row["point"], row["statistic"]), []).append(row)
        if row["metric"] in TOOL_RATES and row["statistic"] in ("steady", "mean"):
            key = (row["tool"], row.get(ROLE), row["metric"], *(row.get(name) for name in fixed))
            sweeps.setdefault(key, []).append(row)
    added = []
    for found in sweeps.values():
        steady = [row for row in found if row["statistic"] == "steady"] or found
        steady = [row for row in steady if row.get("requesters")]
        if len({row["requesters"] for row in steady}) < 3:
            continue
        points: dict[str, list[Row]] = {}
        for row in steady:
            points.setdefault(_point_of(row), []).append(row)
        best = max(
            points.values(),
            key=lambda runs: (fmean(run["value"] for run in runs), -runs[0]["requesters"]),
        )
        note = f"{_SWEEP} over {len(points)} points"
        for run in best:
            added.append({**run, "statistic": "peak", "note": f"{note}. {run['note']}"})
            beside: dict[tuple[Any, ...], Row] = {}
            for statistic in ("mean", "steady"):  # of both, the steady state counts
                for row in times.get((run["point"], statistic), ()):
                    beside[row["metric"], row["file"], row["stream"]] = row
            added += [{**row, "statistic": "peak", "note": note} for row in beside.values()]
            added.append(
                {**run, "quantity": "requesters", "metric": "clients", "statistic": "peak",
                 "value": float(run["requesters"]), "low": None, "high": None, "intervals": 0,
                 "unit": "requesters", "status": "as_printed", "note": note}
            )  # fmt: skip
    return rows + added


def _point_of(row: Mapping[str, Any]) -> str:
    return str(row.get("run_of") or row["point"])


def missing_factors(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count points of load drivers that lack a factor which a chapter would need: of `ASKED`."""
    lacking: dict[str, set[str]] = {}
    for row in rows:
        if row["metric"] in TOOL_RATES:
            for name in ASKED:
                if row.get(name) is None:
                    lacking.setdefault(name, set()).add(_point_of(row))
    return {name: len(points) for name, points in lacking.items()}


def csv_of(rows: Iterable[Row], dictionary: Dictionary) -> str:
    """Write rows as CSV: columns of `HEAD`, then role, zone, `RUNS` and factors that rows have."""
    rows = list(rows)
    used = {name for row in rows for name, value in row.items() if value is not None}
    columns = [*HEAD, *(name for name in (ROLE, ZONE, *RUNS, *dictionary.factors) if name in used)]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_text(name, row.get(name)) for name in columns])
    return stream.getvalue()


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if name in _TIMES:  # ten digits are the whole seconds since 1970
            return str(float(value)).removesuffix(".0")
        return f"{value:.10g}"
    return str(value)


def read_rows(path: Path) -> list[Row]:
    """Read ``ingested.csv``, or refuse it with its line; factors stay text, to be checked later."""
    rows: list[Row] = []
    for line, record in plain_records(path, HEAD):
        row: Row = {name: cell or None for name, cell in record.items()}
        try:
            for name in _NUMBERS:
                row[name] = None if row[name] is None else float(row[name])
            for name in _WHOLE:
                row[name] = int(row[name] or 0)
            if row.get(REPETITION) is not None:
                row[REPETITION] = int(row[REPETITION])
        except ValueError as problem:
            raise DataError(f"{name} is not a number", where=f"{path}:{line}") from problem
        if row["value"] is None:
            raise DataError("a row without a value", where=f"{path}:{line}")
        if row.get(ZONE) not in (None, LOCAL, *zones()):
            raise DataError(f"no time zone '{row[ZONE]}'", where=f"{path}:{line}")
        for name in ("stream", "note"):
            row[name] = row[name] or ""
        rows.append(row)
    return rows
