"""Ingested campaigns as chapters show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import pandas as pd

from roundtrip.csvfile import csv_text
from roundtrip.dictionary import END_TO_END, PUBLISH, TOOL_RATES
from roundtrip.outputs import BodyCell, HeaderCell, table_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.arguments import checked, refuse_impossible, refuse_unknown_factor
from roundtrip.present.chapter import RATE, TIME, Chapter, Text
from roundtrip.present.measured.columns import lacking_note
from roundtrip.present.measured.means import interval_text, mean_of_cells
from roundtrip.present.measured.words import said_with_level
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.points import fitting, ingested, of_one_statistic, of_sizes
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.suspect_cells import DOUBTED
from roundtrip.present.tables import Table, left_heads
from roundtrip.sources.ingested import TABLE
from roundtrip.stats.intervals import interval_of
from roundtrip.typography import by_numbers

_CPU = ("cpu", "machine_cpu")
_MEANS = ["steady", "mean"]
_BESIDE = (
    *(
        (f"{label}{end} (ms)", (metric,), statistics)
        for label, metric in (
            ("Round-trip time", TIME), ("End-to-end latency", END_TO_END),
            ("Publish latency", PUBLISH),
        )
        for end, statistics in (("", _MEANS), (" p50", ["p50"]), (" p99", ["p99"]))
    ),
    ("CPU (%)", _CPU, _MEANS),
)  # fmt: skip
"""Columns beside a rate where a point has such a value: head, metrics, statistics."""
_SHOWN = ("message_bytes", "requesters")
"""Factors that have their columns always."""
WITHIN = "Without intervals over runs: they do not show what another run would give."
"""What a reader must know of ingested values of one run."""
OVER_RUNS = "Means over the runs of a point, with 95\u00a0% intervals over the runs."
ALONE = "\u2013 stands where one run gives no interval."


def quantity_of(chapter: Chapter, rows: pd.DataFrame) -> Quantity:
    """Give the mean of an ingested metric over the runs of a point, in the units of the edition.

    Parameters
    ----------
    rows : pandas.DataFrame
        Observations of the point, one of each run.
    """
    quantity = _as_kept(chapter, rows.iloc[0])
    cells, values = tuple(rows["observation_id"]), rows["value"].astype(float)
    quantity = replace(quantity, value=fmean(values), cells=cells)
    if rows["metric"].iloc[0] != RATE:
        return quantity
    return replace(quantity.times(chapter.rate_scale), unit=chapter.unit(RATE))


@checked
def ingested_table(
    chapter: Chapter, campaign: str, *, caption: str, **factors: Any
) -> Table | None:
    """Lay out the rates of an ingested campaign: what tells them apart, what was seen beside them.

    Parameters
    ----------
    campaign : str
        Id; empty for none.
    **factors
        Values that points must have; True for any that is stated and not ``none``, where true is
        no value of the factor. Points that do not say are shown for None only: nobody knows
        whether they belong elsewhere.

    Returns
    -------
    Table or None
        None when no campaign is shown, or none of its points belongs here.

    Raises
    ------
    ChapterError
        If there is no such factor, or value of one; the nearest one is given.
    DataError
        If there is no such campaign.
    """
    if not campaign:
        return None
    frame = ingested(chapter.observations, campaign)
    for name, wanted in factors.items():
        refuse_unknown_factor(frame, name, chapter.dictionary, "ingested_table")
        entry = chapter.dictionary.factors.get(name)
        if wanted is True and (entry is None or entry.type != "boolean"):
            frame = frame[frame[name].notna() & (frame[name] != "none")]
            continue
        if wanted is not None:
            refuse_impossible(frame, name, [wanted], chapter.observations, "ingested_table")
        frame = frame[fitting(frame, {name: wanted}, chapter.observations)]
    frame = of_sizes(frame, chapter.message_bytes)
    seen = of_one_statistic(frame[frame["statistic"] != "peak"], "metric", _MEANS)
    rates = seen[seen["metric"].isin(TOOL_RATES)]
    means = rates["statistic"].isin(_MEANS)  # what stands beside one, such as its error, is no rate
    rates = rates[means | ~rates["point_id"].isin(rates["point_id"][means])]
    peaks = set(frame.loc[frame["statistic"] == "peak", "point_id"])
    beside = seen[seen["point_id"].isin(rates["point_id"])]
    columns = {
        head: beside[beside["metric"].isin(metrics) & beside["statistic"].isin(statistics)]
        for head, metrics, statistics in _BESIDE
    }
    columns = {head: found for head, found in columns.items() if not found.empty}
    shown = rates.index.union([at for found in columns.values() for at in found.index])
    rest = beside.drop(shown).drop_duplicates(["metric", "statistic"])
    more = [
        chapter.dictionary.metrics[metric].label
        + (f" {statistic}" if statistic not in _MEANS else "")
        for metric, statistic in zip(rest["metric"], rest["statistic"], strict=True)
    ]
    apart = [name for name in chapter.dictionary.factors
             if name not in _SHOWN and rates[name].nunique(dropna=False) > 1]  # fmt: skip
    repeated = bool(rates["repetition"].notna().any())
    loads = bool(rates["requesters"].notna().any())
    found_rows, counts = [], set()
    for _, runs in rates.groupby(["point_id", "metric", "statistic"], sort=False):
        rate, mean = runs.iloc[0], mean_of_cells(chapter, quantity_of(chapter, runs))
        size, requesters = rate["message_bytes"], rate["requesters"]
        interval = interval_text(chapter, mean) if mean.interval.known else None
        counts.add(len(runs))
        of_point = [found[found["point_id"] == rate["point_id"]] for found in columns.values()]
        cells: tuple[Entry, ...] = (
            None if pd.isna(size) else size_label(float(size)),
            *[None if pd.isna(requesters) else chapter.level("requesters", requesters)] * loads,
            *(None if pd.isna(rate[name]) else chapter.level(name, rate[name]) for name in apart),
            mean.quantity,
            mean.quantity.unit,
            *((interval, f"{len(runs)}") if repeated else ()),
            *(_beside(chapter, found, runs) for found in of_point),
        )
        mark = " *" if rate["point_id"] in peaks else ""
        more_runs = f" and {len(runs) - 1} more" * (len(runs) > 1)
        place = (by_numbers(str(rate["row_label"])), size if pd.notna(size) else 0)
        found_rows.append((place, Row(f"{rate['row_label']}{more_runs}{mark}", cells)))
    if not found_rows:
        return None
    rows = [row for _, row in sorted(found_rows, key=lambda found: found[0])]
    notes = [WITHIN] if not repeated else [OVER_RUNS, *[ALONE] * (1 in counts)]
    notes += lacking_note(rows, len(columns)) if repeated else []
    return quantity_table(
        chapter, rows, caption=caption, by_row=True,
        header=["Point", "Message size", *["Requesters"] * loads,
                *map(chapter.factor_label, apart), "Rate", "Unit",
                *(["95\u00a0% interval", "Runs"] if repeated else ()), *columns],
        notes=[*notes, *["* highest of its sweep."] * bool(peaks),
               *[f"The files also state, without a column here: {', '.join(more)}."] * bool(more)],
    )  # fmt: skip


def _beside(chapter: Chapter, found: pd.DataFrame, rates: pd.DataFrame) -> Quantity | None:
    """Give what was seen beside a rate, of each of its runs the first; None where one lacks it."""
    found = found.drop_duplicates("row_label")
    return None if len(found) < len(rates) else quantity_of(chapter, found)


@checked
def ingested_peaks(chapter: Chapter, campaign: str) -> Text | None:
    """Say the highest rate of the smallest and the largest message size of an ingested campaign.

    What varies among the points of the size, such as the release, is told of the one it names, and
    of how many others it cannot be told apart.

    Parameters
    ----------
    campaign : str
        Id; empty for none.

    Returns
    -------
    Text or None
        None when no campaign is shown.

    Raises
    ------
    DataError
        If there is no such campaign.
    """
    if not campaign:
        return None
    frame = of_sizes(ingested(chapter.observations, campaign), chapter.message_bytes)
    means = of_one_statistic(frame[frame["statistic"].isin(_MEANS)], "metric", _MEANS)
    kinds = (means[means["metric"] == metric] for metric in TOOL_RATES)
    rates = next((rows for rows in kinds if not rows.empty), None)
    if rates is None:
        return Text(f"The campaign `{campaign}` holds no rates.")
    sizes = sorted(rates["message_bytes"].dropna().unique())
    groups: list[float | None] = [*dict.fromkeys((*sizes[:1], *sizes[-1:]))]
    groups += [None] * bool(rates["message_bytes"].isna().any())
    sentences = []
    for size in groups:
        of_size = rates["message_bytes"]
        rows = rates[of_size.isna() if size is None else of_size == size]
        found = [runs for _, runs in rows.groupby("point_id", sort=False)]
        best = max(found, key=lambda runs: runs["value"].mean())
        among = f"At {size_label(size)} the" if size is not None else "The"
        if size is None and sizes:
            among = "Where no message size is stated, the"
        with_ = ""
        if pd.notna(count := best["requesters"].iloc[0]):
            with_ = f", with {chapter.level_named('requesters', count)}"
        with_ += f" (mean over {len(best)} runs)" * (len(best) > 1)
        first = best.iloc[0]
        varied = [name for name in chapter.dictionary.factors if name not in _SHOWN
                  and rows[name].nunique(dropna=False) > 1 and pd.notna(first[name])]  # fmt: skip
        beside = [f", {said_with_level(chapter, name, first[name])}" for name in varied]
        text = f"{among} highest rate is {{rate}}{with_}{{beside}}.{_not_told_apart(found, best)}"
        quantity = quantity_of(chapter, best)
        sentences.append(chapter.text(text, rate=quantity, beside="".join(beside)).markdown)
    return Text(" ".join(sentences))


def _not_told_apart(points: Sequence[pd.DataFrame], best: pd.DataFrame) -> str:
    """Say of how many points the one with the highest rate cannot be told apart, and why."""
    intervals = [interval_of(list(runs["value"])) for runs in points if runs is not best]
    least = interval_of(list(best["value"]))
    known = [one for one in intervals if least.known and one.known]
    overlapping = sum(one.high >= least.low for one in known)
    alone = len(intervals) - len(known)
    if not overlapping + alone:
        return ""
    return (
        f" It cannot be told apart from {overlapping + alone} of the other points: the 95\u00a0% "
        "intervals overlap, or one run gives none."
    )


def _as_kept(chapter: Chapter, row: pd.Series) -> Quantity:
    metric = chapter.dictionary.metrics[row["metric"]]
    value = float(row["value"])
    decimals = max(metric.decimals, 2) if abs(value) < 100 else metric.decimals
    return Quantity(
        value, metric.unit, (str(row["observation_id"]),), decimals, "measured", row["metric"]
    )


def ingested_points(chapter: Chapter, campaign: str) -> Table:
    """List every value of an ingested campaign under its permanent anchor."""
    frame = ingested(chapter.observations, campaign)
    apart = [name for name in chapter.dictionary.factors
             if frame[name].nunique(dropna=False) > 1]  # fmt: skip
    rows: list[tuple[BodyCell, ...]] = []
    numbers = ["" if pd.isna(run) else f"{run:.0f}" for run in frame["repetition"]]
    frame = frame.assign(run=numbers)
    for (_, point), values in frame.groupby(["point_id", "row_label"], sort=True):
        first = values.iloc[0]
        levels = [chapter.level_named(name, first[name]) for name in apart if pd.notna(first[name])]
        levels += [f"run {first['run']}"] * bool(first["run"])
        head = ": ".join(filter(None, [str(point), ", ".join(levels)]))
        rows.append((BodyCell(head, "left", kind="group"),))
        for _, row in values.iterrows():
            mark = "" if row["status"] == "as_printed" else DOUBTED
            shown = chapter.write(_as_kept(chapter, row), unit=False)
            rows.append(
                (
                    BodyCell(f"{row['column_label']}{mark}", "left", kind="label"),
                    BodyCell(shown, anchor=cell_anchor(str(row["observation_id"]))),
                    BodyCell(str(row["unit"]), "left"),
                    BodyCell(str(row["note"] or ""), "left", kind="label"),
                )
            )
    header = (*left_heads("Value"), HeaderCell(""), *left_heads("Unit", "Origin"))
    columns = ["row_label", "metric", "statistic", "value", "unit", "status", "note", "line"]
    columns[1:1] = ["run"] * any(numbers)
    return Table(
        f"Campaign {campaign}: every point", (header,), tuple(rows),
        ("† corrected or doubtful: the last column says why.",),
        csv=csv_text(columns, frame[columns].itertuples(index=False, name=None)),
        label=table_label(campaign, TABLE),
    )  # fmt: skip
