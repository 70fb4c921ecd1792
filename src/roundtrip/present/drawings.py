"""Drawings of topologies: SVG files that are checked, put into the report's colours and shown."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from roundtrip.errors import DataError, nearest
from roundtrip.pictures import LOCAL, SVG, plain_svg
from roundtrip.present.figure import WIDTH, Figure
from roundtrip.theme import Theme

_ROLE = re.compile(r"(fill|stroke)-([a-z][a-z-]*)")


def drawing(path: Path, theme: Theme) -> Figure:
    """Read a drawing, refuse what is not a plain picture, and put it into the theme's colours.

    It is an SVG file of shapes and text. ``<title>`` names it, ``<desc>`` says in words all
    that it shows, ``<metadata>`` holds the caption. The class ``fill-<colour>`` or
    ``stroke-<colour>`` puts a shape into a colour of the theme, whatever its attribute says.
    The same file gives the same bytes; ids carry the file's name, so that several drawings can
    share a page. A drawing beside it, whose name ends in ``-narrow``, stands for it on phones.

    A DataError says what is wrong: the file is missing, holds scripts, references, styles or
    elements that do not draw, names an unknown colour, or lacks title, description, caption or
    size.
    """
    colors = theme.drawing_colors()
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob("*.svg"))
        raise DataError(
            f"there is no drawing '{path.stem}'{nearest(path.stem, known)}",
            where=path,
            allowed=", ".join(known),
        )
    root = plain_svg(path)
    words = {}
    for tag, use in (("title", "a name"), ("desc", "a description in words"),
                     ("metadata", "a caption")):  # fmt: skip
        words[tag] = " ".join(root.findtext(f"{SVG}{tag}", "").split())
        if not words[tag]:
            raise DataError(f"the drawing has no {use}", where=path,
                            remedy=f"write it into a <{tag}> element at the top")  # fmt: skip
    for told in (*root.findall(f"{SVG}metadata"), *root.findall(f"{SVG}desc")):
        root.remove(told)  # the caption stands under the figure, the description is its alt text
    for element in root.iter():
        element.attrib = _attributes(element, colors, path)
    _sized(root, path)
    root.set("id", path.stem)
    root.set("font-family", f"{theme.families}, sans-serif")
    ET.register_namespace("", SVG[1:-1])
    narrow = path.with_stem(f"{path.stem}-narrow")
    return Figure(
        title=words["title"],
        caption=words["metadata"],
        alt=words["desc"],
        svg=ET.tostring(root, encoding="unicode") + "\n",
        narrow=drawing(narrow, theme).svg if narrow.is_file() else None,
    )


def _attributes(element: ET.Element, colors: Mapping[str, str], path: Path) -> dict[str, str]:
    """Give an element's attributes: ids made unique on a page, colours taken from the theme."""
    attributes: dict[str, str] = {}
    for name, value in element.attrib.items():
        if name == "href":
            attributes["href"] = f"#{path.stem}-{value[1:]}"
        elif name == "id":
            attributes["id"] = f"{path.stem}-{value}"
        else:
            attributes[name] = LOCAL.sub(lambda match: f"url(#{path.stem}-{match[1]})", value)
    for part in attributes.get("class", "").split():
        role = _ROLE.fullmatch(part)
        if role is None:
            continue
        if role[2] not in colors:
            raise DataError(
                f"'{part}' names no colour of the theme{nearest(role[2], colors)}",
                where=path,
                allowed=", ".join(colors),
            )
        attributes[role[1]] = colors[role[2]]
        if "style" in attributes:  # it would win over the attribute
            rule = rf"(?:^|(?<=;))\s*{role[1]}\s*:[^;]*;?"
            attributes["style"] = re.sub(rule, "", attributes["style"])
    return attributes


def _sized(root: ET.Element, path: Path) -> None:
    """Give the drawing the width of every figure, and the height that goes with it."""
    try:
        _, _, width, height = (float(part) for part in root.get("viewBox", "").split())
        if not (0 < width < math.inf and 0 < height < math.inf):
            raise ValueError
    except ValueError:
        raise DataError(
            "the drawing does not say how large it is", where=path,
            remedy='give the <svg> a viewBox, such as viewBox="0 0 760 400"',
        ) from None  # fmt: skip
    root.set("width", f"{WIDTH:g}")
    root.set("height", f"{height * WIDTH / width:g}")
