"""The folder of a draft, read again: how the document was read, and what is open still."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from roundtrip.errors import DataError
from roundtrip.yamlfile import Strict, scalars

READING = "reading"
"""Folder of a draft that says how it was read; it stays behind when the draft becomes a report."""
SENTENCES, MARKS = f"{READING}/sentences.csv", f"{READING}/marks.csv"
CELLS, TABLES = f"{READING}/cells.csv", f"{READING}/tables.csv"
CHARTS, POINTS = f"{READING}/charts.csv", f"{READING}/points.csv"
DISCLOSED, TEXT_VALUES = f"{READING}/disclosed.csv", f"{READING}/text.csv"
DRAFTED = f"{READING}/drafted.json"
UNCHOSEN = "choose"
"""Stands for a metric that nobody has named yet."""
PLACEHOLDERS = {
    "title": "TITLE AS PRINTED", "publisher": "PUBLISHER", "edition": "EDITION",
    "date": "MONTH AND YEAR", "product": "PRODUCT", "product_version": "VERSION",
    "notice": "WHAT THE PUBLISHER SAYS OF ITS WARRANTY",
    "basis": "WHERE THE REPORT SAYS HOW MANY BYTES ITS LABELS MEAN",
    "roles": "ROLE", "model": "AS PRINTED", "section": "SECTION",
    "caption": "WHAT IT SHOWS, IN OUR WORDS", "shows": "WHAT IT SHOWS, IN OUR WORDS",
    "metric": UNCHOSEN,
}  # fmt: skip
"""What ``report.yml`` says under a key as long as nobody has filled it in."""
TO_BE_TYPED = "TO BE TYPED"


class ReadTable(Strict):
    """A table that was found in a document: a row of its file."""

    file: str
    number: str
    caption: str
    page: int
    rows: int
    cells: int
    trouble: str  # why it is to be typed as a whole; empty where it was read


class ReadChart(Strict):
    """A figure that was found in a document."""

    number: str
    caption: str
    page: int
    curves: int
    points: int
    accuracy: str  # how far a value may be off at most; empty where no point was read
    trouble: str  # why it is to be read by hand; empty where its points were read


@dataclass(frozen=True)
class DraftFiles:
    """How a document was read."""

    title: str  # name of its file
    document: str  # SHA-256 of the file
    pages: int  # that were read
    tables: tuple[ReadTable, ...]
    charts: tuple[ReadChart, ...]


@contextmanager
def as_imported(place: Path) -> Iterator[None]:
    """Refuse a draft when what the import said of its reading cannot be read.

    Parameters
    ----------
    place : Path
        The file or folder of that.
    """
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, RecursionError, csv.Error) as problem:
        raise DataError(
            "the draft does not say how it was read", where=place,
            remedy="import the document again under another id, or remove the draft first",
        ) from problem  # fmt: skip


def draft_files(folder: Path) -> DraftFiles | None:
    """Give how the document of a draft was read; None where there is no draft.

    Raises
    ------
    DataError
        If the draft does not say how it was read.
    """
    if not folder.exists():
        return None
    with as_imported(folder / DRAFTED):
        told = json.loads((folder / DRAFTED).read_text("utf-8"))
        tables = tuple(map(ReadTable.model_validate, read_rows(folder / TABLES)))
        charts = tuple(_charts(read_rows(folder / CHARTS), read_rows(folder / POINTS)))
        return DraftFiles(
            str(told["title"]), str(told["document"]), int(told["pages"]), tables, charts
        )


def _charts(
    charts: Sequence[Mapping[str, str]], points: Sequence[Mapping[str, str]]
) -> Iterator[ReadChart]:
    """Give the figures with their accuracy; the points follow in the order of the figures."""
    left = iter(points)
    for chart in charts:
        read = list(islice(left, int(chart["points"])))
        off = max((float(point["value_accuracy"]) for point in read), default=0.0)
        highest = max((float(point["value"]) for point in read), default=0.0)
        share = 100 * off / highest if highest > 0 else 100.0
        yield ReadChart(
            number=chart["figure"], caption=chart["caption"], page=int(chart["page"]),
            curves=int(chart["curves"]), points=len(read), trouble=chart["by_hand_because"],
            accuracy=f"{off:,.15g} ({share:.2g} % of the highest)" if read else "",
        )  # fmt: skip


def drafted_cells(folder: Path) -> Iterator[dict[str, str]]:
    """Give the cells of a draft as its files have them now.

    Yields
    ------
    dict
        ``table``, the file; ``row``, from 1; ``column``, ``label``, ``text``, and ``read``, which
        is empty where the two readings differ.
    """
    tables: dict[str, list[dict[str, str]]] = {}
    with as_imported(folder / CELLS):
        for cell in read_rows(folder / CELLS):
            file, at = cell["table"], int(cell["row"]) - 1
            rows = tables.setdefault(file, read_rows(folder / file))
            if at < len(rows):
                yield {
                    "table": file, "row": cell["row"], "column": cell["column"],
                    "read": cell["text"], "label": rows[at].get("row") or "",
                    "text": (rows[at].get(cell["column"]) or "").strip(),
                }  # fmt: skip


def open_cells(folder: Path) -> Iterator[str]:
    """Name the cells of a draft that both readings do not agree on and nobody has typed yet."""
    for cell in drafted_cells(folder):
        if not cell["read"] and not cell["text"]:
            row, column = f"row {cell['row']} ('{cell['label']}')", f"column '{cell['column']}'"
            yield f"{cell['table']}, {row}, {column}"


def unsaid(folder: Path) -> list[tuple[int, str]]:
    """Give what ``report.yml`` of a draft leaves for a person to say: line and key, in order."""
    return [
        (line, key)
        for key, text, line in scalars(folder / "report.yml", DataError)
        if text == PLACEHOLDERS.get(key) or (key == "note" and text.startswith(TO_BE_TYPED))
    ]


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file; one that is not there has no rows."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
