"""A table with everything that belongs to it, and tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from roundtrip.csvfile import csv_text
from roundtrip.errors import ChapterError
from roundtrip.outputs import TABLE, Align, BodyCell, HeaderCell, Kind, is_group
from roundtrip.present.arguments import checked, refuse_blank
from roundtrip.table_html import table_rows

# The class stands twice to outweigh JupyterLab's own rule, which aligns all cells to the right.
_LOOK = (
    "<style>.rt-table th, .rt-table td { text-align: right }\n"
    ".rt-table.rt-table :is(caption, .left, [scope=rowgroup]) { text-align: left }\n"
    ".rt-table.rt-table :is(.center, .spanner) { text-align: center }\n"
    ".rt-table caption { caption-side: top; font-weight: bold }\n"
    ".rt-table [data-pad]::after { content: attr(data-pad); visibility: hidden }</style>"
)


@dataclass(frozen=True)
class Table:
    """A table as a chapter shows it.

    Attributes
    ----------
    caption : str
        What it holds, in plain text.
    header, rows
        Header rows and body rows.
    notes : tuple of str
        Remarks below it.
    cells : tuple of str
        Observation ids of the cells it shows.
    csv : str
        Its values for download.
    label : str or None
        Its own label, where one notebook cell shows several tables.
    filter : (str, str) or None
        What its rows are, and its name among the tables of such rows: on the site a reader
        filters them together.
    shares : tuple of int
        Widths of the columns in per cent, where sentences stand side by side; by default they
        follow from what the columns hold.
    as_printed : bool
        Whether its numbers stand as their source prints them, whatever the edition's format.
    margins : tuple of str
        How far ratios that it shows may be off, a sentence for each source: the report adds to the
        notes what the chapter has not stated yet.
    """

    caption: str
    header: tuple[tuple[HeaderCell, ...], ...]
    rows: tuple[tuple[BodyCell, ...], ...]
    notes: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    csv: str = field(default="", repr=False)
    label: str | None = None
    filter: tuple[str, str] | None = None
    shares: tuple[int, ...] = ()
    as_printed: bool = False
    margins: tuple[str, ...] = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Mapping[str, Any]:
        rows = table_rows(self.header, self.rows, lambda anchor: None, self.shares)
        caption = f"<caption>{escape(self.caption)}</caption>"
        notes = "".join(f"\n<p>{escape(note)}</p>" for note in self.notes)
        return {
            TABLE: asdict(self),
            # For JupyterLab, where no style sheet of ours is.
            "text/html": f'{_LOOK}\n<table class="rt-table">\n{caption}\n{rows}</table>{notes}',
            "text/plain": self.csv or self.caption,
        }


def left_heads(*names: str) -> tuple[HeaderCell, ...]:
    """Give heads over columns of text."""
    return tuple(HeaderCell(name, align="left") for name in names)


@checked
def plain_table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    group_by_first: bool = False,
    code_columns: Sequence[int] = (),
    right_columns: Sequence[int] = (),
    notes: Sequence[str] = (),
    label: str | None = None,
    shares: tuple[int, ...] = (),
) -> Table:
    """Make a table of text, such as a glossary or a list of settings.

    Parameters
    ----------
    rows : sequence of sequence of str
        As many texts in each as there are headers.
    group_by_first : bool
        Turn the first column into headings over the rows that share it.
    code_columns, right_columns : sequence of int
        Columns set in monospace; columns aligned to the right.
    label, shares
        As those of `Table`.

    Raises
    ------
    ChapterError
        If the caption is empty, or a row has another number of texts.
    """
    refuse_blank("plain_table", caption=caption)
    for row in rows:
        if len(row) != len(header):
            raise ChapterError(
                f"a row has {len(row)} texts under {len(header)} headers: {', '.join(row)}",
                where=caption,
            )  # fmt: skip
    body: list[tuple[BodyCell, ...]] = []
    group = None
    start = int(group_by_first)
    sides: list[Align] = ["right" if at in right_columns else "left" for at in range(len(header))]
    for row in rows:
        if group_by_first and row[0] != group:
            group = row[0]
            body.append((BodyCell(group, "left", kind="group"),))
        line = []
        for column, text in enumerate(row[start:], start):
            kind: Kind = "label" if column == start else "value"
            if column in code_columns and text:
                kind = "code"
            line.append(BodyCell(text, sides[column], kind=kind))
        body.append(tuple(line))
    heads = tuple(
        HeaderCell(text, align=side)
        for text, side in zip(header[start:], sides[start:], strict=True)
    )
    told = (*notes, *["There are no rows."] * (not rows))
    return Table(
        caption, (heads,), tuple(body), told, csv=csv_text(header, rows), label=label,
        shares=shares,
    )  # fmt: skip


def shares_of(rows: Sequence[tuple[BodyCell, ...]]) -> tuple[int, ...]:
    """Share the width among columns of sentences by what they hold, in per cent.

    More text gets more room, yet not in proportion: it can be broken into lines.
    """
    columns = zip(*(row for row in rows if not is_group(row)), strict=True)
    wishes = [
        sum(len(cell.text) + sum(len(text) for text, _ in cell.links) for cell in column) ** 0.5
        for column in columns
    ]
    return tuple(max(1, round(100 * wish / sum(wishes))) for wish in wishes)
