"""Words and headings of Pandoc's document tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from roundtrip.publish.book import Chapter

_SPACES = frozenset({"Space", "SoftBreak", "LineBreak"})
_BLOCKS = frozenset(
    {
        "Plain", "Para", "LineBlock", "CodeBlock", "Header", "Table", "Figure", "Div", "BulletList",
        "OrderedList", "DefinitionList", "BlockQuote",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Heading:
    """A heading of a chapter's body.

    Attributes
    ----------
    level : int
        2 for a section, 3 for a subsection.
    number : str
        ``"3.1"`` or ``"A.2.1"``; empty where headings carry no number.
    """

    anchor: str
    text: str
    level: int
    number: str


def plain_text(tree: Any) -> str:
    """Give the words of a tree, without markup, footnotes and placeholders."""
    return " ".join("".join(_pieces(tree)).split())


def _pieces(tree: Any) -> Iterator[str]:
    if isinstance(tree, list):
        for item in tree:
            yield from _pieces(item)
    elif isinstance(tree, dict) and "t" in tree:
        kind: str = tree["t"]
        content: Any = tree.get("c")
        if kind == "Str":
            yield content
        elif kind in _SPACES:
            yield " "
        elif kind in {"Code", "CodeBlock", "Math"}:
            yield content[1]
        elif kind == "Quoted":
            yield from ("“", *_pieces(content[1]), "”")
        elif kind not in {"Note", "RawBlock", "RawInline"}:
            yield from _pieces(content)
        if kind in _BLOCKS:
            yield " "


def headings_of(chapter: Chapter) -> dict[int, Heading]:
    """Find the headings of a chapter's body.

    Returns
    -------
    dict of int to Heading
        By position among the chapter's top-level blocks. Headings inside a callout or a list
        belong to that and are left out.
    """
    found: dict[int, Heading] = {}
    for position, block in enumerate(chapter.blocks):
        if block["t"] == "Header":
            level, (anchor, _, pairs), inlines = block["c"]
            number = dict(pairs).get("number", "")
            found[position] = Heading(anchor, plain_text(inlines), max(level, 2), number)
    return found
