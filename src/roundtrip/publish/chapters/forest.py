"""The drawing of all comparisons of a report: published shares beside measured ones, by chapter."""

from __future__ import annotations

import html
import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from roundtrip.comparison_marks import Sides, outcomes_words
from roundtrip.csvfile import csv_text
from roundtrip.outputs import FIGURE, SVG
from roundtrip.theme import Theme
from roundtrip.typography import with_apostrophes

if TYPE_CHECKING:
    from roundtrip.present.numbers import NumberFormat

_ROW, _LINE, _SIZE, _TITLE_SIZE, _TITLE_LINE = 23, 15, 12.5, 15, 20
_APART = 38  # pixels between two ticks
_AGAIN = (
    "Solid: published, with the margin of agreement. Hollow: measured here, with its 95\u00a0% "
    "interval. The scale is logarithmic."
)
_WEIGHTS = {"disagree": ' font-weight="600"'}
_HEAD = (
    "chapter", "share of", "comparison", "published least (%)", "published most (%)",
    "agrees from (%)", "agrees to (%)", "disagrees below (%)", "disagrees above (%)",
    "measured (%)", "interval from (%)", "interval to (%)",
    "90 % interval from (%)", "90 % interval to (%)", "outcome", "rests on",
)  # fmt: skip


@dataclass(frozen=True)
class _Page:
    """Where the scale begins and ends on a page, and how many letters its lines hold.

    With `above`, names stand above their marks, not beside them.
    """

    width: int
    left: int
    right: int
    title: int
    whole: int
    name: int
    above: bool = False


_WIDE = _Page(760, 370, 665, title=96, whole=120, name=57)
_PHONE = _Page(360, 8, 272, title=42, whole=51, name=50, above=True)


@dataclass(frozen=True)
class Row:
    """A comparison, with the title of its chapter, what its shares are of, and what it came to."""

    chapter: str
    of: str
    outcome: str
    sides: Sides

    @property
    def margin(self) -> tuple[float, float]:
        """The ends within which a measured share agrees."""
        return self.sides.least / self.sides.reach, self.sides.most * self.sides.reach

    @property
    def values(self) -> list[float]:
        """Everything that is drawn of it."""
        found = self.sides
        every = [*self.margin, found.here, found.low, found.high]
        return [value for value in every if value > 0 and math.isfinite(value)]


