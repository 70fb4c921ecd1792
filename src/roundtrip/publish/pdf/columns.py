"""What the columns of a table need, found here so that Typst measures nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

from roundtrip.errors import RenderError
from roundtrip.publish.pdf.parts import Cell, placed
from roundtrip.theme import Typeface

CODE_SCALE = 0.94
"""Code looks larger than other text, and is set smaller by this factor."""

_SPACE = re.compile(" ")
_PIECES = re.compile(r" |(?<=-)(?![\d-])")
"""Where a line may be broken: Typst never does between a hyphen and a digit."""
_LONG_WORD = re.compile(r"\W*[^\W\d_]{10,}\W*")
_SYLLABLES = 0.65
"""What of a long word stays on one line where it is hyphenated, its hyphen included."""

_UNKNOWN = 1.0
"""Width of a character that a font lacks; Typst refuses it."""


class Face:
    """The widths of a face's characters, without kerning and ligatures.

    The later fonts stand in for characters that the first lacks.
    """

    def __init__(self, files: tuple[Path, ...]) -> None:
        self._widths: dict[str, float] = {}
        for file in files:
            if not file.is_file():
                raise RenderError(
                    "the PDF needs this font, and it is missing",
                    where=f"templates/fonts/{file.name}",
                )
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
        its body, ``head`` and ``head-word`` of its head.
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
            for piece in _PIECES.split(cell["text"]):
                width = self._text_width(cell, piece)
                long = cell["kind"] != "code" and _LONG_WORD.fullmatch(piece)
                whole = max(whole, width)
                least = max(least, width * _SYLLABLES if long else width)
        return {"least": max(_rounded(least), self._widest(words)), "piece": _rounded(whole)}

    def _needs(self, heads: Sequence[Cell], body: Sequence[Cell]) -> dict[str, Any]:
        whole = [cell["text"] for cell in heads]
        return {
            "number": sum(cell["align"] == "right" for cell in body) * 2 > len(body),
            "cell": max(map(self.width, body), default=0),
            "word": self._longest(body, _SPACE),
            "piece": self._longest(body, _PIECES),
            "head": self._widest(whole),
            "head-word": self._widest({word for text in whole for word in text.split(" ")}),
        }

    def _longest(self, body: Iterable[Cell], breaks: re.Pattern[str]) -> float:
        """Measure what no line may break of all cells."""
        widths = [0.0]
        for cell in body:
            widths += (self._text_width(cell, part) for part in breaks.split(cell["text"]))
            widths += map(self._bold.width, breaks.split(_links(cell)))
        return _rounded(max(widths))

    def _text_width(self, cell: Cell, text: str) -> float:
        code = cell["kind"] == "code"
        return self._code.width(text) * CODE_SCALE if code else self._bold.width(text)

    def _widest(self, texts: Iterable[str]) -> float:
        return _rounded(max(map(self._bold.width, texts), default=0))


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
