"""The book that all writers read: chapters as Pandoc blocks, figures, tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from roundtrip.outputs import BodyCell, HeaderCell, columns_of
from roundtrip.params import ReportParameters
from roundtrip.publish.pandoc import Element, walk

CALLOUTS = tuple(f"callout-{kind}" for kind in ("note", "tip", "important", "warning", "caution"))
"""Classes of boxes, as Quarto names them; a box says its title as an attribute."""
APART = "annex"
"""Class of a heading whose section goes into the annex, where the edition has one."""
PLACEHOLDER = "roundtrip"
"""Format of the raw blocks that stand for figures, tables and code: ``figure:fig-…``,
``table:tbl-…``, ``code:3``, ``calculator:form``."""


def stands_for(element: Element) -> tuple[str, str]:
    """Give kind and name of what a placeholder stands for; both empty for any other element."""
    if element["t"] != "RawBlock" or element["c"][0] != PLACEHOLDER:
        return "", ""
    kind, _, name = element["c"][1].strip().partition(":")
    return kind, name


@dataclass(frozen=True)
class Source:
    """A printed table that values come from.

    `text` names it for a reader: ``Acme Broker 3, Table A``. `anchor` is that of the table in
    the appendix of source tables; empty where the book lacks it.
    """

    report: str
    table: str
    text: str
    anchor: str


@dataclass(frozen=True)
class FigureItem:
    """A figure, ready to be set: title, caption and alt text are plain text.

    `number` is ``3.1`` or ``A.2``. `svg` is the static picture: size and viewBox set, ids
    unique in the book. `spec` is the interactive chart as a Plotly figure in JSON form, None
    for a drawing; `csv` the data behind it, empty for a drawing; `narrow` a drawing that stands
    for it on phones, empty where there is none; `cells` name the values that it shows.
    """

    label: str
    number: str
    title: str
    caption: str
    alt: str
    svg: str
    spec: dict[str, Any] | None
    csv: str
    sources: tuple[Source, ...]
    narrow: str = ""
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableItem:
    """A table, ready to be set; what is not explained here is as in `roundtrip.present.Table`.

    `number` is ``3.1`` or ``A.2``.
    """

    label: str
    number: str
    caption: str
    header: tuple[tuple[HeaderCell, ...], ...]
    rows: tuple[tuple[BodyCell, ...], ...]
    csv: str
    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    filter: tuple[str, str] | None = None
    shares: tuple[int, ...] = ()
    as_printed: bool = False

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return columns_of(self.header, self.rows)


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    `name` is the file stem of its notebook; `number` ``3``, ``A`` or empty for the front
    chapter. `blocks` are Pandoc blocks without the first heading: headings carry their number
    as attribute ``number``, references are resolved to links to ``#anchor``. `figures`,
    `tables` and `codes`, the sources of cells, are what the placeholders stand for;
    `calculator` is what the form on its web page computes with, as plain data.
    """

    name: str
    title: str
    label: str
    number: str
    kind: Literal["front", "chapter", "appendix"]
    blocks: list[Element]
    figures: Mapping[str, FigureItem] = field(default_factory=dict)
    tables: Mapping[str, TableItem] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    calculator: Mapping[str, Any] | None = None

    @property
    def where(self) -> str:
        """The file that messages about it name."""
        return f"notebooks/{self.name}.ipynb"

    @property
    def page(self) -> str:
        """The address of its page."""
        return "index.html" if self.kind == "front" else f"{quote(self.name)}.html"

    @property
    def items(self) -> tuple[FigureItem | TableItem, ...]:
        """Its figures and tables."""
        return (*self.figures.values(), *self.tables.values())

    @property
    def links(self) -> Iterator[str]:
        """The anchors that its text, its figures and its tables lead to."""
        for element in walk(self.blocks):
            if element["t"] == "Link" and element["c"][2][0].startswith("#"):
                yield element["c"][2][0][1:]
        for item in self.items:
            yield from (source.anchor for source in item.sources)
        for table in self.tables.values():
            for row in table.rows:
                yield from (target for cell in row for target in cell.targets)


@dataclass(frozen=True)
class Book:
    """The whole report.

    `commit` is the short commit, with ``-modified`` when files differ from it, empty outside
    git; `timestamp` its seconds since 1970: the only date that outputs may hold. `anchors`
    gives for every anchor the name of the chapter that holds it. `banner` is a warning that
    every page must show; `echo` says whether the site's pages show the code of their chapters.
    """

    edition: ReportParameters
    commit: str
    timestamp: int
    chapters: tuple[Chapter, ...]
    anchors: Mapping[str, str]
    banner: str | None = None
    echo: bool = True
