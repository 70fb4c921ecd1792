"""What the columns of a table need, found here so that Typst measures nothing; tables in parts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

from roundtrip.outputs import NOTHING
from roundtrip.theme import Typeface

CODE_SCALE = 0.94
"""Code looks larger than other text, and is set smaller by this factor."""

_SPACE = re.compile(" ")
_PIECES = re.compile(r" |(?<=-)(?![\d-])")
"""Where a line may be broken: Typst never does between a hyphen and a digit."""
_LONG_WORD = re.compile(r"\W*[^\W\d_]{14,}\W*")
_SYLLABLES = 0.65
"""What of a long word stays on one line where it is hyphenated, its hyphen included."""

_LONG_NAME = 24
_NAME_PARTS = re.compile(r"(?<=_)(?=[^\W_])")

_UNKNOWN = 5.0
"""Width of a character that a font lacks: its code point stands in its place."""


class Face:
    """The widths of a face's characters, without kerning and ligatures.

    The later fonts stand in for characters that the first lacks.
    """

    def __init__(self, files: tuple[Path, ...]) -> None:
        self._widths: dict[str, float] = {}
        for file in files:
            with TTFont(file, lazy=True) as font:
                em = font["head"].unitsPerEm
                advances = font["hmtx"].metrics
                for code, name in font.getBestCmap().items():
                    self._widths.setdefault(chr(code), advances[name][0] / em)

    def width(self, text: str) -> float:
        """Give the width of a text as a multiple of the size of its font."""
        return sum(self._widths.get(character, _UNKNOWN) for character in text)


face = cache(Face)
"""Reads fonts once."""


class ColumnNeeds:
    """Finds how much room columns need, in multiples of the size of the table's font."""

    def __init__(self, fonts: Typeface) -> None:
        # What columns need is measured bold, as any of their cells may be.
        self._bold = face(fonts.bold)
        self._code = face(fonts.code)

    def width(self, cell: Cell) -> float:
        """Give what a cell of the body needs to stand in one line, bold or not."""
        rest = self._bold.width(_links(cell) + cell.get("pad", ""))
        return _rounded(self._text_width(cell, cell["text"]) + rest)

    def of(
        self,
        header: Sequence[Sequence[Cell]],
        rows: Iterable[Sequence[Cell]],
        columns: int,
        shared: bool,
    ) -> list[dict[str, Any]]:
        """Give what each column needs, of rows as `roundtrip.publish.pdf.writer` makes them.

        Of a table that says itself how its columns share the width: ``piece``, the longest
        that no line breaks, and ``least``, the same where long words are hyphenated.
        Otherwise ``number`` says what the column holds;
        ``cell``, ``word`` and ``piece`` (of a word with hyphens) are the longest ones of
        its body, ``mean`` an average cell, ``head`` and ``head-word`` the longest of its head.
        """
        bodies: list[list[Cell]] = [[] for _ in range(columns)]
        for row in rows:
            for column, cell in enumerate(row):
                if cell["kind"] != "group":
                    bodies[column].append(cell)
        if shared:
            return [self._least(header[-1:], column, body) for column, body in enumerate(bodies)]
        heads = [_heads(header, column) for column in range(columns)]
        return [self._needs(*both) for both in zip(heads, bodies, strict=True)]

    def _least(
        self, header: Sequence[Sequence[Cell]], column: int, body: Sequence[Cell]
    ) -> dict[str, float]:
        heads = [row[column]["text"] for row in header if column < len(row)]
        words = [word for head in heads for word in head.split(" ")]
        least = whole = 0.0
        for cell in body:
            for piece in cell.get("parts") or _PIECES.split(cell["text"]):
                width = self._text_width(cell, piece)
                long = cell["kind"] != "code" and _LONG_WORD.fullmatch(piece)
                whole = max(whole, width)
                least = max(least, width * _SYLLABLES if long else width)
        return {"least": max(_rounded(least), self._widest(words)), "piece": _rounded(whole)}

    def _needs(self, heads: Sequence[Cell], body: Sequence[Cell]) -> dict[str, Any]:
        whole = [cell["text"] for cell in heads]
        widths = [self.width(cell) for cell in body]
        return {
            "number": sum(cell["align"] == "right" for cell in body) * 2 > len(body),
            "cell": max(widths, default=0),
            "mean": _rounded(sum(widths) / max(len(widths), 1)),
            "word": self._longest(body, _SPACE),
            "piece": self._longest(body, _PIECES),
            "head": self._widest(whole),
            "head-word": self._widest({word for text in whole for word in text.split(" ")}),
        }

    def _longest(self, body: Iterable[Cell], breaks: re.Pattern[str]) -> float:
        """Measure what no line may break of all cells."""
        widths = [0.0]
        for cell in body:
            parts = cell.get("parts") or breaks.split(cell["text"])
            widths += (self._text_width(cell, part) for part in parts)
            widths += map(self._bold.width, breaks.split(_links(cell)))
        return _rounded(max(widths))

    def _text_width(self, cell: Cell, text: str) -> float:
        code = cell["kind"] == "code"
        return self._code.width(text) * CODE_SCALE if code else self._bold.width(text)

    def _widest(self, texts: Iterable[str]) -> float:
        return _rounded(max(map(self._bold.width, texts), default=0))


