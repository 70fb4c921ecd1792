"""Axes of drawn charts: labels whose ticks lie on a linear or a logarithmic scale."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roundtrip.drafting.words import Box, Word, parted

_NUMBER = re.compile(r"^[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?[kKMG%]?$")
_THOUSANDS = re.compile(r"\.\d{3}[kKMG%]?$")  # a point that may part thousands
_UNITS = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_TICKS = 3  # labels that an axis must have at least
_OFF = 0.4  # points on the page that a label's mark may lie off the scale
_NEAR = 0.35  # a mark from the middle of its label, in letters' heights
REACH = 3.0
"""How far an end of a mark may be from its label, in letters' heights."""

_SMALL = 12.0  # a marker, in points


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
        return self.box.right - self.box.left < _SMALL and self.box.bottom - self.box.top < _SMALL

    @property
    def level(self) -> bool:
        """Whether it is a rule across."""
        return self.box.bottom - self.box.top < 1 and self.box.right - self.box.left > 1

    @property
    def upright(self) -> bool:
        """Whether it is a rule upwards."""
        return self.box.right - self.box.left < 1 and self.box.bottom - self.box.top > 1

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
            at, length = (line.left + line.right) / 2, line.bottom - line.top
            off, apart = at - (box.left + box.right) / 2, box.top - line.bottom
        else:
            at, length = line.middle, line.right - line.left
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
