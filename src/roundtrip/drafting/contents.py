"""All that is read in a document: tables, figures, sentences, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from roundtrip.drafting.charts import without_charts
from roundtrip.drafting.disclosed import Said, said_of_itself
from roundtrip.drafting.document import Document
from roundtrip.drafting.figures import Figure, find_figures
from roundtrip.drafting.pages import Page
from roundtrip.drafting.readings import DraftTable, tables_of
from roundtrip.drafting.sentences import Mark, Sentence, find_sentences, numbers_in
from roundtrip.drafting.stubs import CellPlace


@dataclass(frozen=True)
class Contents:
    """What was read in a document, each in its order."""

    pages: Sequence[Page]  # without the words of charts
    tables: Sequence[DraftTable]
    figures: Sequence[Figure]
    sentences: Sequence[Sentence]
    marks: Sequence[Mark]
    said: Sequence[Said]  # what the document says of itself

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
    return Contents(
        pages, tables_of(clear), find_figures(pages, charts), *find_sentences(pages),
        said_of_itself(clear.values()),
    )  # fmt: skip
