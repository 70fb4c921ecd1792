"""HTML of the things a chapter's text refers to: figures, tables and the notes under them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson
from markupsafe import Markup, escape

from roundtrip.errors import RenderError
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.publish.book import FigureItem, Source, TableItem, TableModel, is_group

_COMFORTABLE = 8  # columns that fit beside the contents at the usual size
_LONG = 25  # rows of a table that scrolls in its own region, sorts and filters
_WIDE = 33  # per cent: a first column of more would leave a narrow screen no room if it stayed
_SHORT = 24  # characters of a row's name that stay on one line

HrefOf = Callable[[str], str | None]

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
_ACTIVE_CONTENT = re.compile(r"<script\b|<foreignObject\b|<!|\son\w+\s*=", re.IGNORECASE)


def permalink(anchor: str, what: str) -> Markup:
    """Give the ``#`` link that shows beside a heading, a figure or a table."""
    return Markup('<a class="anchor" href="#{}" aria-label="Link to {}">#</a>').format(anchor, what)


def figure_html(item: FigureItem, href: HrefOf) -> Markup:
    """Render a figure: static picture, caption, sources, and what the interactive chart needs.

    Parameters
    ----------
    href : callable
        Gives the address of an anchor, or None when the report does not hold it.
    """
    name = f"Figure {item.number}"
    return Markup(
        '<figure class="figure" id="{id}"{interactive}>\n'
        '<div class="figure-frame" role="group" tabindex="0" aria-label="{name}">'
        '<div class="figure-static">{svg}</div>{live}</div>\n'
        '<figcaption><p class="caption"><span class="number">{name}</span> {caption} {link}</p>\n'
        "{foot}</figcaption>\n</figure>"
    ).format(
        id=item.label,
        interactive=Markup("") if item.spec is None else Markup(" data-interactive"),
        name=name,
        svg=_picture(item),
        live=live_html(item),
        caption=item.caption,
        link=permalink(item.label, name),
        foot=_foot(item, href),
    )


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


def _picture(item: FigureItem) -> Markup:
    found = _ROOT_TAG.search(item.svg)
    if found is None:
        raise RenderError(
            f"figure {item.label} has no picture",
            remedy="run the chapter again; its figure must yield an SVG",
        )
    if _ACTIVE_CONTENT.search(_WORDS.sub("", item.svg)):
        raise RenderError(
            f"the picture of figure {item.label} holds scripts, or comments that could hide some",
            allowed="SVG shapes and text",
        )
    tag = _OWN_ROLE.sub("", found.group())
    label = Markup('<svg role="img" aria-label="{}"').format(item.alt)
    rest = tag[len("<svg") :] + item.svg[found.end() :].strip()
    return label + Markup(rest)  # noqa: S704 - a drawing of ours, checked above


def table_html(item: TableItem, href: HrefOf) -> Markup:
    """Render a table, whole, in its own scrolling region.

    Parameters
    ----------
    href : callable
        Gives the address of an anchor, or None when the report does not hold it.
    """
    name = f"Table {item.number}"
    kinds = ["many-columns"] if item.model.columns > _COMFORTABLE else []
    kinds += ["sentences"] if item.model.shares else []
    kinds += ["wide-first"] if item.model.shares and item.model.shares[0] > _WIDE else []
    notes = Markup("").join(
        Markup('<p class="table-note">{}</p>\n').format(note) for note in item.model.notes
    )
    return Markup(
        '<figure class="table" id="{id}"{filtered}>\n'
        '<figcaption class="table-caption" id="{id}-caption">'
        '<p class="caption"><span class="number">{name}</span> {caption} {link}</p></figcaption>\n'
        '<div class="table-scroll{long}" role="region" tabindex="0" '
        'aria-labelledby="{id}-caption">\n'
        '<table{many} aria-labelledby="{id}-caption">\n{rows}</table></div>\n'
        '<div class="table-foot">{notes}{foot}</div>\n</figure>'
    ).format(
        id=item.label,
        filtered=_filtered(item.model),
        long=" long" if len(item.model.rows) > _LONG else "",
        name=name,
        caption=item.caption,
        link=permalink(item.label, name),
        many=Markup(' class="{}"').format(" ".join(kinds)) if kinds else Markup(""),
        rows=table_rows(item.model, href),
        notes=notes,
        foot=_foot(item, href),
    )


def table_rows(model: TableModel, href: HrefOf) -> Markup:
    """Render what stands in a ``table``: head and body, each group of rows a body of its own."""
    return Markup("{}{}").format(_head(model), _body(model, href))


def _filtered(model: TableModel) -> Markup:
    """Tell the site's script which tables a reader filters together."""
    if model.filter is None:
        return Markup("")
    return Markup(' data-filter="{}" data-filter-name="{}"').format(*model.filter)


