"""Lines over a factor that was swept: values with their ratio, peaks beside plateaus."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.comparability import state_differences
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.axes import decade_axis
from roundtrip.present.plot.canvas import Canvas, Value, plot_text
from roundtrip.present.plot.labels import spread
from roundtrip.present.plot.traces import RING, rings
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.present.theme import Style, style_of
from roundtrip.theme import Colors

Row = tuple[str, float, Quantity]

_DOUBTFUL = "corrected or doubtful in the source"
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
        _explain_rings(canvas)
        panels.update_layout(showlegend=True)
        canvas.fit_legend([_DOUBTFUL])
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


def _explain_rings(canvas: Canvas) -> None:
    """Say in the legend what a ring around a point is."""
    marker = {**RING, "color": canvas.colors.ink}
    canvas.figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="markers", name=_DOUBTFUL, marker=marker)
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


def peaks_and_plateaus(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    panel: str,
    factor: str,
    style_key: Mapping[Any, str],
    varies: Sequence[str],
    title: str,
    caption: str,
) -> Figure:
    """Draw the peak of every sweep above the mean of its plateau, a panel for each variant.

    All panels share one logarithmic axis.

    Parameters
    ----------
    points : pandas.DataFrame
        With a rate and a ``statistic`` that is ``peak`` or ``plateau``.
    panel : str
        Column that names the variants.
    factor : str
        Factor along the horizontal axis.
    style_key : mapping
        Variant to the one whose style it takes.
    varies : sequence of str
        Factors, beside panel and factor, that the comparison is about.
    title, caption : str
        The finding; what is drawn.
    """
    caption = state_differences(chapter, points, {panel, factor, *varies}, caption)
    names = list(dict.fromkeys(points[panel]))
    canvas = Canvas(chapter, title, names, columns=len(names), height=416)
    panels = canvas.figure
    quantities = chapter.quantities(points)
    doubted = doubted_cells(chapter, [cell for q in quantities for cell in q.cells])
    levels = sorted({float(level) for level in points[factor]})
    for column, name in enumerate(names, start=1):
        style = style_of(style_key[name], column - 1)
        panels.add_trace(_stems(points[points[panel] == name], factor, style), row=1, col=column)
        for kind in ("plateau", "peak"):  # the peak in front, where the two coincide
            chosen = points[(points[panel] == name) & (points["statistic"] == kind)]
            found = list(zip(chosen[factor], chapter.quantities(chosen), strict=True))
            dots = _dots(kind, found, style, canvas.colors, chapter)
            panels.add_trace(dots, row=1, col=column)
            if ringed := rings(dots.x, dots.y, [q for _, q in found], set(doubted), canvas.colors):
                panels.add_trace(ringed, row=1, col=column)
            canvas.values += [
                Value(f"{name}, {kind}", f"{x:g}", q.value, q.unit, q.cells, chapter.write(q))
                for x, q in found
            ]
    panels.update_yaxes(decade_axis([q.value for q in quantities], chapter.numbers).layout)
    panels.update_yaxes(title_text=f"{chapter.label(RATE)} (logarithmic)", row=1, col=1)
    panels.update_xaxes(
        tickvals=levels, ticktext=[f"{level:g}" for level in levels],
        range=[levels[0] - 0.6, levels[-1] + 0.6], title_text=chapter.factor_label(factor),
    )  # fmt: skip
    for kind, name in _LEGENDS.items():  # in no panel's colour
        marker = {"symbol": _SHAPES[kind], "size": _SIZES[kind], "color": canvas.colors.ink}
        panels.add_trace(
            go.Scatter(
                x=[None], y=[None], mode="markers", name=name, legendgroup=kind, marker=marker
            )
        )
    panels.update_layout(showlegend=True, legend_itemsizing="constant")
    if doubted:
        _explain_rings(canvas)
    canvas.fit_legend([*_LEGENDS.values(), *([_DOUBTFUL] if doubted else [])])
    return canvas.finish("Charts side by side with one logarithmic axis", caption)


_SHAPES = {"peak": "triangle-up", "plateau": "square"}
_SIZES = {"peak": 11, "plateau": 9}
_LEGENDS = {"peak": "peak of the sweep", "plateau": "mean of its plateau"}


def _dots(
    kind: str,
    found: Sequence[tuple[float, Quantity]],
    style: Style,
    colors: Colors,
    chapter: Chapter,
) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in found], y=[q.value for _, q in found], mode="markers",
        name=_LEGENDS[kind], legendgroup=kind, showlegend=False,
        marker={
            "color": style.color, "size": _SIZES[kind], "symbol": _SHAPES[kind],
            "line": {"color": colors.page, "width": 0.8},
        },
        text=[chapter.write(q) for _, q in found],
        hovertemplate=f"%{{x}}: %{{text}}<extra>{_LEGENDS[kind]}</extra>",
    )  # fmt: skip


def _stems(points: pd.DataFrame, factor: str, style: Style) -> go.Scatter:
    """Join the two points of every sweep by a line."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for level in dict.fromkeys(float(value) for value in points[factor]):
        part = points[points[factor] == level]
        xs += [level, level, None]
        ys += [float(part[RATE].min()), float(part[RATE].max()), None]
    return go.Scatter(
        x=xs, y=ys, mode="lines", line={"color": style.color, "width": 1.2}, showlegend=False,
        hoverinfo="skip",
    )  # fmt: skip
