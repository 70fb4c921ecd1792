"""Pictures as Typst needs them."""

from __future__ import annotations

import re

from roundtrip.theme import FAMILY, HEAVY

_OPENING_TAG = re.compile(r"<(?:svg|g|text|tspan)\b[^>]*>")
_FAMILY = re.compile(r"\sfont-family\s*=\s*(?:\"[^\"]*\"|'[^']*')")
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
