"""Text, figures and tables as Quarto reads them, into HTML and into Typst."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from roundtrip.headings import LABEL_NAME
from roundtrip.outputs import escape_markdown
from roundtrip.publish.book import Book, Chapter, FigureItem, Source, TableItem
from roundtrip.publish.html.items import live_html, narrow_html, source_links
from roundtrip.publish.pandoc import CODE, plain, walk
from roundtrip.table_html import HrefOf, table_rows

HOME = "index.ipynb"
"""Quarto's name for the home page; it must lie in the root of the book."""

_LINK = re.compile(CODE + r"|\]\(#(?P<anchor>[^\s)]+)", re.MULTILINE)
_TO_DATA = re.compile(
    CODE + r"|\[(?P<text>(?:[^\]\\]|\\.)*)\]"
    r"\(#(?P<anchor>(?:cell|claim|erratum)-[^\s)]+)(?: \"(?:[^\"\\]|\\.)*\")?\)",
    re.MULTILINE,
)  # fmt: skip
_LABEL = rf"(?<![\w@])@(?P<label>(?:sec|fig|tbl)-{LABEL_NAME})"
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
        return f"]({addresses.href(match['anchor'], page)}"

    def to_data(match: re.Match[str]) -> str:
        return match[0] if match["anchor"] in addresses.pages else match["text"]

    def reference(match: re.Match[str]) -> str:
        label = match["label"] or match["bare"]
        if label in addresses.unnumbered:
            title = escape_markdown(addresses.unnumbered[label])
            return f"[{title}]({addresses.href(label, page)})"
        if label in addresses.left_out and label not in addresses.pages:
            return f"*{escape_markdown(f'{addresses.left_out[label]} [not in this edition]')}*"
        return match[0]

    for pattern, write in ((_TO_DATA, to_data), (_LINK, link), (_REFERENCE, reference)):
        text = _outside_code(pattern, write, text)
    return text


def _outside_code(
    pattern: re.Pattern[str], write: Callable[[re.Match[str]], str], text: str
) -> str:
    return pattern.sub(lambda match: write(match) if match["code"] is None else match[0], text)


def front_markdown(text: str, first: bool) -> str:
    """Take the numbers off the headings of the front chapter.

    Quarto overlooks the class of a heading that is the very first line of a notebook, so an
    empty line goes before one that begins the chapter.
    """

    def heading(match: re.Match[str]) -> str:
        attributes = " ".join(filter(None, [match["attributes"], ".unnumbered"]))
        return f"{match['marks']} {match['title']} {{{attributes}}}"

    return ("\n" if first else "") + _outside_code(_HEADING, heading, text)


def figure_html(figure: FigureItem, where: str) -> str:
    """Write the picture of a figure, the chart that replaces it, and the way to its data.

    One block of HTML; the caption is Quarto's part. `where` is the address of its data file,
    empty if it has none.
    """
    alt = html.escape(figure.alt, quote=True)
    interactive = "" if figure.spec is None else " data-interactive"
    tools = [_download(where)] if where else []
    if figure.spec is not None:
        tools.append(
            '<button type="button" class="figure-toggle" aria-pressed="false" hidden>'
            "Interactive</button>"
        )
    lines = [
        f'<div class="rt-figure" id="plot-{figure.label}"{interactive}>',
        '<div class="figure-frame">'
        f'<div class="figure-static" role="img" aria-label="{alt}">{figure.svg.strip()}</div>'
        f"{narrow_html(figure)}{live_html(figure)}</div>",
        f'<p class="rt-tools">{" · ".join(tools)}</p>' if tools else "",
        "</div>",
    ]
    return _unbroken("\n".join(lines))


def table_html(table: TableItem, where: str, href: HrefOf) -> str:
    """Write a table whole, with its notes, sources and the way to its data; see `figure_html`."""
    rows = table_rows(table.header, table.rows, href, table.shares)
    lines = ['<div class="rt-table-frame">', f'<table class="rt-table">\n{rows}</table>', "</div>"]
    lines += [f'<p class="rt-notes">{html.escape(note)}</p>' for note in table.notes]
    tools = [f"Source: {source_links(table.sources, href)}"] if table.sources else []
    if where:
        tools.append(_download(where))
    if tools:
        lines.append(f'<p class="rt-tools">{" · ".join(tools)}</p>')
    return _unbroken("\n".join(lines))


def raw_blocks(**contents: str) -> str:
    """Write Markdown that shows each format its own content: ``raw_blocks(html=…, typst=…)``."""
    blocks = []
    for kind, content in contents.items():
        longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
        fence = "`" * max(3, longest + 1)
        # Quarto reads shortcodes here too. Texts lie in strings, of Typst or of JSON.
        content = content.replace("{{<", "{\\u{7b}<" if kind == "typst" else "{\\u007b<")
        blocks.append(f"{fence}{{={kind}}}\n{content}\n{fence}")
    return "\n\n".join(blocks)


def caption_markdown(caption: str, sources: tuple[Source, ...], href: HrefOf) -> str:
    """Write a caption, which Quarto reads as Markdown, with the sources of what it describes."""
    text = escape_markdown(caption)
    if sources:
        named = ((escape_markdown(source.text), href(source.anchor)) for source in sources)
        links = (f"[{name}]({address})" if address else name for name, address in named)
        text += f" Source: {'; '.join(links)}."
    return text


def _download(where: str) -> str:
    return f'<a href="{html.escape(where)}" download>Data (CSV)</a>'


def _unbroken(block: str) -> str:
    """Leave no empty line: it would end the block of HTML for a Markdown reader."""
    return re.sub(r"\n\s*\n", "\n", block)
