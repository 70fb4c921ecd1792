"""Series over time, one panel for each unit, with moments marked across all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.charts.canvas import Canvas, Value
from roundtrip.present.figure import Figure
from roundtrip.present.theme import HEIGHT, INK, style_of

_PANEL = 150  # pixels that each further panel adds
_MOST_VALUES = 60  # values of a series that the alt text names


@dataclass(frozen=True)
class Track:
    """One series.

    Attributes
    ----------
    series : str
        Its name; the same name keeps its style in every panel.
    panel : str
        Label of the vertical axis that it belongs to.
    places : sequence
        Times, or whole numbers where there is no time.
    values : sequence of float
    unit : str
    decimals : int
    """

    series: str
    panel: str
    places: Sequence[datetime | int]
    values: Sequence[float]
    unit: str
    decimals: int


def tracks_over_time(
    chapter: Chapter,
    tracks: Sequence[Track],
    *,
    axis: str,
    title: str,
    caption: str,
    marks: Sequence[datetime] = (),
    cells: tuple[str, ...] = (),
) -> Figure:
    """Draw series over time in panels that share the time axis.

    Parameters
    ----------
    chapter : Chapter
    tracks : sequence of Track
        In the order of panels and series.
    axis : str
        Label of the time axis.
    title, caption : str
        The finding; what is drawn.
    marks : sequence of datetime
        Moments, drawn as lines across all panels.
    cells : tuple of str
        Observations that sum the series up.

    Returns
    -------
    Figure
    """
    extents = {track.panel for track in tracks if track.unit == "extents"}
    panels = list(dict.fromkeys("Extents" if t.panel in extents else t.panel for t in tracks))
    canvas = Canvas(chapter, title, HEIGHT + _PANEL * (len(panels) - 1))
    figure = canvas.figure
    grid = {
        name: {key: value for key, value in axes.to_plotly_json().items()
               if key not in ("anchor", "domain", "title")}
        for name, axes in (("x", figure.layout.xaxis), ("y", figure.layout.yaxis))
    }  # fmt: skip
    font = figure.layout.yaxis.title.font
    figure.set_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    names = list(dict.fromkeys(track.series for track in tracks))
    named: set[str] = set()
    for track in tracks:
        panel = "Extents" if track.panel in extents else track.panel
        style = style_of(track.series, names.index(track.series))
        figure.add_trace(
            go.Scatter(
                x=list(track.places), y=list(track.values), mode="lines+markers",
                name=track.series, showlegend=track.series not in named,
                legendgroup=track.series,
                line={"color": style.color, "dash": style.dash, "width": 2},
                marker={"color": style.color, "symbol": style.symbol, "size": 7},
            ),
            row=panels.index(panel) + 1, col=1,
        )  # fmt: skip
        named.add(track.series)
        drawn = list(zip(track.places, track.values, strict=True))
        canvas.add_values(
            [
                Value(track.series, _place(place), value, track.unit, cells,
                      chapter.numbers.write(value, track.decimals))
                for place, value in drawn[:_MOST_VALUES]
            ]
        )  # fmt: skip
    figure.update_xaxes(grid["x"])
    figure.update_yaxes(grid["y"], title_font=font)
    for number, panel in enumerate(panels, start=1):
        figure.update_yaxes(title_text=panel, rangemode="tozero", row=number, col=1)
    for mark in marks:
        figure.add_vline(x=mark, line={"color": INK, "width": 1, "dash": "dot"})
    figure.update_xaxes(title_text=axis, row=len(panels), col=1)
    figure.update_layout(showlegend=len(named) > 1)
    return canvas.finish("Lines over time", caption)


def _place(place: datetime | int) -> str:
    return place.strftime("%Y-%m-%d %H:%M:%S") if isinstance(place, datetime) else str(place)
