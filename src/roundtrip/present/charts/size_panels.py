"""Rates over message size in panels that share their axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.charts.canvas import Canvas, Value, series_of
from roundtrip.present.charts.marks import decades, marked, ticks_of
from roundtrip.present.comparability import state_differences
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import size_label
from roundtrip.present.theme import HEIGHT, INK


def size_panels(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    panel: str,
    series: str,
    title: str,
    caption: str,
    names: Mapping[Any, str] | None = None,
    varies: Sequence[str] = (),
) -> Figure:
    """Draw the peak rate over message size, a panel for each value of a factor.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        With ``message_bytes`` and a rate.
    panel, series : str
        Factors that make the panels, and the lines within each.
    title, caption : str
        The finding; what is drawn.
    names : mapping, optional
        Names of the series.
    varies : sequence of str
        Further factors that the series differ in by their nature.

    Returns
    -------
    Figure
        All axes are logarithmic and the same in every panel.
    """
    varied = {panel, series, "message_bytes", *varies}
    caption = state_differences(chapter, points, varied, caption)
    canvas = Canvas(chapter, title, HEIGHT + 10)
    layout = canvas.figure.layout
    levels = list(dict.fromkeys(points[panel]))
    figure = make_subplots(
        rows=1, cols=len(levels), shared_yaxes=True, horizontal_spacing=0.05,
        subplot_titles=[chapter.level(panel, level).capitalize() for level in levels],
    )  # fmt: skip
    figure.update_layout(layout, template="none")
    figure.update_xaxes(**layout.xaxis.to_plotly_json())
    figure.update_yaxes(**layout.yaxis.to_plotly_json())
    canvas.figure = figure
    for column, level in enumerate(levels, start=1):
        of_panel = points[points[panel] == level]
        for name, part, style in series_of(chapter, of_panel, series, names):
            part = part.sort_values("message_bytes")
            figure.add_trace(
                go.Scatter(
                    x=part["message_bytes"].tolist(), y=part[RATE].tolist(), name=name,
                    legendgroup=name, mode="lines+markers", showlegend=column == 1,
                    hovertemplate=f"%{{y:,.4g}} {chapter.rate_unit}<extra>{name}</extra>",
                    **marked(style),
                ),
                row=1, col=column,
            )  # fmt: skip
            canvas.add_values(
                [
                    Value(f"{name}, {chapter.level(panel, level)}", size_label(size), q.value,
                          q.unit, q.cells, chapter.write(q))
                    for size, q in zip(
                        part["message_bytes"], chapter.quantities(part), strict=True
                    )
                ]
            )  # fmt: skip
    sizes = sorted({int(size) for size in points["message_bytes"]})
    span = math.log10(sizes[-1] / sizes[0]) if len(sizes) > 1 else 1.0
    bounds = decades(points[RATE].tolist())
    ticks = ticks_of(bounds)
    figure.update_xaxes(
        type="log", tickvals=sizes, ticktext=[size_label(size) for size in sizes],
        range=[math.log10(sizes[0]) - span * 0.07, math.log10(sizes[-1]) + span * 0.07],
        title_text="Message size (logarithmic)",
    )  # fmt: skip
    figure.update_yaxes(
        type="log", range=list(bounds), tickvals=ticks,
        ticktext=[chapter.numbers.write(tick) for tick in ticks],
    )  # fmt: skip
    figure.update_yaxes(title_text=f"{chapter.label(RATE)} (logarithmic)", row=1, col=1)
    figure.update_annotations(font={"size": 13, "color": INK, "weight": 600})
    figure.update_layout(legend_y=1.1, margin_t=layout.margin.t + 26)
    return canvas.finish("Line charts side by side with logarithmic axes", caption)
