"""The script that draws interactive charts: the smallest that knows every chart of a book."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from roundtrip.errors import RenderError
from roundtrip.project import Project
from roundtrip.publish.book import Book

BASIC = frozenset({"scatter", "bar", "pie"})
"""Kinds of traces that Plotly's basic bundle draws; it is a quarter of the whole one."""


def chart_library(book: Book, project: Project) -> Path | None:
    """Find the script that the charts of a book need, None if no figure can become interactive."""
    kinds = {
        str(trace.get("type", "scatter"))
        for chapter in book.chapters
        for figure in chapter.figures.values()
        if figure.spec is not None
        for trace in figure.spec.get("data") or [{"type": "scatter"}]
    }
    if not kinds:
        return None
    return basic(project) if kinds <= BASIC else whole()


def basic(project: Project) -> Path:
    """Find the script that knows lines, points, bars and pies."""
    return project.template("html/vendor/plotly-basic.min.js")


def whole() -> Path:
    """Find the script with every kind of chart, in the installed plotly package."""
    # Found without importing the package, which takes longer than the whole site.
    spec = find_spec("plotly")
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    for place in places:
        library = Path(place) / "package_data" / "plotly.min.js"
        if library.is_file():
            return library
    raise RenderError(
        "the plotly package has no plotly.min.js", remedy="run `make setup` to install it again"
    )
