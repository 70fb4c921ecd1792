"""The drawing of all comparisons of a report: published shares beside measured ones, by chapter."""

from __future__ import annotations

import html
import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from roundtrip.files import csv_text
from roundtrip.outputs import FIGURE, SVG, Sides, outcomes_words
from roundtrip.theme import Theme

_WIDTH, _LEFT, _RIGHT = 760, 385, 675
_LINE, _SIZE, _LETTERS, _WHOLE = 12, 11, 71, 140
_WEIGHTS = {"disagree": ' font-weight="600"'}
_HEAD = (
    "chapter", "share of", "comparison", "published least (%)", "published most (%)",
    "agrees from (%)", "agrees to (%)", "measured (%)", "interval from (%)", "interval to (%)",
    "outcome", "rests on",
)  # fmt: skip


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


def forest_bundle(rows: Sequence[Row], left_out: int, theme: Theme) -> dict[str, Any]:
    """Draw comparisons as one figure.

    Parameters
    ----------
    rows : sequence of Row
        In the order of the book; at least one.
    left_out : int
        Comparisons of the tally that give no shares.
    theme : Theme
        Gives the colours and the families of the text.

    Returns
    -------
    dict
        The bundle of an output, as a chapter's figure has it.
    """
    title = _came_out(rows)
    caption = (
        f"{title}. Each line is one share, on a logarithmic scale. Solid: published, with the "
        "margin within which a measured share agrees. Hollow: measured here, with its 95\u00a0% "
        "interval. A dot without a line has no margin or no interval. What each rests on is "
        "stated in its section, and in the data of this figure."
    )
    if left_out:
        caption += f" Not drawn, for lack of two shares: {left_out}."
    chapters = [
        f"{chapter}: {_came_out(of)}" for chapter, of in groupby(rows, lambda row: row.chapter)
    ]
    alt = f"Forest plot, by chapter. {title}. {'; '.join(chapters)}."
    return {
        FIGURE: {
            "title": title, "caption": caption, "alt": alt, "cells": [],
            "csv": csv_text(_HEAD, map(_line, rows)),
        },
        SVG: _svg(rows, title, theme),
    }  # fmt: skip


def _came_out(rows: Iterable[Row]) -> str:
    told = outcomes_words(Counter(row.outcome for row in rows))
    return told[:1].upper() + told[1:]


def _line(row: Row) -> list[Any]:
    found = row.sides
    numbers = (found.least, found.most, *row.margin, found.here, found.low, found.high)
    shown = ("" if math.isnan(number) else f"{number:.4g}" for number in numbers)
    return [row.chapter, row.of, found.name, *shown, row.outcome, " ".join(found.cells)]


def _svg(rows: Sequence[Row], title: str, theme: Theme) -> str:
    colors = theme.drawing_colors()
    values = [100.0, *(value for row in rows for value in row.values)]
    low, high = math.log(min(values)) - 0.1, math.log(max(values)) + 0.1
    parts: list[str] = []

    def across(value: float) -> float:
        share = (math.log(value) - low) / (high - low) if value > 0 else 0.0
        return round(_LEFT + max(share, 0.0) * (_RIGHT - _LEFT), 1)

    def text(x: float, y: float, words: str, more: str = "") -> None:
        parts.append(f'<text x="{x:g}" y="{y:g}"{more}>{html.escape(words)}</text>')

    def side(
        y: float, ends: tuple[float, float], marks: Sequence[float], look: tuple[str, str]
    ) -> None:
        line, hole = look
        if all(map(math.isfinite, ends)):
            parts.append(_bar(across(ends[0]), across(ends[1]), y, line))
        parts.extend(_dot(across(one), y, line, hole) for one in dict.fromkeys(marks))

    published, measured = (colors["flow"], colors["flow"]), (colors["ink"], colors["paper"])
    top = y = 34
    for (chapter, of), group in groupby(rows, lambda row: (row.chapter, row.of)):
        about, *more = textwrap.wrap(of, _WHOLE, initial_indent=f"{chapter} ") or [""]
        about = about.removeprefix(f"{chapter} ")
        parts.append(
            f'<text x="0" y="{y + 9}"><tspan font-weight="600">{html.escape(chapter)}</tspan> '
            f'<tspan fill="{colors["faint"]}">{html.escape(about)}</tspan></text>'
        )
        y += _LINE
        for line in more:
            text(0, y + 9, line, f' fill="{colors["faint"]}"')
            y += _LINE
        for row in group:
            name, *more = textwrap.wrap(row.sides.name, _LETTERS)
            text(10, y + 9, name)
            found = row.sides
            side(y + 2.5, row.margin, (found.least, found.most), published)
            side(y + 7.5, (found.low, found.high), (found.here,), measured)
            text(_RIGHT + 10, y + 9, row.outcome, _WEIGHTS.get(row.outcome, ""))
            y += _LINE
            for line in more:
                text(20, y + 9, line)
                y += _LINE
    axis = []
    for tick in _ticks(min(values), max(values)):
        x = across(tick)
        strong = colors["faint"] if tick == 100 else colors["rule"]
        axis.append(f'<path d="M{x:g} {top}V{y}" stroke="{strong}" stroke-width="1"/>')
        for level in (top - 4, y + 13):
            text(x, level, f"{tick:g} %", f' text-anchor="middle" fill="{colors["faint"]}"')
    for x, (line, hole), words in (
        (0, published, "published, with the margin for agreement"),
        (270, measured, "measured here, with its interval"),
    ):
        parts.append(_bar(x, x + 24, 8, line) + _dot(x + 12, 8, line, hole))
        text(x + 30, 12, words)
    height = y + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" font-family="{html.escape(theme.families)}, sans-serif" '
        f'font-size="{_SIZE}" fill="{colors["ink"]}"><title>{html.escape(title)}</title>'
        f"{''.join(axis)}{''.join(parts)}</svg>\n"
    )


def _bar(left: float, right: float, y: float, color: str) -> str:
    return f'<path d="M{left:g} {y:g}H{right:g}" stroke="{color}" stroke-width="1.4"/>'


def _dot(x: float, y: float, color: str, hole: str) -> str:
    circle = f'cx="{x:g}" cy="{y:g}" r="2.6"'
    return f'<circle {circle} fill="{hole}" stroke="{color}" stroke-width="1.3"/>'


def _ticks(low: float, high: float) -> list[float]:
    """Give round numbers, 1, 2 and 5 of each power of ten, between two values."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = (step * 10.0**power for power in powers for step in (1, 2, 5))
    return [tick for tick in ticks if low <= tick <= high]
