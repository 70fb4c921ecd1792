"""Lines of a table as rows and columns, by two ways of finding the columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from roundtrip.drafting.blocks import Block, is_value
from roundtrip.drafting.pages import Box, Line, joined, joined_lines

Span = tuple[float, float]
Columns = Callable[[Sequence[Line]], list[Span]]

_NEAR = 1.2  # lines of one row stand as near as the nearest, give or take
_GAP = 0.45  # white space through all rows that parts two columns, in letters' heights
_SLASHES = re.compile(r"\s*/\s*/[\s/]*")
_SPACE = 1.2  # … or in spaces of the font


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str  # empty where two readings of it differ
    page: int
    box: Box
    readings: tuple[str, ...] = ()  # what each of them sees there; empty where they agree


@dataclass(frozen=True)
class Row:
    """A row: its label, and a cell or None for each column."""

    label: str
    cells: tuple[Cell | None, ...]
    heading: str = ""  # of it and the rows below it; empty where nothing heads them
    sure: bool = True  # False where a line without a number may belong to another row


@dataclass(frozen=True)
class Grid:
    """A table as one program reads it."""

    corner: str  # what heads the labels
    headers: tuple[str, ...]  # what stands under another as "Upper / Lower"
    rows: tuple[Row, ...]


def by_white_space(rows: Sequence[Line]) -> list[Span]:
    """Find the left and right end of each column, by white space through all rows of the body."""
    gap = max(max(_GAP, _SPACE * row.space) * row.tall for row in rows)
    filled = sorted((word.box.left, word.box.right) for row in rows for word in row.words)
    return _united(filled, gap)


def by_pieces(rows: Sequence[Line]) -> list[Span]:
    """Find columns as pieces that lie over one another, in a chain through all rows."""
    return _united(sorted((piece.box.left, piece.box.right) for row in rows
                          for piece in row.pieces), 0)  # fmt: skip


def _united(spans: Sequence[Span], gap: float) -> list[Span]:
    united = [list(spans[0])]
    for left, right in spans[1:]:
        if left - united[-1][1] < gap or left < united[-1][1]:
            united[-1][1] = max(right, united[-1][1])
        else:
            united.append([left, right])
    return [(left, right) for left, right in united]


def _nearest(box: Box, spans: Sequence[Span]) -> Span:
    return min(spans, key=lambda span: max(span[0] - box.across, box.across - span[1], 0))


def read_grid(block: Block, columns: Columns) -> Grid | None:
    """Read a table with `by_white_space` or `by_pieces`.

    It is None if it has no row of numbers, or only one column.
    """
    headers: list[Line] = []
    body: list[list[Line]] = []
    for number, part in enumerate(block.parts):
        if not number:
            # The first line heads the columns, and what has no number.
            start = next((at for at, line in enumerate(part) if at and _is_row(line)), 0)
            if start > 1 and _is_heading(part[start - 1], part):
                start -= 1
            headers = list(part[:start])
        else:  # a header may be repeated
            again = [line.text for line in part[: len(headers)]]
            start = len(headers) if again == [line.text for line in headers] else 0
        if any(_is_row(line) for line in part[start:]):
            body.append(list(part[start:]))
    rows = [line for lines in body for line in lines if not _is_heading(line, lines)]
    if not rows:
        return None
    spans = columns(rows)
    if len(spans) < 2:
        return None
    groups: list[tuple[list[Line], bool]] = []
    for lines in body:
        parted, spaced = _groups(lines)
        if groups and not (any(map(_is_row, parted[0])) or _is_heading(parted[0][0], lines)):
            groups[-1][0].extend(parted.pop(0))  # a row that goes on over the page
        groups += [(group, spaced or len(group) == 1) for group in parted]
    found: list[Row] = []
    heading = ""
    for group, sure in groups:
        if any(map(_is_row, group)):
            found.append(_row(group, spans, heading, sure))
        else:
            heading = joined_lines([line.text for line in group])
    if not found or any(len(line.pieces) > len(spans) for line in headers):
        return None
    names = _headers(headers, spans)
    return Grid(names[0], tuple(names[1:]), tuple(found))


def _is_row(line: Line) -> bool:
    return any(is_value(piece.text) for piece in line.pieces[1:])


def _groups(lines: Sequence[Line]) -> tuple[list[list[Line]], bool]:
    """Put lines together that make one row, such as the two lines of a long label.

    They stand nearer to each other than rows do. Where rows stand no further apart, a line without
    a number goes on with the row above it. That is certain only if the first line has a number and
    the last has none, as numbers then stand beside the first lines of labels, and headings, which
    never come last, are unlikely; otherwise the second value is false. A line in bold letters among
    others is a heading, and stands alone.
    """
    heads = [_is_heading(line, lines) for line in lines]
    steps = [
        (two.box.middle - one.box.middle, _is_row(one) and _is_row(two))
        for one, two in pairwise(line for line, head in zip(lines, heads, strict=True) if not head)
    ]
    near = _NEAR * min((step for step, rows in steps if not rows), default=0)
    spaced: list[list[Line]] = []
    plain: list[list[Line]] = []
    for at, line in enumerate(lines):
        alone = at == 0 or heads[at] or heads[at - 1]
        step = 0 if alone else line.box.middle - lines[at - 1].box.middle
        for groups, together in ((spaced, step < near), (plain, not _is_row(line))):
            if alone or not together:
                groups.append([line])
            else:
                groups[-1].append(line)
    one_row_each = all(
        sum(map(_is_row, group)) == (not _is_heading(group[0], lines)) for group in spaced
    )
    topped = _is_row(lines[0]) and not _is_row(lines[-1])
    return (spaced, True) if one_row_each else (plain, topped)


def _is_heading(line: Line, lines: Sequence[Line]) -> bool:
    bold = line.bold and not all(other.bold for other in lines)
    return bold and len(line.pieces) == 1


def _row(lines: Sequence[Line], spans: Sequence[Span], heading: str, sure: bool) -> Row:
    cells: list[Cell | None] = []
    for span in spans:
        pieces = [
            joined(words) for line in lines
            if (words := [word for word in line.words if _nearest(word.box, spans) == span])
        ]  # fmt: skip
        text = joined_lines([piece.text for piece in pieces])
        box = Box.around([piece.box for piece in pieces]) if pieces else None
        cells.append(Cell(text, lines[0].page, box) if box else None)
    label = cells[0].text if cells[0] else ""
    return Row(label, tuple(cells[1:]), heading, sure)


def _headers(lines: Sequence[Line], spans: Sequence[Span]) -> list[str]:
    """Give the heading of each column; one that reaches over several columns counts for each."""
    if len(lines) > 1 and len(lines[0].pieces) == 1 and lines[0].text.endswith("."):
        lines = lines[1:]  # the end of the text above the table
    over = [_columns_of(line, spans) for line in lines]
    if len(lines) > 1 and len(lines[0].pieces) < len(spans) - 1:
        _spread(lines[0], over[0], spans, over[-1])
    headers = []
    for at in range(len(spans)):
        header = ""
        for line, held in zip(lines, over, strict=True):
            for number in held[at]:
                shared = sum(number in other for other in held) > 1
                header += line.pieces[number].text + (" / " if shared else " ")
        headers.append(_SLASHES.sub(" / ", header).strip(" /"))
    return headers


def _columns_of(line: Line, spans: Sequence[Span]) -> list[list[int]]:
    """Give the pieces of a line that stand over each column: those it meets, or the nearest."""
    held: list[list[int]] = [[] for _ in spans]
    for number, piece in enumerate(line.pieces):
        meets = [at for at, span in enumerate(spans)
                 if piece.box.left < span[1] and span[0] < piece.box.right]  # fmt: skip
        for at in meets or [spans.index(_nearest(piece.box, spans))]:
            held[at].append(number)
    return held


def _spread(
    line: Line, held: list[list[int]], spans: Sequence[Span], lowest: Sequence[Sequence[int]]
) -> None:
    """Let each piece of an upper line stand over the columns that lie nearest to it."""
    pieces = [(number, piece.box) for number, piece in enumerate(line.pieces)
              if piece.box.right > spans[0][1]]  # fmt: skip
    for at in range(1, len(spans)):
        if lowest[at] and not held[at] and pieces:
            middle = sum(spans[at]) / 2
            held[at] = [min(pieces, key=lambda one: abs(one[1].across - middle))[0]]
