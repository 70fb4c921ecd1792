"""Pictures as Typst needs them."""

from __future__ import annotations

import html
import re

from roundtrip.theme import FAMILY, HEAVY

_OPENING_TAG = re.compile(r"<(?:svg|g|text|tspan)\b[^>]*>")
_FAMILY = re.compile(r"\sfont-family\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_VALUE = re.compile(
    r'<text class="bartext bartext-outside"[^>]*font-size: (?P<size>[\d.]+)px;[^>]*'
    r'transform="(?P<place>[^"]+)"[^>]*>(?P<text>[^<\u2002]+)</text>'
)
_HEAVY = re.compile(r"font-weight\s*[:=]\s*[\"']?\s*(?:[6-9]00|bold)\b")


def with_heavy_family(svg: str, families: str = HEAVY) -> str:
    """Name the semi-bold face as the font files do.

    The shipped semi-bold faces are a family of their own. Browsers find them by weight; Typst
    finds them by that name only and would draw such text in the regular face.

    Parameters
    ----------
    svg : str
        A picture whose text is in IBM Plex Sans or falls back to it, its weight given as attribute
        or style.
    families : str, optional
        Families of heavy text, from the theme; the package's by default.

    Returns
    -------
    str
        The same picture, with the family named wherever text is heavy.
    """

    def named(match: re.Match[str]) -> str:
        tag = match[0]
        if not _HEAVY.search(tag) or HEAVY in tag:
            return tag
        if FAMILY in tag:
            return tag.replace(FAMILY, HEAVY)
        tag = _FAMILY.sub("", tag)  # an attribute given twice is no XML
        end = -2 if tag.endswith("/>") else -1
        return f'{tag[:end]} font-family="{families}"{tag[end:]}'

    return _OPENING_TAG.sub(named, svg)


def with_clear_values(svg: str) -> str:
    """Lay the page's colour under the values of upright bars, which stand across lines.

    Browsers draw an edge around such text; Typst would draw it over the letters.

    Parameters
    ----------
    svg : str
        A picture of a chart.
    """

    def cleared(match: re.Match[str]) -> str:
        size = float(match["size"])
        width = 0.6 * size * len(html.unescape(match["text"]))
        return (
            f'<rect x="{-width / 2:g}" y="{-0.78 * size:g}" width="{width:g}" '
            f'height="{0.86 * size:g}" fill="#fff" transform="{match["place"]}"/>{match[0]}'
        )

    return _VALUE.sub(cleared, svg)
