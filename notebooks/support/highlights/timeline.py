"""Points along the years, on a logarithmic axis, each with its own label."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.axes import decade_axis
from roundtrip.present.plot.canvas import Canvas, Value, plot_text
from roundtrip.present.plot.labels import spread
from roundtrip.present.plot.panels import logarithmic
from roundtrip.present.theme import Style
from support.highlights.eras import Era

_LABEL_GAP = 32
_ROOM_LEFT, _ROOM_RIGHT = 0.1, 0.25  # of the span of years, for labels


def timeline(
    chapter: Chapter,
    eras: Sequence[Era],
    read: Callable[[Era], Quantity | None],
    *,
    axis: str,
    styles: dict[str, Style],
    title: str,
    caption: str,
) -> Figure:
    """Draw values over the years, not joined: what lies between two points was not measured.

    Parameters
    ----------
    eras : sequence of Era
        Those without a value are left out.
    read : callable
        Gives the value of an era; all have one unit.
    axis : str
        Label of the vertical axis.
    styles : dict
        Style of each kind of work.
    title, caption : str
        The finding; what is drawn.
    """
    canvas = Canvas(chapter, title, height=390)
    figure = canvas.figure
    drawn = [(item, value) for item in eras if (value := read(item)) is not None]
    kinds = list(dict.fromkeys(item.kind for item, _ in drawn))
    for kind in kinds:
        part = [(item, value) for item, value in drawn if item.kind == kind]
        style = styles[kind]
        figure.add_trace(
            go.Scatter(
                x=[item.year for item, _ in part], y=[value.value for _, value in part],
                mode="markers", name=plot_text(kind),
                marker={
                    "color": style.color, "size": 12, "line": {"color": style.color, "width": 2},
                    "symbol": style.symbol,
                },
                text=[f"{item.name}: {chapter.write(value)}" for item, value in part],
                hovertemplate=f"%{{x}}, %{{text}}<extra>{kind}</extra>",
            )
        )  # fmt: skip
        canvas.values += [
            Value(kind, f"{item.year} {item.name}", value.value, value.unit, value.cells,
                  chapter.write(value))
            for item, value in part
        ]  # fmt: skip
    low, high = (end(value.value for _, value in drawn) for end in (min, max))
    room = (high / low) ** 0.09  # for the labels of the outermost points
    up = decade_axis([low / room, high * room], chapter.numbers)
    first, last = (end(item.year for item, _ in drawn) for end in (min, max))
    span = last - first or 1
    figure.update_yaxes(**up.layout, title_text=logarithmic(axis))
    figure.update_xaxes(
        range=[first - span * _ROOM_LEFT, last + span * _ROOM_RIGHT],
        tickvals=list(range(first // 5 * 5, last + 2, 5)), tickformat="d",
        title_text="Year of the report",
    )  # fmt: skip
    figure.update_layout(showlegend=True)
    canvas.fit_legend(kinds)
    followed = {item.year - 1 for item in eras}  # labels make room for a year that follows
    for year in dict.fromkeys(item.year for item, _ in drawn):
        part = [(item, value) for item, value in drawn if item.year == year]
        side, sign = ("right", -1) if year in followed else ("left", 1)
        wanted = [up.share(value.value) * canvas.plot_height for _, value in part]
        for (item, value), pixel, placed in zip(
            part, wanted, spread(wanted, _LABEL_GAP), strict=True
        ):
            figure.add_annotation(
                x=year, y=math.log10(value.value), showarrow=False,
                text=f"<b>{chapter.write(value, unit=False)}</b> in {year}<br>{item.name}",
                align=side, xanchor=side, xshift=12 * sign, yshift=placed - pixel,
                font={"size": 11, "color": styles[item.kind].color},
            )  # fmt: skip
    return canvas.finish("Timeline with a logarithmic axis", caption)
