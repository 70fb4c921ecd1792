"""Tables of measured campaigns: every point, every run."""

from __future__ import annotations

import re
from itertools import chain, groupby

import pandas as pd

from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.names import RunName
from roundtrip.campaign.points import factors_in_order, named_factors
from roundtrip.campaign.settable import DEFAULTS, REQUESTERS
from roundtrip.campaign.tls.cipher_specs import completed
from roundtrip.checks.laws import FEW, offered
from roundtrip.csvfile import csv_text
from roundtrip.outputs import NOTHING, BodyCell, HeaderCell, listed, table_label
from roundtrip.present.anchors import (
    OF_EVERY_RUN,
    SHOWN,
    anchor_of,
    cell_anchor,
    is_listed,
    linked_place,
)
from roundtrip.present.chapter import RATE, TIME, Chapter, with_unit
from roundtrip.present.levels import inside
from roundtrip.present.measured.exceptions import not_run_words
from roundtrip.present.measured.means import PERCENTILES
from roundtrip.present.numbers import shown_decimals
from roundtrip.present.suspect_cells import DOUBTED
from roundtrip.present.tables import Table, left_heads
from roundtrip.sources.measured import RUNS
from roundtrip.typography import by_numbers

_Column = tuple[str, str]

_STATISTICS = ("mean", "total", "single", "p50", "p90", "p99", "p999", "minimum", "maximum")
_OFFERED = ("offered", "single")
READING = (
    "A run is named after the levels of the factors that vary in its campaign; a note below "
    "each table lists them. Runs of a later block, measured an hour or more after the one before, "
    "are numbered on from the highest number reserved before; numbers may therefore be skipped. A "
    "point of which no run succeeded is not measured again in a later block.\n\n"
    "A dagger (†) marks a run that is in doubt, as a note says; overload alone is no reason. "
    "A marked run counts in the means unless its note excludes it. That is where the plan sets a "
    "precision, and so repeats such points, its point has as many unmarked runs as planned, and "
    "one of these is of its block: no block of a point is left without a run. With non-persistent "
    "messages, a run is also marked where tasks waited long for a disk: it writes no log. "
    "Drivers at a set rate that have fallen behind catch up, and then exceed the rate offered. "
    f"The rate of a run with fewer than {FEW} round trips is coarse.\n\n"
    "100 % CPU means all processors of the machine. In a campaign over several hosts, it means for "
    "broker and drivers all processors of the hosts that each ran on, and for the machine those of "
    "the broker's host; time that the hypervisor took from a running process counts there as the "
    "process's and not as the machine's, so that the broker can show more than the machine. Other "
    "processes are all work outside broker, drivers and runner, the kernel's threads included. "
    "Time waiting for a disk is that in which at least one task of the machine, of "
    "whatever program, waited; it is not a share of the processors. “–” stands where a run has "
    "nothing to measure, such as no proxy, too few values for a percentile, or no reading; and for "
    "the CPU time of a process where the clock counted none; groups without any value are left "
    "out of further columns. The data dictionary says what each "
    "column counts. Raw files, effective configurations and noise readings are stored with the "
    "points, under `data/campaigns/`."
)
"""How the lists of runs are read."""


def campaign_tables(chapter: Chapter) -> list[Table]:
    """List every run of every campaign under the permanent anchors that numbers lead to.

    Returns
    -------
    list of Table
        One for each campaign; none when no campaign has been run.
    """
    frames = (
        (name, chapter.observations.choose(source=name, source_kind="measured"))
        for name in chapter.observations.campaign_ids
    )
    return [_runs_of(chapter, name, frame) for name, frame in frames if not frame.empty]


