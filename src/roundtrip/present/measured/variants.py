"""Measured variants: table, figures, agreement with published shares, title."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError
from roundtrip.present.arguments import (
    checked,
    names_of,
    refuse_impossible,
    refuse_unknown_factor,
)
from roundtrip.present.chapter import RATE, TIME, Text
from roundtrip.present.comparability import state_differences_of_cells
from roundtrip.present.figure import Figure
from roundtrip.present.levels import inside
from roundtrip.present.measured.agreement import compared
from roundtrip.present.measured.brokers import differing_ways
from roundtrip.present.measured.columns import Metric, beside_rate, heads_of, lacking_note
from roundtrip.present.measured.means import Measured, interval_text
from roundtrip.present.measured.shares import Share, differing, share_of
from roundtrip.present.measured.words import ACROSS, MEANS, RATIOS, TITLED
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.chart import chart
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.tables import Table

USUAL: tuple[Metric, ...] = (
    (TIME, "p50"), (TIME, "p99"), ("broker_cpu_time", "mean"), ("machine_cpu", "mean"),
)  # fmt: skip
BACKUP_TIME: Metric = ("backup_cpu_time", "mean")


@checked
def variants_table(
    here: Measured,
    by: str,
    *,
    caption: str,
    baseline: Any,
    split: str | None = None,
    metrics: Sequence[Metric] = USUAL,
    levels: Sequence[Any] | None = None,
    notes: Sequence[str] = (),
    **factors: Any,
) -> Table | None:
    """List the variants of a factor: rate and share of the baseline with intervals, and more.

    Parameters
    ----------
    by : str
        The factor that the rows are about.
    baseline : level of `by`
        What each row's share is taken of, within its group.
    split : str, optional
        Another factor: a group of rows for each of its levels. The only other one that varies,
        such as one of a rerun, when left out.
    metrics : sequence of (metric, statistic)
        Further columns, means over the runs; none where a run lacks the value, as a note says.
    levels : sequence, optional
        Of `by`, in the order to show; all that were measured, ascending, when left out.
    **factors
        Values of the other factors that vary.

    Returns
    -------
    Table or None
        None when nothing was measured.

    Raises
    ------
    ChapterError
        If there is no such factor, or `by` cannot have the baseline or one of the levels.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    levels = names_of(levels or ())
    wanted = [baseline, *levels]
    refuse_impossible(here.frame, by, wanted, chapter.observations, "variants_table")
    split = split or _beside(here, by, factors, levels)
    rows: list[Row] = []
    without_base = False
    for group in here.levels(split, **factors) if split else (None,):
        within = {**factors, **({split: group} if split else {})}
        lines: list[Row] = []
        for level in levels or here.levels(by, **within):
            at = {**within, by: level}
            mean = here.mean(**at)
            if mean is None:
                continue
            share = share_of(here, at, {**within, by: baseline}) if level != baseline else None
            line: list[Entry] = [
                mean.quantity, interval_text(chapter, mean), share.quantity if share else None,
                "\u2013".join(share.ends(chapter)) if share and share.interval.known else None,
                str(len(mean.values)),
            ]  # fmt: skip
            line += beside_rate(here, mean, metrics, **at)
            lines.append(Row(chapter.level(by, level), tuple(line)))
        without_base |= bool(lines) and here.mean(**{**within, by: baseline}) is None
        if lines and split:
            rows.append(Row(f"{chapter.factor_label(split)}: {chapter.level(split, group)}"))
        rows += lines
    if not rows:
        return None
    if "campaign" in (by, split):
        rates = [row.cells[0] for row in rows if row.cells]
        quantities = [rate for rate in rates if isinstance(rate, Quantity)]
        caption = state_differences_of_cells(chapter, quantities, {by, split or by}, caption)
    heads, over = heads_of(here, metrics)
    told = any(row.cells and row.cells[3] for row in rows)
    if not told:  # a ratio across campaigns has no interval
        rows = [replace(row, cells=(*row.cells[:3], *row.cells[4:])) for row in rows]
    # In the head of another column, a bare number does not say what it is.
    named = chapter.level(by, baseline)
    named = named if any(map(str.isalpha, named)) else chapter.level_named(by, baseline)
    return quantity_table(
        chapter,
        rows,
        header=[chapter.factor_label(by), chapter.label(RATE), "95 % interval", "in %",
                *["95 % interval"] * told, "Runs", *heads],
        over=[("", 2), (f"Ratio to {named}", 1 + told), ("", 1),
              *(over or [("", 1)] * len(heads))],
        caption=caption,
        notes=(
            f"{MEANS} {ACROSS if by == 'campaign' else RATIOS}",
            *differing_ways(here, by, split),
            *["Intervals are not adjusted for the number of comparisons."]
            * (told and sum(bool(row.cells and row.cells[3]) for row in rows) > 1),
            *[f"No ratio where {named} was not measured."] * without_base,
            *lacking_note(rows, len(metrics)),
            *["Broker's CPU time includes the backup's, where there is one."]
            * (BACKUP_TIME in metrics),
            *notes,
        ),
        by_row=True,
    )  # fmt: skip


