"""Where the links of a chapter lead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from roundtrip.build.book import Chapter, FigureItem, TableItem
from roundtrip.build.pandoc import walk


def links_of(chapter: Chapter) -> Iterator[str]:
    """Find the anchors of the report that a chapter links to: its text, its sources, its cells."""
    yield from links(chapter.blocks)
    yield from links_of_items(chapter)


def links_of_items(chapter: Chapter) -> Iterator[str]:
    """Find the anchors that the figures and tables of a chapter link to: sources and cells."""
    items: list[FigureItem | TableItem] = [*chapter.figures.values(), *chapter.tables.values()]
    for item in items:
        yield from (source.anchor for source in item.sources)
    for table in chapter.tables.values():
        for row in table.model.rows:
            yield from (target for cell in row for target in cell.targets)


def links(blocks: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Find the anchors of the report that blocks link to."""
    for element in walk(blocks):
        if element["t"] == "Link" and element["c"][2][0].startswith("#"):
            yield element["c"][2][0][1:]
