"""Runs Typst on the book and turns its complaints into errors."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typst

from roundtrip.build.book import Book
from roundtrip.build.pdf_placement import Layout, Placement, to_float, to_tighten
from roundtrip.build.typst_svg import with_heavy_family
from roundtrip.build.typst_text import quoted
from roundtrip.errors import RenderError
from roundtrip.project import Project

TYPST_FILES = (
    "typst/book.typ",
    "typst/cover.typ",
    "typst/look.typ",
    "typst/report.typ",
    "typst/table.typ",
)
"""Templates, below ``templates/``."""

FONT_FILES = (
    "fonts/IBMPlexMono-Regular.ttf",
    "fonts/IBMPlexSans-Italic.ttf",
    "fonts/IBMPlexSans-Regular.ttf",
    "fonts/IBMPlexSans-SemiBold.ttf",
    "fonts/IBMPlexSans-SemiBoldItalic.ttf",
)
"""Fonts that the templates use, below ``templates/``."""

_LAYOUT_ROUNDS = 8
_PLACE = re.compile(r"┌─ (.+):(\d+):\d+$", re.MULTILINE)
_UNPRINTABLE = re.compile(r'the text `"(.+)"` could not be displayed')


class Typesetter:
    """Lays out a book in a folder of its own.

    Parameters
    ----------
    book : Book
        The book.
    bodies : mapping of str to str
        Typst source of each chapter, by name.
    project : Project
        Where the templates and fonts are.
    folder : Path
        An empty folder to work in.
    """

    def __init__(
        self, book: Book, bodies: Mapping[str, str], project: Project, folder: Path
    ) -> None:
        self._book = book
        self._bodies = bodies
        self._folder = folder
        self._floated: dict[str, list[str]] = {name: [] for name in bodies}
        self._tight: set[str] = set()
        for name in TYPST_FILES:
            shutil.copyfile(project.templates / name, folder / Path(name).name)
        (folder / "chapters").mkdir()
        (folder / "figures").mkdir()
        (folder / "book.json").write_text(json.dumps(front_matter(book)), "utf-8")
        for chapter in book.chapters:
            self._write(chapter.name)
            for figure in chapter.figures.values():
                picture = with_heavy_family(figure.svg)
                (folder / "figures" / f"{figure.label}.svg").write_text(picture, "utf-8")
        self._fonts = typst.Fonts(
            include_system_fonts=False,
            include_embedded_fonts=False,
            font_paths=[str(project.templates / "fonts")],
        )

    def pdf(self) -> bytes:
        """Lay out the book and write it as a tagged PDF (PDF/UA-1).

        Returns
        -------
        bytes
            The PDF.

        Raises
        ------
        RenderError
            If Typst reports an error or a warning.
        """
        self._settle()
        try:
            content, warnings = self._compiler().compile_with_warnings(
                format="pdf", pdf_standards=["ua-1"], timestamp=self._book.timestamp
            )
        except typst.TypstError as error:
            raise self._complaint("error", error) from error
        if warnings:
            raise self._complaint("warning", warnings[0])
        if not isinstance(content, bytes):
            raise RenderError("Typst gave no PDF")
        return content

    def _settle(self) -> None:
        """Lay out until no item leaves a page half empty, at most a few times."""
        for _ in range(_LAYOUT_ROUNDS):
            try:
                layout = self.layout()
            except RuntimeError:
                return  # Typst tells more about what is wrong when it writes the PDF.
            moved = to_float(layout.placements)
            for name, label in moved.items():
                self._floated[name].append(label)
            # Items that leave their place change where a chapter ends.
            tight = to_tighten(layout.last_pages) - self._tight - set(moved)
            self._tight |= tight
            if not moved and not tight:
                return
            for name in {*moved, *tight}:
                self._write(name)

    def _compiler(self) -> typst.Compiler:
        # A compiler does not notice files that change; what was laid out before is remembered
        # beyond its life.
        main = str(self._folder / "book.typ")
        return typst.Compiler(main, root=str(self._folder), font_paths=self._fonts)

    def _write(self, name: str) -> None:
        # What changes between rounds stands in the chapter's file, so that Typst lays out only
        # this chapter again.
        floated = "".join(f"{quoted(label)}, " for label in self._floated[name])
        lines = ['#import "/report.typ": *', f"#let floated = ({floated})"]
        if name in self._tight:
            lines.append("#show: tightly")
        source = "\n".join([*lines, "", self._bodies[name]])
        (self._folder / "chapters" / f"{name}.typ").write_text(source, "utf-8")

    def layout(self) -> Layout:
        """Find where the items that have not left their place and the ends of chapters stand."""
        found = json.loads(self._compiler().query("<placements>", field="value", one=True))
        chapter_of = {
            label: chapter.name
            for chapter in self._book.chapters
            for label in (*chapter.figures, *chapter.tables)
        }
        floated = {label for labels in self._floated.values() for label in labels}
        return Layout(
            [
                Placement(chapter_of[label], label, *place)
                for label, *place in found["items"]
                if label not in floated
            ],
            dict(found["ends"]),
        )

    def _complaint(self, kind: str, complaint: Any) -> RenderError:
        place = _PLACE.search(complaint.diagnostic)
        where = _name_of(Path(place[1]), place[2]) if place else None
        text = _UNPRINTABLE.search(complaint.message)
        if text:
            # Typst names the function that sets the text; the reader wants to know who wrote it.
            holders = [name for name, body in self._bodies.items() if text[1] in body]
            where = f"chapter {holders[0]}" if holders else "the cover, contents or notices"
        return RenderError(
            f"Typst {kind}: {complaint.message}",
            where=where,
            remedy="; ".join(complaint.hints) or None,
        )


def _name_of(file: Path, line: str) -> str:
    if file.parent.name == "chapters":
        return f"chapter {file.stem}, line {line} of its Typst source"
    if file.parent.name == "figures":
        return f"figure {file.stem}, line {line}"
    return f"templates/typst/{file.name}:{line}"


def front_matter(book: Book) -> dict[str, Any]:
    """Give what ``book.typ`` reads: everything but the chapters' bodies.

    Parameters
    ----------
    book : Book
        The book.

    Returns
    -------
    dict
        Data that JSON can hold.
    """
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