@checked
def variants_agreement(
    here: Measured,
    by: str,
    *,
    head: str,
    baseline: Any,
    published: Mapping[Any, Quantity],
    **factors: Any,
) -> Text | None:
    """Compare each variant's share of the baseline, published and measured, each by itself.

    Parameters
    ----------
    by : str
        The factor whose levels are the variants.
    head : str
        What the shares are of, in words; a colon follows.
    published : mapping
        Level to its published share of the published baseline, in percent. Where the products
        differ in their levels, the caller says which published one stands beside which.
    **factors
        Values of the other factors that vary.

    Returns
    -------
    Text or None
        A list with a verdict for each level that was measured; None when none was.

    Raises
    ------
    ChapterError
        If a published value is no percentage, or `by` cannot have its level or the baseline.
    """
    for level, one in published.items():
        if one.unit != "%":
            raise ChapterError(
                f"{level!r} is published in {one.unit or 'no unit'}, not in %",
                where="variants_agreement: published", remedy="give value.percent_of(base)",
            )  # fmt: skip
    if not here.exists:
        return None
    chapter = here.chapter
    levels = [baseline, *published]
    refuse_impossible(here.frame, by, levels, chapter.observations, "variants_agreement")
    if split := _beside(here, by, factors):
        parts = [
            variants_agreement(
                here, by, head=f"{head}, {chapter.level_named(split, level)}", baseline=baseline,
                published=published, **{**factors, split: level},
            )
            for level in here.levels(split, **factors)
        ]  # fmt: skip
        return Text("\n\n".join(part.markdown for part in parts if part)) if any(parts) else None
    lines: list[str] = []
    alone: list[str] = []
    for level, share in _shares(here, by, baseline, factors):
        name = chapter.level(by, level)
        found = f"{chapter.inline(share.quantity)}{share.words(chapter)}"
        printed = published.get(level)
        if printed is None:
            alone.append(f"{name}, {found}")
            continue
        words = compared(here, printed, share, name=name)
        lines.append(f"- {name}: here {found}; published {chapter.inline(printed)}. {words}")
    if alone and not lines:
        return Text(f"{head}: {'; '.join(alone)}. No counterpart is published.")
    lines += without_counterpart(alone)
    return Text("\n".join([f"{head}:\n", *lines])) if lines else None


def _shares(
    here: Measured, by: str, baseline: Any, factors: Mapping[str, Any]
) -> Iterator[tuple[Any, Share]]:
    """Give the share of the baseline that each other level has which was measured."""
    for level in here.levels(by, **factors):
        if level == baseline:
            continue
        share = share_of(here, {**factors, by: level}, {**factors, by: baseline})
        if share is not None:
            yield level, share


def without_counterpart(shares: Sequence[str]) -> list[str]:
    """Name in one line of a list the measured shares with which no published one compares."""
    return [f"- Without a published counterpart: {'; '.join(shares)}."] if shares else []


@checked
def variants_title(
    here: Measured, by: str, *, what: str, baseline: Any, otherwise: str, **factors: Any
) -> str:
    """Name the finding: the variant whose rate differs most from the baseline's, or that none does.

    A variant is named only where it is told apart from all others too: which of several equal ones
    differs most is chance. All variants are one family: the more there are, the clearer a
    difference must be. Where no ratio has an interval, as between campaigns, the title concludes
    nothing.

    Parameters
    ----------
    what : str
        What was sent, such as ``Persistent messages of 2 KB``.
    otherwise : str
        The title where nothing was measured.
    **factors
        Values of the other factors that vary.
    """
    if not here.exists:
        return otherwise
    known = here.chapter.observations
    refuse_impossible(here.frame, by, [baseline], known, "variants_title: baseline")
    base = here.chapter.level_named(by, baseline)
    neutral = f"{what}: rate by {inside(here.chapter.factor_label(by))}"
    if here.withheld or _beside(here, by, factors):
        return neutral
    found = [
        (share.quantity.value, number, level, share)
        for number, (level, share) in enumerate(_shares(here, by, baseline, factors))
    ]
    if not found:
        return otherwise
    if not any(share.interval.known for *_, share in found):
        return neutral
    told = list(compress(found, differing([share for *_, share in found])))
    if not told:
        return f"{what}: no variant differs significantly from {base}"
    _, _, level, share = max(told, key=lambda one: abs(math.log(one[0] / 100)))
    if not share.told_apart_from(other for *_, other in found):
        return neutral
    name, reached = here.chapter.level_named(by, level), here.chapter.write(share.quantity)
    return f"{what}: {name} reaches {reached} ({base} = 100\u00a0%)"


