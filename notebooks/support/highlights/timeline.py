"""Points along the years, on a logarithmic axis, each with its own label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.axes import Axis, decade_axis
from roundtrip.present.plot.canvas import Canvas, Value, plot_text
from roundtrip.present.plot.labels import spread
from roundtrip.present.plot.panels import logarithmic
from roundtrip.present.theme import Style

_LABEL_GAP = 32
_ROOM_LEFT, _ROOM_RIGHT = 0.1, 0.25  # of the span of years, for labels


@dataclass(frozen=True)
class Moment:
    """One value of a timeline.

    Attributes
    ----------
    name : str
        What was measured; stands beside the point.
    before : bool
        Whether the label stands to the left of the point.
    """

    series: str
    year: int
    name: str
    quantity: Quantity
    before: bool


def timeline(
    chapter: Chapter,
    moments: Sequence[Moment],
    *,
    axis: str,
    styles: dict[str, Style],
    title: str,
    caption: str,
) -> Figure:
    """Draw values over the years, not joined: what lies between two points was not measured.

    Parameters
    ----------
    moments : sequence of Moment
        All quantities have one unit.
    axis : str
        Label of the vertical axis.
    styles : dict
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    """
    canvas = Canvas(chapter, title, height=390)
    figure = canvas.figure
    for series in dict.fromkeys(moment.series for moment in moments):
        part = [moment for moment in moments if moment.series == series]
        style = styles[series]
        figure.add_trace(
            go.Scatter(
                x=[m.year for m in part], y=[m.quantity.value for m in part], mode="markers",
                name=plot_text(series),
                marker={
                    "color": style.color, "size": 12, "line": {"color": style.color, "width": 2},
                    "symbol": style.symbol,
                },
                text=[f"{m.name}: {chapter.write(m.quantity)}" for m in part],
                hovertemplate=f"%{{x}}, %{{text}}<extra>{series}</extra>",
            )
        )  # fmt: skip
        canvas.values += [
            Value(series, f"{m.year} {m.name}", m.quantity.value, m.quantity.unit,
                  m.quantity.cells, chapter.write(m.quantity))
            for m in part
        ]  # fmt: skip
    low, high = (end(moment.quantity.value for moment in moments) for end in (min, max))
    room = (high / low) ** 0.09  # for the labels of the outermost points
    up = decade_axis([low / room, high * room], chapter.numbers)
    years = [moment.year for moment in moments]
    span = max(years) - min(years) or 1
    figure.update_yaxes(**up.layout, title_text=logarithmic(axis))
    figure.update_xaxes(
        range=[min(years) - span * _ROOM_LEFT, max(years) + span * _ROOM_RIGHT],
        tickvals=list(range(min(years) // 5 * 5, max(years) + 2, 5)), tickformat="d",
        title_text="Year of the report",
    )  # fmt: skip
    figure.update_layout(showlegend=True)
    canvas.fit_legend(list(dict.fromkeys(moment.series for moment in moments)))
    _labels(chapter, figure, moments, styles, up, canvas.plot_height)
    return canvas.finish("Timeline with a logarithmic axis", caption)


def _labels(
    chapter: Chapter,
    figure: go.Figure,
    moments: Sequence[Moment],
    styles: dict[str, Style],
    up: Axis,
    height: float,
) -> None:
    """Write value and name beside each point; labels of one year and side keep apart."""
    for place in dict.fromkeys((m.year, m.before) for m in moments):
        part = [m for m in moments if (m.year, m.before) == place]
        wanted = [up.share(m.quantity.value) * height for m in part]
        for moment, pixel, placed in zip(part, wanted, spread(wanted, _LABEL_GAP), strict=True):
            value = chapter.write(moment.quantity, unit=False)
            figure.add_annotation(
                x=moment.year, y=math.log10(moment.quantity.value), showarrow=False,
                text=f"<b>{value}</b> in {moment.year}<br>{moment.name}",
                align="right" if moment.before else "left",
                xanchor="right" if moment.before else "left",
                xshift=-12 if moment.before else 12, yshift=placed - pixel,
                font={"size": 11, "color": styles[moment.series].color},
            )  # fmt: skip
