"""Tables of quantities: any layout, each number linked to its cell, doubted cells marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roundtrip.present.chapter import Chapter
from roundtrip.present.comparability import MEASURED
from roundtrip.present.figure import csv_text
from roundtrip.present.markup import cell_anchor
from roundtrip.present.numbers import Quantity
from roundtrip.present.tables import Align, BodyCell, HeaderCell, Table

Entry = Quantity | str | None
DOUBT_MARK = "†"
DOUBTED_RUNS = (
    "Rests on runs that were not steady or that other work disturbed; the list of every run says "
    "which, and why."
)
_NONE = "\u2013"


def doubts(chapter: Chapter, cells: Sequence[str]) -> dict[str, str]:
    """Say of every cell that cannot stand as printed why, and what takes its place.

    Parameters
    ----------
    chapter : Chapter
    cells : sequence of str
        Observation ids.

    Returns
    -------
    dict of str to str
        Observation id to the explanation, for the doubted cells among them.
    """
    frame = chapter.observations.frame
    frame = frame[frame["observation_id"].isin(cells) & (frame["status"] != "as_printed")]
    found: dict[str, str] = {}
    for _, row in frame.iterrows():
        if row["source_kind"] == MEASURED:
            found[str(row["observation_id"])] = DOUBTED_RUNS
            continue
        if row["source_kind"] == "ingested":
            found[str(row["observation_id"])] = str(row["note"])
            continue
        printed = chapter.numbers.rewrite(str(row["value_printed"]))
        if row["status"] == "corrected":
            decimals = len(f"{row['value_corrected']:g}".partition(".")[2])
            shown = chapter.numbers.write(float(row["value_corrected"]), decimals)
            head = f"Printed as {printed}, corrected to {shown}"
        else:
            head = f"{printed} is shown as printed, but doubtful"
        found[str(row["observation_id"])] = f"{head}: {row['note']}"
    return found


def quantity_table(
    chapter: Chapter,
    header: Sequence[str],
    rows: Sequence[Sequence[Entry]],
    *,
    caption: str,
    over: Sequence[tuple[str, int]] = (),
    notes: Sequence[str] = (),
    by_row: bool = False,
) -> Table:
    """Lay out quantities and text in rows and columns.

    Parameters
    ----------
    chapter : Chapter
    header : sequence of str
        One for each column.
    rows : sequence of rows
        Quantities are written with the decimals of the most exact one in their column and lead
        to their cell; texts stand as they are; None is a dash. A row of one text is a heading
        over the rows below it.
    caption : str
    over : sequence of (str, int)
        Headers above the others and the number of columns that each spans.
    notes : sequence of str
        Remarks; the reasons for doubted cells follow them.
    by_row : bool
        Keep the decimals of each quantity, for tables whose rows, not columns, hold one kind.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If a row has neither one entry nor as many as there are headers.
    """
    for row in rows:
        if len(row) not in (1, len(header)):
            raise ValueError(f"a row of {len(row)} entries under {len(header)} headers")
    used = [
        cell for row in rows for entry in row if isinstance(entry, Quantity) for cell in entry.cells
    ]
    doubted = doubts(chapter, used)
    decimals = {} if by_row else _decimals(rows)
    body: list[tuple[BodyCell, ...]] = []
    csv_rows = []
    for row in rows:
        if len(row) == 1:
            body.append((BodyCell(str(row[0]), "left", kind="group"),))
            continue
        line = []
        for column, entry in enumerate(row):
            if isinstance(entry, Quantity):
                exact = replace(entry, decimals=decimals.get(column, entry.decimals))
                line.append(_cell(chapter, exact, doubted))
            else:
                text = _NONE if entry is None else entry
                line.append(
                    BodyCell(text, _align(rows, column), kind="value" if column else "label")
                )
        body.append(tuple(line))
        csv_rows.append([f"{e.value:.6g}" if isinstance(e, Quantity) else e or "" for e in row])
    bottom = tuple(HeaderCell(text, align=_align(rows, n)) for n, text in enumerate(header))
    top = tuple(HeaderCell(text, span, "center" if text else "left") for text, span in over)
    remarks = [*notes, *(f"{DOUBT_MARK} {text}" for text in dict.fromkeys(doubted.values()))]
    return Table(
        caption, (top, bottom) if top else (bottom,), tuple(body), tuple(remarks),
        tuple(dict.fromkeys(used)), csv_text(_csv_header(header, over), csv_rows),
    )  # fmt: skip


def _cell(chapter: Chapter, quantity: Quantity, doubted: Mapping[str, str]) -> BodyCell:
    mark = f"\u00a0{DOUBT_MARK}" if any(cell in doubted for cell in quantity.cells) else ""
    link = cell_anchor(quantity.cells[0]) if len(quantity.cells) == 1 else None
    return BodyCell(chapter.write(quantity, unit=False) + mark, link=link)


def _decimals(rows: Sequence[Sequence[Entry]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in rows:
        for column, entry in enumerate(row):
            if isinstance(entry, Quantity):
                found[column] = max(found.get(column, 0), entry.decimals)
    return found


def _align(rows: Sequence[Sequence[Entry]], column: int) -> Align:
    entries = [row[column] for row in rows if len(row) > 1]
    return "right" if column and any(isinstance(entry, Quantity) for entry in entries) else "left"


def _csv_header(header: Sequence[str], over: Sequence[tuple[str, int]]) -> list[str]:
    above = [text for text, span in over for _ in range(span)]
    if not above:
        return list(header)
    return [f"{top} / {text}" if top else text for top, text in zip(above, header, strict=True)]