def forest_bundles(
    rows: Sequence[Row], figures: int, theme: Theme, numbers: NumberFormat
) -> list[dict[str, Any]]:
    """Draw comparisons, on one scale, in as many figures as a report has room for.

    `rows`, one at least, are in the order of the book; `figures` share them, at most one for
    each chapter, which is not divided. The first explains what all show. Gives the bundles of
    outputs, as a chapter's figures have them.
    """
    parts: dict[int, list[Row]] = {}
    before = 0
    for _, chapter in groupby(rows, lambda row: row.chapter):
        of = list(chapter)
        parts.setdefault(before * figures // len(rows), []).extend(of)
        before += len(of)
    values = [100.0, *(value for row in rows for value in row.values)]
    scale = min(values), max(values)
    return [
        _bundle(part, len(parts) > 1, _AGAIN if number else _explained(rows), scale, theme, numbers)
        for number, part in enumerate(parts.values())
    ]


def _explained(rows: Sequence[Row]) -> str:
    caption = (
        "Each line is one share, on a logarithmic scale. Solid: published, with the "
        "margin within which a measured share agrees. Hollow: measured here, with its 95\u00a0% "
        "interval. A dot without a line has no margin or no interval. What each rests on is "
        "stated in its section, and in this figure's data on the site, with the limits and the "
        "90\u00a0% interval that each was judged by."
    )
    if any(row.sides.least < row.sides.most for row in rows):
        caption += " Two solid dots are the ends of a published range."
    return caption + " Each comparison is judged by itself, without a correction for their number."


def _bundle(
    rows: Sequence[Row], divided: bool, caption: str, scale: tuple[float, float], theme: Theme,
    numbers: NumberFormat,
) -> dict[str, Any]:  # fmt: skip
    where = ""
    if divided:
        names = list(dict.fromkeys(row.chapter for row in rows))
        where = f" in “{names[0]}”"
        if names[1:]:
            where = f" from “{names[0]}” to “{names[-1]}”"
    title = _came_out(rows, where)
    chapters = [
        _came_out(of, f" in “{chapter}”") for chapter, of in groupby(rows, lambda row: row.chapter)
    ]
    alt = f"Forest plot, by chapter. {'. '.join(dict.fromkeys([title, *chapters]))}."
    return {
        FIGURE: {
            "title": title, "caption": caption, "alt": alt, "cells": [],
            "csv": csv_text(_HEAD, map(_line, rows)),
            "narrow": _svg(rows, title, scale, theme, numbers, _PHONE),
        },
        SVG: _svg(rows, title, scale, theme, numbers, _WIDE),
    }  # fmt: skip


def _printed(words: str) -> str:
    return html.escape(with_apostrophes(words))


def _came_out(rows: Iterable[Row], where: str = "") -> str:
    return outcomes_words(Counter(row.outcome for row in rows), where)


def _line(row: Row) -> list[Any]:
    found = row.sides
    beyond = found.least / found.beyond, found.most * found.beyond
    numbers = (
        found.least, found.most, *row.margin, *beyond, found.here, found.low, found.high,
        *found.tested,
    )  # fmt: skip
    shown = ("" if math.isnan(number) else f"{number:.4g}" for number in numbers)
    return [row.chapter, row.of, found.name, *shown, row.outcome, " ".join(found.cells)]


def _svg(
    rows: Sequence[Row], title: str, scale: tuple[float, float], theme: Theme,
    numbers: NumberFormat, page: _Page,
) -> str:  # fmt: skip
    drawing = _Drawing(scale, theme, numbers, page)
    drawing.head(title)
    drawing.ticks_at(drawing.y)
    for (chapter, of), group in groupby(rows, lambda row: (row.chapter, row.of)):
        drawing.group(chapter, of, group)
    drawing.ticks_at(drawing.y + 16)
    return drawing.svg(title)


class _Drawing:
    """A drawing of comparisons in the making: what comes next stands at `y` and below."""

    def __init__(
        self, scale: tuple[float, float], theme: Theme, numbers: NumberFormat, page: _Page
    ) -> None:
        self.y = 6
        self._parts: list[str] = []
        self._theme, self._numbers, self._page = theme, numbers, page
        self._colors = theme.drawing_colors()
        self._published = self._colors["flow"], self._colors["flow"]
        self._measured = self._colors["ink"], self._colors["paper"]
        self._low, self._high = math.log(scale[0]) - 0.1, math.log(scale[1]) + 0.1
        self._ticks: list[tuple[float, float]] = []
        for tick in _ticks(*scale):
            if not self._ticks or self._across(tick) - self._ticks[-1][1] >= _APART:
                self._ticks.append((tick, self._across(tick)))

    def _across(self, value: float) -> float:
        share = (math.log(value) - self._low) / (self._high - self._low) if value > 0 else 0.0
        page = self._page
        return round(page.left + max(share, 0.0) * (page.right - page.left), 1)

    def _text(self, x: float, y: float, words: str, more: str = "") -> None:
        self._parts.append(f'<text x="{x:g}" y="{y:g}"{more}>{_printed(words)}</text>')

    def _side(
        self, y: float, ends: tuple[float, float], marks: Sequence[float], look: tuple[str, str]
    ) -> None:
        line, hole = look
        if all(map(math.isfinite, ends)):
            self._parts.append(_bar(self._across(ends[0]), self._across(ends[1]), y, line))
        self._parts += (_dot(self._across(one), y, line, hole) for one in dict.fromkeys(marks))

    def head(self, title: str) -> None:
        """Write the title, and what the marks mean."""
        for line in textwrap.wrap(title, self._page.title):
            self.y += _TITLE_LINE
            self._text(0, self.y, line, f' font-size="{_TITLE_SIZE}" font-weight="600"')
        self.y += 22
        for left, (color, hole), words in (
            (0, self._published, "published, with the margin of agreement"),
            (290, self._measured, "measured here, with its interval"),
        ):
            if self._page.above and left:
                left, self.y = 0, self.y + 18
            at = self.y - 4
            self._parts.append(_bar(left, left + 24, at, color) + _dot(left + 12, at, color, hole))
            self._text(left + 32, self.y, words)
        self.y += 26

    def ticks_at(self, y: float) -> None:
        """Write the numbers of the scale."""
        look = f' text-anchor="middle" fill="{self._colors["faint"]}"'
        for tick, x in self._ticks:
            self._text(x, y, f"{self._numbers.exact(tick)}\u00a0%", look)

    def group(self, chapter: str, of: str, rows: Iterable[Row]) -> None:
        """Draw what a chapter compares of one thing, below its name."""
        faint, page = self._colors["faint"], self._page
        self.y += 8
        about, *more = textwrap.wrap(of, page.whole, initial_indent=f"{chapter} ") or [""]
        about = about.removeprefix(f"{chapter} ")
        self._parts.append(
            f'<text x="0" y="{self.y + 13}"><tspan font-weight="600">{_printed(chapter)}</tspan> '
            f'<tspan fill="{faint}">{_printed(about)}</tspan></text>'
        )
        self.y += _LINE
        for line in more:
            self._text(0, self.y + 13, line, f' fill="{faint}"')
            self.y += _LINE
        self.y += 4
        # Lines of the scale stand behind the marks and end at the words above these.
        top, place = self.y, len(self._parts)
        for row in rows:
            self._row(row)
        for tick, x in self._ticks:
            strong = faint if tick == 100 else self._colors["rule"]
            path = f'<path d="M{x:g} {top}V{self.y}" stroke="{strong}" stroke-width="1"/>'
            self._parts.insert(place, path)

    def _row(self, row: Row) -> None:
        found, page = row.sides, self._page
        lines = textwrap.wrap(found.name, page.name)
        for at, line in enumerate(lines):
            self._text(20 if at else 10, self.y + 15 + at * _LINE, line)
        below = _LINE * (len(lines) - (not page.above))
        self.y += (below + 4) * page.above
        self._side(self.y + 7, row.margin, (found.least, found.most), self._published)
        self._side(self.y + 15, (found.low, found.high), (found.here,), self._measured)
        self._text(page.right + 14, self.y + 15, row.outcome, _WEIGHTS.get(row.outcome, ""))
        self.y += below * (not page.above) + _ROW

    def svg(self, title: str) -> str:
        """Give the whole drawing."""
        colors, page, height = self._colors, self._page, self.y + 22
        # Names on a phone stand on the lines of the scale.
        halo = f' paint-order="stroke" stroke="{colors["paper"]}" stroke-width="6"' * page.above
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page.width} {height}" '
            f'width="{page.width}" height="{height}" '
            f'font-family="{html.escape(self._theme.families)}, sans-serif" '
            f'font-size="{_SIZE}" fill="{colors["ink"]}"{halo}><title>{html.escape(title)}</title>'
            f"{''.join(self._parts)}</svg>\n"
        )


def _bar(left: float, right: float, y: float, color: str) -> str:
    return f'<path d="M{left:g} {y:g}H{right:g}" stroke="{color}" stroke-width="1.4"/>'


def _dot(x: float, y: float, color: str, hole: str) -> str:
    circle = f'cx="{x:g}" cy="{y:g}" r="3"'
    return f'<circle {circle} fill="{hole}" stroke="{color}" stroke-width="1.3"/>'


def _ticks(low: float, high: float) -> list[float]:
    """Give round numbers, 1, 2 and 5 of each power of ten, between two values."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = (step * 10.0**power for power in powers for step in (1, 2, 5))
    return [tick for tick in ticks if low <= tick <= high]
