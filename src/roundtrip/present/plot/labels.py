"""Where texts stand in a chart: clear of each other, of points and of lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import plotly.graph_objects as go

# Plotly's positions, the best first.
_POSITIONS = (
    "top right", "bottom right", "top left", "bottom left",
    "middle right", "middle left", "top center", "bottom center",
)  # fmt: skip
_SIDE = {"left": -1, "center": 0, "right": 1, "bottom": 1, "middle": 0, "top": -1}
_ASCENT, _DESCENT, _CHARACTER = 0.8, 0.25, 0.6  # of IBM Plex Sans, as multiples of its size
_CLEAR = 3.0  # pixels around a label, to be told from what is beside it
_ROUNDS = 20
# What a label loses by each square pixel that it shares or that is outside, each pixel of a line.
_ON_LABEL, _ON_MARK, _ON_LINE, _OUTSIDE = 10.0, 6.0, 12.0, 10.0

_Point = tuple[float, float]


@dataclass(frozen=True)
class _Box:
    """An area in pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: _Box) -> float:
        """Give the area that both cover, in square pixels."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across * down if across > 0 and down > 0 else 0.0

    def crossed(self, start: _Point, end: _Point) -> float:
        """Give the length of a straight line inside the box, in pixels (Liang and Barsky)."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        first, last = 0.0, 1.0
        for step, room in (
            (-dx, start[0] - self.left), (dx, self.right - start[0]),
            (-dy, start[1] - self.top), (dy, self.bottom - start[1]),
        ):  # fmt: skip
            if step == 0:
                if room < 0:
                    return 0.0
            elif step < 0:
                first = max(first, room / step)
            else:
                last = min(last, room / step)
        return max(0.0, last - first) * math.hypot(dx, dy)

    @property
    def area(self) -> float:
        """Give the area in square pixels."""
        return (self.right - self.left) * (self.bottom - self.top)


_Boxes = tuple[_Box, ...]
"""The name of a point, in every position that it may take."""


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
    area = _Box(margin.l, margin.t, layout.width - margin.r, layout.height - margin.b)

    def height(y: float) -> float:
        return area.bottom - share_along(layout.yaxis, y) * (area.bottom - area.top)

    def at(x: float, y: float) -> _Point:
        return area.left + share_along(layout.xaxis, x) * (area.right - area.left), height(y)

    labels: list[_Boxes] = []
    marks: list[_Box] = []
    lines: list[tuple[_Point, _Point]] = []
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
            marks += [_Box(x - half, y - half, x + half, y + half) for x, y in points]
        if "text" in trace.mode:
            labels += [
                _around(point, str(text), trace)
                for point, text in zip(points, trace.text, strict=True)
            ]
    # Lines that reach from side to side, at a limit.
    limits = [height(shape.y0) for shape in layout.shapes if shape.xref == "x domain"]
    lines += [((area.left, y), (area.right, y)) for y in limits]
    alone = [[_cost(box, marks, lines, area) for box in boxes] for boxes in labels]
    chosen = iter(_settled(labels, alone))
    for trace in figure.data:
        if "text" in trace.mode:
            trace.textposition = [_POSITIONS[next(chosen)] for _ in trace.text]


def share_along(axis: Any, value: float) -> float:
    """Say how far along an axis of Plotly a value stands, from 0 to 1."""
    low, high = axis.range
    if axis.type == "log":
        value = math.log10(value) if value > 0 else low
    return float((value - low) / (high - low))


def _around(point: _Point, text: str, trace: Any) -> _Boxes:
    """Give the boxes of a text in every position, where Plotly's `textPointPosition` puts them."""
    size = trace.textfont.size or 12
    width = _CHARACTER * size * len(text)
    gap = trace.marker.size / 2 / 0.8 + 1
    boxes = []
    for position in _POSITIONS:
        down, across = (_SIDE[word] for word in position.split())
        middle = point[0] + across * (gap + width / 2)
        baseline = point[1] + 0.75 * size + down * gap + (down - 1) * size / 2
        boxes.append(
            _Box(
                middle - width / 2 - _CLEAR, baseline - _ASCENT * size - _CLEAR,
                middle + width / 2 + _CLEAR, baseline + _DESCENT * size + _CLEAR,
            )
        )  # fmt: skip
    return tuple(boxes)


def _cost(
    box: _Box, marks: Sequence[_Box], lines: Sequence[tuple[_Point, _Point]], area: _Box
) -> float:
    """Say how badly a label stands, whatever the others do."""
    return (
        _ON_MARK * sum(box.shared(mark) for mark in marks)
        + _ON_LINE * sum(box.crossed(*line) for line in lines)
        + _OUTSIDE * (box.area - box.shared(area))
    )


def _settled(labels: Sequence[_Boxes], alone: Sequence[Sequence[float]]) -> list[int]:
    """Move labels one by one to their best positions, until none moves.

    The first to move take the place of others, so the better of both directions counts.
    """
    chosen, backwards = (
        _moved(labels, alone, order) for order in (range(len(labels)), range(len(labels))[::-1])
    )
    return min(chosen, backwards, key=lambda found: _total(labels, alone, found))


def _moved(
    labels: Sequence[_Boxes], alone: Sequence[Sequence[float]], order: Sequence[int]
) -> list[int]:
    chosen = [min(range(len(costs)), key=costs.__getitem__) for costs in alone]
    for _ in range(_ROUNDS):
        before = list(chosen)
        for index in order:
            others = [labels[k][chosen[k]] for k in range(len(labels)) if k != index]
            costs = [
                cost + _ON_LABEL * sum(box.shared(other) for other in others)
                for box, cost in zip(labels[index], alone[index], strict=True)
            ]
            chosen[index] = min(range(len(costs)), key=costs.__getitem__)
        if chosen == before:
            break
    return chosen


def _total(
    labels: Sequence[_Boxes], alone: Sequence[Sequence[float]], chosen: Sequence[int]
) -> float:
    boxes = [found[position] for found, position in zip(labels, chosen, strict=True)]
    shared = sum(one.shared(other) for one, other in combinations(boxes, 2))
    return _ON_LABEL * shared + sum(
        costs[position] for costs, position in zip(alone, chosen, strict=True)
    )


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
