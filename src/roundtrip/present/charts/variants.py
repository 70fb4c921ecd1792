"""Measured variants: bars with intervals, and lines over a factor that is a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.charts.canvas import Canvas, plot_text
from roundtrip.present.charts.marks import bar_look
from roundtrip.present.charts.with_intervals import error_bar, interval_trace, shown, value_of
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import Mean, Measured
from roundtrip.present.measured.variants import with_unit
from roundtrip.present.theme import INK, style_of

_BAR, _GROUP = 20, 14


def variants_figure(
    here: Measured,
    by: str,
    *,
    title: str,
    caption: str,
    split: str | None = None,
    levels: Sequence[Any] | None = None,
    metric: str = RATE,
    statistic: str = "mean",
    **factors: Any,
) -> Figure | None:
    """Draw the variants of a factor as horizontal bars with 95 % intervals.

    Parameters
    ----------
    here : Measured
    by : str
        The factor whose levels are the places, from top to bottom.
    title, caption : str
        The finding; what is drawn.
    split : str, optional
        Another factor: a bar for each of its levels at every place.
    levels : sequence, optional
        Of `by`, in the order to show; all that were measured, ascending, when left out.
    metric, statistic : str
    **factors
        Values of the other factors that vary.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    series: list[tuple[str, str, list[tuple[str, Mean]]]] = []
    for group in here.levels(split, **factors) if split else (None,):
        within = {**factors, **({split: group} if split else {})}
        found = [
            (chapter.level(by, level), mean)
            for level in levels or here.levels(by, **within)
            if (mean := here.mean(metric, statistic, **within, **{by: level})) is not None
        ]
        if found:
            name = "" if split is None else _series_name(chapter, split, group)
            series.append((name, str(group), found))
    if not series:
        return None
    places = list(dict.fromkeys(place for _, _, found in series for place, _ in found))
    longest = max(len(place) for place in places)
    height = 140 + len(places) * (_GROUP + _BAR * len(series))
    canvas = Canvas(chapter, title, height, margin_left=min(300, 40 + 7 * longest))
    for position, (name, key, found) in enumerate(series):
        style = style_of(key, position)
        means = [mean for _, mean in found]
        canvas.figure.add_trace(
            go.Bar(
                y=[plot_text(place) for place, _ in found],
                x=[mean.quantity.value for mean in means],
                orientation="h", name=plot_text(name), marker=bar_look(style),
                error_x=error_bar(means, INK), customdata=[shown(chapter, m) for m in means],
                hovertemplate="%{y}: %{customdata}<extra>%{fullData.name}</extra>",
            )
        )  # fmt: skip
        canvas.add_values([value_of(chapter, name, place, mean) for place, mean in found])
    ends = [m.ends[1] for _, _, found in series for _, m in found]
    canvas.figure.update_layout(barmode="group", showlegend=split is not None)
    canvas.figure.update_yaxes(
        type="category", categoryorder="array", categoryarray=[plot_text(p) for p in places],
        autorange="reversed", showgrid=False,
    )  # fmt: skip
    canvas.figure.update_xaxes(
        range=[0, max(ends) * 1.05],
        title_text=with_unit(chapter, metric, chapter.label(metric)),
        showgrid=True,
    )
    return canvas.finish("Bar chart with intervals", caption)


def measured_lines(
    here: Measured,
    across: str,
    *,
    title: str,
    caption: str,
    split: str | None = None,
    metric: str = RATE,
    statistic: str = "mean",
    logarithmic: bool = False,
    **factors: Any,
) -> Figure | None:
    """Draw a metric over a factor that is a number, with 95 % intervals, a line for each series.

    Parameters
    ----------
    here : Measured
    across : str
        The factor on the horizontal axis.
    title, caption : str
        The finding; what is drawn.
    split : str, optional
        The factor whose levels are the series.
    metric, statistic : str
    logarithmic : bool
        Whether the horizontal axis is logarithmic; its levels must be above zero then.
    **factors
        Values of the other factors that vary.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    entry = chapter.dictionary.factors[across]
    label = f"{entry.label} ({entry.unit})" if entry.unit else entry.label
    canvas = Canvas(chapter, title)
    seen: list[float] = []
    for position, group in enumerate(here.levels(split, **factors) if split else (None,)):
        within = {**factors, **({split: group} if split else {})}
        pairs = [
            (float(level), mean)
            for level in here.levels(across, **within)
            if (mean := here.mean(metric, statistic, **within, **{across: level})) is not None
        ]
        if not pairs:
            continue
        name = "" if split is None else _series_name(chapter, split, group)
        trace = interval_trace(
            chapter, plot_text(name), style_of(str(group), position), pairs, entry.unit or ""
        )
        trace.showlegend = split is not None
        canvas.figure.add_trace(trace)
        canvas.add_values(
            [value_of(chapter, name, chapter.level(across, level), m) for level, m in pairs]
        )
        seen += [m.ends[1] for _, m in pairs]
    if not seen:
        return None
    ticks = here.levels(across, **factors)
    canvas.figure.update_xaxes(
        title_text=label, type="log" if logarithmic else "linear", tickvals=ticks,
        ticktext=[chapter.numbers.write(tick, 0 if float(tick).is_integer() else 1)
                  for tick in ticks],
    )  # fmt: skip
    canvas.figure.update_yaxes(
        range=[0, max(seen) * 1.08], title_text=with_unit(chapter, metric, chapter.label(metric))
    )
    return canvas.finish("Line chart with intervals", caption)


def _series_name(chapter: Chapter, factor: str, level: Any) -> str:
    """Name a series by its level; a bare count says of what."""
    name = chapter.level(factor, level)
    entry = chapter.dictionary.factors.get(factor)
    if entry is None or entry.type != "integer" or entry.unit:
        return name
    what = entry.label.lower()
    return f"{name} {what.removesuffix('s') if level == 1 else what}"
