"""The PDFs that a book is printed as: one, or a report and its annex."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from roundtrip.publish.book import APART, Book, Chapter, stands_for
from roundtrip.publish.pandoc import Element, plain, walk


@dataclass(frozen=True)
class Volume:
    """Chapters that are one PDF, whose file is called like the volume in lower case."""

    name: Literal["Report", "Annex"]
    chapters: tuple[Chapter, ...]

    @property
    def file(self) -> str:
        """Name of the PDF."""
        return f"{self.name.lower()}.pdf"

    @cached_property
    def anchors(self) -> set[str]:
        """The anchors that its chapters hold."""
        return {anchor for chapter in self.chapters for anchor in _anchors(chapter)}

    @cached_property
    def links(self) -> set[str]:
        """The anchors that its chapters lead to."""
        return {link for chapter in self.chapters for link in chapter.links}

    def wanted_by(self, other: Volume) -> set[str]:
        """Give its anchors that another volume leads to, in its text or its contents."""
        return (other.links | {chapter.label for chapter in self.chapters}) & self.anchors

    def place_of(self, chapter: Chapter) -> str:
        """Give the anchor at which a chapter, or the rest of it, begins; empty without either."""
        parts = (chapter.name, _rest_of(chapter.name))
        return next((part.label for part in self.chapters if part.name in parts), "")


def volumes_of(book: Book) -> tuple[Volume, ...]:
    """Give the volumes of a book: the report, and the annex if there is one.

    Where its edition names appendices for an annex, those go there, and so does every section
    of a chapter whose heading has the class ``annex``, with what stands below it and under the
    headings that it had. In its place the report names it.
    """
    apart = set(book.edition.annex)
    if not any(chapter.name in apart for chapter in book.chapters):
        return (Volume("Report", book.chapters),)
    report: list[Chapter] = []
    annex: list[Chapter] = []
    for chapter in book.chapters:
        if chapter.name in apart:
            annex.append(chapter)
        else:
            printed, *rest = _divided(chapter)
            report.append(printed)
            annex.extend(rest)
    return Volume("Report", tuple(report)), Volume("Annex", tuple(annex))


def _divided(chapter: Chapter) -> tuple[Chapter, ...]:
    """Give what the report prints of a chapter, and what the annex does, if anything."""
    report: list[Element] = []
    annex: list[Element] = []
    above: dict[int, Element] = {}  # headings that the annex has not repeated yet, by level
    moved: list[Element] = []
    apart = 0  # level of the heading whose section goes to the annex
    for block in chapter.blocks:
        if block["t"] == "Header":
            level, (_, classes, pairs), text = block["c"]
            apart = 0 if level <= apart else apart
            above = {upper: heading for upper, heading in above.items() if upper < level}
            if not apart and APART in classes:
                apart = level
                annex.extend(above.values())
                above = {}
                moved.append(block)
            elif not apart:
                above[level] = {"t": "Header", "c": [level, ["", classes, pairs], text]}
        if apart:
            annex.append(block)
            continue
        if moved:
            report.append(_named(moved))
            moved = []
        report.append(block)
    if moved:
        report.append(_named(moved))
    if not annex:
        return (chapter,)
    rest = replace(
        chapter, name=_rest_of(chapter.name), label=_rest_of(chapter.label), kind="appendix"
    )
    return _with(chapter, report), _with(rest, annex)


def _rest_of(name: str) -> str:
    return f"{name}.annex"


def _with(chapter: Chapter, blocks: list[Element]) -> Chapter:
    """Give a chapter with some of its blocks, and the items that stand there."""
    shown = {stands_for(element)[1] for element in walk(blocks)}
    return replace(
        chapter,
        blocks=blocks,
        figures={label: item for label, item in chapter.figures.items() if label in shown},
        tables={label: item for label, item in chapter.tables.items() if label in shown},
    )


def _named(sections: list[Element]) -> Element:
    """Give a paragraph that leads to sections of the annex."""
    inlines: list[Element] = [{"t": "Str", "c": "In the annex:"}, {"t": "Space"}]
    for position, section in enumerate(sections):
        _, (label, _, pairs), text = section["c"]
        if position:
            inlines += [{"t": "Str", "c": ";"}, {"t": "Space"}]
        name = {"t": "Str", "c": f"{dict(pairs).get('number', '')} {plain(text)}".strip()}
        inlines.append({"t": "Link", "c": [["", [], []], [name], [f"#{label}", ""]]})
    return {"t": "Para", "c": [*inlines, {"t": "Str", "c": "."}]}


def _anchors(chapter: Chapter) -> Iterator[str]:
    yield chapter.label
    for element in walk(chapter.blocks):
        if element["t"] == "Header" and element["c"][1][0]:
            yield element["c"][1][0]
    yield from chapter.figures
    for label, table in chapter.tables.items():
        yield label
        yield from (cell.anchor for row in table.rows for cell in row if cell.anchor)
