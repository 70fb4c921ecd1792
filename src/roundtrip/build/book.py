"""The book: everything that a renderer needs, with every number and reference resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Align = Literal["left", "right", "center"]


@dataclass(frozen=True)
class Source:
    """One printed table (or part of it) that values come from.

    Attributes
    ----------
    report, table : str
        Which report, and which of its tables.
    text : str
        How to name it to a reader: ``MQ V9.4, Table 3``.
    anchor : str
        Where the report shows the printed cells.
    """

    report: str
    table: str
    text: str
    anchor: str


@dataclass(frozen=True)
class HeaderCell:
    """One cell of a table's head; ``span`` counts the columns it stands over."""

    text: str
    span: int = 1
    align: Align = "left"


@dataclass(frozen=True)
class BodyCell:
    """One cell of a table's body; a ``group`` cell is a subheading over the whole row."""

    text: str
    align: Align = "left"
    strong: bool = False
    anchor: str | None = None
    link: str | None = None
    kind: Literal["value", "label", "group", "code"] = "value"


@dataclass(frozen=True)
class TableModel:
    """A table as rows of cells."""

    header: tuple[tuple[HeaderCell, ...], ...]
    rows: tuple[tuple[BodyCell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableItem:
    """A numbered table of a chapter."""

    label: str
    number: str
    caption: str
    model: TableModel
    csv: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class FigureItem:
    """A numbered figure of a chapter; ``title`` is the finding it shows."""

    label: str
    number: str
    title: str
    caption: str
    alt: str
    svg: str
    spec: str | None
    csv: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class CodeItem:
    """The source of one code cell."""

    source: str


@dataclass(frozen=True)
class Chapter:
    """One chapter: pandoc blocks without the first heading, and what its placeholders stand for.

    Attributes
    ----------
    name : str
        File stem of the notebook.
    title, label, number : str
        Of the first heading; the number is empty for front matter.
    kind : {"front", "chapter", "appendix"}
        Which part of the book it belongs to.
    blocks : list
        Pandoc's JSON form. ``RawBlock ["roundtrip", "figure:…" | "table:…" | "code:…"]`` stands
        where an item belongs.
    """

    name: str
    title: str
    label: str
    number: str
    kind: Literal["front", "chapter", "appendix"]
    blocks: list[Any]
    figures: dict[str, FigureItem] = field(default_factory=dict)
    tables: dict[str, TableItem] = field(default_factory=dict)
    codes: list[CodeItem] = field(default_factory=list)


@dataclass(frozen=True)
class Notice:
    """One notice at the front of the report."""

    title: str
    text: str


@dataclass(frozen=True)
class Edition:
    """What the cover and the notices say."""

    version: str
    date: str
    title: str
    subtitle: str
    authors: tuple[str, ...]
    notices: tuple[Notice, ...] = ()
    paper: Literal["a4", "letter"] = "a4"
    lang: str = "en"


@dataclass(frozen=True)
class Book:
    """A whole edition, ready to be rendered.

    Attributes
    ----------
    commit : str
        Short name of the commit, empty outside git.
    timestamp : int
        Unix seconds of the commit: the only date in any output.
    anchors : dict of str to str
        Every anchor and the chapter that holds it.
    banner : str or None
        A warning that every page must show.
    """

    edition: Edition
    commit: str
    timestamp: int
    chapters: tuple[Chapter, ...]
    anchors: dict[str, str]
    banner: str | None = None
