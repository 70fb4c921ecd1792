"""HTML of the things a chapter's text refers to: figures, tables and the notes under them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson
from markupsafe import Markup

from roundtrip.errors import RenderError
from roundtrip.outputs import is_group
from roundtrip.publish.book import FigureItem, Source, TableItem
from roundtrip.table_html import HrefOf, link_html, table_rows

_COMFORTABLE = 6  # columns that fit beside the contents at the usual size
_WORDY = 20  # characters beside a row's name that leave a telephone no room for more columns
_SENTENCE = 40  # characters of a row's name that leave none either
_LONG = 25  # rows of a table that sorts and filters

_CSV = Markup(
    '<a class="action" href="data/{0}.csv" download="{0}.csv" aria-label="CSV: {1}">CSV</a>'
)
_TOOL = Markup('<button type="button" class="action" data-tool="{}">{}</button>')
_TOGGLE = Markup(
    '<button type="button" class="action figure-toggle" aria-pressed="false" hidden>'
    "Interactive</button>"
)

_ROOT_TAG = re.compile(r"<svg\b[^>]*>", re.IGNORECASE)
_OWN_ROLE = re.compile(r"""\s(?:role|aria-label|aria-hidden|focusable)=("[^"]*"|'[^']*')""")
_WORDS = re.compile(r"""(?<=>)[^<]+|"[^"]*"|'[^']*'""")
_TITLE_TEXT = re.compile(r'<text\b[^>]*\bclass="[^"]*\bg?title\b')
_ACTIVE_CONTENT = re.compile(r"<script\b|<foreignObject\b|<!|\son\w+\s*=", re.IGNORECASE)


def permalink(anchor: str, what: str) -> Markup:
    """Give the ``#`` link that shows beside a heading, a figure or a table."""
    return Markup('<a class="anchor" href="#{}" aria-label="Link to {}">#</a>').format(anchor, what)


def figure_html(item: FigureItem, href: HrefOf, tools: Markup | None = None) -> Markup:
    """Render a figure: static picture, caption, sources, and what the interactive chart needs.

    `href` gives the address of an anchor, or None when the report does not hold it. `tools`
    stand beside the sources in place of the buttons, which need the site's scripts.
    """
    name = f"Figure {item.number}"
    # A picture is scrolled on phones; its title stands above it there, where it stays in sight.
    titled = not item.narrow and _TITLE_TEXT.search(item.svg) is not None
    return Markup(
        '<figure class="figure" id="{id}"{interactive}>\n'
        '<div class="figure-frame" role="group" tabindex="0" aria-label="{name}">'
        '<div class="figure-static"{title}>{svg}</div>{narrow}{live}</div>\n'
        '<figcaption><p class="caption"><span class="number">{name}</span> {caption}{link}</p>\n'
        "{foot}</figcaption>\n</figure>"
    ).format(
        id=item.label,
        interactive=Markup("") if item.spec is None else Markup(" data-interactive"),
        name=name,
        title=Markup(' data-title="{}"').format(item.title) if titled else Markup(""),
        svg=_picture(item, item.svg),
        narrow=narrow_html(item),
        live=live_html(item),
        caption=item.caption,
        link=permalink(item.label, name),
        foot=_foot(item, href, tools),
    )


def narrow_html(item: FigureItem) -> Markup:
    """Render the drawing for phones; nothing where a figure has none."""
    if not item.narrow:
        return Markup("")
    drawing = _picture(item, item.narrow)
    return Markup('<div class="figure-static figure-narrow">{}</div>').format(drawing)


def live_html(item: FigureItem) -> Markup:
    """Render what ``figures.js`` makes an interactive chart of; nothing for a drawing."""
    if item.spec is None:
        return Markup("")
    return Markup(
        '<div class="figure-live" role="group" aria-label="{}" hidden></div>'
        '<script type="application/json" class="figure-spec">{}</script>'
    ).format(item.alt, embedded_json(item.spec))


def calculator_html(content: Mapping[str, Any]) -> Markup:
    """Render what ``calculator.js`` makes a form of; it brings its script and style along.

    Parameters
    ----------
    content : mapping
        Of `roundtrip.present.calculator`.
    """
    return Markup(
        '<link rel="stylesheet" href="assets/css/calculator.css">\n'
        '<div class="calculator" id="calculator"><p>The calculator needs scripts.</p></div>\n'
        '<script type="application/json" id="calculator-data">{}</script>\n'
        '<script src="assets/calculator.js" defer></script>'
    ).format(embedded_json(content))


