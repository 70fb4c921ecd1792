"""Lines over a factor that was swept: values, and their ratio below them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.canvas import Canvas, Value, plot_text
from roundtrip.present.plot.labels import spread
from roundtrip.present.plot.traces import RING, rings
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.present.theme import Style

Row = tuple[str, float, Quantity]

DOUBTFUL = "corrected or doubtful in the source"
_ROOM = 0.26  # of the horizontal axis, on the right, for the names of the series
_LABEL_GAP = 16  # pixels between the baselines of these names
_RATIO_SHARE = 0.27  # of the plot's height
_GAP = 0.06


@dataclass(frozen=True)
class Axis:
    """The factor that was swept, as a horizontal axis.

    Attributes
    ----------
    ticks : mapping
        Values that bear a label, and the label.
    name : callable
        Writes any value, for the alt text and the download.
    """

    title: str
    ticks: Mapping[float, str]
    name: Callable[[float], str]
    logarithmic: bool = False

    def layout(self, values: Sequence[float]) -> dict[str, Any]:
        """Give the layout for values that lie between the smallest and the largest."""
        places = [math.log10(v) if self.logarithmic else v for v in values]
        low, high = min(places), max(places)
        span = (high - low) or 1.0
        return {
            "type": "log" if self.logarithmic else "linear",
            "tickvals": list(self.ticks),
            "ticktext": list(self.ticks.values()),
            "range": [low - span * 0.04, high + span * _ROOM],
        }


def swept_lines(
    chapter: Chapter,
    rows: Sequence[Row],
    *,
    across: Axis,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    ratio: Sequence[tuple[float, Quantity]] = (),
    ratio_axis: str = "",
) -> Figure:
    """Draw quantities over a factor, and below them, if asked, the ratio of two of the series.

    Parameters
    ----------
    rows : sequence of (series, value of the factor, quantity)
        What to draw; all quantities have one unit. Those of corrected cells are ringed.
    across : Axis
        The factor.
    axis : str
        Label of the vertical axis, which starts at zero.
    styles : mapping
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    ratio : sequence of (value of the factor, quantity)
        Drawn in a panel of its own, from zero.
    ratio_axis : str
        Label of that panel's axis.
    """
    canvas = Canvas(
        chapter, title, rows=2 if ratio else 1, height=530 if ratio else 410, share_x=True
    )
    panels = canvas.figure
    if ratio:
        panels.update_yaxes(domain=[_RATIO_SHARE + _GAP, 1], row=1, col=1)
        panels.update_yaxes(domain=[0, _RATIO_SHARE], row=2, col=1)
    ends = []
    doubted = doubted_cells(chapter, [cell for _, _, q in rows for cell in q.cells])
    for name in dict.fromkeys(series for series, _, _ in rows):
        part = sorted(((x, q) for series, x, q in rows if series == name), key=lambda item: item[0])
        _line(canvas, name, part, styles[name], set(doubted), across)
        ends.append((name, part[-1][0], part[-1][1].value, styles[name]))
        canvas.values += [
            Value(name, across.name(x), q.value, q.unit, q.cells, chapter.write(q))
            for x, q in part
        ]  # fmt: skip
    if doubted:
        explain_rings(canvas)
        panels.update_layout(showlegend=True)
        canvas.fit_legend([DOUBTFUL])
    places = [x for _, x, _ in rows]
    panels.update_xaxes(**across.layout(places))
    panels.update_xaxes(title_text=across.title, row=2 if ratio else 1, col=1)
    top = max(q.value for _, _, q in rows) * 1.12
    panels.update_yaxes(range=[0, top], nticks=7, title_text=axis, row=1, col=1)
    wanted = [y / top * canvas.panel_height for _, _, y, _ in ends]
    for (name, x, y, style), pixel, placed in zip(
        ends, wanted, spread(wanted, _LABEL_GAP), strict=True
    ):
        panels.add_annotation(
            x=math.log10(x) if across.logarithmic else x, y=y, xref="x", yref="y",
            text=plot_text(name), showarrow=False, xanchor="left", xshift=10, yshift=placed - pixel,
            font={"size": 12, "color": style.color, "weight": 600},
        )  # fmt: skip
    if ratio:
        _ratio_panel(chapter, canvas, ratio, across, ratio_axis)
    kind = "Line chart" + (" with a panel for the ratio" if ratio else "")
    return canvas.finish(kind + (", logarithmic horizontal" if across.logarithmic else ""), caption)


def _line(
    canvas: Canvas,
    name: str,
    part: Sequence[tuple[float, Quantity]],
    style: Style,
    doubted: set[str],
    across: Axis,
) -> None:
    xs, found = [x for x, _ in part], [q for _, q in part]
    ys = [q.value for q in found]
    if ringed := rings(xs, ys, found, doubted, canvas.colors):
        canvas.figure.add_trace(ringed, row=1, col=1)
    canvas.figure.add_trace(
        go.Scatter(
            x=xs, y=ys, name=name, showlegend=False,
            mode="lines+markers", customdata=[across.name(x) for x in xs],
            marker={"color": style.color, "symbol": style.symbol, "size": 9},
            line={"color": style.color, "dash": style.dash, "width": 2.25},
            hovertemplate=f"%{{customdata}}: %{{y:,.1f}} {found[0].unit}<extra>{name}</extra>",
        ),
        row=1, col=1,
    )  # fmt: skip


def explain_rings(canvas: Canvas) -> None:
    """Say in the legend what a ring around a point is."""
    marker = {**RING, "color": canvas.colors.ink}
    canvas.figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="markers", name=DOUBTFUL, marker=marker)
    )


def _ratio_panel(
    chapter: Chapter,
    canvas: Canvas,
    ratio: Sequence[tuple[float, Quantity]],
    across: Axis,
    title: str,
) -> None:
    panels, colors = canvas.figure, canvas.colors
    part = sorted(ratio, key=lambda item: item[0])
    panels.add_trace(
        go.Scatter(
            x=[x for x, _ in part], y=[q.value for _, q in part], name=title, showlegend=False,
            mode="lines+markers", customdata=[across.name(x) for x, _ in part],
            marker={"color": colors.muted, "symbol": "circle", "size": 7},
            line={"color": colors.muted, "width": 1.5},
            hovertemplate="%{customdata}: %{y:.1f}<extra>%{fullData.name}</extra>",
        ),
        row=2, col=1,
    )  # fmt: skip
    canvas.values += [
        Value(title, across.name(x), q.value, q.unit, q.cells, chapter.write(q, unit=False))
        for x, q in part
    ]  # fmt: skip
    panels.add_hline(y=1, line={"color": colors.ink, "width": 1.2, "dash": "dot"}, row=2, col=1)
    top = max(1.0, *(q.value for _, q in part)) * 1.15
    panels.update_yaxes(range=[0, top], nticks=4, title_text=title, row=2, col=1)
