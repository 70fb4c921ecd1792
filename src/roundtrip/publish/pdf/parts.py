"""Tables that are too wide for a page, divided into parts that fit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

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
