"""The sentences on a page of a report, and what they are compared by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path


class _Text(HTMLParser):
    """Collects the paragraphs, list items and headings of a chapter, without code and tables.

    Each comes with what it is compared by: in that, the number of a chapter, table or figure, which
    moves with what stands before it, is left out, and a reference is the label it leads to.
    """

    _BLOCKS = ("p", "li", "h1", "h2", "h3", "h4", "figcaption", "caption", "dd")
    _APART = ("script", "style", "pre", "nav", "table", "svg", "details", "button")
    _NUMBERS = ("number", "heading-number", "eyebrow")

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._compared: list[str] = []
        self._numbered = ""  # the tag of a number or a reference
        self._apart = 0
        self._sign = False  # the "#" that leads to a heading or a table

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = dict(attrs)
        if tag in self._APART:
            self._apart += 1
        elif tag == "a":
            self._sign = of.get("class") == "anchor"
        elif tag in self._BLOCKS:
            self._end()
            self._open = [""]
        if of.get("class") == "ref" and self._open and not self._apart:
            self._compared.append((of.get("href") or "").rpartition("#")[2])
        if of.get("class") in (*self._NUMBERS, "ref"):
            self._numbered = tag

    def handle_endtag(self, tag: str) -> None:
        if tag in self._APART:
            self._apart = max(self._apart - 1, 0)
        elif tag == "a":
            self._sign = False
        elif tag in self._BLOCKS:
            self._end()
        if tag == self._numbered:
            self._numbered = ""

    def handle_data(self, data: str) -> None:
        if self._open and not self._apart and not self._sign:
            self._open.append(data)
            if not self._numbered:
                self._compared.append(data)

    def _end(self) -> None:
        text, compared = (" ".join("".join(each).split()) for each in (self._open, self._compared))
        if compared:
            self.blocks.append((text, compared))
        self._open, self._compared = [], []


def paragraphs(path: Path, names: Sequence[str]) -> list[tuple[str, str]]:
    """Read the paragraphs of a page, each with what it is compared by.

    Parameters
    ----------
    names : sequence of str
        What says which edition it is: left out where it stands alone.
    """
    reader = _Text()
    text = path.read_text("utf-8", "replace")
    begin, end = text.find("<main"), text.rfind("</main>")
    reader.feed(text[begin:end] if begin >= 0 else text)
    return [block for block in reader.blocks if block[0] not in names]


def with_plain_numbers(text: str, style: str) -> str:
    """Write the numbers of a text as 1234.5, whatever the edition writes them like."""
    mark, group = style[-2], {" ": "\u202f", "2": ""}.get(style[1], style[1])
    grouped = rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(mark)}\d+)?|" if group else ""
    number = re.compile(rf"(?<![\d.,])(?:{grouped}\d+{re.escape(mark)}\d+)(?![\d]|[.,]\d)")
    return number.sub(lambda found: found[0].replace(group, "").replace(mark, "."), text)
