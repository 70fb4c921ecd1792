"""Two readings of a document laid beside each other: what both see is drafted, the rest is open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from roundtrip.csvfile import without_formula
from roundtrip.drafting.blocks import Block, find_blocks
from roundtrip.drafting.grid import Cell, Grid, Row, by_pieces, by_white_space, read_grid
from roundtrip.drafting.pages import Page, Program, without_running_heads

WAYS = {"pdfminer": by_white_space, "pdfium": by_pieces}


@dataclass(frozen=True)
class DraftTable:
    """A table of a draft."""

    number: str
    caption: str
    page: int
    corner: str = ""
    headers: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()  # with labels and headings as the first reading sees them
    trouble: str = ""  # why it has to be typed as a whole; empty where it was read

    @property
    def id(self) -> str:
        """Its number with two digits or more: ``table-`` and 08, or a-1 for A.1."""
        return "table-" + (f"{int(self.number):02}" if self.number.isdigit() else
                           re.sub(r"[^a-z0-9]+", "-", self.number.lower()))  # fmt: skip

    @property
    def file(self) -> str:
        """Name of its file."""
        return f"{self.id}.csv"

    @property
    def columns(self) -> list[str]:
        """The headers of its columns, each once."""
        seen: Counter[str] = Counter()
        columns = []
        for at, header in enumerate(self.headers, 1):
            name = str(without_formula(header)) or f"column {at}"
            seen[name] += 1
            columns.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
        return columns

    @property
    def cells(self) -> Iterator[Cell]:
        """Every cell that is not empty."""
        return (cell for row in self.rows for cell in row.cells if cell is not None)

    @property
    def pages(self) -> list[int]:
        """The pages of its caption and its cells."""
        return sorted({self.page, *(cell.page for cell in self.cells)})


def tables_of(readings: Mapping[Program, Sequence[Page]]) -> list[DraftTable]:
    """Find the tables of a document, in its order, and read each twice: as each program does.

    One that only one reading finds, or whose rows or columns they count differently, is to be
    typed.
    """
    grids: dict[Program, dict[str, Grid | None]] = {}
    blocks: dict[str, Block] = {}
    pictures = {page.number for pages in readings.values() for page in pages if page.pictures}
    for program, pages in readings.items():
        found = find_blocks(without_running_heads(pages))
        blocks |= {block.number: block for block in found if block.number not in blocks}
        grids[program] = {block.number: read_grid(block, WAYS[program]) for block in found}
    drafts = []
    for block in sorted(blocks.values(), key=lambda block: block.page):
        one, two = (grid.get(block.number) for grid in grids.values())
        if one is not None and two is not None:
            drafts.append(_compared(block, one, two))
            continue
        trouble = "only one of the two readings finds rows and columns"
        if one is None and two is None:
            trouble = "no row of numbers was found near the caption"
            if block.page in pictures:
                trouble += "; there is a picture on its page"
        drafts.append(_typed(block, trouble))
    return drafts


def _typed(block: Block, trouble: str) -> DraftTable:
    return DraftTable(block.number, block.caption, block.page, trouble=trouble)


def _compared(block: Block, one: Grid, two: Grid) -> DraftTable:
    shapes = [(len(grid.rows), len(grid.headers)) for grid in (one, two)]
    if shapes[0] != shapes[1]:
        counted = " and ".join(f"{rows} × {columns}" for rows, columns in shapes)
        return _typed(block, f"the readings count {counted} rows and columns")
    rows = []
    for first, second in zip(one.rows, two.rows, strict=True):
        same = (first.label, first.heading) == (second.label, second.heading)
        pairs = zip(first.cells, second.cells, strict=True)
        cells = tuple(_cell(*pair, same=same and first.sure and second.sure) for pair in pairs)
        rows.append(replace(first, cells=cells))
    return DraftTable(block.number, block.caption, block.page, one.corner, one.headers, tuple(rows))


def _cell(one: Cell | None, two: Cell | None, *, same: bool) -> Cell | None:
    cell = one or two
    alike = one and two and (one.text, one.page) == (two.text, two.page) and one.box.meets(two.box)
    if cell is None or (same and alike):
        return cell
    return replace(cell, text="", readings=(one.text if one else "", two.text if two else ""))
