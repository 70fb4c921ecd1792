"""Where the quotes of remarks stand in an edition."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

from roundtrip.remarks.file import Remark

Status = Literal["same", "moved", "changed", "gone"]

_LONG = 24
"""Characters of a quote that need nothing around them to be told from others."""
_CLOSE = 0.5
"""Least ratio of words that a changed passage has in common with what it was."""
_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# The script that writes remarks reads pages with the same lists.
_INLINE = {
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "time", "u", "wbr",
}  # fmt: skip
_APART_TAGS = {"script", "style", "svg", "nav", "details", "button", "input", "select"}
_APART_CLASSES = {
    "anchor", "actions", "chapter-files", "eyebrow", "figure-live", "rows-filter", "table-filter",
}  # fmt: skip
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


@dataclass(frozen=True)
class Found:
    """Where a remark belongs now."""

    # The quote is at its anchor; stands elsewhere; has become something close; is not found.
    status: Status
    page: str = ""  # empty where it is gone
    anchor: str = ""  # the same
    now: str = ""  # what stands there now; empty where it is gone


@dataclass(frozen=True)
class _Page:
    """The text of a page, and which part of it belongs to each anchor."""

    text: str
    spans: dict[str, tuple[int, int]]

    def anchor_at(self, place: int) -> str:
        """Give the anchor of the smallest part around a place."""
        around = [(end - start, name) for name, (start, end) in self.spans.items()
                  if start <= place < end]  # fmt: skip
        return min(around)[1] if around else ""


@dataclass
class _Element:
    tag: str
    start: int
    ids: list[str] = field(default_factory=list)
    apart: bool = False


class _Reader(HTMLParser):
    """Reads the main part of a page as the browser's script does: blocks apart, spaces single."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: dict[str, tuple[int, int]] = {}
        self._parts: list[str] = []
        self._length = 0
        self._space = True
        self._open: list[_Element] = []
        self._heading: str | None = None

    def read(self, text: str) -> _Page:
        begin, end = text.find("<main"), text.rfind("</main>")
        self.feed(text[begin : end + len("</main>")] if 0 <= begin < end else text)
        self.close()
        self._end_heading()
        return _Page("".join(self._parts), self.spans)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self._add(" ")
        if tag in _VOID:
            return
        given = dict(attrs)
        classes = set((given.get("class") or "").split())
        apart = tag in _APART_TAGS or bool(classes & _APART_CLASSES)
        element = _Element(tag, self._length, apart=apart)
        name = given.get("id")
        if name and not name.endswith("-caption"):
            row = next((each for each in reversed(self._open) if each.tag == "tr"), None)
            (element if row is None else row).ids.append(name)
        if tag in _HEADINGS and element.ids:
            self._end_heading()
            self._heading = element.ids.pop()
            self.spans[self._heading] = (self._length, self._length)
        self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while any(each.tag == tag for each in self._open):
            element = self._open.pop()
            for name in element.ids:
                self.spans.setdefault(name, (element.start, self._length))
            if element.tag == tag:
                break
        if tag not in _INLINE:
            self._add(" ")

    def handle_data(self, data: str) -> None:
        if not any(each.apart for each in self._open):
            self._add(data)

    def _add(self, text: str) -> None:
        words = " ".join(text.split())
        if text[:1].isspace() and not self._space:
            self._put(" ")
        if words:
            self._put(words)
            if text[-1].isspace():
                self._put(" ")

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        self._space = text == " "

    def _end_heading(self) -> None:
        if self._heading is not None:
            self.spans[self._heading] = (self.spans[self._heading][0], self._length)
            self._heading = None


class Edition:
    """The pages of a built report, in which remarks are looked up."""

    def __init__(self, report: Path) -> None:
        self._files = {path.name: path for path in sorted((report / "html").glob("*.html"))}
        self._pages: dict[str, _Page] = {}

    def _page(self, name: str) -> _Page:
        if name not in self._pages:
            text = self._files[name].read_text("utf-8", "replace")
            self._pages[name] = _Reader().read(text)
        return self._pages[name]

    def find(self, remark: Remark) -> Found:
        """Find the place of a remark.

        It is the exact quote at its anchor; else the same quote elsewhere; else a close match at
        its anchor; else none.
        """
        first = remark.target.source.id
        order = [name for name in dict.fromkeys((first, *self._files)) if name in self._files]
        home = next((name for name in order if remark.anchor in self._page(name).spans), None)
        if home is not None:
            start, end = self._page(home).spans[remark.anchor]
            if list(_occurrences(remark, self._page(home).text[start:end], sure=False)):
                status: Status = "same" if home == first else "moved"
                return Found(status, home, remark.anchor, remark.quote)
        for name in order:
            page = self._page(name)
            for place in _occurrences(remark, page.text, sure=True):
                return Found("moved", name, page.anchor_at(place), remark.quote)
        if home is not None:
            start, end = self._page(home).spans[remark.anchor]
            now = _closest(remark, self._page(home).text[start:end])
            if now:
                return Found("changed", home, remark.anchor, now)
        return Found("gone")


def _occurrences(remark: Remark, text: str, *, sure: bool) -> Iterator[int]:
    """Give where a quote stands; a short one only where what stood around it does, too.

    At its own anchor one side is enough, and words that stand there once need none; elsewhere both
    sides have to be there.
    """
    quote = remark.target.selector.refined_by
    before, after = quote.prefix.strip()[-_LONG:], quote.suffix.strip()[:_LONG]
    alone = not sure and any(map(str.isalpha, quote.exact)) and text.count(quote.exact) == 1
    # No part of a longer word or number.
    for found in re.finditer(rf"(?<![^\W_]){re.escape(quote.exact)}(?![^\W_])", text):
        known = []
        if before:
            known.append(text[: found.start()].rstrip().endswith(before))
        if after:
            known.append(text[found.end() :].lstrip().startswith(after))
        enough = known and all(known) if sure else any(known) or not known
        if len(quote.exact) >= _LONG or alone or enough:
            yield found.start()


def _closest(remark: Remark, text: str) -> str:
    """Give what has taken the place of a quote within a text, empty where nothing is close."""
    quote = remark.target.selector.refined_by
    before, exact, after = (each.split() for each in (quote.prefix, quote.exact, quote.suffix))
    was, words = [*before, *exact, *after], text.split()
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(was)
    begin, end = len(before), len(before) + len(exact)
    best, closest = 0.0, ""
    for width in (len(was), len(was) + max(1, len(was) // 3)):
        for start in range(max(1, len(words) - width + 1)):
            window = words[start : start + width]
            matcher.set_seq1(window)
            if matcher.quick_ratio() < max(_CLOSE, best):
                continue
            now = " ".join(
                word
                for _, i1, i2, j1, j2 in matcher.get_opcodes()
                for offset, word in enumerate(window[i1:i2])
                if begin <= j1 + min(offset, max(j2 - j1 - 1, 0)) < end and (j2 > j1 or j1 > begin)
            )
            if now and matcher.ratio() >= _CLOSE and matcher.ratio() > best:
                best, closest = matcher.ratio(), now
    return closest
