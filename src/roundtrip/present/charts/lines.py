"""Lines and scatter: rate over message size, over link delay, against CPU."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.charts.canvas import (
    SERIES,
    Canvas,
    Value,
    direct_labels,
    plot_text,
    series_of,
)
from roundtrip.present.charts.marks import decades, log_scale, marked, ticks_of
from roundtrip.present.charts.point_labels import place_point_labels
from roundtrip.present.comparability import state_differences
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import size_label
from roundtrip.present.theme import HEIGHT, INK, MUTED, RULE

_PLOT_TOP_AND_BOTTOM = 72 + 52


def _values(
    chapter: Chapter, name: str, points: pd.DataFrame, factor: str, metric: str = RATE
) -> list[Value]:
    return [
        Value(name, chapter.level(factor, level), q.value, q.unit, q.cells, chapter.write(q))
        for level, q in zip(points[factor], chapter.quantities(points, metric), strict=True)
    ]


def size_lines(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    series: str,
    title: str,
    caption: str,
    names: Mapping[Any, str] | None = None,
    varies: Sequence[str] = (),
) -> Figure:
    """Draw the peak rate over message size, both on logarithmic axes.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``message_bytes`` and a rate.
    series : str
        Factor (or any column) that makes the lines.
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
    canvas = Canvas(chapter, title, HEIGHT + 20)
    figure = canvas.figure
    ends = []
    for name, part, style in series_of(chapter, points, series, names):
        part = part.sort_values("message_bytes")
        figure.add_trace(
            go.Scatter(
                x=part["message_bytes"].tolist(),
                y=part[RATE].tolist(),
                name=plot_text(name),
                mode="lines+markers",
                showlegend=False,
                hovertemplate=f"%{{y:,.0f}} {chapter.rate_unit}" + SERIES,
                **marked(style),
            )
        )
        last = part.iloc[-1]
        ends.append((name, float(last["message_bytes"]), float(last[RATE]), style))
        canvas.add_values(_values(chapter, name, part, "message_bytes"))
    sizes = sorted({int(size) for size in points["message_bytes"]})
    bounds = decades(points[RATE].tolist())
    span = math.log10(sizes[-1] / sizes[0]) if len(sizes) > 1 else 1.0
    ticks = ticks_of(bounds)
    figure.update_xaxes(
        type="log", tickvals=sizes, ticktext=[size_label(size) for size in sizes],
        range=[math.log10(sizes[0]) - span * 0.06, math.log10(sizes[-1]) + span * 0.32],
        title_text="Message size (logarithmic)",
    )  # fmt: skip
    figure.update_yaxes(
        type="log", range=list(bounds), tickvals=ticks,
        ticktext=[chapter.numbers.write(tick) for tick in ticks],
        title_text=f"{chapter.label(RATE)} (logarithmic)",
    )  # fmt: skip
    direct_labels(
        figure, ends, log_scale(bounds, canvas.height - _PLOT_TOP_AND_BOTTOM),
        log_x=True, log_y=True,
    )  # fmt: skip
    return canvas.finish("Line chart with logarithmic axes", caption)