@checked
def means_of(
    here: Measured, *by: str, metric: str = RATE, statistic: str = "mean",
    levels: Sequence[Any] | None = None, **factors: Any,
) -> pd.DataFrame:  # fmt: skip
    """Give the means over the runs of a campaign's points, as rows for a chart or a table.

    Parameters
    ----------
    here : Measured
    *by : str
        Factors whose levels make the rows; the first changes slowest.
    metric, statistic : str
    levels : sequence, optional
        Of the last factor, in the order to show; all that were measured, ascending, when left out.
    **factors
        Values of the other factors that vary.

    Returns
    -------
    pandas.DataFrame
        A column for each factor of `by`, and one named after the metric that holds a `Mean` each:
        charts draw its interval. Empty when nothing was measured.

    Raises
    ------
    ChapterError
        If a factor is unknown (the nearest one is given) or there twice, cannot have one of the
        levels, or the factors select several points for one row.
    """
    if twice := sorted({name for name in by if by.count(name) > 1 or name in factors}):
        raise ChapterError(
            f"{', '.join(twice)} is there twice", where="means_of",
            allowed="each factor once: its levels make rows, or one of them is selected",
        )  # fmt: skip
    levels = names_of(levels or ())
    rows: list[dict[str, Any]] = [{}] if by and here.exists else []
    if rows:
        known = here.chapter.observations
        refuse_impossible(here.frame, by[-1], levels, known, "means_of: levels")
    for factor in by:
        last = factor == by[-1]
        rows = [
            {**row, factor: level}
            for row in rows
            for level in ((last and levels) or here.levels(factor, **factors, **row))
        ]
    for row in rows:
        row[metric] = here.mean(metric, statistic, **factors, **row)
    found = [row for row in rows if row[metric] is not None]
    return pd.DataFrame(found, columns=pd.Index([*by, metric]))


@checked
def variants_figure(
    here: Measured, by: str, *, title: str, caption: str, split: str | None = None,
    levels: Sequence[Any] | None = None, metric: str = RATE, statistic: str = "mean",
    **factors: Any,
) -> Figure | None:  # fmt: skip
    """Draw the variants of a factor as bars with 95 % intervals; None when nothing was measured.

    Parameters
    ----------
    here : Measured
    by : str
        The factor whose levels are the places, from top to bottom.
    title, caption : str
        The finding; what is drawn. A percentage in the title is a share of a baseline.
    split : str, optional
        Another factor: a bar for each of its levels at every place. The only other one that
        varies when left out.
    levels : sequence, optional
        Of `by`, in the order to show.
    metric, statistic : str
    **factors
        Values of the other factors that vary.
    """
    split = split or _beside(here, by, factors, levels)
    among = [split, by] if split else [by]
    rows = means_of(here, *among, metric=metric, statistic=statistic, levels=levels, **factors)
    return _drawn(here, rows, title, caption, x=by, y=metric, series=split, horizontal=True)


@checked
def measured_lines(
    here: Measured, across: str, *, title: str, caption: str, split: str | None = None,
    metric: str = RATE, statistic: str = "mean", log: str | Collection[str] = (), **factors: Any,
) -> Figure | None:  # fmt: skip
    """Draw a metric over a factor that is a number, with intervals; None when nothing was measured.

    Parameters
    ----------
    here : Measured
    across : str
        The factor on the horizontal axis.
    title, caption : str
        The finding; what is drawn. A percentage in the title is a share of a baseline.
    split : str, optional
        The factor whose levels are the lines; the only other one that varies when left out.
    metric, statistic : str
    log : str or collection of str
        Those of `across` and `metric` whose axes are logarithmic.
    **factors
        Values of the other factors that vary.
    """
    split = split or _beside(here, across, factors)
    among = [split, across] if split else [across]
    rows = means_of(here, *among, metric=metric, statistic=statistic, **factors)
    return _drawn(
        here, rows, title, caption, x=across, y=metric, series=split, mark="line", log=log
    )


def _beside(
    here: Measured, by: str, factors: Mapping[str, Any], levels: Sequence[Any] | None = None
) -> str | None:
    """Name the only factor that varies beside another; None where none does, or several do."""
    if not here.exists:
        return None
    refuse_unknown_factor(here.frame, by, here.chapter.dictionary)
    rows = here.rows(factors)
    groups = (rows[rows[by].isin(names_of(levels))] if levels else rows).groupby(by)
    if not (groups["point_id"].nunique() > 1).any():
        return None
    names = [name for name in (*here.chapter.dictionary.factors, "campaign") if name != by]
    varied = [name for name in names if (groups[name].nunique() > 1).any()]
    return varied[0] if len(varied) == 1 else None


def _drawn(
    here: Measured, rows: pd.DataFrame, title: str, caption: str, *, x: str, series: str | None,
    **look: Any,
) -> Figure | None:  # fmt: skip
    """Draw means, None where there are none; a percentage in the title is explained."""
    if rows.empty:
        return None
    titled = [TITLED] * ("\u00a0%" in title)
    caption = " ".join([caption, *differing_ways(here, x, series), *titled])
    return chart(here.chapter, rows, title=title, caption=caption, x=x, series=series, **look)
