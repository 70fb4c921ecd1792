"""Bars, always from zero: shares of a baseline, variants by rate, bounds and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.charts.canvas import (
    SERIES,
    Canvas,
    Value,
    plot_text,
    reference_rule,
    series_of,
)
from roundtrip.present.charts.marks import add_bars, bar_look, lift_labels
from roundtrip.present.comparability import state_differences
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.theme import INK, RULE

_BAR_PIXELS = 30


def relative_bars(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    series: str,
    baseline: Any,
    title: str,
    caption: str,
    names: Mapping[Any, str] | None = None,
    varies: Sequence[str] = (),
) -> Figure:
    """Draw rates as a share of a baseline's rate at the same message size.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``message_bytes`` and a rate.
    series : str
        Factor that makes the bars of a size.
    baseline : object
        Its value that is 100 %; drawn as a line.
    title, caption : str
        The finding; what is drawn.
    names : mapping, optional
        Names of the series.
    varies : sequence of str
        Factors, beside series and message size, that the comparison is about.

    Returns
    -------
    Figure
    """
    caption = state_differences(chapter, points, {series, "message_bytes", *varies}, caption)
    canvas = Canvas(chapter, title)
    sizes = sorted({int(size) for size in points["message_bytes"]})
    bases = points[points[series] == baseline]
    most = 100.0
    for name, part, style in series_of(chapter, points, series, names):
        if part[series].iloc[0] == baseline:
            base_name = name
            continue
        values = []
        for size in sizes:
            point = part[part["message_bytes"] == size]
            base = bases[bases["message_bytes"] == size]
            if len(point) != 1 or len(base) != 1:
                continue
            share = chapter.quantities(point)[0].percent_of(chapter.quantities(base)[0])
            shown = chapter.write(share)
            values.append(Value(name, size_label(size), share.value, "%", share.cells, shown))
        most = max([most, *(value.value for value in values)])
        add_bars(canvas, name, style, values)
    figure = canvas.figure
    whole = chapter.write(Quantity(100, "%", ()))
    reference_rule(figure, f"{base_name} = {whole}", y=100)
    figure.update_layout(barmode="group")
    figure.update_xaxes(
        title_text="Message size", categoryarray=[size_label(size) for size in sizes],
        categoryorder="array", type="category",
    )  # fmt: skip
    figure.update_yaxes(
        range=[0, most * 1.1], title_text=f"Rate relative to {base_name} (%)", nticks=7
    )
    lift_labels(figure, 100)
    return canvas.finish("Bar chart", caption)


def share_bars(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    metric: str,
    series: str,
    title: str,
    caption: str,
) -> Figure:
    """Draw a percentage by message size, one bar for each variant.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``message_bytes`` and the metric.
    metric : str
        A metric in percent.
    series : str
        Factor that makes the bars of a size.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure
    """
    caption = state_differences(chapter, points, {series, "message_bytes"}, caption)
    canvas = Canvas(chapter, title)
    for name, part, style in series_of(chapter, points, series):
        part = part.sort_values("message_bytes")
        values = [
            Value(name, size_label(size), q.value, q.unit, q.cells, chapter.write(q))
            for size, q in zip(part["message_bytes"], chapter.quantities(part, metric), strict=True)
        ]
        add_bars(canvas, name, style, values)
    canvas.figure.update_layout(barmode="group")
    canvas.figure.update_xaxes(title_text="Message size", type="category")
    canvas.figure.update_yaxes(
        range=[0, float(points[metric].max()) * 1.12], title_text=chapter.label(metric), nticks=7
    )
    return canvas.finish("Bar chart", caption)


def variant_bars(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    series: str,
    baseline: Any,
    style_key: Mapping[Any, str],
    title: str,
    caption: str,
) -> Figure:
    """Draw one horizontal bar for each variant, the fastest on top, the baseline as a line.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        One point for each variant.
    series : str
        Factor that names the variants.
    baseline : object
        Its value that the others are compared with.
    style_key : mapping
        Variant to the family whose style it takes; the families are the legend.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure
    """
    caption = state_differences(chapter, points, {series}, caption)
    ranked = points.sort_values(RATE, ascending=True)
    canvas = Canvas(chapter, title, 130 + _BAR_PIXELS * len(ranked), margin_left=250)
    base = chapter.quantity(points, **{series: baseline})
    order = [chapter.level(series, value) for value in ranked[series]]
    families = dict.fromkeys(style_key[value] for value in points[series])
    for family in families:
        part = ranked[[style_key[value] == family for value in ranked[series]]]
        values = []
        for variant, rate in zip(part[series], chapter.quantities(part), strict=True):
            name = chapter.level(series, variant)
            share = f"  ({chapter.write(rate.percent_of(base))})" if variant != baseline else ""
            shown = chapter.write(rate) + share
            label = chapter.write(rate, unit=False) + share
            values.append(Value("", name, rate.value, rate.unit, rate.cells, shown, label))
        style = series_of(chapter, pd.DataFrame({series: [family]}), series)[0][2]
        canvas.figure.add_trace(
            go.Bar(
                y=[plot_text(v.place) for v in values],
                x=[v.value for v in values], orientation="h",
                name=plot_text(family),
                marker=bar_look(style), text=[f"\u2002{v.shown}" for v in values],
                textposition="outside",
                textfont={"size": 12, "color": INK}, cliponaxis=False, constraintext="none",
                hovertemplate=f"%{{y}}: %{{x:,.0f}} {chapter.rate_unit}" + SERIES,
                showlegend=family != "none",
            )
        )  # fmt: skip
        canvas.add_values(values)
    figure = canvas.figure
    reference_rule(figure, chapter.level(series, baseline), x=base.value)
    figure.update_layout(barmode="overlay", bargap=0.35)
    figure.update_yaxes(
        categoryorder="array", categoryarray=[plot_text(name) for name in order],
        type="category", showgrid=False,
        tickfont={"size": 12, "color": INK}, ticklabelstandoff=6,
    )  # fmt: skip
    figure.update_xaxes(
        range=[0, float(points[RATE].max()) * 1.16], rangemode="tozero", showgrid=True,
        gridcolor=RULE, title_text=chapter.label(RATE), nticks=6, showline=False, tickformat=",.0f",
    )  # fmt: skip
    return canvas.finish("Bar chart", caption)