def _runs_of(chapter: Chapter, name: str, values: pd.DataFrame) -> Table:
    from roundtrip.methodology.review import grade_of

    manifest = chapter.observations.campaign(name)
    whole = values[values["interval"].isna()]  # a series over the run is in the download
    parts = ["row_label", "metric", "statistic", "value", "observation_id"]
    found = {
        (run, metric, statistic): (float(value), str(cell))
        for run, metric, statistic, value, cell in whole[parts].itertuples(index=False, name=None)
    }
    points = values.drop_duplicates("row_label").set_index("row_label")
    rates = {run: rate for run, point in points.iterrows() if (rate := offered(dict(point)))}
    columns = _columns({(metric, statistic) for _, metric, statistic in found}, bool(rates))
    doubts = {entry.run: entry.doubt for entry in manifest.runs if entry.doubt}
    runs = sorted((RunName.parse(entry.run) for entry in manifest.runs), key=_in_order)
    rows: list[tuple[BodyCell, ...]] = []
    for group, members in groupby(runs, key=lambda run: run.combination):
        rows.append((BodyCell(group, "left", kind="group"),))
        for member in members:
            run = str(member)
            label = f"c{member.requesters}-r{member.repetition}" + DOUBTED * (run in doubts)
            anchor = anchor_of(f"{name}/{RUNS}/{run}")
            line = [BodyCell(label, "left", kind="label", anchor=anchor)]
            for column in columns:
                text, own = NOTHING, None
                if column == _OFFERED and run in rates:
                    rate = rates[run]
                    digits = 0 if rate >= 10 or rate.is_integer() else 1
                    text = chapter.numbers.write(rate * chapter.rate_scale, digits)
                elif (run, *column) in found:
                    value, cell = found[run, *column]
                    decimals = shown_decimals(chapter.dictionary, column[0], value)
                    if column[0] == RATE and value < FEW:
                        decimals = 1
                    if column[0] == RATE:
                        value *= chapter.rate_scale
                    text = chapter.numbers.write(value, decimals)
                    own = cell_anchor(cell) if linked_place(cell) == cell else None
                line.append(BodyCell(text, anchor=own))
            rows.append(tuple(line))
    heads = (HeaderCell(_head(chapter, *column, columns)) for column in columns)
    names = ["row_label", "metric", "statistic", "value", "unit", "file", "line"]
    return Table(
        f"Campaign {name}: every run",
        ((*left_heads("Run"), *heads),),
        tuple(rows),
        (
            _key_to_names(chapter, manifest, points),
            *_blocks(manifest),
            *_notes(manifest, columns, points["workload"]),
            *filter(None, [not_run_words(chapter, manifest)]),
            f"Rules of method: {grade_of(chapter.observations, name).sentence}",
        ),
        csv=csv_text(names, values[names].itertuples(index=False, name=None)),
        label=table_label(name, RUNS),
    )  # fmt: skip


def _columns(seen: set[_Column], rated: bool) -> list[_Column]:
    """Give what to list of each run: what all campaigns have before what is a campaign's own."""
    columns = [column for column in SHOWN if column in seen]
    order = {statistic: place for place, statistic in enumerate(_STATISTICS)}
    columns += sorted(
        (column for column in seen if is_listed(*column) and column not in SHOWN),
        key=lambda column: (column[0], order.get(column[1], len(order)), column[1]),
    )
    if rated and (RATE, "mean") in columns:
        columns.insert(1, _OFFERED)
    return columns


def _key_to_names(chapter: Chapter, manifest: Manifest, points: pd.DataFrame) -> str:
    """Say which factors make the names of runs."""
    plan = manifest.plan
    told = {*DEFAULTS, *plan.factors, *chain.from_iterable(plan.parts)} - {REQUESTERS}
    levels = points[[name for name in points if name in told]]
    cells = [tuple(completed(dict(point.dropna())).items()) for _, point in levels.iterrows()]
    named = named_factors(cells, factors_in_order(plan))
    labels = [inside(chapter.factor_label(name)) for name in named]
    return f"Runs are named after {listed([*labels, 'requesters (c)', 'repetition (r)'])}."


