"""Where texts stand in a chart: clear of each other, of points and of lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

# Plotly's positions, the best first.
_POSITIONS = (
    "top right", "bottom right", "top left", "bottom left",
    "middle right", "middle left", "top center", "bottom center",
)  # fmt: skip
_SIDE = {"left": -1, "center": 0, "right": 1, "bottom": 1, "middle": 0, "top": -1}
_ASCENT, _DESCENT, _CHARACTER = 0.8, 0.25, 0.6  # of IBM Plex Sans, as multiples of its size
_CLEAR = 3.0  # pixels around a label, to be told from what is beside it
_THICK = 5.0  # pixels of the squares that a line counts as, which weigh more than it is wide
_ROUNDS = 20

_Point = tuple[float, float]
_Box = tuple[float, float, float, float]
"""Left, top, right and bottom of an area in pixels; down is more."""


def place_point_labels(figure: go.Figure) -> None:
    """Give each label of a scatter chart the position in which it covers least.

    Labels move one after another to where they cover the least of other labels, of marks, of
    error bars and of lines, until none gains by moving; so the same chart always comes out alike.

    Parameters
    ----------
    figure : plotly Figure
        One panel. Both axes have a range; labels belong to traces whose mode has ``text``.
        Changed in place: the text position of those traces.
    """
    layout, margin = figure.layout, figure.layout.margin
    area = (margin.l, margin.t, layout.width - margin.r, layout.height - margin.b)
    left, top, right, bottom = area

    def height(y: float) -> float:
        return float(bottom - share_along(layout.yaxis, y) * (bottom - top))

    def at(x: float, y: float) -> _Point:
        return left + share_along(layout.xaxis, x) * (right - left), height(y)

    labels: list[list[_Box]] = []  # of each, its area in every position
    obstacles: list[_Box] = []
    # Lines that reach from side to side, at a limit.
    limits = [height(shape.y0) for shape in layout.shapes if shape.xref == "x domain"]
    lines = [((left, y), (right, y)) for y in limits]
    for trace in figure.data:
        # A trace that only names a line has no places.
        places = [pair for pair in zip(trace.x, trace.y, strict=True) if None not in pair]
        points = [at(*pair) for pair in places]
        if "lines" in trace.mode:
            lines += pairwise(points)
        for error, dx, dy in ((trace.error_x, 1, 0), (trace.error_y, 0, 1)):
            if error.array is None:
                continue
            lower = error.arrayminus if error.arrayminus is not None else error.array
            lines += [
                (at(x - dx * down, y - dy * down), at(x + dx * up, y + dy * up))
                for x, y, up, down in zip(trace.x, trace.y, error.array, lower, strict=True)
                if up is not None
            ]
        if "markers" in trace.mode:
            half = trace.marker.size / 2
            obstacles += [(x - half, y - half, x + half, y + half) for x, y in points]
        if "text" in trace.mode:
            labels += [
                [*_around(point, str(text), trace)]
                for point, text in zip(points, trace.text, strict=True)
            ]
    obstacles += [square for line in lines for square in _squares(*line)]
    alone = [
        [_shared(box, obstacles) + _shared(box, [box]) - _shared(box, [area]) for box in boxes]
        for boxes in labels
    ]
    chosen = [int(np.argmin(costs)) for costs in alone]
    for _ in range(_ROUNDS):
        before = list(chosen)
        for index, (boxes, costs) in enumerate(zip(labels, alone, strict=True)):
            others = [labels[k][at] for k, at in enumerate(chosen) if k != index]
            covered = [_shared(box, others) for box in boxes]
            chosen[index] = int(np.argmin(np.add(costs, covered)))
        if chosen == before:
            break
    positions = iter(chosen)
    for trace in figure.data:
        if "text" in trace.mode:
            trace.textposition = [_POSITIONS[next(positions)] for _ in trace.text]


def share_along(axis: Any, value: float) -> float:
    """Say how far along an axis of Plotly a value stands, from 0 to 1."""
    low, high = axis.range
    if axis.type == "log":
        value = math.log10(value) if value > 0 else low
    return float((value - low) / (high - low))


def _around(point: _Point, text: str, trace: Any) -> Iterator[_Box]:
    """Give the area of a text in every position, where Plotly's `textPointPosition` puts it."""
    size = trace.textfont.size or 12
    width = _CHARACTER * size * len(text)
    gap = trace.marker.size / 2 / 0.8 + 1
    for position in _POSITIONS:
        down, across = (_SIDE[word] for word in position.split())
        middle = point[0] + across * (gap + width / 2)
        baseline = point[1] + 0.75 * size + down * gap + (down - 1) * size / 2
        yield (
            middle - width / 2 - _CLEAR, baseline - _ASCENT * size - _CLEAR,
            middle + width / 2 + _CLEAR, baseline + _DESCENT * size + _CLEAR,
        )  # fmt: skip


def _squares(start: _Point, end: _Point) -> Iterator[_Box]:
    """Give squares along a straight line."""
    steps = math.ceil(math.dist(start, end) / _THICK) + 1
    for x, y in np.linspace(start, end, steps):
        yield x, y, x + _THICK, y + _THICK


def _shared(box: _Box, others: Sequence[_Box]) -> float:
    """Give the area that a box shares with others, in square pixels."""
    left, top, right, bottom = np.reshape(others, (-1, 4)).T
    across = np.minimum(box[2], right) - np.maximum(box[0], left)
    down = np.minimum(box[3], bottom) - np.maximum(box[1], top)
    return float((across.clip(0) * down.clip(0)).sum())


def spread(wanted: Sequence[float], gap: float, lowest: float = -math.inf) -> list[float]:
    """Move positions apart until neighbours keep a gap, as little as possible.

    Parameters
    ----------
    wanted : sequence of float
        Where labels would best stand, in pixels.
    gap : float
        Least distance between neighbours.
    lowest : float
        Where the lowest may stand.

    Returns
    -------
    list of float
        Positions in the order given; their order by size is kept.
    """
    from scipy.optimize import isotonic_regression  # takes a tenth of a second, and few draw lines

    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    wishes, room = [wanted[index] for index in order], [gap * rank for rank in range(len(wanted))]
    # Without the room of those below them, positions need only not descend.
    bare = [wish - below for wish, below in zip(wishes, room, strict=True)]
    touching = pairwise(isotonic_regression(bare).blocks) if bare else ()
    placed = [0.0] * len(wanted)
    for start, end in touching:
        centre = sum(wishes[start:end]) / (end - start)
        for rank in range(start, end):
            own = centre + (rank - (start + end - 1) / 2) * gap
            placed[order[rank]] = max(own, lowest + room[rank])
    return placed
