"""How marks look: bars, lines and points of one series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.canvas import plot_text
from roundtrip.present.plot.rows import Mark, Number
from roundtrip.present.styles import Style
from roundtrip.theme import Colors, mixed, readable

HOVER = "%{customdata}<extra>%{fullData.name}</extra>"
RING: Mapping[str, Any] = {"symbol": "circle-open", "size": 17, "line": {"width": 1.2}}
"""What stands around a mark whose value its source disproves or doubts."""


def bars(
    marks: Sequence[Mark], name: str, style: Style, colors: Colors, *, horizontal: bool,
    size: float | None,
) -> go.Bar:  # fmt: skip
    """Draw bars with their values at their ends, or with their intervals.

    `size` is that of the letters of values; None where they would touch.
    """
    places = [plot_text(mark.place) for mark in marks]
    values = [mark.y.value for mark in marks]
    error = error_bar([mark.y for mark in marks], colors.ink)
    hollow = marks[0].look[1]
    ground = mixed(style.color, "#ffffff", 0.28) if hollow else style.color
    pattern = {  # tells it apart without colour
        "shape": style.pattern, "bgcolor": ground, "fillmode": "replace", "size": 9,
        "fgcolor": style.color if hollow else "rgba(255,255,255,0.4)", "solidity": 0.14,
    }  # fmt: skip
    return go.Bar(
        x=values if horizontal else places, y=places if horizontal else values,
        orientation="h" if horizontal else "v", name=plot_text(name),
        marker={"color": ground, "pattern": pattern,
                "line": {"width": 1.4 if hollow else 0, "color": style.color}},
        text=[plot_text(mark.text) for mark in marks] if size else None,
        textposition="outside" if size else "none",
        texttemplate="\u2002%{text}" if horizontal and size else None,
        textfont={"size": size or 11, "color": colors.ink}, textangle=0, cliponaxis=False,
        constraintext="none", customdata=[f"{m.place}: {m.y.shown}" for m in marks],
        hovertemplate=HOVER, error_x=error if horizontal else None,
        error_y=None if horizontal else error,
    )  # fmt: skip


def points(
    marks: Sequence[Mark], name: str, style: Style, colors: Colors, *,
    places: Sequence[float] | None, horizontal: bool, labelled: bool, small: bool,
) -> go.Scatter:  # fmt: skip
    """Draw a line with points, a line without, or points alone.

    They stand at `places`, where given, else at their own; texts stand beside them if
    `labelled`; `small` says that there is little room.
    """
    kind = marks[0].kind
    across: Sequence[Any] = places or [
        plot_text(m.place) if horizontal or isinstance(m.x, str) else m.x for m in marks
    ]
    values = [mark.y.value for mark in marks]
    mode = {"line": "lines+markers", "dot": "markers", "curve": "lines"}[kind]
    hollow = "-open" if marks[0].look[1] else ""
    size = 8 if small else 10 if labelled or kind == "dot" else 9
    width = 1.4 if kind == "curve" else 1 if labelled else 2 if small else 2.25
    error = error_bar([mark.y for mark in marks], style.color)
    beside = [mark.across for mark in marks if mark.across is not None]
    error_across = error_bar(beside, style.color) if len(beside) == len(marks) else None
    return go.Scatter(
        x=values if horizontal else across, y=across if horizontal else values,
        name=plot_text(name), mode=mode + ("+text" if labelled else ""), cliponaxis=False,
        text=[plot_text(m.text if horizontal else m.label) for m in marks] if labelled else None,
        textposition=("top center" if error else "middle right") if horizontal else None,
        texttemplate="\u2002%{text}" if horizontal and labelled and not error else None,
        textfont={"size": 11, "color": readable(style.color, colors.page)},
        marker={"color": style.color, "symbol": style.symbol + hollow, "size": size,
                "line": {"color": style.color, "width": 1.6 if hollow else 0}},
        line={"color": style.color, "dash": style.dash, "width": width},
        error_x=error if horizontal else error_across, error_y=None if horizontal else error,
        customdata=[f"{', '.join(filter(None, [m.label, m.place]))}: {m.y.shown}" for m in marks],
        hovertemplate=HOVER,
    )  # fmt: skip


def rings(
    x: Sequence[Any], y: Sequence[float], quantities: Sequence[Quantity], doubted: set[str],
    colors: Colors,
) -> go.Scatter | None:  # fmt: skip
    """Ring the points whose quantities rest on doubted cells; None where none does.

    Parameters
    ----------
    x, y : sequence
        Where the points stand.
    """
    at = [i for i, one in enumerate(quantities) if not doubted.isdisjoint(one.cells)]
    if not at:
        return None
    return go.Scatter(
        x=[x[i] for i in at], y=[y[i] for i in at], mode="markers",
        marker={**RING, "color": colors.ink}, hoverinfo="skip", showlegend=False,
        cliponaxis=False,
    )  # fmt: skip


def error_bar(numbers: Sequence[Number], color: str) -> dict[str, Any] | None:
    """Give the error bars of values; one without an interval has none."""
    if not any(number.has_interval for number in numbers):
        return None
    return {
        "type": "data", "symmetric": False, "thickness": 1.3, "width": 4, "color": color,
        "array": [n.high - n.value if n.has_interval else None for n in numbers],
        "arrayminus": [n.value - n.low if n.has_interval else None for n in numbers],
    }  # fmt: skip
