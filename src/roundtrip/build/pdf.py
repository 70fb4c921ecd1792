"""The PDF of one edition: the book's chapters, typeset by Typst with the report's template."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import typst

from roundtrip.build.book import Book, Chapter, FigureItem, TableItem
from roundtrip.build.pdf_placement import Placement, to_float
from roundtrip.build.typst_blocks import links
from roundtrip.build.typst_svg import with_heavy_family
from roundtrip.build.typst_writer import chapter_to_typst
from roundtrip.errors import RenderError
from roundtrip.files import disk_errors
from roundtrip.project import Project

STANDARD: Literal["ua-1"] = "ua-1"
"""The PDF standard that every report conforms to: tagged, with alternative texts."""

TEMPLATE_FILES = (
    "typst/book.typ",
    "typst/report.typ",
    "typst/table.typ",
    "typst/cover.typ",
    "typst/look.typ",
    "fonts/IBMPlexSans-Regular.ttf",
    "fonts/IBMPlexSans-SemiBold.ttf",
    "fonts/IBMPlexSans-Italic.ttf",
    "fonts/IBMPlexSans-SemiBoldItalic.ttf",
    "fonts/IBMPlexMono-Regular.ttf",
)
"""What the PDF needs below ``templates/``."""

_PLACEMENT_ROUNDS = 5


def render_pdf(
    book: Book, project: Project, convert: Callable[[Chapter], str] = chapter_to_typst
) -> bytes:
    """Typeset a book.

    Parameters
    ----------
    book : Book
        The book, with all numbers and references resolved.
    project : Project
        Where the templates and fonts are.
    convert : callable, optional
        Gives the Typst source of a chapter; replace it by one that remembers.

    Returns
    -------
    bytes
        The PDF; the same bytes for the same book and templates.

    Raises
    ------
    RenderError
        If a template is missing, a reference leads nowhere, or Typst reports an error or a warning.
    """
    check_templates(project)
    check_links(book)
    with disk_errors(Path(tempfile.gettempdir())), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sources(book, project, folder, convert)
        return _Typesetter(folder, project, book).pdf()


def check_templates(project: Project) -> None:
    """Refuse to start without all templates and fonts."""
    for name in TEMPLATE_FILES:
        path = project.templates / name
        if not path.is_file():
            raise RenderError(
                "the PDF needs this template file, and it is missing",
                where=project.relative(path),
                remedy=f"restore it with `git checkout -- {project.relative(path)}`",
            )


def check_links(book: Book) -> None:
    """Refuse links to anchors that the book does not have, and labels that exist twice."""
    labels = Counter(chapter.label for chapter in book.chapters)
    for chapter in book.chapters:
        labels.update([*chapter.figures, *chapter.tables])
        cells = [c for t in chapter.tables.values() for row in t.model.rows for c in row]
        items: list[FigureItem | TableItem] = [
            *chapter.figures.values(),
            *chapter.tables.values(),
        ]
        wanted = [*links(chapter.blocks), *(cell.link for cell in cells if cell.link)]
        wanted += [source.anchor for item in items for source in item.sources]
        for anchor in wanted:
            if anchor not in book.anchors:
                raise RenderError(
                    f"a reference leads to '{anchor}', which the report does not have",
                    where=f"chapter {chapter.name}",
                )
    for label, count in labels.items():
        if count > 1:
            raise RenderError(f"the label '{label}' is given {count} times")


def write_sources(
    book: Book, project: Project, folder: Path, convert: Callable[[Chapter], str]
) -> None:
    """Write everything that Typst reads: templates, ``book.json``, chapters and pictures."""
    for name in TEMPLATE_FILES:
        if name.startswith("typst/"):
            shutil.copyfile(project.templates / name, folder / Path(name).name)
    (folder / "chapters").mkdir()
    (folder / "figures").mkdir()
    for chapter in book.chapters:
        (folder / "chapters" / f"{chapter.name}.typ").write_text(convert(chapter), "utf-8")
        for figure in chapter.figures.values():
            (folder / "figures" / f"{figure.label}.svg").write_text(
                with_heavy_family(figure.svg), "utf-8"
            )
    (folder / "book.json").write_text(json.dumps(_front_matter(book)), "utf-8")


def _front_matter(book: Book) -> dict[str, Any]:
    edition = book.edition
    running = [f"Version {edition.version}", f"commit {book.commit}" if book.commit else ""]
    return {
        "title": edition.title,
        "subtitle": edition.subtitle,
        "authors": list(edition.authors),
        "version": edition.version,
        "date": edition.date,
        "commit": book.commit,
        "edition": " · ".join(filter(None, running)),
        "banner": book.banner,
        "paper": edition.paper,
        "lang": edition.lang,
        "notices": [{"title": notice.title, "text": notice.text} for notice in edition.notices],
        "tables": sum(len(chapter.tables) for chapter in book.chapters),
        "figures": sum(len(chapter.figures) for chapter in book.chapters),
        "chapters": [
            {"name": c.name, "title": c.title, "label": c.label, "number": c.number, "kind": c.kind}
            for c in book.chapters
        ],
    }


class _Typesetter:
    """Runs Typst on a prepared folder and turns its complaints into errors."""

    def __init__(self, folder: Path, project: Project, book: Book) -> None:
        self._main = str(folder / "book.typ")
        self._book = book
        fonts = typst.Fonts(
            include_system_fonts=False,
            include_embedded_fonts=True,
            font_paths=[str(project.templates / "fonts")],
        )
        self._compiler = typst.Compiler(self._main, root=str(folder), font_paths=fonts)

    def pdf(self) -> bytes:
        """Compile until no picture leaves a page half empty, at most a few times."""
        floated: frozenset[str] = frozenset()
        chapter_of = {
            label: chapter.name
            for chapter in self._book.chapters
            for label in (*chapter.figures, *chapter.tables)
        }
        for _ in range(_PLACEMENT_ROUNDS):
            content = self._compile(floated)
            more = to_float(self._placements(), chapter_of, self._book.edition.paper)
            if not more:
                break
            floated |= more
        else:
            content = self._compile(floated)
        return content

    def _compile(self, floated: frozenset[str]) -> bytes:
        try:
            content, warnings = self._compiler.compile_with_warnings(
                format="pdf",
                pdf_standards=[STANDARD],
                timestamp=self._book.timestamp,
                sys_inputs={"floated": ",".join(sorted(floated))},
            )
        except typst.TypstError as error:
            raise _complaint("error", error) from error
        if warnings:
            raise _complaint("warning", warnings[0])
        if not isinstance(content, bytes):
            raise RenderError("Typst gave no PDF")
        return content

    def _placements(self) -> list[Placement]:
        found = json.loads(self._compiler.query("<placements>", field="value", one=True))
        return [Placement(*entry) for entry in found]


def _complaint(kind: str, complaint: Any) -> RenderError:
    place = re.search(r"┌─ (\S+?):(\d+):\d+", complaint.diagnostic)
    where = None
    if place:
        file = Path(place[1])
        inside = file.parent.name == "chapters"
        name = f"chapter {file.stem}, Typst line" if inside else file.name
        where = f"{name}:{place[2]}"
    return RenderError(
        f"Typst {kind}: {complaint.message}",
        where=where,
        remedy="; ".join(complaint.hints) or None,
    )
