"""Reading and rewriting Pandoc's document tree in its JSON form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from roundtrip.publish.book import Chapter

Element = dict[str, Any]

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


def rewrite(tree: Any, visit: Callable[[Element], list[Element] | None]) -> Any:
    """Rebuild a tree, replacing elements on the way down.

    Parameters
    ----------
    tree : Any
        Elements, in any nesting of lists and dictionaries.
    visit : callable
        Is given each element and returns its replacements, or None to keep it. Replacements are
        not visited again; what is inside a kept element is.

    Returns
    -------
    Any
        A new tree; the one passed in is left as it is.
    """
    if isinstance(tree, list):
        result: list[Any] = []
        for item in tree:
            replaced = visit(item) if is_element(item) else None
            if replaced is None:
                result.append(rewrite(item, visit))
            else:
                result.extend(replaced)
        return result
    if isinstance(tree, dict):
        return {key: rewrite(value, visit) for key, value in tree.items()}
    return tree


def is_element(node: Any) -> bool:
    """Tell an element (``{"t": …}``) from other parts of the tree."""
    return isinstance(node, dict) and isinstance(node.get("t"), str)


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
