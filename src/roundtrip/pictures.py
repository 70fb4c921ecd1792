"""Pictures that a project brings along: only plain ones are taken."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from io import BytesIO
from pathlib import Path

from roundtrip.errors import DataError

LARGEST = 1_000_000
_WIDEST = 8000
_PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}"
"""What the tags of SVG begin with."""
_XLINK = "{http://www.w3.org/1999/xlink}href"
_DEEPEST = 40
_ELEMENTS = {
    "svg", "g", "title", "desc", "metadata", "defs", "path", "rect", "circle", "ellipse", "line",
    "polyline", "polygon", "text", "tspan", "marker", "linearGradient", "radialGradient", "stop",
    "clipPath",
}  # fmt: skip
# A declaration could define entities that grow without end or read other files.
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
LOCAL = re.compile(r"url\(\s*[\"']?#([\w.-]+)[\"']?\s*\)")
"""A reference to an element of the same file."""
# What makes a style reach outside the file or run: no drawing of boxes and lines needs a backslash.
_REACHING = re.compile(r"url\s*\(|@|expression|javascript:|data:|\\", re.IGNORECASE)


def plain_svg(path: Path) -> ET.Element:
    """Read an SVG file of shapes and text, without what drawing programs note for themselves.

    Returns
    -------
    Element
        The same picture; references have the plain attribute ``href``.

    Raises
    ------
    DataError
        If it is no SVG, is too large, or holds scripts, styles, pictures or references to what is
        not in the file.
    """
    data = _content(path)
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
    if root.tag != f"{SVG}svg":
        raise DataError("is no SVG", where=path, allowed='<svg xmlns="http://www.w3.org/2000/svg">')
    _strip(root, path)
    ids = {element.get("id", "") for element in root.iter()} - {""}
    for element in root.iter():
        element.attrib = _attributes(element, ids, path)
    return root


def picture(path: Path) -> bytes:
    """Read a picture that pages and paper show.

    Parameters
    ----------
    path : Path
        An SVG or PNG file, by its name.

    Returns
    -------
    bytes
        What can be published: an SVG without what drawing programs note for themselves.

    Raises
    ------
    DataError
        If it is no such picture, is damaged, or is too large.
    """
    if path.suffix.lower() == ".svg":
        root = plain_svg(path)
        ET.register_namespace("", SVG[1:-1])
        return (ET.tostring(root, encoding="unicode") + "\n").encode()
    from PIL import Image  # chapters load faster without

    data = _content(path)
    if not data.startswith(_PNG):
        raise DataError("is no picture", where=path, allowed="SVG, PNG")
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    if max(width, height) > _WIDEST:
        raise DataError(
            f"the picture has {width} by {height} pixels", where=path,
            allowed=f"up to {_WIDEST} by {_WIDEST}", remedy="make it smaller",
        )  # fmt: skip
    try:
        with Image.open(BytesIO(data), formats=["PNG"]) as image:
            image.verify()
    except Exception as problem:  # of many kinds
        raise DataError("the picture is damaged", where=path, remedy="export it again") from problem
    return data


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise DataError(
                "the picture is too large", where=path, allowed=f"up to {LARGEST // 1_000_000} MB"
            )
        return path.read_bytes()
    except OSError as problem:
        raise DataError(f"cannot be read: {problem.strerror}", where=path) from problem


def _strip(parent: ET.Element, path: Path, depth: int = 0) -> None:
    """Leave out what drawing programs note for themselves; refuse what does not draw."""
    if depth > _DEEPEST:
        raise DataError(
            "the drawing is nested too deeply", where=path, allowed=f"{_DEEPEST} levels"
        )
    for child in list(parent):
        if not isinstance(child.tag, str) or not child.tag.startswith(SVG):
            parent.remove(child)
            continue
        tag = child.tag.removeprefix(SVG)
        if tag not in _ELEMENTS:
            raise DataError(
                f"the drawing holds <{tag}>",
                where=path,
                allowed="shapes and text: " + ", ".join(sorted(_ELEMENTS)),
            )
        _strip(child, path, depth + 1)


def _attributes(element: ET.Element, ids: set[str], path: Path) -> dict[str, str]:
    """Give an element's attributes without notes of drawing programs; refuse what reaches out."""
    tag = element.tag.removeprefix(SVG)
    attributes: dict[str, str] = {}
    for name, value in element.attrib.items():
        if name in ("href", _XLINK):
            if value[:1] != "#" or value[1:] not in ids:
                raise DataError(
                    f"<{tag}> refers to {value[:60]!r}",
                    where=path,
                    allowed="ids within the drawing",
                )
            attributes["href"] = value
        elif name.lower().startswith("on") or _REACHING.search(LOCAL.sub("", value)):
            raise DataError(
                f'<{tag} {name}="{value[:60]}"> is more than a picture',
                where=path,
                allowed="shapes, text and colours; url(#…) of the drawing",
            )
        elif not name.startswith(("{", "data-")):
            attributes[name] = value
    return attributes
