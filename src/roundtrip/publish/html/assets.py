"""The files that every page of the site loads, all from its own folder."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import unquote

from roundtrip.files import write_atomically
from roundtrip.project import Project
from roundtrip.publish.book import Book, Chapter
from roundtrip.theme import FAMILY, Theme, brand_pictures, load_theme

_COPIED = (
    ("css", "*.css", "css"),
    ("html/assets", "*.js", ""),
    ("html/vendor", "minisearch.*", "vendor"),
    ("fonts", "IBMPlex*.woff2", "fonts"),
    ("fonts", "OFL.txt", "fonts"),
)
"""Folder of templates, the files in it, and where below ``assets`` they go."""
_COMMENT = re.compile(r"[ \t]*/\*.*?\*/\n?", re.DOTALL)
_FACE = re.compile(r"@font-face\s*{[^}]*}")
_ADDRESS = re.compile(r'url\("([^"]+)"\)')


def has_charts(chapter: Chapter) -> bool:
    """Tell whether any figure of a chapter can become interactive."""
    return any(figure.spec is not None for figure in chapter.figures.values())


def write_assets(book: Book, project: Project, folder: Path, *, comparing: bool = False) -> None:
    """Put style sheets, scripts, fonts and the chart library that a book needs into a folder.

    `comparing`: the site has the page that compares points, which draws charts too.
    """
    charts = chart_library(book, project, comparing=comparing)
    for kind, pattern, place in _COPIED:
        for source in reversed(project.template_folders(kind)):
            for file in sorted(source.glob(pattern)):
                _copy(file, folder / place / file.name)
    for sheet in sorted((folder / "css").glob("*.css")):  # what is for authors is not sent
        write_atomically(sheet, _COMMENT.sub("", sheet.read_text("utf-8")))
    sheet = folder / "css" / "report.css"
    theme = load_theme(project)
    write_atomically(sheet, sheet.read_text("utf-8") + theme.css())
    for name in theme.fonts.faces.values() if theme.fonts else ():
        _copy(project.templates / "fonts" / name, folder / "fonts" / name)
    write_atomically(folder / "picture-fonts.js", _picture_fonts(sheet, theme))
    for name, content in brand_pictures(project).items():
        write_atomically(folder / name, content)
    if charts:
        _copy(charts, folder / "vendor" / "plotly.min.js")


def write_downloads(book: Book, folder: Path) -> None:
    """Write the data behind every figure and table, one CSV file each."""
    for chapter in book.chapters:
        for item in chapter.items:
            if item.csv:
                write_atomically(folder / f"{item.label}.csv", item.csv)


def _picture_fonts(sheet: Path, theme: Theme) -> str:
    """Write the faces that pictures are drawn with as a script: a saved picture carries them.

    Of the package's faces, which are split by characters, those that most texts need; of a
    project's own, all upright ones.
    """
    packaged = [
        face for face in _FACE.findall(sheet.read_text("utf-8"))
        if f'"{FAMILY}"' in face and "unicode-range" in face
    ]  # fmt: skip
    faces = []
    for face in (*packaged, *_FACE.findall(theme.font_faces())):
        address = _ADDRESS.search(face)
        if address is None or "italic" in face:
            continue
        font = sheet.parent / unquote(address[1])
        data = b64encode(font.read_bytes()).decode()
        faces.append(face.replace(address[0], f'url("data:font/{font.suffix[1:]};base64,{data}")'))
    return f"window.roundtripFonts={json.dumps(''.join(faces))};\n"


def _copy(source: Path, target: Path) -> None:
    write_atomically(target, source.read_bytes())


BASIC = frozenset({"scatter", "bar", "pie"})
"""Kinds of traces that Plotly's basic bundle draws; it is a quarter of the whole one."""


def chart_library(book: Book, project: Project, *, comparing: bool = False) -> Path | None:
    """Find the script that the charts of a book need, None if no figure can become interactive.

    It is the package's of lines, points, bars and pies, or the one of every kind of chart in the
    installed plotly package. `comparing` as `write_assets` has it.
    """
    charts = [
        figure.spec
        for chapter in book.chapters
        for figure in chapter.figures.values()
        if figure.spec is not None
    ]
    kinds = {trace.get("type", "scatter") for chart in charts for trace in chart.get("data") or ()}
    if kinds <= BASIC:
        return project.template("html/vendor/plotly-basic.min.js") if charts or comparing else None
    # Found without importing the package, which takes longer than the whole site.
    return Path(str(distribution("plotly").locate_file("plotly/package_data/plotly.min.js")))