def _head(model: TableModel) -> Markup:
    if not model.header:
        return Markup("")
    groups = Markup("").join(
        Markup('<col style="width: {}%">').format(share) for share in model.shares
    )
    if len(model.header) > 1:
        groups = Markup("").join(
            Markup('<colgroup span="{}"></colgroup>').format(cell.span) for cell in model.header[0]
        )
    last = len(model.header) - 1
    rows = Markup("").join(
        Markup("<tr>{}</tr>\n").format(
            Markup("").join(_header_cell(cell, depth == last) for cell in row)
        )
        for depth, row in enumerate(model.header)
    )
    return Markup("{}<thead>\n{}</thead>\n").format(groups, rows)


def _header_cell(cell: HeaderCell, lowest: bool) -> Markup:
    span = Markup(' colspan="{}"').format(cell.span) if cell.span > 1 else Markup("")
    if not cell.text.strip():
        return Markup("<td{}></td>").format(span)
    spanner = cell.span > 1 or not lowest
    return Markup('<th scope="{}" class="{}"{}>{}</th>').format(
        "colgroup" if spanner else "col",
        "spanner" if spanner else cell.align,
        span,
        Markup("<span>{}</span>").format(cell.text) if spanner else cell.text,
    )


def _body(model: TableModel, href: HrefOf) -> Markup:
    width = model.columns
    parts: list[Markup] = []
    for section in _sections(model.rows):
        rows = Markup("").join(
            Markup("<tr{}>{}</tr>\n").format(
                Markup(' class="group"') if is_group(row) else "",
                Markup("").join(_body_cell(cell, width, href) for cell in row),
            )
            for row in section
        )
        parts.append(Markup("<tbody>\n{}</tbody>\n").format(rows))
    return Markup("").join(parts)


def _sections(rows: Iterable[tuple[BodyCell, ...]]) -> Iterator[list[tuple[BodyCell, ...]]]:
    """Split rows before each group row, so that a group heads a ``tbody`` of its own."""
    section: list[tuple[BodyCell, ...]] = []
    for row in rows:
        if is_group(row) and section:
            yield section
            section = []
        section.append(row)
    if section:
        yield section


def _body_cell(cell: BodyCell, width: int, href: HrefOf) -> Markup:
    content: str = escape(cell.text)
    if cell.kind == "code":
        content = Markup("<code>{}</code>").format(content)
    if cell.kind == "label":
        # A CipherSpec may break between its parts, so that it leaves room on a narrow screen.
        content = Markup("_<wbr>").join(map(escape, cell.text.split("_")))
    if cell.strong:
        content = Markup("<strong>{}</strong>").format(content)
    target = href(cell.link) if cell.link else None
    if target:
        content = Markup('<a href="{}">{}</a>').format(target, content)
    if cell.links:
        links = Markup(", ").join(_link(text, href(anchor)) for text, anchor in cell.links)
        content = Markup('{} <span class="cell-links">{}</span>').format(content, links)
    anchor = Markup(' id="{}"').format(cell.anchor) if cell.anchor else Markup("")
    if cell.kind == "group":
        return Markup('<th scope="rowgroup" colspan="{}"{}>{}</th>').format(width, anchor, content)
    heads = cell.kind == "label" and bool(cell.text.strip())
    tag = Markup("th") if heads else Markup("td")
    scope = Markup(' scope="row"') if heads else Markup("")
    short = " short" if cell.kind == "label" and len(cell.text) <= _SHORT else ""
    tone = f" tone-{cell.tone}" if cell.tone else ""
    shaded = Markup(' style="--shade: {}"').format(cell.shade) if cell.shade else Markup("")
    was = Markup(' title="{}"').format(cell.was) if cell.was else Markup("")
    names = cell.align + short + tone + " shaded" * bool(cell.shade) + " changed" * bool(cell.was)
    # Most cells are plain numbers: style sheets put a cell without a class to the right.
    named = Markup("") if names == "right" and not heads else Markup(' class="{}"').format(names)
    return Markup("<{tag}{attributes}>{content}</{tag}>").format(
        tag=tag, attributes=scope + named + anchor + was + shaded, content=content
    )


def _link(text: str, target: str | None) -> Markup:
    return Markup('<a href="{}">{}</a>').format(target, text) if target else escape(text)


def _foot(item: FigureItem | TableItem, href: HrefOf) -> Markup:
    name = f"{'Figure' if isinstance(item, FigureItem) else 'Table'} {item.number}"
    actions = [_CSV.format(item.label, name)] if item.csv else []
    if isinstance(item, FigureItem):
        actions += [_TOOL.format("svg", "SVG"), _TOOL.format("png", "PNG")]
    actions += [_TOOL.format("cite", "Cite"), _TOOL.format("screen", "Full screen")]
    if isinstance(item, FigureItem) and item.spec is not None:
        actions.append(_TOGGLE)
    return Markup(
        '<p class="item-foot">{}<span class="actions" role="group" aria-label="{}">{}</span></p>\n'
    ).format(_sources(item.sources, href), name, Markup("").join(actions))


def _sources(sources: tuple[Source, ...], href: HrefOf) -> Markup:
    if not sources:
        return Markup("")
    links = Markup("; ").join(_link(source.text, href(source.anchor)) for source in sources)
    return Markup('<span class="sources">Source: {}</span>').format(links)
