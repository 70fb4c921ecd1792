"""Tables of measured campaigns: every point, every run."""

from __future__ import annotations

import re

import pandas as pd

from roundtrip.campaign.derive import TAKERS
from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, HeaderCell, table_label
from roundtrip.present.chapter import Chapter, label_in
from roundtrip.present.markup import anchor_of, cell_anchor
from roundtrip.present.measured.means import PERCENTILES, decimals_of
from roundtrip.present.runs import OF_EVERY_RUN, SHOWN, TIME, is_listed, place_of
from roundtrip.present.suspect_cells import DOUBTED
from roundtrip.present.tables import Table, left_heads
from roundtrip.sources.measured import RUNS

_BEHIND = re.compile(r"\d{4,}(?= ms behind)")


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
    manifest = chapter.observations.campaign(name)
    whole = values[values["interval"].isna()]  # a series over the run is in the download
    found = {
        (run, metric, statistic): (float(value), str(cell))
        for run, metric, statistic, value, cell in zip(
            whole["row_label"], whole["metric"], whole["statistic"], whole["value"],
            whole["observation_id"], strict=True,
        )
    }  # fmt: skip
    seen = {(metric, statistic) for _, metric, statistic in found}
    columns = [column for column in SHOWN if column in seen]
    columns += sorted(column for column in seen if is_listed(*column) and column not in SHOWN)
    doubts = {entry.run: entry.doubt for entry in manifest.runs if entry.doubt}
    metrics = chapter.dictionary.metrics
    digits = {metric: 3 if metric == TIME else metrics[metric].decimals for metric, _ in columns}
    rows = []
    for entry in sorted(manifest.runs, key=lambda entry: _by_numbers(entry.run)):
        label = entry.run + (DOUBTED if entry.run in doubts else "")
        anchor = anchor_of(f"{name}/{RUNS}/{entry.run}")
        line = [BodyCell(label, "left", kind="label", anchor=anchor)]
        for metric, statistic in columns:
            value = found.get((entry.run, metric, statistic))
            if value is None:
                line.append(BodyCell("\u2013"))
            else:
                decimals = max(digits[metric], decimals_of(chapter, metric, value[0]))
                text = chapter.numbers.write(value[0], decimals)
                own = place_of(value[1]) == value[1]
                line.append(BodyCell(text, anchor=cell_anchor(value[1]) if own else None))
        rows.append(tuple(line))
    heads = (HeaderCell(_head(chapter, *column)) for column in columns)
    notes = [
        f"† {run}: {_BEHIND.sub(lambda ms: chapter.numbers.write(int(ms[0]), 0), doubt)}."
        + (" It is excluded from the means." if run in manifest.replaced else "")
        for run, doubt in sorted(doubts.items(), key=lambda item: _by_numbers(item[0]))
    ]
    if any(f"{TAKERS['other_cpu']} took" in doubt for doubt in doubts.values()):
        notes.append(
            "Other processes are all work outside broker, drivers and runner, the kernel's threads "
            "included."
        )
    if manifest.hosts:
        notes.append(
            "Of broker and drivers, 100 % CPU is all processors of the hosts that each ran on; of "
            "the machine, all of the broker's host."
        )
    notes += [
        f"{entry.run} {'was interrupted' if entry.interrupted else 'failed'}: "
        f"{entry.reason.rstrip('.')}."
        for entry in manifest.failed
    ]
    names = ["row_label", "metric", "statistic", "value", "unit", "file", "line"]
    return Table(
        f"Campaign {name}: every run",
        ((*left_heads("Run"), *heads),),
        tuple(rows),
        tuple(notes),
        csv=csv_text(names, values[names].itertuples(index=False, name=None)),
        label=table_label(name, RUNS),
    )


def _by_numbers(run: str) -> list[str | int]:
    """Give what runs are ordered by: r2 stands before r10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", run)]


def _head(chapter: Chapter, metric: str, statistic: str) -> str:
    entry = chapter.dictionary.metrics[metric]
    if metric == TIME:
        return f"{PERCENTILES[statistic]} (ms)"
    if metric not in OF_EVERY_RUN and statistic not in ("mean", "total", "single"):
        return label_in(f"{entry.label}, {statistic}", entry.unit)
    return label_in(entry.label, entry.unit)
