"""Points of charts that are drawn in lines: corners of curves, between axes that can be read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roundtrip.drafting.lines import CAPTION, FIGURE
from roundtrip.drafting.scales import REACH, Scale, Stroke, find_axes
from roundtrip.drafting.words import Box, Page, Word, box_of, parted, upright_words

_TIMES = re.compile(r"^(?:1e[+-]?\d+|[×x*]\s?10\S*)$")  # what all labels of an axis are times
_MOST = 20_000  # words or lines of a page; a drawing of more is a map, or bait
_CURVES = 40
_THIN = 0.5  # the least width of a line that counts, in points
_TITLE = 3.0  # from a chart to a title of its own at most, in letters' heights
_CENTRED = 3.0  # a title from the middle of the plot, in points
_SHORT = 0.8  # of the plot's width, below which a line may be a title: text fills its lines


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
    """A chart on a page."""

    page: int
    box: Box  # between the outermost labels of its axes
    points: tuple[Point, ...] = ()  # none where it has to be read by hand
    trouble: str = ""  # why it has to; empty where it was read
    written: tuple[Box, ...] = ()  # where it has words: around axes, in the legend, titles


def charts_on(path: Path, number: int) -> list[Chart]:
    """Find the charts of a page, from the top, and read the points of those that leave no doubt.

    Pages count from 1. A drawing without curves between two axes of numbers is no chart.
    """
    import pdfplumber

    with pdfplumber.open(path, pages=[number]) as document:
        page = document.pages[0]
        words = [
            Word(one["text"], box_of(one), float(one["bottom"] - one["top"]), bold=False)
            for one in upright_words(page, x_tolerance=1.5, extra_attrs=["size"])
        ]
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
        whole = Box.around([box, across.box, *(up.box for up in beside),
                            *(one.box for one in inside)])  # fmt: skip
        wide, tall = (whole.right - whole.left) / 2, (whole.bottom - whole.top) / 2
        room = Box(whole.left - wide, whole.top - tall, whole.right + wide, whole.bottom + tall)
        legend = [word.box for one in _samples(inside, strokes) if _holds(room, one.box)
                  for word in _beside(one.box, words)]  # fmt: skip
        written = (whole, *legend, *_titles(box, whole, words))
        found.append(Chart(number, box, points, trouble, written))
    return sorted(found, key=lambda chart: (chart.box.top, chart.box.left))


def without_charts(pages: Sequence[Page], charts: Sequence[Chart]) -> list[Page]:
    """Give pages without the words of their charts, which beside a table look like its cells."""
    return [
        replace(page, words=tuple(
            word for word in page.words
            if not any(box.holds(word.box) for chart in charts if chart.page == page.number
                       for box in chart.written)
        )) for page in pages
    ]  # fmt: skip


def _titles(plot: Box, whole: Box, words: Sequence[Word]) -> Iterator[Box]:
    """Give the titles above and below a chart: short, alone over its width, amid the plot."""
    for side, edge in ((-1, whole.top), (1, whole.bottom)):
        away = [(side * (word.box.middle - edge), word) for word in words]
        nearest = min((far for far, word in away if 0 < far < _TITLE * word.size
                       and _over(whole, word.box)), default=None)  # fmt: skip
        if nearest is None:
            continue
        line = sorted((word for far, word in away if abs(far - nearest) < word.size / 2),
                      key=lambda word: word.box.left)  # fmt: skip
        pieces = parted(line, lambda one, two: two.box.left - one.box.right > one.size)
        over = [piece for piece in pieces if any(_over(whole, word.box) for word in piece)]
        box = Box.around([word.box for word in over[0]])
        text = " ".join(word.text for word in over[0])
        middle = (box.left + box.right - plot.left - plot.right) / 2
        short = box.right - box.left < _SHORT * (plot.right - plot.left)
        caption = FIGURE.match(text) or CAPTION.match(text)
        if len(over) == 1 and short and abs(middle) < _CENTRED and not caption:
            yield box


def _over(whole: Box, box: Box) -> bool:
    return box.left < whole.right and whole.left < box.right


def _strokes(found: Sequence[dict[str, Any]]) -> Iterator[Stroke]:
    for one in found:
        signs = [part[0] for part in one.get("path") or ()]
        filled = bool(one.get("fill")) and not one.get("stroke")
        yield Stroke(
            box_of(one), tuple((float(x), float(y)) for x, y in one.get("pts") or ()),
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
        samples = [one for one in _samples(curves, strokes) if one.colour == curve.colour]
        names = {name for one in samples
                 if (name := " ".join(word.text for word in _beside(one.box, words)))}  # fmt: skip
        found.append(names.pop() if len(names) == 1 else "")
    return found if all(found) and len(set(found)) == len(found) else None


def _samples(curves: Sequence[Stroke], strokes: Sequence[Stroke]) -> list[Stroke]:
    """Give what a legend may show of curves: markers and rules in their colours."""
    colours = [curve.colour for curve in curves]
    return [one for one in strokes if one.colour in colours and one not in curves
            and (one.small or one.level)]  # fmt: skip


def _beside(sample: Box, words: Sequence[Word]) -> list[Word]:
    """Give the words to the right of a sample of a legend."""
    line = sorted(
        (word for word in words if word.box.left > sample.right - 1
         and abs(word.box.middle - sample.middle) < word.size / 2),
        key=lambda word: word.box.left,
    )  # fmt: skip
    held: list[Word] = []
    end = sample.right
    for word in line:
        if word.box.left - end > (1 if held else 2) * word.size:
            break
        held.append(word)
        end = word.box.right
    return held


def _points(
    across: Scale, up: Scale, curves: Sequence[Stroke], names: Sequence[str]
) -> Iterator[Point]:
    for name, curve in zip(names, curves, strict=True):
        for left, top in sorted(curve.corners):
            x, value = across.value(left, curve.width), up.value(top, curve.width)
            if all(map(math.isfinite, (*x, *value))):
                yield Point(name, x[0], value[0], x[1], value[1], left, top)
