"""Means over repetitions as charts draw them: with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.measured.means import Mean
from roundtrip.present.plot.canvas import Canvas, Value
from roundtrip.present.plot.traces import RING, rings
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.present.theme import Style

MARKED = "from marked runs"


def interval_trace(
    chapter: Chapter, name: str, style: Style, pairs: Sequence[tuple[float, Mean]]
) -> go.Scatter:
    """Draw means over a delay in ms as a line with hollow points, as all that is measured."""
    means = [mean for _, mean in pairs]
    return go.Scatter(
        x=[x for x, _ in pairs], y=[m.quantity.value for m in means], mode="lines+markers",
        name=name, legendgroup=name, showlegend=True, cliponaxis=False,
        marker={"color": style.color, "symbol": f"{style.symbol}-open", "size": 7},
        line={"color": style.color, "dash": style.dash, "width": 2},
        error_y={
            "type": "data", "symmetric": False, "thickness": 1.3, "width": 4, "color": style.color,
            "array": [m.ends[1] - m.quantity.value for m in means],
            "arrayminus": [m.quantity.value - m.ends[0] for m in means],
        },
        text=[_shown(chapter, m) for m in means],
        hovertemplate=f"%{{x}} ms: %{{text}}<extra>{name}</extra>",
    )  # fmt: skip


def ring_marked(
    chapter: Chapter, canvas: Canvas, pairs: Sequence[tuple[float, Mean]], col: int
) -> bool:
    """Ring means that rest on marked runs; if there are any, the legend says what a ring is."""
    quantities = [mean.quantity for _, mean in pairs]
    doubted = doubted_cells(chapter, [cell for q in quantities for cell in q.cells])
    across, up = [x for x, _ in pairs], [q.value for q in quantities]
    ringed = rings(across, up, quantities, set(doubted), canvas.colors)
    if ringed is None:
        return False
    marker = {**RING, "color": canvas.colors.ink}
    canvas.figure.add_trace(ringed, row=1, col=col)
    canvas.figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="markers", name=MARKED, marker=marker)
    )
    return True


def value_of(chapter: Chapter, series: str, place: str, mean: Mean) -> Value:
    """Give a mean as a chart's value, for the alt text and the download."""
    q = mean.quantity
    return Value(series, place, q.value, q.unit, q.cells, _shown(chapter, mean))


def _shown(chapter: Chapter, mean: Mean) -> str:
    """Write a mean with the ends of its interval."""
    if not mean.interval.known:
        return chapter.write(mean.quantity)
    decimals = mean.quantity.decimals
    low, high = (chapter.numbers.write(end, decimals) for end in mean.ends)
    return f"{chapter.write(mean.quantity)} ({low} to {high})"
