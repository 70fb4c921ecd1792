"""Markdown of a chapter, changed where Quarto reads a book otherwise than the build does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from roundtrip.outputs import escape_markdown
from roundtrip.publish.book import Book, Chapter
from roundtrip.publish.pandoc import CODE, plain, walk

HOME = "index.ipynb"
"""Quarto's name for the home page; it must lie in the root of the book."""

_LINK = re.compile(CODE + r"|\]\(#(?P<anchor>[^\s)]+)", re.MULTILINE)
_TO_DATA = re.compile(
    CODE + r"|\[(?P<text>(?:[^\]\\]|\\.)*)\]"
    r"\(#(?P<anchor>(?:cell|claim|erratum)-[^\s)]+)(?: \"(?:[^\"\\]|\\.)*\")?\)",
    re.MULTILINE,
)  # fmt: skip
_LABEL = r"(?<![\w@])@(?P<label>(?:sec|fig|tbl)-[A-Za-z0-9-]*[A-Za-z0-9])"
_REFERENCE = re.compile(CODE + rf"|\[{_LABEL}\]|" + _LABEL.replace("label", "bare"), re.MULTILINE)
_HEADING = re.compile(
    CODE + r"|^(?P<marks>#+)[ \t]+(?P<title>.*?)[ \t]*(?:\{(?P<attributes>[^}]*)\})?[ \t]*$",
    re.MULTILINE,
)


def page_of(chapter: Chapter) -> str:
    """Name the staged notebook of a chapter."""
    return HOME if chapter.kind == "front" else f"{chapter.name}.ipynb"


@dataclass(frozen=True)
class Addresses:
    """Where every anchor of the book is, and what to say for labels that Quarto cannot number.

    `pages` gives for each anchor the staged notebook that holds it; `unnumbered` for labels of
    headings of the front chapter their text; for `left_out` see
    `roundtrip.publish.references.References`.
    """

    pages: Mapping[str, str]
    unnumbered: Mapping[str, str]
    left_out: Mapping[str, str]

    @classmethod
    def of(cls, book: Book, left_out: Mapping[str, str]) -> Addresses:
        """Gather the addresses of a book."""
        page = {chapter.name: page_of(chapter) for chapter in book.chapters}
        unnumbered = {}
        for chapter in book.chapters:
            if not chapter.number:
                unnumbered[chapter.label] = chapter.title
                for element in walk(chapter.blocks):
                    if element["t"] == "Header":
                        unnumbered[element["c"][1][0]] = plain(element["c"][2])
        return cls(
            {anchor: page[name] for anchor, name in book.anchors.items()}, unnumbered, left_out
        )

    def href(self, anchor: str, page: str) -> str:
        """Give the address of an anchor as Quarto resolves it from a page of the book."""
        target = self.pages.get(anchor, page)
        return f"#{anchor}" if target == page else f"{target}#{anchor}"


def staged_markdown(text: str, page: str, addresses: Addresses) -> str:
    """Rewrite links to other pages, and references that Quarto could not resolve; code stays.

    `page` is the staged notebook that the text is on.
    """

    def link(match: re.Match[str]) -> str:
        if match["code"] is not None:
            return match[0]
        return f"]({addresses.href(match['anchor'], page)}"

    def to_data(match: re.Match[str]) -> str:
        if match["code"] is not None or match["anchor"] in addresses.pages:
            return match[0]
        return str(match["text"])

    def reference(match: re.Match[str]) -> str:
        label = match["label"] or match["bare"]
        if label in addresses.unnumbered:
            title = escape_markdown(addresses.unnumbered[label])
            return f"[{title}]({addresses.href(label, page)})"
        if label in addresses.left_out and label not in addresses.pages:
            return f"*{escape_markdown(addresses.left_out[label])} (not in this edition)*"
        return match[0]

    return _REFERENCE.sub(reference, _LINK.sub(link, _TO_DATA.sub(to_data, text)))


def front_markdown(text: str, first: bool) -> str:
    """Take the numbers off the headings of the front chapter.

    Quarto overlooks the class of a heading that is the very first line of a notebook, so an
    empty line goes before one that begins the chapter.
    """

    def heading(match: re.Match[str]) -> str:
        if match["code"] is not None:
            return match[0]
        attributes = " ".join(filter(None, [match["attributes"], ".unnumbered"]))
        return f"{match['marks']} {match['title']} {{{attributes}}}"

    return ("\n" if first else "") + _HEADING.sub(heading, text)