def embedded_json(content: Any) -> Markup:
    """Write JSON that can stand inside a script element, whatever strings it holds."""
    compact = orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode()
    for char in "<>&\u2028\u2029":
        compact = compact.replace(char, f"\\u{ord(char):04x}")
    return Markup(compact)  # noqa: S704 - every character that could end the element is escaped


def _picture(item: FigureItem, svg: str) -> Markup:
    found = _ROOT_TAG.search(svg)
    if found is None:
        raise RenderError(
            f"figure {item.label} has no picture",
            remedy="run the chapter again; its figure must yield an SVG",
        )
    if _ACTIVE_CONTENT.search(_WORDS.sub("", svg)):
        raise RenderError(
            f"the picture of figure {item.label} holds scripts, or comments that could hide some",
            allowed="SVG shapes and text",
        )
    tag = _OWN_ROLE.sub("", found.group())
    label = Markup('<svg role="img" aria-label="{}"').format(item.alt)
    rest = tag[len("<svg") :] + svg[found.end() :].strip()
    return label + Markup(rest)  # noqa: S704 - a drawing of ours, checked above


def table_html(item: TableItem, href: HrefOf, tools: Markup | None = None) -> Markup:
    """Render a table, whole, in a region that scrolls where it is too wide; see `figure_html`."""
    name = f"Table {item.number}"
    filtered = Markup("")
    if item.filter is not None:  # which tables a reader filters together
        filtered = Markup(' data-filter="{}" data-filter-name="{}"').format(*item.filter)
    rows, many = item.rows, item.columns > _COMFORTABLE
    wordy = any(
        cell.align == "left" and len(cell.text) > (_WORDY if at else _SENTENCE)
        for row in rows
        if not is_group(row)
        for at, cell in enumerate(row)
        if at or not many  # the long name of a run, beside many numbers, is no sentence
    )
    kinds = ["many-columns"] if many else []
    kinds += ["sentences"] if item.shares else []
    kinds += ["stacked"] if (wordy or item.shares) and item.columns > 2 else []
    notes = Markup("").join(
        Markup('<p class="table-note">{}</p>\n').format(note) for note in item.notes
    )
    return Markup(
        '<figure class="table" id="{id}"{printed}{filtered}>\n'
        '<figcaption class="table-caption" id="{id}-caption">'
        '<p class="caption"><span class="number">{name}</span> {caption}{link}</p></figcaption>\n'
        '<div class="table-scroll{long}" role="region" tabindex="0" '
        'aria-labelledby="{id}-caption">\n'
        '<table{many} aria-labelledby="{id}-caption">\n{rows}</table></div>\n'
        '<div class="table-foot">{notes}{foot}</div>\n</figure>'
    ).format(
        id=item.label,
        # How numbers are written where it is not the edition's way.
        printed=Markup(' data-numbers="1,234.5"') if item.as_printed else Markup(""),
        filtered=filtered,
        long=" long" * (len(rows) > _LONG),
        name=name,
        caption=item.caption,
        link=permalink(item.label, name),
        many=Markup(' class="{}"').format(" ".join(kinds)) if kinds else Markup(""),
        rows=table_rows(item.header, rows, href, item.shares, labelled="stacked" in kinds),
        notes=notes,
        foot=_foot(item, href, tools),
    )


def _foot(item: FigureItem | TableItem, href: HrefOf, tools: Markup | None) -> Markup:
    if tools is None:
        tools = _buttons(item)
    return Markup('<p class="item-foot">{}{}</p>\n').format(_sources(item.sources, href), tools)


def _buttons(item: FigureItem | TableItem) -> Markup:
    name = f"{'Figure' if isinstance(item, FigureItem) else 'Table'} {item.number}"
    actions = [_CSV.format(item.label, name)] if item.csv else []
    if isinstance(item, FigureItem):
        actions += [_TOOL.format("svg", "SVG"), _TOOL.format("png", "PNG")]
    actions += [_TOOL.format("cite", "Cite"), _TOOL.format("screen", "Full screen")]
    if isinstance(item, FigureItem) and item.spec is not None:
        actions.append(_TOGGLE)
    return Markup('<span class="actions" role="group" aria-label="{}">{}</span>').format(
        name, Markup("").join(actions)
    )


def _sources(sources: tuple[Source, ...], href: HrefOf) -> Markup:
    if not sources:
        return Markup("")
    return Markup('<span class="sources">Source: {}</span>').format(source_links(sources, href))


def source_links(sources: tuple[Source, ...], href: HrefOf) -> Markup:
    """Name sources, each linked to its table where the report shows it."""
    return Markup("; ").join(link_html(source.text, href(source.anchor)) for source in sources)
