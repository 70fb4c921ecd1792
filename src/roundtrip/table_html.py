"""The rows of a table as HTML: in notebooks, on pages and for Quarto alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from roundtrip.outputs import BodyCell, HeaderCell, columns_of, is_group
from roundtrip.typography import pads, parts_of_long_words

_SHORT = 22  # characters of a row's name that stay on one line
_LONG = 18  # characters of a head that needs more room than its numbers
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
    text = _template().render(
        header=header, shares=shares, sections=_sections(rows), labels=labels, width=width,
        href=href,
    )  # fmt: skip
    return Markup(text)  # noqa: S704 - the template escapes


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.globals |= {
        "link_html": link_html, "parts_of_code": _PARTS.split, "may_break": Markup("<wbr>"),
        "must_break": Markup('<wbr class="long">'),
        "has_letters": lambda text: any(map(str.isalpha, text)), "short": _SHORT, "long": _LONG,
        "parts_of_long_words": parts_of_long_words, "zip": zip,
    }  # fmt: skip
    return environment.from_string(Path(__file__).with_suffix(".jinja").read_text("utf-8"))


def _labels(header: Header) -> list[str]:
    """Join for each column the heads above it."""
    lines = [[cell.text.strip() for cell in row for _ in range(cell.span)] for row in header]
    return [", ".join(filter(None, heads)) for heads in zip_longest(*lines, fillvalue="")]


def _sections(
    rows: Sequence[tuple[BodyCell, ...]],
) -> Iterator[list[tuple[tuple[BodyCell, ...], list[str]]]]:
    """Split rows, each with its pads, before each group row: it heads a ``tbody`` of its own."""
    section: list[tuple[tuple[BodyCell, ...], list[str]]] = []
    for row, lacking in zip(rows, pads(rows), strict=True):
        if is_group(row) and section:
            yield section
            section = []
        section.append((row, lacking))
    if section:
        yield section


def link_html(text: str, target: str | None) -> Markup:
    """Write text that leads somewhere, or text alone where there is no such place."""
    return Markup('<a href="{}">{}</a>').format(target, text) if target else escape(text)
