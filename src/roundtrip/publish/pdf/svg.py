"""Pictures as Typst needs them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from roundtrip.project import Project
from roundtrip.publish.pdf.columns import Face, face
from roundtrip.theme import FAMILY, HEAVY, load_theme, typeface

_OPENING_TAG = re.compile(r"<(?:svg|g|text|tspan)\b[^>]*>")
_FAMILY = re.compile(r"\sfont-family\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_TEXT = re.compile(
    r'(?P<before>class="textpoint"[^>]*>|)'
    r"(?P<whole><text(?P<attributes>[^>]*)>(?P<content>.*?)</text>)"
)
_LINE = re.compile(
    r'<tspan class="line" dy="(?P<down>[\d.]+)em"[^>]*>(?P<text>.*?)(?=<tspan class="line"|$)'
)
_SIZE = re.compile(r"font-size: ([\d.]+)px")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_TAG = re.compile(r"<[^>]+>")
_BESIDE = 1.5  # pixels that stay clear beside a text
_HEAVY = re.compile(r"font-weight\s*[:=]\s*[\"']?\s*(?:[6-9]00|bold)\b")


def picture_for_typst(svg: str, project: Project) -> str:
    """Give a picture of the book as Typst draws it like a browser."""
    letters = face(typeface(project).bold)
    return with_heavy_family(with_clear_labels(svg, letters), load_theme(project).heavy_families)


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


def with_clear_labels(svg: str, face: Face) -> str:
    """Lay the page's colour under what stands beside bars and points, across lines.

    Browsers draw an edge around such text; Typst would draw it over the letters.

    Parameters
    ----------
    svg : str
        A picture of a chart.
    face : Face
        Gives the widths of letters.
    """

    def cleared(match: re.Match[str]) -> str:
        before, whole, content = match["before"], match["whole"], match["content"]
        found = dict(_ATTRIBUTE.findall(match["attributes"]))
        size = _SIZE.search(found.get("style", ""))
        label = before or found.get("class") in ("bartext bartext-outside", "annotation-text")
        if not label or size is None:
            return match[0]
        lines = [(float(one["down"]), one["text"]) for one in _LINE.finditer(content)]
        grounds = [
            _ground(found, float(size[1]), down, html.unescape(_TAG.sub("", text)), face)
            for down, text in lines or [(0.0, content)]
        ]
        return f"{before}{''.join(grounds)}{whole}"

    return _TEXT.sub(cleared, svg)


def _ground(found: Mapping[str, str], size: float, down: float, text: str, face: Face) -> str:
    """Draw what lies under one line of a text with some attributes."""
    width = size * face.width(text)
    before = {"middle": width / 2, "end": width}.get(found.get("text-anchor", ""), 0.0)
    blank = size * face.width(text[: len(text) - len(text.lstrip())])  # beside a bar
    x = float(found.get("x", 0)) - before + blank - _BESIDE
    y = float(found.get("y", 0)) + (down - 0.95) * size
    place = f' transform="{found["transform"]}"' if "transform" in found else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width - blank + 2 * _BESIDE:g}" '
        f'height="{1.2 * size:g}" fill="#fff"{place}/>'
    )
