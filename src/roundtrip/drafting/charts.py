"""Points of charts that are drawn in lines: corners of curves, between axes that can be read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtrip.drafting.scales import REACH, Scale, Stroke, find_axes
from roundtrip.drafting.words import Box, Word

_TIMES = re.compile(r"^(?:1e[+-]?\d+|[×x*]\s?10\S*)$")  # what all labels of an axis are times
_MOST = 20_000  # words or lines of a page; a drawing of more is a map, or bait
_CURVES = 40
_THIN = 0.5  # the least width of a line that counts, in points


@dataclass(frozen=True)
class Point:
    """A corner of a curve; values as the axes print them, each with how far it may be off."""

    series: str
    x: float
    value: float
    x_off: float
    value_off: float
    left: float
    top: float


@dataclass(frozen=True)
class Chart:
    """A chart on a page.

    Attributes
    ----------
    page : int
    box : Box
        Between the outermost labels of its axes.
    points : tuple of Point
        Empty where it has to be read by hand.
    trouble : str
        Why it has to; empty where it was read.
    """

    page: int
    box: Box
    points: tuple[Point, ...] = ()
    trouble: str = ""


def charts_on(path: Path, number: int) -> list[Chart]:
    """Find the charts of a page, and read the points of those that leave no doubt.

    Parameters
    ----------
    path : Path
        A PDF.
    number : int
        Of its page, from 1.

    Returns
    -------
    list of Chart
        From the top. A drawing without curves between two axes of numbers is none.
    """
    import pdfplumber

    with pdfplumber.open(path, pages=[number]) as document:
        page = document.pages[0]
        words = [
            Word(one["text"], Box(*(float(one[side]) for side in ("x0", "top", "x1", "bottom"))),
                 float(one["bottom"] - one["top"]), bold=False)
            for one in page.extract_words(x_tolerance=1.5, y_tolerance=1, extra_attrs=["size"])
            if one["upright"]
        ]  # fmt: skip
        strokes = list(_strokes((*page.lines, *page.curves, *page.rects)))
    return charts_of(number, words, strokes)


def charts_of(number: int, words: Sequence[Word], strokes: Sequence[Stroke]) -> list[Chart]:
    """Find the charts among the words and strokes of a page."""
    if max(len(words), len(strokes)) > _MOST:
        return []
    rows = list(find_axes(words, strokes, level=True))
    columns = list(find_axes(words, strokes, level=False))
    found = []
    for across in rows:
        beside = [up for up in columns if _belong(across, up)]
        if not beside:
            continue
        box = Box.around([Box(across.first, up.first, across.last, up.last) for up in beside])
        wide, tall = across.step, max(up.step for up in beside)
        room = Box(box.left - wide, box.top - tall, box.right + wide, box.bottom + tall)
        inside = [one for one in strokes if one.may_be_curve and _holds(room, one.box)]
        curves = [one for one in inside if one.readable]
        if not inside:
            continue
        trouble = _trouble(beside, inside, curves, words, room)
        names = None if trouble else _names(curves, words, strokes)
        points = tuple(_points(across, beside[0], curves, names)) if names else ()
        if not trouble and not names:
            trouble = "the legend does not name each curve by a colour of its own"
        found.append(Chart(number, box, points, trouble))
    return sorted(found, key=lambda chart: (chart.box.top, chart.box.left))


def _strokes(found: Sequence[dict[str, Any]]) -> Iterator[Stroke]:
    for one in found:
        box = Box(*(float(one[side]) for side in ("x0", "top", "x1", "bottom")))
        signs = [part[0] for part in one.get("path") or ()]
        filled = bool(one.get("fill")) and not one.get("stroke")
        yield Stroke(
            box, tuple((float(x), float(y)) for x, y in one.get("pts") or ()),
            one.get("non_stroking_color" if filled else "stroking_color"),
            max(float(one.get("linewidth") or 0), _THIN),
            not one.get("fill") and one["object_type"] != "rect",
            signs[:1] == ["m"] and set(signs[1:]) == {"l"},
        )  # fmt: skip


def _belong(across: Scale, up: Scale) -> bool:
    """Say whether a column of labels stands beside the plot above a row of labels."""
    tall = REACH * (across.box.bottom - across.box.top)
    below = up.last - tall / 2 < across.box.top < up.last + up.step + tall
    left = across.first - across.step - tall < up.box.right < across.first + tall / 2
    right = across.last - tall / 2 < up.box.left < across.last + across.step + tall
    return below and (left or right)


def _holds(room: Box, box: Box) -> bool:
    return (room.left <= box.left and box.right <= room.right
            and room.top <= box.top and box.bottom <= room.bottom)  # fmt: skip


def _trouble(
    beside: Sequence[Scale], inside: Sequence[Stroke], curves: Sequence[Stroke],
    words: Sequence[Word], room: Box,
) -> str:  # fmt: skip
    if len(beside) > 1:
        return "it has two axes of values"
    if any(_TIMES.match(word.text) and word.box.meets(room) for word in words):
        return "a power of ten stands beside an axis"
    if len(curves) > _CURVES:
        return f"it has more than {_CURVES} curves"
    if len(curves) < len(inside):
        return "a line is rounded, closed, goes back or is drawn in pieces"
    return ""


def _names(
    curves: Sequence[Stroke], words: Sequence[Word], strokes: Sequence[Stroke]
) -> list[str] | None:
    """Name curves by the samples of a legend in their colour; a curve alone needs none."""
    if len(curves) == 1:
        return [""]
    found = []
    for curve in curves:
        samples = [one for one in strokes if one.colour == curve.colour and one not in curves
                   and (one.small or one.level)]  # fmt: skip
        names = {name for one in samples if (name := _beside(one.box, words))}
        found.append(names.pop() if len(names) == 1 else "")
    return found if all(found) and len(set(found)) == len(found) else None


def _beside(sample: Box, words: Sequence[Word]) -> str:
    """Give the words to the right of a sample of a legend."""
    line = sorted(
        (word for word in words if word.box.left > sample.right - 1
         and abs(word.box.middle - sample.middle) < word.size / 2),
        key=lambda word: word.box.left,
    )  # fmt: skip
    held: list[str] = []
    end = sample.right
    for word in line:
        if word.box.left - end > (1 if held else 2) * word.size:
            break
        held.append(word.text)
        end = word.box.right
    return " ".join(held)


def _points(
    across: Scale, up: Scale, curves: Sequence[Stroke], names: Sequence[str]
) -> Iterator[Point]:
    for name, curve in zip(names, curves, strict=True):
        for left, top in sorted(curve.corners):
            x, value = across.value(left, curve.width), up.value(top, curve.width)
            if all(map(math.isfinite, (*x, *value))):
                yield Point(name, x[0], value[0], x[1], value[1], left, top)
