"""One chapter of the book as Typst source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from roundtrip.errors import RenderError
from roundtrip.outputs import BodyCell, is_group
from roundtrip.publish.book import Chapter, FigureItem, Source, TableItem
from roundtrip.publish.pandoc import write_tree
from roundtrip.publish.pdf.blocks import BlockRewriter, data_literal, quoted
from roundtrip.publish.pdf.columns import (
    CODE_SCALE,
    ColumnNeeds,
    heads_group,
    part,
    parts_of,
    parts_of_name,
    without_anchors,
    without_empty_groups,
)
from roundtrip.theme import Typeface
from roundtrip.typography import pads, parts_of_long_words

# A table stays on one page only if it surely fits on one.
_SHORT_ROWS = {"front": 16, "chapter": 16, "appendix": 8}
_SHORT_TEXT = 1800
_LONG = 700  # letters of a cell whose row may break over pages
_LONG_CODE = 64  # letters of a hash, which stays whole
_Rows = list[list[dict[str, Any]]]


def chapter_to_typst(chapter: Chapter, fonts: Typeface) -> str:
    """Write a chapter's body as Typst source that uses the functions of ``report.typ``.

    The result depends on nothing but the chapter, so it can be kept under a hash of it. Pictures
    are named, not included: ``/figures/<label>.svg``. The heading of the chapter is not part of it.

    Raises
    ------
    RenderError
        If the chapter holds something that cannot be printed.
    """

    def place(kind: str, key: str) -> str:
        if kind == "figure":
            return f"#figure-item({data_literal(_figure_data(chapter.figures[key]))})"
        if kind == "table":
            return f"#table-item({data_literal(table_data(chapter.tables[key], chapter, fonts))})"
        return calculator_typst(chapter)

    blocks = BlockRewriter(chapter.name, place).blocks(chapter.blocks)
    # Apostrophes are set already: Typst would take one after a digit for a prime.
    return write_tree(blocks, "typst-smart", "--syntax-highlighting=none")


def calculator_typst(chapter: Chapter) -> str:
    """Write, in place of a chapter's calculator, on which page of the site it is."""
    link = f"#link({quoted(f'html/{chapter.page}')})[this chapter's page]"
    return f"A calculator for other workloads is on {link} of the site."


def _figure_data(figure: FigureItem) -> dict[str, Any]:
    said = {name: getattr(figure, name) for name in ("label", "number", "title", "caption", "alt")}
    return said | {"sources": _sources(figure.sources)}


def table_data(table: TableItem, chapter: Chapter, fonts: Typeface) -> dict[str, Any]:
    """Give a table in the form that ``table.typ`` sets.

    Raises
    ------
    RenderError
        If a row has more or fewer cells than there are columns.
    """
    columns = table.columns
    for number, row in enumerate(table.rows, 1):
        if row and not is_group(row) and len(row) != columns:
            raise RenderError(
                f"row {number} of table '{table.label}' has {len(row)} cells",
                where=f"chapter {chapter.name}",
                allowed=f"{columns} cells, one for each column",
            )
    header = [
        [{"text": cell.text, "span": cell.span, "align": cell.align} for cell in row]
        for row in table.header
    ]
    rows = _rows(table)
    needs = ColumnNeeds(fonts).of(header, rows, columns, bool(table.shares))
    parts = _parts(table, header, rows, needs)
    many_rows = len(table.rows) * len(parts) > _SHORT_ROWS[chapter.kind]
    letters = sum(_letters(cell) for row in table.rows for cell in row)
    letters += sum(map(len, table.notes))
    return {
        "label": table.label,
        "number": table.number,
        "caption": table.caption,
        "long": many_rows or letters > _SHORT_TEXT,
        "parts": parts,
        "notes": list(table.notes),
        "sources": _sources(table.sources),
    }


def _parts(
    table: TableItem, header: _Rows, rows: _Rows, needs: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Give a table as one part, or as several below each other if it is too wide."""
    aligns = _take_alignments(rows, len(needs))
    divided = [tuple(range(len(needs)))] if table.shares else parts_of(header, needs)
    parts: list[dict[str, Any]] = []
    for columns in divided:
        heads, bodies = part(header, rows, columns)
        parts.append({
            "columns": len(columns),
            "shares": list(table.shares),
            "needs": [needs[column] for column in columns],
            "aligns": [aligns[column] for column in columns],
            "header": heads,
            "rows": without_empty_groups(without_anchors(bodies)) if parts else bodies,
        })  # fmt: skip
    return parts


def _take_alignments(rows: _Rows, columns: int) -> list[str]:
    """Give how most cells of each column are aligned, and leave it in the others only."""
    aligns = []
    for column in range(columns):
        cells = [row[column] for row in rows if len(row) > column and not heads_group(row)]
        counts = Counter(cell["align"] for cell in cells)
        aligns.append(counts.most_common(1)[0][0] if counts else "left")
        for cell in cells:
            if cell["align"] == aligns[-1]:
                del cell["align"]
    return aligns


def _letters(cell: BodyCell) -> int:
    return len(cell.text) + sum(len(text) for text, _ in cell.links)


def _rows(table: TableItem) -> _Rows:
    rows: _Rows = []
    for row, lacking in zip(table.rows, pads(table.rows), strict=True):
        long = {"long": True} if max(map(_letters, row), default=0) >= _LONG else {}
        cells = row[:1] if is_group(row) else row
        rows.append([_cell(*both) | long for both in zip(cells, lacking, strict=False)])
    return rows


def _cell(cell: BodyCell, pad: str) -> dict[str, Any]:
    data: dict[str, Any] = {"text": cell.text, "align": cell.align, "kind": cell.kind}
    parts = parts_of_long_words(cell.text)
    if cell.kind == "code":
        data["scale"] = CODE_SCALE
        names = parts_of_name(cell.text)
        parts = [part for name in names for part in parts_of_long_words(name, _LONG_CODE)]
    if len(parts) > 1:
        data["parts"] = parts
    look = ("strong", "anchor", "link", "tone", "shade")
    data |= {name: value for name in look if (value := getattr(cell, name))}
    if cell.links:
        data["links"] = [{"text": text, "anchor": anchor} for text, anchor in cell.links]
    return data | ({"pad": pad} if pad else {})


def _sources(sources: tuple[Source, ...]) -> list[dict[str, str]]:
    return [{"text": source.text, "anchor": source.anchor} for source in sources]
