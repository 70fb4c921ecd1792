"""Tables of quantities: any layout, each number linked to its cell, doubtful cells marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from roundtrip.csvfile import csv_text
from roundtrip.errors import ChapterError
from roundtrip.outputs import NOTHING, BodyCell, HeaderCell
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.arguments import refuse_blank
from roundtrip.present.chapter import Chapter
from roundtrip.present.comparability import refuse_mixed, requesters_note
from roundtrip.present.left_out import left_out_words
from roundtrip.present.numbers import Quantity
from roundtrip.present.repeats import margins_of_ratios
from roundtrip.present.suspect_cells import DOUBTED, doubted_cells
from roundtrip.present.tables import Table

Entry = Quantity | str | None
"""What a cell of a table holds; None where there is no value."""


@dataclass(frozen=True)
class Row:
    """One row of a table of quantities.

    Attributes
    ----------
    label : str
        What the row is about.
    cells : tuple of Entry
        One for each column. A row without cells is a heading over
        the rows that follow.
    """

    label: str
    cells: tuple[Entry, ...] = ()


def quantity_table(
    chapter: Chapter,
    rows: Sequence[Row],
    *,
    caption: str,
    header: Sequence[str],
    over: Sequence[tuple[str, int]] = (),
    units: bool = False,
    by_row: bool = False,
    notes: Sequence[str] = (),
) -> Table:
    """Lay out quantities: each leads to the first of its cells, doubted ones are marked.

    Parameters
    ----------
    header : sequence of str
        Headers of all columns, that of the labels first.
    over : sequence of (text, columns), optional
        A row of headers above, for all columns after the labels.
    units : bool
        Write the unit behind each number, where it differs from row to row. Without, each column
        has one number of decimals, so that it lines up.
    by_row : bool
        Keep the decimals of each quantity, where rows, not columns, hold one kind.

    Returns
    -------
    Table
        Its download names all cells behind each number.

    Raises
    ------
    ChapterError
        If the caption is empty, a row has neither no cells nor one for each column, or a column
        has several units that nothing tells apart (`units`, `by_row`).
    """
    refuse_blank("table", caption=caption)
    for row in rows:
        if row.cells and len(row.cells) != len(header) - 1:
            raise ChapterError(
                f"row '{row.label}': {len(row.cells) + 1} entries under {len(header)} headers",
                where=caption, allowed="one under each header, or a label alone",
            )  # fmt: skip
    quantities = [cell for row in rows for cell in row.cells if isinstance(cell, Quantity)]
    used = [name for quantity in quantities for name in quantity.cells]
    doubts = doubted_cells(chapter, used)
    columns = [[row.cells[at] for row in rows if row.cells] for at in range(len(header) - 1)]
    if not (units or by_row):
        for entries in columns:
            refuse_mixed((one for one in entries if isinstance(one, Quantity)), caption)
    texts = list(map(_holds_words, columns))
    decimals = [
        max((entry.decimals for entry in column if isinstance(entry, Quantity)), default=0)
        for column in columns
    ]
    above = [text for text, span in over or [("", len(columns))] for _ in range(span)]
    named = [f"{text} {head}".strip() for text, head in zip(above, header[1:], strict=True)]
    body: list[tuple[BodyCell, ...]] = []
    csv_rows: list[list[str]] = []
    remarks: list[str] = []
    named_rows: list[tuple[str, Quantity]] = []
    group = ""
    for row in rows:
        if not row.cells:
            group = row.label
            body.append((BodyCell(group, "left", kind="group"),))
            continue
        line = [BodyCell(row.label, "left", kind="label")]
        for column, (head, cell) in enumerate(zip(named, row.cells, strict=True)):
            if not isinstance(cell, Quantity):
                line.append(BodyCell(cell or NOTHING, "left" if texts[column] else "right"))
                csv_rows.append([group, row.label, head, cell or "", "", ""])
                continue
            named_rows.append((f"{row.label} ({group})" if group else row.label, cell))
            found = [doubts[name] for name in cell.cells if name in doubts]
            remarks += found
            printed = cell.kind == "published" and len(cell.cells) == 1
            own = units or by_row or printed  # a printed value gains no decimal
            exact = cell if own else replace(cell, decimals=decimals[column])
            shown = chapter.write(exact, unit=units) + (DOUBTED if found else "")
            link = cell_anchor(cell.cells[0]) if cell.cells else None
            line.append(BodyCell(shown, link=link))
            csv_rows.append(
                [group, row.label, head, f"{cell.value:.10g}", cell.unit, " ".join(cell.cells)]
            )
        body.append(tuple(line))
    heads = tuple(
        HeaderCell(head, align="left" if text else "right")
        for head, text in zip(header, [True, *texts], strict=True)
    )
    top = (HeaderCell("", align="left"), *(HeaderCell(t, n, "center") for t, n in over))
    names = ["group", "row", "column", "value", "unit", "cells"]
    load = requesters_note(chapter, used, [caption, *notes, *header, *(row.label for row in rows)])
    return Table(
        caption, (top, heads) if over else (heads,), tuple(body),
        (*notes, *filter(None, [load]), *left_out_words(chapter, named_rows),
         *dict.fromkeys(remarks)), tuple(dict.fromkeys(used)),
        csv_text(names, csv_rows).replace("\u00a0", " "),
        margins=margins_of_ratios(chapter, quantities),
    )  # fmt: skip


def _holds_words(column: Sequence[Entry]) -> bool:
    """Say whether a column holds words rather than numbers.

    One with a quantity holds numbers, whatever stands where a number is missing; so does one of
    counts or intervals, which are texts that begin with a digit.
    """
    words = any(isinstance(entry, str) and entry and not entry[0].isdigit() for entry in column)
    return words and not any(isinstance(entry, Quantity) for entry in column)