def _blocks(manifest: Manifest) -> list[str]:
    """Say which repetitions belong to which block, and when it was measured."""
    if manifest.blocks == 1:
        return []
    starts = {session.block: session.started for session in reversed(manifest.sessions)}
    repetitions = sorted({RunName.parse(entry.run).repetition for entry in manifest.runs})
    told = []
    for block, numbers in groupby(repetitions, key=manifest.plan.block_of):
        within = list(numbers)
        ends = dict.fromkeys((f"r{within[0]}", f"r{within[-1]}"))
        told.append(f"{' to '.join(ends)} from {_minute(starts[block])}")
    return [f"Measured in {manifest.blocks} blocks (UTC): {'; '.join(told)}."]


def _minute(time: str) -> str:
    return f"{time[:10]} {time[11:16]}".replace("-", "\u2011")


def _notes(manifest: Manifest, columns: list[_Column], workloads: pd.Series) -> list[str]:
    notes = []
    if workloads.astype(str).str.endswith("B").any():
        notes.append(
            "Applications with local bindings (B) run in the broker's process: CPU of the broker "
            "includes theirs."
        )
    if ("backup_cpu", "mean") in columns:
        notes.append("CPU of the broker includes that of the backup, where there is one.")
    notes += _doubts(manifest)
    return notes + [
        f"{entry.run} {'was interrupted' if entry.interrupted else 'failed'}: "
        f"{entry.reason.rstrip('.')}."
        for entry in manifest.failed
    ]


def _doubts(manifest: Manifest) -> list[str]:
    """Name the marked runs by their doubts; of doubts that differ in one number, each its own."""
    alike: dict[tuple[str, str, str], dict[str, str]] = {}
    marked = [entry for entry in manifest.runs if entry.doubt]
    calm = {manifest.places[entry.run] for entry in manifest.runs if not entry.doubt}
    for entry in sorted(marked, key=lambda entry: _in_order(RunName.parse(entry.run))):
        doubt = entry.doubt or ""
        before, *numbers = re.split(r"(\b\d+(?:\.\d+)?)(?= )", doubt)
        number, after = numbers if len(numbers) == 2 else ("", "")
        counts = ""
        if entry.run in manifest.replaced:
            counts = " Excluded from the means."
        elif manifest.plan.precision and manifest.places[entry.run] not in calm:
            counts = " Counted: its point has no unmarked run in its block."
        elif manifest.plan.precision:
            counts = " Counted: its point has too few unmarked runs."
        key = (before if number else doubt, after, counts)
        alike.setdefault(key, {})[entry.run] = number
    notes = []
    for (before, after, counts), runs in alike.items():
        low, *_, high = sorted(set(runs.values()), key=lambda text: float(text or 0)) * 2
        several = low != high
        doubt = before[:1].upper() + before[1:] + (f"{low} to {high}" if several else low) + after
        names = [f"{run} ({own})" if several else run for run, own in runs.items()]
        notes.append(f"† {doubt}: {', '.join(names)}.{counts}")
    return notes


def _in_order(run: RunName) -> tuple[list[tuple[int, str]], int, int]:
    """Give what runs are sorted by."""
    return by_numbers(run.combination), run.requesters, run.repetition


def _head(chapter: Chapter, metric: str, statistic: str, columns: list[_Column]) -> str:
    if (metric, statistic) == _OFFERED:
        return f"Offered {inside(chapter.label(RATE))}"
    entry = chapter.dictionary.metrics[metric]
    if metric == TIME:
        return f"{PERCENTILES[statistic]} (ms)"
    several = sum(one == metric for one, _ in columns) > 1
    label = chapter.label(RATE) if metric == RATE else entry.label
    if metric not in OF_EVERY_RUN and (several or statistic not in ("mean", "total", "single")):
        label = f"{label}, {statistic}"
    return with_unit(label, chapter.unit(metric))
