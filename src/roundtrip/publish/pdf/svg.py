"""Pictures as Typst needs them."""

from __future__ import annotations

import re

_OPENING_TAG = re.compile(r"<(?:svg|g|text|tspan)\b[^>]*>")
_HEAVY = re.compile(r"font-weight\s*[:=]\s*[\"']?\s*(?:[6-9]00|bold)\b")
_FAMILY = "IBM Plex Sans"
_HEAVY_FAMILY = "IBM Plex Sans SmBld"


def with_heavy_family(svg: str) -> str:
    """Name the semi-bold face as the font files do.

    The shipped semi-bold faces are a family of their own. Browsers find them by weight; Typst
    finds them by that name only and would draw such text in the regular face.

    Parameters
    ----------
    svg : str
        A picture whose text is in IBM Plex Sans, its weight given as attribute or style.

    Returns
    -------
    str
        The same picture, with the family named wherever text is heavy.
    """

    def named(match: re.Match[str]) -> str:
        tag = match[0]
        if not _HEAVY.search(tag) or _HEAVY_FAMILY in tag:
            return tag
        if _FAMILY in tag:
            return tag.replace(_FAMILY, _HEAVY_FAMILY)
        end = -2 if tag.endswith("/>") else -1
        return f'{tag[:end]} font-family="{_HEAVY_FAMILY}"{tag[end:]}'

    return _OPENING_TAG.sub(named, svg)
