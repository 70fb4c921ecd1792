"""Static pictures of the charts: SVG with real text, drawn once and kept by content."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from roundtrip.errors import RenderError, SetupError
from roundtrip.files import sha256_of, sha256_of_tree, write_atomically
from roundtrip.project import Project

_ID = re.compile(r'\bid="([^"]+)"')
_TRACE = re.compile(r"\btrace[0-9a-f]{6}\b")
_PATTERN = re.compile(
    r'(?P<open><pattern id="(?P<id>[^"]+)"[^>]*>)'
    r'<rect [^>]*fill="(?P<color>[^"]+)"[^>]*fill-opacity="1"/>'
)
_PATTERNED = re.compile(r"<path [^>]*fill: url\('#(?P<id>[^']+)'\);[^>]*/>")
_CLEAR = re.compile(r'<rect [^>]*fill-opacity: 0;"\s*/>')


def draw_pictures(charts: Mapping[str, dict[str, Any]], project: Project) -> dict[str, str]:
    """Draw charts as SVG, all that are not at hand in one go.

    Parameters
    ----------
    charts : mapping
        Figure label to Plotly figure in JSON form, with width and height in its layout.
    project : Project

    Returns
    -------
    dict
        Figure label to SVG. Identifiers are made from the label, so that equal charts give equal
        bytes and pictures can stand in one page together.

    Raises
    ------
    SetupError
        If there is no browser to draw with.
    RenderError
        If the browser fails.
    """
    look = sha256_of_tree(project.templates / "fonts") + version("plotly") + version("kaleido")
    kept = {
        label: project.cache / "pictures" / f"{_key(label, chart, look)}.svg"
        for label, chart in charts.items()
    }
    missing = [label for label, path in kept.items() if not path.is_file()]
    if missing:
        for label, svg in zip(
            missing, _draw([charts[label] for label in missing], project), strict=True
        ):
            write_atomically(kept[label], clean_svg(svg, label))
    return {label: path.read_text(encoding="utf-8") for label, path in kept.items()}


def _key(label: str, chart: dict[str, Any], look: str) -> str:
    return sha256_of(label + json.dumps(chart, sort_keys=True) + look + _CLEANING)[:24]


_CLEANING = "3"  # part of the key: raise it when clean_svg changes


def _draw(charts: list[dict[str, Any]], project: Project) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="roundtrip-") as name:
        folder = Path(name)
        _use_our_fonts(folder, project.templates / "fonts")
        import plotly.io

        targets = [folder / f"{position}.svg" for position in range(len(charts))]
        try:
            plotly.io.write_images(
                charts, targets, format="svg",
                width=[chart["layout"]["width"] for chart in charts],
                height=[chart["layout"]["height"] for chart in charts],
            )  # fmt: skip
        except Exception as problem:
            if "chrome" in type(problem).__name__.lower() or "Chrome" in str(problem)[:200]:
                raise SetupError(
                    "no Chrome or Chromium was found to draw the static figures",
                    remedy="apt-get install chromium, or set BROWSER_PATH to a browser",
                ) from problem
            raise RenderError(
                f"the browser could not draw the figures: {problem}",
                remedy="run 'roundtrip doctor'",
            ) from problem
        return [target.read_text(encoding="utf-8") for target in targets]


def _use_our_fonts(folder: Path, fonts: Path) -> None:
    """Let the browser see the shipped fonts and no others, so that text has one width.

    The web fonts beside them are kept from it: Chromium would pick them and measure every text
    as nothing.
    """
    configuration = folder / "fonts.conf"
    configuration.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n'
        f"<fontconfig><dir>{_xml(fonts)}</dir><cachedir>{_xml(folder / 'fonts')}</cachedir>"
        "<selectfont><rejectfont><glob>*.woff2</glob></rejectfont></selectfont></fontconfig>\n",
        encoding="utf-8",
    )
    os.environ["FONTCONFIG_FILE"] = str(configuration)


def _xml(path: Path) -> str:
    return str(path).replace("&", "&amp;").replace("<", "&lt;")


def _solid_below_patterns(svg: str) -> str:
    """Draw the ground of a patterned bar as one shape, and only the pattern in tiles.

    A ground that is part of each tile shows seams wherever it is drawn with smooth edges.
    """
    grounds = {match["id"]: match["color"] for match in _PATTERN.finditer(svg)}
    svg = _PATTERN.sub(lambda match: match["open"], svg)

    def doubled(match: re.Match[str]) -> str:
        path, name = match[0], match["id"]
        if name not in grounds:
            return path
        return path.replace(f"url('#{name}')", grounds[name]) + path

    return _PATTERNED.sub(doubled, svg)


def clean_svg(svg: str, label: str) -> str:
    """Give an SVG identifiers made from its label, and take out its invisible backgrounds.

    Parameters
    ----------
    svg : str
        As the browser wrote it, with random identifiers.
    label : str
        Unique in the book.

    Returns
    -------
    str
    """
    svg = _solid_below_patterns(_CLEAR.sub("", svg))
    names = dict.fromkeys(_ID.findall(svg))
    for position, name in enumerate(names):
        svg = re.sub(rf"""(?<=["#]){re.escape(name)}(?=["')&])""", f"{label}-{position}", svg)
    for position, name in enumerate(dict.fromkeys(_TRACE.findall(svg))):
        svg = svg.replace(name, f"trace{position}")
    return svg.replace(' style=""', "").strip() + "\n"
