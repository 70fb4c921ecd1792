"""Charts that are drawn in lines: axes whose labels lie on a scale, and the corners of curves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.drafting.pages import CAPTION, FIGURE, Box, Page, Word, box_of, parted, upright_words

_NUMBER = re.compile(r"^[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?[kKMG%]?$")
_THOUSANDS = re.compile(r"\.\d{3}[kKMG%]?$")  # a point that may part thousands
_UNITS = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_TICKS = 3  # labels that an axis must have at least
_OFF = 0.4  # points on the page that a label's mark may lie off the scale
_NEAR = 0.35  # a mark from the middle of its label, in letters' heights
REACH = 3.0
"""How far an end of a mark may be from its label, in letters' heights."""

_SMALL = 12.0  # a marker, in points
_TIMES = re.compile(r"^(?:1e[+-]?\d+|[×x*]\s?10\S*)$")  # what all labels of an axis are times
_MOST = 20_000  # words or lines of a page; a drawing of more is a map, or bait
_CURVES = 40
_THIN = 0.5  # the least width of a line that counts, in points
_TITLE = 3.0  # from a chart to a title of its own at most, in letters' heights
_CENTRED = 3.0  # a title from the middle of the plot, in points
_SHORT = 0.8  # of the plot's width, below which a line may be a title: text fills its lines


@dataclass(frozen=True)
class Stroke:
    """A path: its corners, colour and width; if it is a line, and one with straight sides only."""

    box: Box
    corners: tuple[tuple[float, float], ...]
    colour: Any
    width: float
    line: bool
    straight: bool

    @property
    def small(self) -> bool:
        """Whether it may be a marker."""
        return self.box.width < _SMALL and self.box.height < _SMALL

    @property
    def level(self) -> bool:
        """Whether it is a rule across."""
        return self.box.height < 1 and self.box.width > 1

    @property
    def upright(self) -> bool:
        """Whether it is a rule upwards."""
        return self.box.width < 1 and self.box.height > 1

    @property
    def may_be_curve(self) -> bool:
        """Whether it is large enough for a curve, and no rule."""
        rule = len(self.corners) < 3 and (self.level or self.upright)
        return self.line and not self.small and not rule

    @property
    def readable(self) -> bool:
        """Whether it has straight sides and never goes back."""
        steps = np.diff([x for x, _ in self.corners])
        return self.straight and len(steps) > 1 and bool((steps > 0).all() or (steps < 0).all())


@dataclass(frozen=True)
class Scale:
    """An axis: where its labels stand, and what a place on the page means."""

    box: Box
    first: float
    last: float
    step: float
    log: bool
    slope: float
    start: float
    off: float

    def value(self, place: float, width: float) -> tuple[float, float]:
        """Give the value at a place, and how far it may be off."""
        found = self.start + self.slope * place
        off = abs(self.slope) * (self.off + width / 2)
        return (10**found, 10**found * (10**off - 1)) if self.log else (found, off)


def find_axes(words: Sequence[Word], strokes: Sequence[Stroke], *, level: bool) -> Iterator[Scale]:
    """Find rows of labels whose marks lie on a scale, or columns where it is not level.

    Labels of one width are in line on both sides; with a shorter one among them, on one side only.
    What is part of a longer axis is none of its own.
    """
    ticks = [word for word in words if _number(word.text) is not None and _alone(word, words)]
    marks = [one for one in strokes if (one.upright if level else one.level)]
    sides: Sequence[Callable[[Box], float]] = (
        (lambda box: box.middle,) if level else (lambda box: box.right, lambda box: box.left)
    )
    found: dict[frozenset[int], Scale] = {}
    for side in sides:
        for group in _lined_up(ticks, side):
            placed = [(word, at) for word in group
                      if (at := _mark(word, marks, level=level)) is not None]  # fmt: skip
            key = frozenset(id(word) for word, _ in placed)
            if len(placed) >= _TICKS and (scale := _scale(placed)) is not None:
                found[key] = scale
    yield from (scale for key, scale in found.items() if not any(key < other for other in found))