def parts_of_name(text: str) -> list[str]:
    """Divide a name in code where a line may break: after underscores, if it is long."""
    return _NAME_PARTS.split(text) if len(text) > _LONG_NAME and " " not in text else [text]


def _rounded(width: float) -> float:
    """Round up, so that a text always has the room that it needs."""
    return round(width + 0.0005, 3)


def _heads(header: Iterable[Sequence[Cell]], column: int) -> list[Cell]:
    """Find the cells above a column that belong to it alone."""
    return [
        cell for row in header for at, cell in placed(row) if at == column and cell["span"] == 1
    ]


def _links(cell: Cell) -> str:
    """Give what leads elsewhere behind the text of a cell."""
    return "".join(f", {link['text']}" for link in cell.get("links", ()))[1:]


Cell = dict[str, Any]
Need = dict[str, Any]

_PAGE = 470.0
"""Points that a table may be wide on A4, the narrower of both papers."""

_ROOM = 11.1
"""Points between the texts of two columns, as in ``table.typ``."""

_LEAST_SIZE, _SIZE = 7.0, 7.4
"""Points: a table that fits at the one stays whole; the parts of another fit at the other."""


def parts_of(header: Sequence[Sequence[Cell]], needs: Sequence[Need]) -> list[tuple[int, ...]]:
    """Divide the columns of a table into parts; what a cell of the header spans stays together.

    All parts but the first begin with the first column once more. A table that fits on a page
    is one part, and so is one of which no division fits.
    """
    everything = tuple(range(len(needs)))
    if _width(everything, needs, _LEAST_SIZE) <= _PAGE:
        return [everything]
    groups = _groups(header, len(needs))
    for count in range(2, len(groups) + 1):
        parts = _divided(groups, count)
        if all(_width(part, needs, _SIZE) <= _PAGE for part in parts):
            return parts
    return [everything]


def _width(columns: Sequence[int], needs: Sequence[Need], size: float) -> float:
    total = 0.0
    for need in (needs[column] for column in columns):
        least = max(need["cell"] if need["number"] else need["piece"], need["head-word"])
        total += least * size + _ROOM
    return total


def _groups(header: Sequence[Sequence[Cell]], columns: int) -> list[list[int]]:
    """Put the columns behind the first together that one cell of the header spans."""
    begins = set(range(1, columns))
    for row in header:
        for at, cell in placed(row):
            begins -= set(range(at + 1, at + cell["span"]))
    groups: list[list[int]] = []
    for column in range(1, columns):
        if column in begins or not groups:
            groups.append([])
        groups[-1].append(column)
    return groups


def _divided(groups: Sequence[Sequence[int]], count: int) -> list[tuple[int, ...]]:
    """Share groups of columns out to parts, about the same number to each."""
    bounds = [round(len(groups) * number / count) for number in range(count + 1)]
    return [
        (0, *(column for group in groups[begin:end] for column in group))
        for begin, end in itertools.pairwise(bounds)
    ]


def part(
    header: Sequence[Sequence[Cell]], rows: Sequence[Sequence[Cell]], columns: Sequence[int]
) -> tuple[list[list[Cell]], list[list[Cell]]]:
    """Give those cells of the header and of the rows that stand in some columns."""
    heads = [[cell for at, cell in placed(row) if at in columns] for row in header]
    bodies = [
        list(row) if heads_group(row) else [row[column] for column in columns] for row in rows
    ]
    return heads, bodies


def without_empty_groups(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Leave groups out whose rows have nothing in any column but the first."""
    kept: list[list[Cell]] = []
    for heads, members in itertools.groupby(rows, key=heads_group):
        group = [list(row) for row in members]
        if not heads and kept and heads_group(kept[-1]):
            cells = [cell for row in group for cell in row[1:]]
            if all(cell["text"] == NOTHING for cell in cells):
                kept.pop()
                continue
        kept += group
    return kept


def without_anchors(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Take the anchors out of the first cells, which stand in another part already."""
    return [
        [{key: value for key, value in row[0].items() if key != "anchor"}, *row[1:]] for row in rows
    ]


def placed(row: Sequence[Cell]) -> Iterator[tuple[int, Cell]]:
    """Give the cells of a row of the header, each with the first column that it stands over."""
    at = 0
    for cell in row:
        yield at, cell
        at += cell["span"]


def heads_group(row: Sequence[Cell]) -> bool:
    """Say whether a row is one cell that heads the rows below it."""
    return bool(row) and row[0]["kind"] == "group"
