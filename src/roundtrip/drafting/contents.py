"""All that is read in a document: tables, figures, sentences, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import TypeAdapter

from roundtrip.drafting.charts import without_charts
from roundtrip.drafting.disclosed import Said, said_of_itself
from roundtrip.drafting.document import Document
from roundtrip.drafting.figures import Figure, find_figures
from roundtrip.drafting.folder import DRAFTED, as_imported, read_rows
from roundtrip.drafting.readings import DraftTable, tables_of
from roundtrip.drafting.sentences import Mark, Sentence, find_sentences, numbers_in
from roundtrip.drafting.stubs import CellPlace


@dataclass(frozen=True)
class Contents:
    """What was read in a document, each in its order."""

    sizes: dict[int, tuple[float, float]]  # width and height of each page, in points
    tables: tuple[DraftTable, ...]
    figures: tuple[Figure, ...]
    sentences: tuple[Sentence, ...]
    marks: tuple[Mark, ...]
    said: tuple[Said, ...]  # what the document says of itself

    @cached_property
    def cells(self) -> dict[str, list[CellPlace]]:
        """The cells that print each number, without its commas."""
        places: dict[str, list[CellPlace]] = {}
        for table in self.tables:
            for row in table.rows:
                for header, cell in zip(table.columns, row.cells, strict=True):
                    for number in numbers_in(cell.text) if cell else ():
                        place = CellPlace(table.id, row.label, header)
                        places.setdefault(number.replace(",", ""), []).append(place)
        return places


def read_contents(
    document: Document, numbers: Sequence[int], progress: Callable[[int, int], None]
) -> Contents:
    """Read pages of a document twice; `progress` is told how many are read, and of how many."""
    readings = document.read(numbers, progress)
    curved = [page.number for page in readings["pdfminer"] if page.curved]
    charts = [chart for number in curved for chart in document.charts(number)]
    clear = {program: without_charts(read, charts) for program, read in readings.items()}
    pages = clear["pdfminer"]
    sentences, marks = find_sentences(pages)
    return Contents(
        {page.number: (page.width, page.height) for page in pages}, tuple(tables_of(clear)),
        tuple(find_figures(pages, charts)), tuple(sentences), tuple(marks),
        tuple(said_of_itself(clear.values())),
    )  # fmt: skip


@dataclass(frozen=True)
class Draft:
    """What an import keeps of itself beside the files that it drafted."""

    title: str  # name of the document's file
    document: str  # SHA-256 of that file
    read: Contents
    files: dict[str, str]  # SHA-256 of each file as it was drafted

    def to_json(self) -> str:
        """Write it for `load_draft`."""
        return _STORED.dump_json(self, indent=1).decode() + "\n"


_STORED = TypeAdapter(Draft)


def load_draft(folder: Path) -> Draft | None:
    """Read again what the import of a draft has kept; None where nothing was imported.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    path = folder / DRAFTED
    if not path.is_file():
        return None
    with as_imported(path):
        return _STORED.validate_json(path.read_bytes())


@dataclass(frozen=True)
class TypedCell:
    """A cell of a draft as its file has it now."""

    table: DraftTable
    row: int  # from 1
    label: str
    column: str
    text: str
    open: bool  # the two readings differ, and nobody has typed it yet

    def __str__(self) -> str:
        """Name its place for a reader."""
        return f"{self.table.file}, row {self.row} ('{self.label}'), column '{self.column}'"


def typed_cells(folder: Path) -> Iterator[TypedCell]:
    """Give the cells of a draft that were read in its document, if it was read in one."""
    draft = load_draft(folder)
    for table in draft.read.tables if draft else ():
        with as_imported(folder / table.file):
            rows = read_rows(folder / table.file)
        for number, (row, typed) in enumerate(zip(table.rows, rows, strict=False), 1):
            for column, cell in zip(table.columns, row.cells, strict=True):
                if cell is not None:
                    text = (typed.get(column) or "").strip()
                    untyped = bool(cell.readings) and not text
                    yield TypedCell(table, number, typed.get("row") or "", column, text, untyped)
