"""The book model: everything a renderer needs to know about a report, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Align = Literal["left", "right", "center"]


@dataclass(frozen=True)
class Notice:
    """One notice at the front of the report."""

    title: str
    text: str


@dataclass(frozen=True)
class Edition:
    """What this edition of the report says about itself."""

    version: str
    date: str
    title: str
    subtitle: str
    authors: tuple[str, ...]
    notices: tuple[Notice, ...] = ()
    paper: Literal["a4", "letter"] = "a4"
    lang: str = "en"


@dataclass(frozen=True)
class Source:
    """One printed table, or a part of it, that values come from."""

    report: str
    table: str
    text: str
    anchor: str


@dataclass(frozen=True)
class FigureItem:
    """A figure: static picture, interactive chart and the data behind them."""

    label: str
    number: str
    title: str
    caption: str
    alt: str
    svg: str
    spec: str | None
    csv: str
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class HeaderCell:
    """A cell of a table's header, over one column or several."""

    text: str
    span: int = 1
    align: Align = "left"


@dataclass(frozen=True)
class BodyCell:
    """A cell of a table's body; kind ``group`` spans the row as a subheading."""

    text: str
    align: Align = "left"
    strong: bool = False
    anchor: str | None = None
    link: str | None = None
    kind: Literal["value", "label", "group", "code"] = "value"


@dataclass(frozen=True)
class TableModel:
    """A table as rows of cells, whole."""

    header: tuple[tuple[HeaderCell, ...], ...]
    rows: tuple[tuple[BodyCell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableItem:
    """A table with its number, caption and sources."""

    label: str
    number: str
    caption: str
    model: TableModel
    csv: str
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class CodeItem:
    """The source of one code cell."""

    source: str


@dataclass(frozen=True)
class Chapter:
    """A chapter: text as Pandoc blocks, and the figures, tables and code placed in it."""

    name: str
    title: str
    label: str
    number: str
    kind: Literal["front", "chapter", "appendix"]
    blocks: list[Any]
    figures: dict[str, FigureItem]
    tables: dict[str, TableItem]
    codes: list[CodeItem]


@dataclass(frozen=True)
class Book:
    """The whole report."""

    edition: Edition
    commit: str
    timestamp: int
    chapters: tuple[Chapter, ...]
    anchors: dict[str, str]
    banner: str | None = None
