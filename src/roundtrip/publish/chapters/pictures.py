"""Static pictures of the charts: SVG with real text, drawn once and kept by content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from roundtrip.cache import Cache
from roundtrip.files import sha256_of_json, sha256_of_tree
from roundtrip.project import Project
from roundtrip.publish.chapters import chart_browser

_ID = re.compile(r'\bid="([^"]+)"')
_TRACE = re.compile(r"\btrace[0-9a-f]{6}\b")
_PATTERN = re.compile(
    r'(?P<open><pattern id="(?P<id>[^"]+)"[^>]*>)'
    r'<rect [^>]*fill="(?P<color>[^"]+)"[^>]*fill-opacity="1"/>'
)
_PATTERNED = re.compile(r"<path [^>]*fill: url\('#(?P<id>[^']+)'\);[^>]*/>")
_CLEAR = re.compile(r'<rect [^>]*fill-opacity: 0;"\s*/>')


class PictureMaker:
    """Draws charts as SVG while other work goes on; what is at hand is not drawn again.

    Used as a context: its end closes the browser.
    """

    def __init__(self, project: Project) -> None:
        self._fonts = project.template_folders("fonts")
        self._cache = Cache(project.cache)
        code = (Path(__file__), Path(chart_browser.__file__))
        self._look = sha256_of_tree(*self._fonts, *code) + version("plotly") + version("kaleido")
        self._drawn: dict[str, str] = {}
        self._drawing: dict[str, Future[None]] = {}
        self._browser: chart_browser.Browser | None = None

    def __enter__(self) -> PictureMaker:
        return self

    def __exit__(self, *_: object) -> None:
        if self._browser is not None:
            self._browser.close()

    def expect_charts(self) -> None:
        """Start the browser, which takes seconds, because charts are likely to come."""
        if self._browser is None:
            self._browser = chart_browser.Browser(self._fonts)

    def add(self, charts: Mapping[str, dict[str, Any]]) -> None:
        """Begin to draw charts: Plotly figures in JSON form, with width and height, by label."""
        for label, chart in charts.items():
            key = sha256_of_json([label, chart, self._look])[:24]
            kept = self._cache.get("pictures", key)
            if kept is not None:
                self._drawn[label] = kept.decode()
            else:
                self.expect_charts()
                assert self._browser is not None  # noqa: S101
                self._drawing[label] = self._browser.draw(chart, partial(self._keep, label, key))

    def _keep(self, label: str, key: str, svg: str) -> None:
        self._drawn[label] = clean_svg(svg, label)
        self._cache.put("pictures", key, self._drawn[label].encode())

    def pictures(self, labels: Iterable[str]) -> dict[str, str]:
        """Wait for the pictures of charts that were added, by label.

        Identifiers are made from the label, so that equal charts give equal bytes and
        pictures can stand in one page together. Raises what `Browser.draw` does.
        """
        pictures = {}
        for label in labels:
            if label in self._drawing:
                self._drawing[label].result()
            pictures[label] = self._drawn[label]
        return pictures


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
    """
    svg = _solid_below_patterns(_CLEAR.sub("", svg))
    names = dict.fromkeys(_ID.findall(svg))
    for position, name in enumerate(names):
        svg = re.sub(rf"""(?<=["#]){re.escape(name)}(?=["')&])""", f"{label}-{position}", svg)
    for position, name in enumerate(dict.fromkeys(_TRACE.findall(svg))):
        svg = svg.replace(name, f"trace{position}")
    return svg.replace(' style=""', "").strip() + "\n"
