"""What charts draw with: bars, lines with marks, logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from roundtrip.present.theme import INK, Style
from support.shared.charts.canvas import Canvas, Value, plot_text

LINE = 1.3  # height of a line in Plotly's texts, as a multiple of the size
LABEL_GAP = 3  # pixels between a bar and its value


def bar_look(style: Style) -> dict[str, Any]:
    """Give the fill of a bar: a colour, and the pattern that tells it apart without colour."""
    return {
        "color": style.color,
        "pattern": {
            "shape": style.pattern,
            "bgcolor": style.color,
            "fgcolor": "rgba(255,255,255,0.4)",
            "fillmode": "replace",
            "size": 9,
            "solidity": 0.14,
        },
        "line": {"width": 0},
    }


def add_bars(
    canvas: Canvas, name: str, style: Style, values: Sequence[Value], label_size: int = 11
) -> None:
    """Draw one series as bars with their values above them."""
    canvas.figure.add_trace(
        go.Bar(
            x=[plot_text(value.place) for value in values], y=[value.value for value in values],
            name=plot_text(name),
            marker=bar_look(style), text=[value.label or value.shown for value in values],
            textposition="outside",
            textfont={"size": label_size, "color": INK}, textangle=0, cliponaxis=False,
            constraintext="none", hovertemplate="%{x}: %{text}<extra>%{fullData.name}</extra>",
        )
    )  # fmt: skip
    canvas.add_values(values)


def lift_labels(figure: go.Figure, rule: float) -> None:
    """Put values of bars that end just below a rule above it, which would strike them through.

    Parameters
    ----------
    figure : plotly Figure
        One panel of bars with a linear vertical axis that has a range. Changed in place.
    rule : float
        Value at which the rule is drawn.
    """
    layout = figure.layout
    low, high = layout.yaxis.range
    pixels = (layout.height - layout.margin.t - layout.margin.b) / (high - low)
    for bars in figure.select_traces({"type": "bar"}):
        ends = LABEL_GAP + LINE * bars.textfont.size
        bars.texttemplate = [
            "%{text}<br>\u2002" if LABEL_GAP < (rule - value) * pixels < ends else "%{text}"
            for value in bars.y
        ]


def marked(style: Style, size: int = 9) -> dict[str, Any]:
    """Give the look of a line with marks: colour, symbol and dash tell series apart."""
    return {
        "marker": {"color": style.color, "symbol": style.symbol, "size": size},
        "line": {"color": style.color, "dash": style.dash, "width": 2.25},
    }


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Give the exponents of the decades that hold all values, with a little room."""
    return math.log10(min(values)) - 0.12, math.log10(max(values)) + 0.12


def log_scale(bounds: tuple[float, float], height: float) -> Callable[[float], float]:
    """Give the function from a value to its height in pixels on a logarithmic axis."""
    low, high = bounds
    return lambda value: (math.log10(value) - low) / (high - low) * height


def ticks_of(bounds: tuple[float, float]) -> list[float]:
    """Give 1-2-5 ticks within the bounds, or decades only when there are many."""
    low, high = bounds
    steps = (1, 2, 5) if high - low < 3.2 else (1,)
    return [
        step * 10.0**exponent
        for exponent in range(math.floor(low), math.ceil(high) + 1)
        for step in steps
        if low <= math.log10(step * 10.0**exponent) <= high
    ]
