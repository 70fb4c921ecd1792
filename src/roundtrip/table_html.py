"""The rows of a table as HTML: in notebooks, on pages and for Quarto alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from markupsafe import Markup, escape

from roundtrip.decimals import pads
from roundtrip.outputs import BodyCell, HeaderCell, columns_of, is_group

_SHORT = 24  # characters of a row's name that stay on one line
_PARTS = re.compile(r"(?<=[_./])(?=\w)|(?<=[a-z])(?=[A-Z])")  # where a name in code may break

HrefOf = Callable[[str], str | None]
"""Gives the address of an anchor, or None when the report does not hold it."""
Header = Sequence[tuple[HeaderCell, ...]]


def table_rows(
    header: Header,
    rows: Sequence[tuple[BodyCell, ...]],
    href: HrefOf,
    shares: Sequence[int] = (),
    *,
    labelled: bool = False,
) -> Markup:
    """Render what stands in a ``table``: head and body, each group of rows a body of its own.

    Parameters
    ----------
    shares : sequence of int
        Widths of the columns in per cent.
    labelled : bool
        Whether cells repeat the heads above them, for style sheets that stack them.
    """
    width = columns_of(header, rows)
    labels = _labels(header) if labelled else []
    labels += [""] * (width - len(labels))
    return _head(header, shares) + _body(rows, labels, href)


def _labels(header: Header) -> list[str]:
    """Join for each column the heads above it."""
    lines = [[cell.text.strip() for cell in row for _ in range(cell.span)] for row in header]
    return [", ".join(filter(None, heads)) for heads in zip_longest(*lines, fillvalue="")]


def _head(header: Header, shares: Sequence[int]) -> Markup:
    if not header:
        return Markup("")
    groups = Markup("").join(Markup('<col style="width: {}%">').format(share) for share in shares)
    if len(header) > 1:
        groups = Markup("").join(
            Markup('<colgroup span="{}"></colgroup>').format(cell.span) for cell in header[0]
        )
    last = len(header) - 1
    rows = Markup("").join(
        Markup("<tr>{}</tr>\n").format(
            Markup("").join(_header_cell(cell, depth == last) for cell in row)
        )
        for depth, row in enumerate(header)
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


def _body(rows: Sequence[tuple[BodyCell, ...]], labels: Sequence[str], href: HrefOf) -> Markup:
    parts: list[Markup] = []
    lacking = iter(pads(rows))
    for section in _sections(rows):
        lines = Markup("").join(
            Markup("<tr{}>{}</tr>\n").format(
                Markup(' class="group"') if is_group(row) else "",
                Markup("").join(
                    _body_cell(cell, len(labels), href, label, pad)
                    for cell, label, pad in zip(row, labels, next(lacking), strict=False)
                ),
            )
            for row in section
        )
        parts.append(Markup("<tbody>\n{}</tbody>\n").format(lines))
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


def _body_cell(cell: BodyCell, width: int, href: HrefOf, label: str, pad: str) -> Markup:
    content: str = escape(cell.text)
    if cell.kind == "code":
        parts = Markup("<wbr>").join(_PARTS.split(cell.text))
        content = Markup("<code>{}</code>").format(parts)
    if cell.kind == "label":
        # A CipherSpec may break between its parts, so that it leaves room on a narrow screen.
        content = Markup("_<wbr>").join(map(escape, cell.text.split("_")))
    if cell.strong:
        content = Markup("<strong>{}</strong>").format(content)
    target = href(cell.link) if cell.link else None
    if target:
        content = Markup('<a href="{}">{}</a>').format(target, content)
    if cell.links:
        links = Markup(", ").join(link_html(text, href(anchor)) for text, anchor in cell.links)
        content = Markup('{} <span class="cell-links">{}</span>').format(content, links)
    anchor = Markup(' id="{}"').format(cell.anchor) if cell.anchor else Markup("")
    if cell.kind == "group":
        head = Markup('<th scope="rowgroup" colspan="{}"{}><span>{}</span></th>')
        return head.format(width, anchor, content)
    heads = cell.kind == "label" and bool(cell.text.strip())
    tag = Markup("th") if heads else Markup("td")
    scope = Markup(' scope="row"') if heads else Markup("")
    short = " short" if cell.kind == "label" and len(cell.text) <= _SHORT else ""
    tone = f" tone-{cell.tone}" if cell.tone else ""
    shaded = Markup(' style="--shade: {}"').format(cell.shade) if cell.shade else Markup("")
    was = Markup(' title="{}"').format(cell.was) if cell.was else Markup("")
    # A name such as "2" or "4.1" says nothing without its head.
    told = label and not (heads and any(map(str.isalpha, cell.text)))
    said = Markup(' data-label="{}"').format(label) if told else Markup("")
    padded = Markup(' data-pad="{}"').format(pad) if pad else Markup("")
    names = cell.align + short + tone + " shaded" * bool(cell.shade) + " changed" * bool(cell.was)
    # Most cells are plain numbers: style sheets put a cell without a class to the right.
    named = Markup("") if names == "right" and not heads else Markup(' class="{}"').format(names)
    return Markup("<{tag}{attributes}>{content}</{tag}>").format(
        tag=tag, attributes=scope + named + said + anchor + was + shaded + padded, content=content
    )


def link_html(text: str, target: str | None) -> Markup:
    """Write text that leads somewhere, or text alone where there is no such place."""
    return Markup('<a href="{}">{}</a>').format(target, text) if target else escape(text)
