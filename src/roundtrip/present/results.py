"""Tables of published or ingested results: rates and what goes with them, by one or two factors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from roundtrip.csvfile import csv_text
from roundtrip.errors import ChapterError, unknown
from roundtrip.present.arguments import (
    checked,
    difference_told,
    names_of,
    refuse_impossible,
    refuse_misspelt,
    refuse_unknown_factor,
    refuse_unknown_varied,
    values_of,
    whole,
)
from roundtrip.present.chapter import RATE, Chapter, with_unit
from roundtrip.present.comparability import state_differences
from roundtrip.present.measured.means import interval_text, mean_of_cells
from roundtrip.present.numbers import Quantity
from roundtrip.present.points import metrics_of
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.repeats import ratio_margins
from roundtrip.present.tables import Table

_RATIOS = "Ratios of ingested runs have no interval: nothing says which runs share an hour."


@checked
def results_table(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    caption: str,
    row: str,
    columns: str | None = None,
    group: str | None = None,
    baseline: Any = None,
    names: Mapping[Any, str] | None = None,
    notes: Sequence[str] = (),
    varied: str | Collection[str] = (),
    metrics: str | Sequence[str] = (),
) -> Table:
    """Lay out peaks: rate, CPU and requesters by factor, with ratios to a baseline.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`.
    row : str
        Factor that makes the rows.
    columns : str, optional
        Factor whose values stand side by side.
    group : str, optional
        Factor whose values head groups of rows.
    baseline : object, optional
        Value of `row` (or of `columns`) to which the first of the metrics is put in relation.
    names : mapping, optional
        Labels for the values of `row` and `columns`, where the dictionary's are not enough.
    varied : str or collection of str
        Factors, beside those of rows, columns and groups, that the comparison is about.
    metrics : str or sequence of str
        What to show of each point; by default its rate, CPU and requesters, as far as points have
        them.

    Returns
    -------
    Table
        Cells that are suspect or corrected are marked and explained in its notes.

    Raises
    ------
    ChapterError
        If the points have no such factor, metric or value of the baseline (the nearest one is
        given), or several stand at one place.
    """
    known = metrics_of(points)
    if not known or points.empty:
        raise ChapterError(
            "there are no points to show", where="results_table",
            allowed="what chapter.points(…) gives, and parts of it",
        )  # fmt: skip
    factors = [name for name in (group, row, columns) if name is not None]
    for name in factors:
        refuse_unknown_factor(points, name, chapter.dictionary, "results_table")
    varied = names_of(varied)
    refuse_unknown_varied(points, varied, chapter.dictionary, "results_table")
    if baseline is not None:
        where = "results_table: baseline"
        refuse_impossible(points, columns or row, [baseline], chapter.observations, where)
    usual = [name for name in (RATE, "cpu", "clients") if name in known]
    shown = names_of(metrics) or usual or known
    for name in shown:
        if name not in known:
            raise unknown(ChapterError, "metric of these points", name, known)
    named = names or {}
    refuse_misspelt(named, points[factors], chapter.observations.levels, "results_table: names")
    sides = [None] if columns is None else list(dict.fromkeys(values_of(points[columns])))
    # The baseline's own side has no column of ratios, which would be ones.
    compared = [] if baseline is None else [side for side in sides if side != baseline]

    def level(factor: str, value: Any) -> str:
        return named.get(value) or chapter.level(factor, value)

    def head(factor: str, value: Any) -> str:
        # In a head, a bare number does not say what it is.
        return named.get(value) or chapter.level_named(factor, value)

    over_runs = [name for name in shown if f"{name}_runs" in points]
    over_runs = [name for name in over_runs if points[f"{name}_runs"].max() > 1]
    heads = []
    for name in shown:
        heads.append(with_unit(chapter.label(name), chapter.unit(name)))
        heads += ["95\u00a0% interval"] * (name in over_runs)
    header, over = [chapter.factor_label(row)], []
    for side in sides:
        ratio = [f"Ratio to {head(columns or row, baseline)}"] if side in compared else []
        header += [*heads, *ratio]
        if columns is not None:
            over.append((head(columns, side), len(heads) + len(ratio)))
    rows: list[Row] = []
    lines: list[list[Any]] = []
    for at in [None] if group is None else dict.fromkeys(values_of(points[group])):
        part = points
        if group is not None:
            part = _having(points, group, at)
            rows.append(Row(f"{chapter.factor_label(group)}: {level(group, at)}"))
        for value in dict.fromkeys(values_of(part[row])):
            of_row = _having(part, row, value)
            cells: list[Entry] = []
            for side in sides:
                point = of_row if columns is None else _having(of_row, columns, side)
                found = _of_point(chapter, point, shown)
                for name, one in zip(shown, found, strict=True):
                    cells.append(one)
                    if name in over_runs:
                        cells.append(_interval(chapter, one))
                levels = ((group, at), (row, value), (columns, side))
                places = [whole(each) for name, each in levels if name is not None]
                lines += [
                    [*places, name, f"{one.value:.10g}", one.unit, " ".join(one.cells)]
                    for name, one in zip(shown, found, strict=True) if one is not None
                ]  # fmt: skip
                if side in compared:
                    beside = part if columns is None else of_row
                    base = beside[beside[columns or row] == baseline]
                    relative = _ratio(chapter, point, base, shown[0])
                    cells.append(relative)
                    if relative is not None:
                        lines.append(
                            [*places, f"{shown[0]} ratio", f"{relative.value:.10g}", "",
                             " ".join(relative.cells)]
                        )  # fmt: skip
            rows.append(Row(level(row, value), tuple(cells)))
    used = tuple(
        " ".join(points[f"{name}_cell"].dropna().str.cat(sep=" ") for name in shown).split()
    )
    remarks = [*notes, *_runs_note(points, over_runs)]
    margins: tuple[str, ...] = ()
    if baseline is not None:
        about = {*factors, "message_bytes", *varied}
        stated = state_differences(chapter, points, about, "")
        remarks += filter(None, [stated.strip()])
        remarks += [_RATIOS] * (shown[0] in over_runs)
        margins = ratio_margins(chapter, used)
    table = quantity_table(
        chapter, rows, caption=caption, header=header, over=over, by_row=True, notes=remarks
    )
    download = csv_text([*factors, "metric", "value", "unit", "cells"], lines)
    return replace(table, cells=used, csv=download, margins=margins)


def _having(points: pd.DataFrame, factor: str, level: Any) -> pd.DataFrame:
    """Choose the points with a level of a factor; None: those that do not state it."""
    column = points[factor]
    return points[column.isna() if level is None else column == level]


def _of_point(
    chapter: Chapter, point: pd.DataFrame, metrics: Sequence[str]
) -> list[Quantity | None]:
    """Give each metric of one point, or none, with the decimals that were printed."""
    if len(point) > 1:
        raise ChapterError(
            f"{len(point)} points for one place of the table", where="results_table",
            allowed=difference_told(point, chapter.dictionary),
            remedy="make one of these the row, columns or group, or select one value",
        )  # fmt: skip
    return [
        None if point[name].isna().all() else chapter.quantities(point, name)[0] for name in metrics
    ]


def _interval(chapter: Chapter, value: Quantity | None) -> str | None:
    """Write the interval over the runs of a value; nothing where one run gives none."""
    mean = None if value is None else mean_of_cells(chapter, value)
    return interval_text(chapter, mean) if mean and mean.interval.known else None


def _runs_note(points: pd.DataFrame, metrics: Sequence[str]) -> list[str]:
    """Say over how many runs means are; nothing where no metric has several runs."""
    seen = [int(count) for name in metrics for count in points[f"{name}_runs"].dropna()]
    if not seen:
        return []
    told = " to ".join(map(str, sorted({min(seen), max(seen)})))
    alone = " One run gives no interval." if min(seen) == 1 else ""
    return [f"Means over {told} runs of each point, with intervals over the runs.{alone}"]


def _ratio(
    chapter: Chapter, point: pd.DataFrame, base: pd.DataFrame, metric: str
) -> Quantity | None:
    if point.empty or point[metric].isna().any() or base[metric].isna().all():
        return None
    of, to = (chapter.quantities(each, metric)[0] for each in (point, base))
    return of.over(to)