def delay_lines(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    delay: str,
    series: str,
    title: str,
    caption: str,
    varies: Sequence[str] = (),
) -> Figure:
    """Draw the rate over link delay, one panel for each message size, each from zero.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``message_bytes``, the delay and a rate.
    delay : str
        Factor that holds the delay in ms.
    series : str
        Factor that makes the lines.
    title, caption : str
        The finding; what is drawn.
    varies : sequence of str
        Factors, beside series, delay and message size, that the comparison is about.

    Returns
    -------
    Figure
    """
    caption = state_differences(chapter, points, {series, delay, "message_bytes", *varies}, caption)
    sizes = sorted({int(size) for size in points["message_bytes"]})
    canvas = Canvas(chapter, title, HEIGHT + 10)
    layout = canvas.figure.layout
    panels = make_subplots(
        rows=1, cols=len(sizes), horizontal_spacing=0.09,
        subplot_titles=[size_label(size) for size in sizes],
    )  # fmt: skip
    axis = layout.yaxis.to_plotly_json()
    panels.update_layout(layout, template="none")
    panels.update_yaxes(**axis)
    panels.update_xaxes(**layout.xaxis.to_plotly_json())
    canvas.figure = panels
    delays = sorted({float(value) for value in points[delay]})
    for column, size in enumerate(sizes, start=1):
        of_size = points[points["message_bytes"] == size]
        for name, part, style in series_of(chapter, of_size, series):
            part = part.sort_values(delay)
            panels.add_trace(
                go.Scatter(
                    x=part[delay].tolist(),
                    y=part[RATE].tolist(),
                    name=plot_text(name),
                    legendgroup=name,
                    mode="lines+markers",
                    showlegend=column == 1,
                    hovertemplate=f"%{{y:,.0f}} {chapter.rate_unit}" + SERIES,
                    **marked(style),
                ),
                row=1,
                col=column,
            )
            canvas.add_values(_values(chapter, f"{name}, {size_label(size)}", part, delay))
        panels.update_yaxes(
            range=[0, float(of_size[RATE].max()) * 1.08],
            nticks=6,
            tickformat=",.0f",
            row=1,
            col=column,
        )
    room = (delays[-1] - delays[0]) * 0.08 or 1
    panels.update_xaxes(
        tickvals=delays, ticktext=[f"{value:g}" for value in delays],
        range=[delays[0] - room, delays[-1] + room],
        title_text=f"{chapter.dictionary.factors[delay].label} (ms)",
        title_font={"size": 11, "color": MUTED},
    )  # fmt: skip
    panels.update_yaxes(title_text=chapter.label(RATE), row=1, col=1)
    panels.update_annotations(font={"size": 13, "color": INK, "weight": 600})
    panels.update_layout(legend_y=1.12, margin_t=panels.layout.margin.t + 26)
    return canvas.finish("Line charts side by side, each axis from zero", caption)


def rate_against_cpu(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    series: str,
    title: str,
    caption: str,
    names: Mapping[Any, str] | None = None,
    label_sizes: bool = True,
    varies: Sequence[str] = (),
) -> Figure:
    """Draw each peak as a point: how much CPU it used, how many round trips it gave.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With a rate and ``cpu``.
    series : str
        Factor (or any column) that gives the points their style.
    title, caption : str
        The finding; what is drawn.
    names : mapping, optional
        Names of the series.
    label_sizes : bool
        Write the message size beside each point, and join the points of a series.
    varies : sequence of str
        Factors, beside series and message size, that the comparison is about.

    Returns
    -------
    Figure
    """
    caption = state_differences(chapter, points, {series, "message_bytes", *varies}, caption)
    canvas = Canvas(chapter, title, HEIGHT + 30)
    figure = canvas.figure
    for name, part, style in series_of(chapter, points, series, names):
        if label_sizes:
            part = part.sort_values("message_bytes")
        labels = [size_label(size) for size in part["message_bytes"]]
        look = marked(style, 10)
        look["line"] = {"color": style.color, "dash": style.dash, "width": 1}
        figure.add_trace(
            go.Scatter(
                x=part["cpu"].tolist(), y=part[RATE].tolist(), name=plot_text(name),
                mode="lines+markers+text" if label_sizes else "markers",
                text=labels if label_sizes else None,
                textfont={"size": 11, "color": style.color}, cliponaxis=False,
                hovertemplate="%{x:.2f} % CPU, %{y:,.0f} "
                + chapter.rate_unit + SERIES,
                **look,
            )
        )  # fmt: skip
        for label, rate, cpu in zip(
            labels, chapter.quantities(part), chapter.quantities(part, "cpu"), strict=True
        ):
            shown = f"{chapter.write(rate)} at {chapter.write(cpu)}"
            cells = rate.cells + cpu.cells
            canvas.values.append(
                Value(name, label if label_sizes else "", rate.value, rate.unit, cells, shown)
            )
    bounds = decades(points[RATE].tolist())
    wide = bounds[1] - bounds[0] > 1.2
    figure.update_xaxes(
        range=[0, 104], title_text=chapter.label("cpu"), showgrid=True, gridcolor=RULE, dtick=20
    )
    if wide:
        ticks = ticks_of(bounds)
        figure.update_yaxes(
            type="log", range=list(bounds), tickvals=ticks,
            ticktext=[chapter.numbers.write(tick) for tick in ticks],
            title_text=f"{chapter.label(RATE)} (logarithmic)",
        )  # fmt: skip
    else:
        figure.update_yaxes(
            range=[0, float(points[RATE].max()) * 1.12], title_text=chapter.label(RATE)
        )
    place_point_labels(figure)
    return canvas.finish("Scatter chart", caption)
