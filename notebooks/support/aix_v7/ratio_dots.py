"""Dots in rows, side by side in panels: ratios with the range that they may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.canvas import Canvas, Value
from roundtrip.present.theme import Style

_ROW = 24  # pixels for each place
_LABEL_ROOM = 0.3  # of the span between the outermost dots, for the numbers beside them


@dataclass(frozen=True)
class Dot:
    """One ratio: where it stands, how large it is, and the range that it may have."""

    panel: str
    place: str
    series: str
    share: Quantity
    low: float
    high: float


def ratio_dots(
    chapter: Chapter,
    dots: Sequence[Dot],
    *,
    axis: str,
    styles: Mapping[str, Style],
    whole: str,
    title: str,
    caption: str,
) -> Figure:
    """Draw ratios as dots around 100 %, a panel for each group and a row for each place.

    Parameters
    ----------
    dots : sequence of Dot
        In the order that panels and rows shall have.
    axis : str
        Label of the horizontal axes.
    styles : mapping
        Style of each series.
    whole : str
        What 100 % is.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure
        The axis does not start at zero: dots, unlike bars, do not stand for lengths.
    """
    panels = list(dict.fromkeys(dot.panel for dot in dots))
    places = list(dict.fromkeys(dot.place for dot in dots))
    canvas = Canvas(
        chapter, title, panels, columns=len(panels), height=146 + _ROW * len(places),
        margin_left=196,
    )  # fmt: skip
    figure, colors = canvas.figure, canvas.colors
    line = {"color": colors.ink, "width": 1.4, "dash": "dot"}
    low = min([100.0, *(dot.low for dot in dots)])
    high = max([100.0, *(dot.high for dot in dots)])
    room = _LABEL_ROOM * (high - low)
    shown_series: set[str] = set()
    for column, panel in enumerate(panels, start=1):
        for series in dict.fromkeys(dot.series for dot in dots if dot.panel == panel):
            part = [dot for dot in dots if (dot.panel, dot.series) == (panel, series)]
            figure.add_trace(
                _dots(chapter, part, styles[series], series not in shown_series),
                row=1,
                col=column,
            )
            shown_series.add(series)
            canvas.values += [
                Value(f"{panel}, {series}", dot.place, dot.share.value, "%", dot.share.cells,
                      chapter.write(dot.share))
                for dot in part
            ]  # fmt: skip
        figure.add_vline(x=100, line=line, row=1, col=column)
    figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", name=whole, line=line))
    figure.update_yaxes(
        type="category", categoryorder="array", categoryarray=places[::-1],
        showgrid=True, gridcolor=colors.rule, tickfont={"size": 12, "color": colors.ink},
        rangemode="normal", range=[-0.6, len(places) - 0.4],
    )  # fmt: skip
    figure.update_xaxes(
        range=[low - 0.06 * (high - low), high + room], title_text=axis, nticks=6, showgrid=True,
        gridcolor=colors.rule,
    )  # fmt: skip
    figure.update_layout(showlegend=True)
    canvas.fit_legend([*dict.fromkeys(dot.series for dot in dots), whole])
    return canvas.finish("Dot plot", caption)


def _dots(chapter: Chapter, dots: Sequence[Dot], style: Style, in_legend: bool) -> go.Scatter:
    name = dots[0].series
    return go.Scatter(
        x=[dot.share.value for dot in dots],
        y=[dot.place for dot in dots],
        error_x={
            "type": "data", "symmetric": False, "color": style.color, "thickness": 1.4, "width": 3,
            "array": [dot.high - dot.share.value for dot in dots],
            "arrayminus": [dot.share.value - dot.low for dot in dots],
        },
        mode="markers", name=name, legendgroup=name, showlegend=in_legend,
        marker={"color": style.color, "symbol": style.symbol, "size": 9},
        customdata=[chapter.write(dot.share) for dot in dots],
        hovertemplate=f"%{{y}}: %{{customdata}}<extra>{name}</extra>",
    )  # fmt: skip
