"""A chapter's headings and body as HTML: Pandoc writes the text, placeholders become markup."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from roundtrip.publish.book import (
    CALLOUTS,
    PLACEHOLDER,
    Book,
    Chapter,
    FigureItem,
    TableItem,
    stands_for,
)
from roundtrip.publish.html.items import calculator_html, figure_html, permalink, table_html
from roundtrip.publish.pandoc import Element, plain, rewrite, write_tree

_SAFE_LINK = re.compile(r"(?:https?|mailto):|[^:]*(?:[/?#]|$)", re.IGNORECASE)
_HEAD_WITHOUT_SCOPE = re.compile(r"<th(?=[\s>])(?![^>]*\bscope=)")
_RANGE = re.compile(r"\d–\d")
_BRACKET_BEFORE_CODE = re.compile(r'\((<span class="whole">)(?=<code>)')


def chapter_to_html(chapter: Chapter, book: Book) -> str:
    """Convert a chapter's body, without its title.

    The result depends on nothing but what :func:`chapter_inputs` returns.

    Parameters
    ----------
    book : Book
        Tells which page holds an anchor.

    Returns
    -------
    str
        HTML to stand inside the page's article.

    Raises
    ------
    RenderError
        If a picture is not a plain drawing, or Pandoc cannot convert the text.
    """
    return BodyWriter(chapter, book).html()


def chapter_inputs(chapter: Chapter, book: Book) -> dict[str, Any]:
    """Give everything that a chapter's HTML depends on, for a content-hash cache.

    Returns
    -------
    dict
        The chapter, whether its code is shown, and for each anchor it refers to the page that
        holds it. Where other chapters change without moving these, it stays the same.
    """
    pages = {each.name: each.page for each in book.chapters}
    referred = sorted(set(chapter.links))
    places = {anchor: pages.get(book.anchors.get(anchor, "")) for anchor in referred}
    return {"chapter": chapter, "echo": book.echo, "places": places}


class BodyWriter:
    """Turns the blocks of one chapter into blocks that Pandoc can write as they shall stand.

    What other pages show in another way has a method of its own.
    """

    def __init__(self, chapter: Chapter, book: Book) -> None:
        self.chapter = chapter
        self.book = book
        self.pages = {each.name: each.page for each in book.chapters}

    def html(self) -> str:
        """Write the body; see `chapter_to_html`."""
        body = write_tree(self._blocks(), "html5", "--email-obfuscation=none")
        body = _BRACKET_BEFORE_CODE.sub(r"\1(", body)
        # Tables written in the text: Pandoc does not say what their heads stand over.
        return _HEAD_WITHOUT_SCOPE.sub('<th scope="col"', body)

    def _blocks(self) -> list[Any]:
        headings = page_headings(self.chapter)
        result: list[Any] = []
        for position, block in enumerate(self.chapter.blocks):
            heading = headings.get(position)
            if heading is None:
                result.extend(rewrite([block], self._visit))
                continue
            (anchor, classes, pairs), inlines = block["c"][1:]
            attributes = [anchor, classes, [pair for pair in pairs if pair[0] != "number"]]
            inlines = rewrite(inlines, self._visit)
            if heading.number:
                number = _span([_str(heading.number)], "heading-number")
                inlines = [number, {"t": "Space"}, *inlines]
            if heading.anchor:
                link = permalink(heading.anchor, f"section {heading.text}")
                inlines = [*inlines, {"t": "Space"}, raw("RawInline", link)]
            result.append({"t": "Header", "c": [heading.level, attributes, inlines]})
        return result

    def href(self, anchor: str) -> str | None:
        """Give the address of an anchor as seen from this chapter's page."""
        page = self.pages.get(self.book.anchors.get(anchor, ""))
        if page is None:
            return None
        here = page == self.chapter.page
        return f"#{quote(anchor)}" if here else f"{page}#{quote(anchor)}"

    def figure(self, item: FigureItem) -> str:
        """Write a figure."""
        return figure_html(item, self.href)

    def table(self, item: TableItem) -> str:
        """Write a table."""
        return table_html(item, self.href)

    def code(self, source: str) -> list[Element]:
        """Give the blocks that show code, on demand; none where the book shows none."""
        if not self.book.echo:
            return []
        return [
            raw("RawBlock", '<details class="code"><summary>Code</summary>'),
            code_block(source),
            raw("RawBlock", "</details>"),
        ]

    def calculator(self, content: Mapping[str, Any]) -> str:
        """Write the calculator."""
        return calculator_html(content)

    def _visit(self, element: Element) -> list[Element] | None:
        match element["t"]:
            case "RawBlock" | "RawInline":
                return self._raw(element)
            case "Link":
                return self._link(element)
            case "Table":
                return [self._scrolling(element)]
            case "Div":
                return self._callout(element)
            case "Code":  # a line may be broken around its box, but not inside this
                return [_span([element], "whole")]
            case "Str" if _RANGE.search(element["c"]):  # nor inside an interval
                return [_span([element], "whole")]
        return None

    def _raw(self, element: Element) -> list[Element]:
        form, text = element["c"]
        if form != PLACEHOLDER:
            # Text computed from data may look like HTML; it is shown, never interpreted.
            if not form.startswith("html") or re.fullmatch(r"\s*<!--.*?-->\s*", text, re.DOTALL):
                return []
            words = [_str(text)]
            return words if element["t"] == "RawInline" else [{"t": "Para", "c": words}]
        kind, name = stands_for(element)
        if kind == "code":
            return self.code(self.chapter.codes[int(name)])
        if kind == "figure":
            html = self.figure(self.chapter.figures[name])
        elif kind == "table":
            html = self.table(self.chapter.tables[name])
        else:
            html = self.calculator(self.chapter.calculator or {})
        return [raw("RawBlock", html)]

    def _link(self, element: Element) -> list[Element] | None:
        attributes, inlines, (target, title) = element["c"]
        if target.startswith("#"):
            place = [self.href(target[1:]), title]
            return [{"t": "Link", "c": [attributes, rewrite(inlines, self._visit), place]}]
        if not _SAFE_LINK.match(target):
            return [_span(rewrite(inlines, self._visit))]
        return None

    def _scrolling(self, table: Element) -> Element:
        caption = plain_text(table["c"][1]) or "Table"
        region = [["role", "region"], ["tabindex", "0"], ["aria-label", caption]]
        content = rewrite(table["c"], self._visit)
        # The text's dashes below a head tell no widths.
        content[2] = [[align, {"t": "ColWidthDefault"}] for align, _ in content[2]]
        return {"t": "Div", "c": [["", ["table-scroll"], region], [{"t": "Table", "c": content}]]}

    def _callout(self, element: Element) -> list[Element] | None:
        (anchor, classes, pairs), blocks = element["c"]
        name = next((each for each in classes if each in CALLOUTS), None)
        if name is None:
            return None
        title = _str(dict(pairs).get("title") or name.removeprefix("callout-").capitalize())
        head = {"t": "Div", "c": [["", ["callout-title"], []], [{"t": "Para", "c": [title]}]]}
        attributes = [anchor, ["callout", *classes], [["role", "note"]]]
        return [{"t": "Div", "c": [attributes, rewrite([head, *blocks], self._visit)]}]


def raw(kind: str, html: str) -> Element:
    """Give HTML as an element that is written as it is."""
    return {"t": kind, "c": ["html", str(html)]}


def code_block(source: str) -> Element:
    """Give Python code as a block."""
    return {"t": "CodeBlock", "c": [["", ["python"], []], source]}


def _span(inlines: list[Any], *classes: str) -> Element:
    return {"t": "Span", "c": [["", list(classes), []], inlines]}


def _str(text: str) -> Element:
    return {"t": "Str", "c": text}


@dataclass(frozen=True)
class PageHeading:
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


def page_headings(chapter: Chapter) -> dict[int, PageHeading]:
    """Find the headings of a chapter's body, by position among its top-level blocks.

    Headings inside a callout or a list belong to that and are left out.
    """
    found: dict[int, PageHeading] = {}
    for position, block in enumerate(chapter.blocks):
        if block["t"] == "Header":
            level, (anchor, _, pairs), inlines = block["c"]
            number = dict(pairs).get("number", "")
            found[position] = PageHeading(anchor, plain_text(inlines), max(level, 2), number)
    return found
