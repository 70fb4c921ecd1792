"""Words and headings of Pandoc's document tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roundtrip.publish.book import Chapter
from roundtrip.publish.pandoc import plain


@dataclass(frozen=True)
class Heading:
    """A heading of a chapter's body: level 2 for a section, 3 for a subsection.

    The number is ``"3.1"`` or ``"A.2.1"``; empty where headings carry no number.
    """

    anchor: str
    text: str
    level: int
    number: str


def plain_text(tree: Any) -> str:
    """Give the words of a tree, single blanks between them."""
    return " ".join(plain(tree).split())


def headings_of(chapter: Chapter) -> dict[int, Heading]:
    """Find the headings of a chapter's body, by position among its top-level blocks.

    Headings inside a callout or a list belong to that and are left out.
    """
    found: dict[int, Heading] = {}
    for position, block in enumerate(chapter.blocks):
        if block["t"] == "Header":
            level, (anchor, _, pairs), inlines = block["c"]
            number = dict(pairs).get("number", "")
            found[position] = Heading(anchor, plain_text(inlines), max(level, 2), number)
    return found
