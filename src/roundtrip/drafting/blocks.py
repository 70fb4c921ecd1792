"""Where tables stand: lines beside a caption that are parted into columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from roundtrip.drafting.pages import CAPTION, FIGURE, Line

VALUE = re.compile(r"^[<>~±+−-]?\s?\d[\d,.\u00a0 ]*%?(?:\s?[A-Za-zµ/°]+){0,3}[*†‡#]?$")
IN_LIST = re.compile(r"(?:\.\s?){4,}\s*\d+$|\s\d+$")
_APART = 3.2  # a step to the next line that ends a table, in letters' heights


@dataclass(frozen=True)
class Block:
    """A table as it lies on its pages."""

    number: str  # as printed, without the word: 8
    caption: str
    page: int  # of the caption
    parts: tuple[tuple[Line, ...], ...]  # its lines, page by page


def is_value(text: str) -> bool:
    """Say whether a piece is a number, with unit or mark."""
    return VALUE.match(text) is not None


def find_blocks(pages: Sequence[Sequence[Line]]) -> list[Block]:
    """Find the tables of a document, in the lines of its pages without running heads.

    Captions stand above tables or below them: the side with more rows of numbers, over the whole
    document, is taken. A caption beside which no column is found has no parts.
    """
    captions = [
        (where, at, found)
        for where, lines in enumerate(pages) for at, line in enumerate(lines)
        if (found := CAPTION.match(line.text)) and not IN_LIST.search(found["text"] or "")
    ]  # fmt: skip
    below = [_beside(pages, where, at, 1) for where, at, _ in captions]
    above = [_beside(pages, where, at, -1) for where, at, _ in captions]
    side = below if _rows(below) >= _rows(above) else above
    blocks: dict[str, Block] = {}
    for (where, at, found), parts in zip(captions, side, strict=True):
        number = found["number"]
        block = Block(number, found["text"] or "", pages[where][at].page, tuple(parts))
        if number in blocks:  # "continued" on a further page
            first = blocks[number]
            if first.parts and not (
                block.parts and block.parts[0][0].page > first.parts[-1][-1].page
            ):
                continue
            block = Block(number, first.caption, first.page, (*first.parts, *block.parts))
        blocks[number] = block
    return list(blocks.values())


def _rows(side: Sequence[Sequence[Sequence[Line]]]) -> int:
    return sum(_has_values(line) for parts in side for lines in parts for line in lines)


def _has_values(line: Line) -> bool:
    return len(line.pieces) > 1 and any(is_value(piece.text) for piece in line.pieces)


def _beside(
    pages: Sequence[Sequence[Line]], where: int, at: int, step: Literal[1, -1]
) -> list[tuple[Line, ...]]:
    """Give the lines of a table, page by page, below its caption or, with -1, above it."""
    before: Line | None = pages[where][at]
    lines = pages[where][at + 1 :] if step > 0 else pages[where][:at][::-1]
    if not lines and 0 <= where + step < len(pages):  # caption and table are on two pages
        where += step
        lines, before = pages[where][::step], None
    parts: list[tuple[Line, ...]] = []
    while found := _run(lines, before):
        parts.append(found[::step])
        where += step
        # A table that reaches the end of a page goes on where the next page begins with columns.
        if found[-1] is not lines[-1] or not 0 <= where < len(pages):
            break
        lines, before = pages[where][::step], None
        if not lines or CAPTION.match(lines[0].text):
            break
    return parts[::step]


def _run(lines: Sequence[Line], before: Line | None) -> tuple[Line, ...]:
    """Give the lines that belong to a table, up to text, another caption or an empty stretch."""
    taken: list[Line] = []
    last = before
    for line in lines:
        far = last is not None and abs(line.box.middle - last.box.middle) > _APART * line.tall
        if (far and taken) or CAPTION.match(line.text) or FIGURE.match(line.text):
            break
        if len(line.pieces) == 1 and _is_text(line, taken):
            if not taken and last is before:  # a caption of two lines
                last = line
                continue
            break
        taken.append(line)
        last = line
    while taken and len(taken[-1].pieces) == 1 and _is_outside(taken[-1], taken):
        taken.pop()
    return tuple(taken) if any(_has_values(line) for line in taken) else ()


def _is_text(line: Line, taken: Sequence[Line]) -> bool:
    """Say whether a line of one piece is running text: it reaches over more than one column."""
    rows = [row for row in taken if len(row.pieces) > 1]
    if not rows:
        return len(line.words) > 6
    second = min(row.pieces[1].box.left for row in rows)
    return line.box.left < second < line.box.right and len(line.words) > 4


def _is_outside(line: Line, taken: Sequence[Line]) -> bool:
    """Say whether a line at the end of a table is a note, or a heading of what follows."""
    rows = [row for row in taken if _has_values(row)]
    marked = re.match(r"^(?:[*†‡#]|\(?\d\)?\s|Notes?\b|Source\b)", line.text) is not None
    return bool(rows) and (marked or not 0.92 < line.tall / rows[-1].tall < 1.12)
