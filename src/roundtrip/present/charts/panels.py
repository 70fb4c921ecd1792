"""Lines of quantities over a number, such as a delay, in panels side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from roundtrip.present.chapter import Chapter
from roundtrip.present.charts.canvas import Canvas, Value
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.theme import HEIGHT, INK, MUTED, Style

_TOUCHING = 0.035
"""Ticks closer than this share of the axis would overlap: the lower one goes without its label."""


@dataclass(frozen=True)
class PanelPoint:
    """One point: the panel and the series it belongs to, where, and what."""

    panel: str
    series: str
    x: float
    y: Quantity


def panel_lines(
    chapter: Chapter,
    points: Sequence[PanelPoint],
    *,
    x_axis: str,
    y_axis: str,
    x_unit: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    same_scale: bool = True,
    limit: Quantity | None = None,
    limit_name: str = "",
) -> Figure:
    """Draw quantities over a number, one panel beside the other, each axis from zero.

    Parameters
    ----------
    chapter : Chapter
    points : sequence of PanelPoint
        What to draw, panels and series in their order; all quantities have one unit.
    x_axis, y_axis : str
        Labels of the axes, with their units.
    x_unit : str
        Unit of the number, for the alt text.
    styles : mapping
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    same_scale : bool
        Give all panels the same vertical axis.
    limit : Quantity, optional
        Drawn as a line in each panel, named by `limit_name`.

    Returns
    -------
    Figure
    """
    panels = list(dict.fromkeys(point.panel for point in points))
    canvas = Canvas(chapter, title, HEIGHT + 10)
    common = canvas.figure.layout
    figure = make_subplots(
        rows=1, cols=len(panels), horizontal_spacing=0.05 if same_scale else 0.09,
        subplot_titles=panels if len(panels) > 1 else None, shared_yaxes=same_scale,
    )  # fmt: skip
    figure.update_layout(common, template="none", showlegend=True)
    figure.update_yaxes(**common.yaxis.to_plotly_json())
    figure.update_xaxes(**common.xaxis.to_plotly_json())
    canvas.figure = figure
    named: set[str] = set()
    for column, panel in enumerate(panels, start=1):
        inside = [point for point in points if point.panel == panel]
        for name in dict.fromkeys(point.series for point in inside):
            line = sorted((p for p in inside if p.series == name), key=lambda p: p.x)
            shown = [chapter.write(point.y) for point in line]
            figure.add_trace(
                go.Scatter(
                    x=[point.x for point in line], y=[point.y.value for point in line],
                    name=name, legendgroup=name, showlegend=name not in named,
                    mode="lines+markers", text=shown, cliponaxis=False,
                    hovertemplate=f"%{{text}} at %{{x:g}} {x_unit}<extra>{name}</extra>",
                    **_look(styles[name]),
                ),
                row=1, col=column,
            )  # fmt: skip
            named.add(name)
            where = f"{name}, {panel}" if len(panels) > 1 else name
            canvas.add_values(
                [
                    Value(where, f"{p.x:g} {x_unit}", p.y.value, p.y.unit, p.y.cells, text)
                    for p, text in zip(line, shown, strict=True)
                ]
            )
        most = max(p.y.value for p in (points if same_scale else inside))
        most = max(most, limit.value) if limit is not None else most
        figure.update_yaxes(range=[0, most * 1.08], nticks=7, row=1, col=column)
        _mark(figure, sorted({point.x for point in inside}), column)
    if limit is not None:
        _rule(figure, limit, limit_name)
    figure.update_yaxes(title_text=y_axis, row=1, col=1)
    figure.update_xaxes(title_text=x_axis, title_font={"size": 11, "color": MUTED})
    figure.update_annotations(font={"size": 13, "color": INK, "weight": 600})
    if len(panels) > 1:
        figure.update_layout(legend_y=1.12, margin_t=figure.layout.margin.t + 26)
    kind = "Line charts side by side" if len(panels) > 1 else "Line chart"
    return canvas.finish(f"{kind}, axes from zero", caption)


def _look(style: Style) -> dict[str, Any]:
    return {
        "marker": {"color": style.color, "symbol": style.symbol, "size": 9},
        "line": {"color": style.color, "dash": style.dash, "width": 2.25},
    }


def _mark(figure: go.Figure, places: list[float], column: int) -> None:
    """Put a tick at every place, and its number where it does not touch the next."""
    width = places[-1] - places[0] or 1.0
    texts = [
        "" if after is not None and after - place < _TOUCHING * width else f"{place:g}"
        for place, after in zip(places, [*places[1:], None], strict=True)
    ]
    room = width * 0.06
    figure.update_xaxes(
        tickvals=places, ticktext=texts, range=[places[0] - room, places[-1] + room],
        row=1, col=column,
    )  # fmt: skip


def _rule(figure: go.Figure, limit: Quantity, name: str) -> None:
    line = {"color": INK, "width": 1.4, "dash": "dot"}
    figure.add_hline(y=limit.value, line=line)
    figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", line=line, name=name))
