"""Figures and tables in the forms that Quarto takes into HTML and into Typst."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable

from markupsafe import Markup

from roundtrip.outputs import escape_markdown
from roundtrip.publish.book import FigureItem, Source, TableItem
from roundtrip.publish.html.items import live_html, narrow_html
from roundtrip.table_html import link_html, table_rows

Href = Callable[[str], str]
"""Gives the address of an anchor as seen from the page being written."""


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


def table_html(table: TableItem, where: str, href: Href) -> str:
    """Write a table whole, with its notes, sources and the way to its data; see `figure_html`."""
    model = table.model
    rows = table_rows(model.header, model.rows, href, model.shares)
    lines = ['<div class="rt-table-frame">', f'<table class="rt-table">\n{rows}</table>', "</div>"]
    lines += [f'<p class="rt-notes">{html.escape(note)}</p>' for note in model.notes]
    tools = [f"Source: {_named(table.sources, href)}"] if table.sources else []
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


def caption_markdown(caption: str, sources: tuple[Source, ...], href: Href) -> str:
    """Write a caption, which Quarto reads as Markdown, with the sources of what it describes."""
    text = escape_markdown(caption)
    if sources:
        named = "; ".join(
            f"[{escape_markdown(source.text)}]({href(source.anchor)})"
            if source.anchor
            else escape_markdown(source.text)
            for source in sources
        )
        text += f" Source: {named}."
    return text


def cell_options(**options: str) -> str:
    """Write the ``#|`` lines of a cell; underscores in names stand for hyphens."""
    return "\n".join(
        f"#| {name.replace('_', '-')}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in options.items()
    )


def _named(sources: tuple[Source, ...], href: Href) -> Markup:
    return Markup("; ").join(
        link_html(source.text, href(source.anchor) if source.anchor else None) for source in sources
    )


def _download(where: str) -> str:
    return f'<a href="{html.escape(where)}" download>Data (CSV)</a>'


def _unbroken(block: str) -> str:
    """Leave no empty line: it would end the block of HTML for a Markdown reader."""
    return re.sub(r"\n\s*\n", "\n", block)
