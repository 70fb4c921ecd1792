"""What the columns of a table need, found here so that Typst measures few texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

Cell = Mapping[str, Any]

_BREAKS = re.compile("[ -]")


def column_needs(
    header: Sequence[Sequence[Cell]], rows: Iterable[Sequence[Cell]], columns: int, shared: bool
) -> list[dict[str, Any]]:
    """Give for each column the texts that decide how wide it has to be.

    Parameters
    ----------
    header, rows : sequences of rows of cells
        As `roundtrip.build.typst_writer.table_data` gives them.
    columns : int
        Number of columns.
    shared : bool
        Whether the table says itself how its columns share the width.

    Returns
    -------
    list of dict
        Of a table that shares its width: ``parts``, the longest pieces that no line may break, and
        ``heads``. Otherwise ``number`` and ``code`` say what the column holds; ``body-words``,
        ``body-cells``, ``head-words`` and ``head-cells`` are the longest words and cells.
    """
    bodies: list[list[Cell]] = [[] for _ in range(columns)]
    for row in rows:
        for column, cell in enumerate(row):
            if cell["kind"] != "group":
                bodies[column].append(cell)
    if shared:
        return [_least(header[-1:], column, body) for column, body in enumerate(bodies)]
    heads = [_heads(header, column) for column in range(columns)]
    return [_needs(*both) for both in zip(heads, bodies, strict=True)]


def _least(
    header: Sequence[Sequence[Cell]], column: int, body: Sequence[Cell]
) -> dict[str, list[str]]:
    heads = [row[column]["text"] for row in header if column < len(row)]
    return {
        "parts": _longest(chain.from_iterable(_BREAKS.split(cell["text"]) for cell in body), 8),
        "heads": [word for head in heads for word in head.split(" ")],
    }


def _needs(heads: Sequence[Cell], body: Sequence[Cell]) -> dict[str, Any]:
    return {
        "number": sum(cell["align"] == "right" for cell in body) * 2 > len(body),
        "code": any(cell["kind"] == "code" for cell in body),
        "body-words": _longest(_words(body), 3),
        "body-cells": _longest((_shown(cell) + "0" * cell.get("pad", 0) for cell in body), 3),
        "head-words": _longest(_words(heads), 3),
        "head-cells": _longest((cell["text"] for cell in heads), 1),
    }


def _heads(header: Iterable[Sequence[Cell]], column: int) -> list[Cell]:
    """Find the cells above a column that belong to it alone."""
    found = []
    for row in header:
        at = 0
        for cell in row:
            if at == column and cell["span"] == 1:
                found.append(cell)
            at += cell["span"]
    return found


def _shown(cell: Cell) -> str:
    """Give all that a cell shows: its text, and what leads elsewhere after it."""
    return " ".join([cell["text"], *(link["text"] for link in cell.get("links", ()))])


def _words(cells: Iterable[Cell]) -> Iterable[str]:
    return chain.from_iterable(_shown(cell).split(" ") for cell in cells)


def _longest(texts: Iterable[str], count: int) -> list[str]:
    return sorted(dict.fromkeys(texts), key=lambda text: -len(text.encode()))[:count]
