"""How well tables are read from a PDF: our sources' tables set in several layouts, read again.

Every table of the published reports is printed by Typst in each layout, with text around it, and
read as ``roundtrip import`` reads a PDF. The files are the truth: a cell is right if its text and
the label of its row are, open if it is left for a person to type, and wrong if it is neither.
Tables whose caption is not found count as open. Headers are counted beside. Aim: 97 % right, at
most 0.1 % wrong.

    python benchmarks/import.py [--layout NAME] [--show]
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typst

from roundtrip.drafting.document import open_document
from roundtrip.drafting.readings import DraftTable, tables_of
from roundtrip.project import find_project
from roundtrip.sources.published import load_report, report_folders


@dataclass(frozen=True)
class Layout:
    """How a report is set.

    Attributes
    ----------
    font : str
        One that the typst library brings along.
    size : float
        Points, of the tables; text is a point and a half larger.
    stroke, align, inset : str
        Of tables, as Typst takes them.
    levels : bool
        Whether a header over several columns is set over them, instead of before each.
    below : bool
        Whether captions stand below their tables.
    breakable : bool
        Whether a table goes on on the next page.
    notes : bool
        Whether a footnote in small letters follows each table.
    headings : int
        A heading between rows, after so many; 0 for none.
    label : str
        Width of the first column.
    extra : str
        Further rules of Typst.
    """

    font: str = "Libertinus Serif"
    size: float = 7.5
    stroke: str = "none"
    align: str = "(x, y) => if x == 0 { left } else { right }"
    inset: str = "5pt"
    levels: bool = False
    below: bool = False
    breakable: bool = False
    notes: bool = False
    headings: int = 0
    label: str = "auto"
    extra: str = ""


LAYOUTS = {
    "ruled": Layout(stroke="0.5pt"),
    "plain": Layout(font="New Computer Modern"),
    "two-line headers, captions below": Layout(levels=True, below=True),
    "split over pages": Layout(stroke="0.5pt", levels=True, breakable=True, size=8.5),
    "footnotes": Layout(levels=True, notes=True),
    "letters of one width": Layout(font="DejaVu Sans Mono", size=5.5, breakable=True, notes=True),
    "rules across, centred": Layout(
        font="New Computer Modern", stroke="(y: 0.5pt)", levels=True, align="center + horizon"
    ),
    "narrow columns": Layout(inset="(x: 2.4pt, y: 3pt)", below=True),
    "long labels broken": Layout(label="34mm", breakable=True),
    "labels broken, no step": Layout(label="34mm", inset="(x: 5pt, y: 2.3pt)"),
    "headings between rows": Layout(headings=3, levels=True),
    "landscape, justified": Layout(
        levels=True, breakable=True,
        extra="#set page(flipped: true)\n#show table: set par(justify: true)",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Printed:
    """A table as it is printed: what heads its labels, its headers, and rows of label and cells."""

    corner: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def printed_tables(folder: Path) -> Iterator[Printed]:
    """Give the tables of a report."""
    for table in load_report(folder).tables:
        with (folder / f"{table.id}.csv").open(encoding="utf-8", newline="") as file:
            records = list(csv.DictReader(file))
        headers = tuple(column.header for column in table.columns if column.header in records[0])
        rows = tuple((row["row"], tuple(row[name] for name in headers)) for row in records)
        yield Printed(table.row_header, headers, rows)


def _quoted(text: str) -> str:
    return f"[#{json.dumps(text, ensure_ascii=False)}]"


def _header(table: Printed, layout: Layout) -> str:
    if not layout.levels or not any(" / " in header for header in table.headers):
        return f"table.header({', '.join(map(_quoted, (table.corner, *table.headers)))})"
    upper, lower = [f"table.cell(rowspan: 2){_quoted(table.corner)}"], []
    at = 0
    while at < len(table.headers):
        first, slash, _ = table.headers[at].partition(" / ")
        end = at + 1
        while slash and end < len(table.headers) and table.headers[end].startswith(first + " / "):
            end += 1
        if slash:
            upper.append(f"table.cell(colspan: {end - at}, align: center){_quoted(first)}")
            lower += [_quoted(name.partition(" / ")[2]) for name in table.headers[at:end]]
        else:
            upper.append(f"table.cell(rowspan: 2){_quoted(table.headers[at])}")
        at = end
    return f"table.header({', '.join([*upper, *lower])})"


def typeset(tables: Sequence[Printed], layout: Layout) -> bytes:
    """Print tables with text around them."""
    text = [
        f'#set page(paper: "a4", margin: 20mm, numbering: "1", header: [A report of performance])\n'
        f"#set text(font: {json.dumps(layout.font)}, size: {layout.size + 1.5}pt)\n"
        f"#set par(justify: true)\n#show table: set par(justify: false)\n"
        f"#show table: set text(hyphenate: false, size: {layout.size}pt)\n{layout.extra}\n"
    ]
    for number, table in enumerate(tables, 1):
        cells = []
        for at, (label, values) in enumerate(table.rows):
            if layout.headings and at % layout.headings == 0:
                cells.append(f"table.cell(colspan: {len(table.headers) + 1})[*Series of runs*]")
            cells += map(_quoted, (label, *values))
        columns = f"({layout.label}, {'auto, ' * len(table.headers)})"
        body = (
            f"#block(breakable: {str(layout.breakable).lower()})[#table(columns: {columns}, "
            f"align: {layout.align}, stroke: {layout.stroke}, inset: {layout.inset}, "
            f"{_header(table, layout)}, {', '.join(cells)})]\n"
        )
        caption = (
            f"#block(sticky: {str(not layout.below).lower()})"
            f"[Table {number}: #lorem({4 + number % 5})]\n"
        )
        note = f"#text(size: {layout.size - 1.5}pt)[\\* #lorem(9)]\n\n" if layout.notes else ""
        together = body + note + caption if layout.below else caption + body + note
        before = f"#heading[Section {number}]\n#lorem({45 + number * 7 % 40})"
        text.append(f"{before}\n\n{together}#lorem(30)\n\n")
    return typst.compile("".join(text).encode())


def compared(table: Printed, draft: DraftTable | None, show: str) -> tuple[int, int, int]:
    """Count the cells of a table that are right, wrong and open."""
    total = sum(bool(text) for _, values in table.rows for text in values)
    if draft is None or draft.trouble:
        print(f"  {show}: {draft.trouble if draft else 'not found'}") if show else None
        return 0, 0, total
    if (len(draft.rows), len(draft.headers)) != (len(table.rows), len(table.headers)):
        if show:
            print(f"  {show}: {len(draft.rows)} × {len(draft.headers)} instead of "
                  f"{len(table.rows)} × {len(table.headers)}")  # fmt: skip
        wrong = sum(bool(cell.text) for cell in draft.cells)
        return 0, wrong, max(total - wrong, 0)
    right = wrong = left = 0
    for (label, values), row in zip(table.rows, draft.rows, strict=True):
        for text, cell in zip(values, row.cells, strict=True):
            if not text and cell is None:
                continue
            if cell is None or cell.readings:
                left += 1
            elif (cell.text, row.label) == (text, label):
                right += 1
            else:
                wrong += 1
                if show:
                    print(f"  {show}: {label} {text} read as {row.label} {cell.text}")
    return right, wrong, left


def same_headers(table: Printed, draft: DraftTable | None) -> int:
    """Count the columns that are headed as printed."""
    drafted = draft.headers if draft and len(draft.headers) == len(table.headers) else ()
    return sum(one == two for one, two in zip(table.headers, drafted, strict=False))


def main() -> None:
    """Print the figures of each layout, and of all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--layout", choices=LAYOUTS, action="append", help="one of the layouts")
    parser.add_argument("--show", action="store_true", help="name what is wrong or not found")
    options = parser.parse_args()
    reports = report_folders(find_project().published)
    print(f"{'layout':34} {'right %':>8} {'wrong %':>8} {'open %':>7} {'whole':>9} {'headers':>9} "
          f"{'s/page':>7}")  # fmt: skip
    sums = [0] * 7
    with tempfile.TemporaryDirectory() as place:
        for name in options.layout or LAYOUTS:
            counts, pages, seconds = [0] * 7, 0, 0.0
            for folder in reports:
                tables = list(printed_tables(folder))
                path = Path(place) / "report.pdf"
                path.write_bytes(typeset(tables, LAYOUTS[name]))
                with open_document(path) as document:
                    start = time.perf_counter()
                    numbers = document.numbers(None)
                    read = tables_of(document.read(numbers, lambda done, pages: None))
                    seconds += time.perf_counter() - start
                    pages += len(numbers)
                found = {draft.number: draft for draft in read}
                for number, table in enumerate(tables, 1):
                    show = f"{folder.name} {number}" if options.show else ""
                    cells = compared(table, found.get(f"{number}"), show)
                    whole = cells[1] == cells[2] == 0
                    heads = same_headers(table, found.get(f"{number}"))
                    new = (*cells, whole, 1, heads, len(table.headers))
                    counts = [sum(pair) for pair in zip(counts, new, strict=True)]
            _print(name, counts, f"{seconds / pages:7.2f}")
            sums = [sum(pair) for pair in zip(sums, counts, strict=True)]
            sys.stdout.flush()
    _print("all", sums, "")


def _print(name: str, counts: Sequence[int], last: str) -> None:
    *cells, whole, tables, heads, headers = counts
    shares = " ".join(f"{100 * count / sum(cells):{wide}.2f}"
                      for count, wide in zip(cells, (8, 8, 7), strict=True))  # fmt: skip
    print(f"{name:34} {shares} {whole:4}/{tables:<4} {heads:4}/{headers:<4} {last}")


if __name__ == "__main__":
    main()
