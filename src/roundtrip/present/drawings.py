"""Drawings of topologies: SVG files that are checked, put into the report's colours and shown."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from roundtrip.errors import DataError, nearest
from roundtrip.present.figure import Figure
from roundtrip.present.theme import FONT, WIDTH
from roundtrip.theme import Theme

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_LARGEST = 1_000_000
_DEEPEST = 40
_ELEMENTS = {
    "svg", "g", "title", "desc", "metadata", "defs", "path", "rect", "circle", "ellipse", "line",
    "polyline", "polygon", "text", "tspan", "marker", "linearGradient", "radialGradient", "stop",
    "clipPath",
}  # fmt: skip
# A declaration could define entities that grow without end or read other files.
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_LOCAL = re.compile(r"url\(\s*[\"']?#([\w.-]+)[\"']?\s*\)")
# What makes a style reach outside the file or run: no drawing of boxes and lines needs a backslash.
_REACHING = re.compile(r"url\s*\(|@|expression|javascript:|data:|\\", re.IGNORECASE)
_ROLE = re.compile(r"(fill|stroke)-([a-z][a-z-]*)")


def drawing(path: Path, colors: Mapping[str, str] | None = None) -> Figure:
    """Read a drawing, refuse what is not a plain picture, and put it into the theme's colours.

    Parameters
    ----------
    path : Path
        An SVG file of shapes and text. ``<title>`` names it, ``<desc>`` says in words all that
        it shows, ``<metadata>`` holds the caption. The class ``fill-<colour>`` or
        ``stroke-<colour>`` puts a shape into a colour of the theme, whatever its attribute says.
    colors : mapping of str to str, optional
        The theme's colours by name; the package's by default.

    Returns
    -------
    Figure
        The same bytes for the same file; ids carry the file's name, so that several drawings
        can share a page.

    Raises
    ------
    DataError
        If the file is missing, holds scripts, references, styles or elements that do not draw,
        names an unknown colour, or lacks title, description, caption or size.
    """
    colors = colors or Theme().drawing_colors()
    root = _parsed(path)
    words = {tag: _words(root, tag) for tag in ("title", "desc", "metadata")}
    for tag, use in (("title", "a name"), ("desc", "a description in words"),
                     ("metadata", "a caption")):  # fmt: skip
        if not words[tag]:
            raise DataError(f"the drawing has no {use}", where=path,
                            remedy=f"write it into a <{tag}> element at the top")  # fmt: skip
    _strip(root, path)
    ids = {element.get("id", "") for element in root.iter()} - {""}
    for element in root.iter():
        element.attrib = _attributes(element, ids, colors, path)
    _sized(root, path)
    root.set("id", path.stem)
    root.set("font-family", f"{FONT}, sans-serif")
    ET.register_namespace("", _SVG[1:-1])
    return Figure(
        title=words["title"],
        caption=words["metadata"],
        alt=words["desc"],
        svg=ET.tostring(root, encoding="unicode") + "\n",
    )


def _parsed(path: Path) -> ET.Element:
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob("*.svg"))
        raise DataError(
            f"there is no drawing '{path.stem}'{nearest(path.stem, known)}",
            where=path,
            allowed=", ".join(known),
        )
    data = path.read_bytes()
    if len(data) > _LARGEST:
        raise DataError("the drawing is too large", where=path, allowed="up to 1 MB")
    if _DECLARATION.search(data) or b"\0" in data:
        raise DataError(
            "the drawing declares a document type", where=path,
            remedy="delete the line that begins with <!DOCTYPE; write UTF-8",
        )  # fmt: skip
    try:
        root = ET.fromstring(data)  # noqa: S314 - no declarations, so nothing to expand
    except ET.ParseError as error:
        line, _ = error.position
        raise DataError(f"is no SVG: {error}", where=f"{path}:{line}") from None
    if root.tag != f"{_SVG}svg":
        raise DataError("is no SVG", where=path, allowed='<svg xmlns="http://www.w3.org/2000/svg">')
    return root


def _words(root: ET.Element, tag: str) -> str:
    found = root.find(f"{_SVG}{tag}")
    return "" if found is None else " ".join((found.text or "").split())


def _strip(parent: ET.Element, path: Path, depth: int = 0) -> None:
    """Leave out what drawing programs note for themselves; refuse what does not draw."""
    if depth > _DEEPEST:
        raise DataError(
            "the drawing is nested too deeply", where=path, allowed=f"{_DEEPEST} levels"
        )
    for child in list(parent):
        if not isinstance(child.tag, str) or not child.tag.startswith(_SVG):
            parent.remove(child)
            continue
        tag = child.tag.removeprefix(_SVG)
        if tag not in _ELEMENTS:
            raise DataError(
                f"the drawing holds <{tag}>",
                where=path,
                allowed="shapes and text: " + ", ".join(sorted(_ELEMENTS)),
            )
        if tag == "metadata":  # the caption stands under the figure
            parent.remove(child)
        else:
            _strip(child, path, depth + 1)


def _attributes(
    element: ET.Element, ids: set[str], colors: Mapping[str, str], path: Path
) -> dict[str, str]:
    """Give an element's attributes: ids made unique on a page, colours taken from the theme."""
    tag = element.tag.removeprefix(_SVG)
    kept: dict[str, str] = {}
    for name, value in element.attrib.items():
        if name in ("href", _XLINK):
            if value[:1] != "#" or value[1:] not in ids:
                raise DataError(
                    f"<{tag}> refers to {value[:60]!r}",
                    where=path,
                    allowed="ids within the drawing",
                )
            kept["href"] = f"#{path.stem}-{value[1:]}"
        elif name == "id":
            kept["id"] = f"{path.stem}-{value}"
        elif name.lower().startswith("on") or _REACHING.search(_LOCAL.sub("", value)):
            raise DataError(
                f'<{tag} {name}="{value[:60]}"> is more than a picture',
                where=path,
                allowed="shapes, text and colours; url(#…) of the drawing",
            )
        elif not name.startswith(("{", "data-")):  # notes of drawing programs
            kept[name] = _LOCAL.sub(lambda match: f"url(#{path.stem}-{match[1]})", value)
    for part in kept.get("class", "").split():
        role = _ROLE.fullmatch(part)
        if role is None:
            continue
        if role[2] not in colors:
            raise DataError(
                f"'{part}' names no colour of the theme{nearest(role[2], colors)}",
                where=path,
                allowed=", ".join(colors),
            )
        kept[role[1]] = colors[role[2]]
        if "style" in kept:  # it would win over the attribute
            kept["style"] = re.sub(rf"(?:^|(?<=;))\s*{role[1]}\s*:[^;]*;?", "", kept["style"])
    return kept


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