def _lined_up(ticks: Sequence[Word], side: Callable[[Box], float]) -> list[list[Word]]:
    ordered = sorted(ticks, key=lambda word: side(word.box))
    return parted(ordered, lambda one, two: side(two.box) - side(one.box) > 1)


def _mark(word: Word, marks: Sequence[Stroke], *, level: bool) -> float | None:
    """Give the place of the tick or grid line that a label belongs to: the longest one near it."""
    box, tall = word.box, word.size
    near: list[tuple[float, float]] = []
    for mark in marks:
        line = mark.box
        if level:
            at, length = line.across, line.height
            off, apart = at - box.across, box.top - line.bottom
        else:
            at, length = line.middle, line.width
            off = at - box.middle
            apart = max(line.left - box.right, box.left - line.right)
        if abs(off) <= _NEAR * tall and -tall / 2 <= apart <= REACH * tall:
            near.append((length, at))
    if not near:
        return None
    longest = max(length for length, _ in near)
    places = [at for length, at in near if length > longest - 0.5]
    return places[0] if max(places) - min(places) < 0.1 else None


def _scale(placed: Sequence[tuple[Word, float]]) -> Scale | None:
    """Fit a linear and a logarithmic scale; one of them has to fit, and the other must not."""
    if len({word.text[:-1] for word, _ in placed}) == 1 and len(placed[0][0].text) > 1:
        return None  # 100, 101, 102 may be powers of ten whose exponents are letters of their own
    places = np.array([at for _, at in placed])
    values = np.array([_number(word.text) for word, _ in placed], dtype=float)
    order = np.argsort(places)
    steps = np.diff(places[order])
    rising = np.diff(values[order])
    if not (steps > 1).all() or not ((rising > 0).all() or (rising < 0).all()):
        return None
    fits = []
    for log in (False, True):
        if log and (values <= 0).any():
            continue
        shown = np.log10(values) if log else values
        slope, start = np.polyfit(places, shown, 1)
        off = float(np.abs((start + slope * places - shown) / slope).max())
        if off <= _OFF:
            fits.append((log, float(slope), float(start), off))
    if len(fits) != 1:
        return None
    box = Box.around([word.box for word, _ in placed])
    return Scale(box, float(places.min()), float(places.max()), float(steps.max()), *fits[0])


def _number(text: str) -> float | None:
    if not _NUMBER.match(text) or _THOUSANDS.search(text):
        return None
    plain = text.replace(",", "").replace("−", "-").rstrip("%")
    unit = _UNITS.get(plain[-1], 1.0)
    return float(plain.rstrip("kKMG")) * unit


def _alone(word: Word, words: Sequence[Word]) -> bool:
    """Say whether nothing stands beside a label, such as a power or a unit."""
    near = Box(word.box.left - word.size / 2, word.box.top, word.box.right + word.size / 2,
               word.box.bottom)  # fmt: skip
    return not any(other is not word and other.box.meets(near) for other in words)


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
        words = upright_words(page, x_tolerance=1.5, extra_attrs=["size"])
        strokes = list(_strokes((*page.lines, *page.curves, *page.rects)))
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
        wide, tall = whole.width / 2, whole.height / 2
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
                       and whole.over(word.box)), default=None)  # fmt: skip
        if nearest is None:
            continue
        line = sorted((word for far, word in away if abs(far - nearest) < word.size / 2),
                      key=lambda word: word.box.left)  # fmt: skip
        pieces = parted(line, lambda one, two: two.box.left - one.box.right > one.size)
        over = [piece for piece in pieces if any(whole.over(word.box) for word in piece)]
        box = Box.around([word.box for word in over[0]])
        text = " ".join(word.text for word in over[0])
        amid = abs(box.across - plot.across) < _CENTRED
        caption = FIGURE.match(text) or CAPTION.match(text)
        if len(over) == 1 and box.width < _SHORT * plot.width and amid and not caption:
            yield box


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
    tall = REACH * across.box.height
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
