"""Figures and tables in the forms that Quarto takes into HTML and into Typst."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable

from roundtrip.build.book import BodyCell, FigureItem, HeaderCell, Source, TableItem
from roundtrip.build.html_items import embedded_json
from roundtrip.shown import escape_markdown

Href = Callable[[str], str]
"""Gives the address of an anchor as seen from the page being written."""


def figure_html(figure: FigureItem, where: str) -> str:
    """Write the picture of a figure, the chart that replaces it, and the way to its data.

    Parameters
    ----------
    figure : FigureItem
    where : str
        Address of its data file, empty if it has none.

    Returns
    -------
    str
        One block of HTML; the caption is Quarto's part.
    """
    alt = html.escape(figure.alt, quote=True)
    lines = [
        f'<div class="rt-figure" id="plot-{figure.label}">',
        f'<div class="rt-static" role="img" aria-label="{alt}">{figure.svg.strip()}</div>',
    ]
    if figure.spec is not None:
        spec = embedded_json(figure.spec)
        lines.append(f'<script type="application/json" class="rt-spec">{spec}</script>')
    lines.append("</div>")
    if where:
        lines.append(f'<p class="rt-tools">{_download(where)}</p>')
    return _unbroken("\n".join(lines))


def table_html(table: TableItem, where: str, href: Href) -> str:
    """Write a table whole, with its notes, sources and the way to its data.

    Parameters
    ----------
    table : TableItem
    where : str
        Address of its data file, empty if it has none.
    href : callable
        Address of an anchor.

    Returns
    -------
    str
        One block of HTML; the caption is Quarto's part.
    """
    model = table.model
    width = max((sum(cell.span for cell in row) for row in model.header), default=1)
    head = "\n".join(f"<tr>{''.join(map(_head_cell, row))}</tr>" for row in model.header)
    body = "\n".join(
        f"<tr>{''.join(_body_cell(cell, width, href) for cell in row)}</tr>" for row in model.rows
    )
    lines = [
        '<div class="rt-table-frame">',
        f'<table class="rt-table">\n<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>',
        "</div>",
    ]
    lines += [f'<p class="rt-notes">{html.escape(note)}</p>' for note in model.notes]
    tools = [f"Source: {_named(table.sources, href)}"] if table.sources else []
    if where:
        tools.append(_download(where))
    if tools:
        lines.append(f'<p class="rt-tools">{" · ".join(tools)}</p>')
    return _unbroken("\n".join(lines))


def figure_typst(figure: FigureItem) -> str:
    """Name the picture of a figure for print."""
    alt = json.dumps(figure.alt, ensure_ascii=False)
    return f'#picture("/figures/{figure.label}.svg", {alt})'


def table_typst(table: TableItem) -> str:
    """Name the data of a table for print."""
    return f'#report-table("{table.label}")'


def raw_blocks(**contents: str) -> str:
    """Write Markdown that shows each format its own content: ``raw_blocks(html=…, typst=…)``."""
    blocks = []
    for kind, content in contents.items():
        longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
        fence = "`" * max(3, longest + 1)
        blocks.append(f"{fence}{{={kind}}}\n{content}\n{fence}")
    return "\n\n".join(blocks)


def caption_markdown(caption: str, sources: tuple[Source, ...], href: Href) -> str:
    """Write a caption, which Quarto reads as Markdown, with the sources of what it describes."""
    text = escape_markdown(caption)
    if sources:
        named = "; ".join(
            f"[{escape_markdown(source.text)}]({href(source.anchor)})" for source in sources
        )
        text += f" Source: {named}."
    return text


def cell_options(**options: str) -> str:
    """Write the ``#|`` lines of a cell; underscores in names stand for hyphens."""
    return "\n".join(
        f"#| {name.replace('_', '-')}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in options.items()
    )


def _head_cell(cell: HeaderCell) -> str:
    scope = "colgroup" if cell.span > 1 else "col"
    span = f' colspan="{cell.span}"' if cell.span > 1 else ""
    return f'<th scope="{scope}"{span} style="text-align: {cell.align}">{_text(cell.text)}</th>'


def _body_cell(cell: BodyCell, width: int, href: Href) -> str:
    text = _text(cell.text)
    if cell.kind == "code":
        text = f"<code>{text}</code>"
    if cell.strong:
        text = f"<strong>{text}</strong>"
    if cell.link:
        text = f'<a href="{html.escape(href(cell.link))}">{text}</a>'
    if cell.links:
        links = ", ".join(
            f'<a href="{html.escape(href(anchor))}">{_text(name)}</a>'
            for name, anchor in cell.links
        )
        text = f"{text} {links}"
    mark = f' id="{html.escape(cell.anchor)}"' if cell.anchor else ""
    style = f'style="text-align: {"left" if cell.kind == "group" else cell.align}"'
    if cell.kind == "group":
        return f'<th scope="rowgroup" colspan="{width}"{mark} {style}>{text}</th>'
    if cell.kind == "label":
        return f'<th scope="row"{mark} {style}>{text}</th>'
    return f"<td{mark} {style}>{text}</td>"


def _text(text: str) -> str:
    return html.escape(text, quote=False)


def _named(sources: tuple[Source, ...], href: Href) -> str:
    return "; ".join(
        f'<a href="{html.escape(href(source.anchor))}">{_text(source.text)}</a>'
        for source in sources
    )


def _download(where: str) -> str:
    return f'<a href="{html.escape(where)}" download>Data (CSV)</a>'


def _unbroken(block: str) -> str:
    """Leave no empty line: it would end the block of HTML for a Markdown reader."""
    return re.sub(r"\n\s*\n", "\n", block)
