"""Runs Typst on the book and turns its complaints into errors."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import typst

from roundtrip.build.book import Book, Chapter
from roundtrip.build.linked import links, links_of_items
from roundtrip.build.pdf_memory import LISTS, PLACES, LastPdf, compiler_of
from roundtrip.build.pdf_placement import (
    Arrangement,
    Place,
    write_arrangement,
    write_chapter,
    write_places,
)
from roundtrip.build.pdf_settling import Settlers, fonts_of
from roundtrip.build.typst_svg import root_tag, with_heavy_family
from roundtrip.errors import RenderError
from roundtrip.project import Project

TYPST_FILES = (
    "typst/alone.typ",
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

_MOST_LAYOUTS = 3
"""The first finds where links lead, the second leads them there; no link moves anything."""

_PLACE = re.compile(r"┌─ (.+):(\d+):\d+$", re.MULTILINE)
_ANCHOR = re.compile(r',\\"anchor\\":\\"([^"\\]*)\\"')  # as `typst_text.decoded` writes it
_UNPRINTABLE = re.compile(r'the text `"(.+)"` could not be displayed')


Keep = Callable[[Any, Callable[[], Arrangement]], Arrangement]
"""Gives what was made before from the same content, or makes it."""


def made(_: Any, make: Callable[[], Arrangement]) -> Arrangement:
    """Remember nothing."""
    return make()


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
    keep : callable, optional
        Remembers how chapters were arranged.
    last : LastPdf, optional
        The last PDF, if Typst shall know it first. Where the anchors of links stood in it saves a
        layout when they stand there still.
    """

    def __init__(
        self,
        book: Book,
        bodies: Mapping[str, str],
        project: Project,
        folder: Path,
        keep: Keep = made,
        last: LastPdf | None = None,
    ) -> None:
        self._book = book
        self._last = last
        self._bodies = bodies
        self._folder = folder
        self._keep = keep
        for name in TYPST_FILES:
            shutil.copyfile(project.templates / name, folder / Path(name).name)
        (folder / "chapters").mkdir()
        (folder / "figures").mkdir()
        self._from_items = {
            chapter.name: dict.fromkeys(links_of_items(chapter)) for chapter in book.chapters
        }
        from_items = set().union(*self._from_items.values())
        self._linked = from_items.union(*(links(chapter.blocks) for chapter in book.chapters))
        front = {**front_matter(book), "linked": sorted(from_items)}
        (folder / "book.json").write_text(json.dumps(front), "utf-8")
        for chapter in book.chapters:
            for figure in chapter.figures.values():
                picture = with_heavy_family(figure.svg)
                (folder / "figures" / f"{figure.label}.svg").write_text(picture, "utf-8")
        self._fonts = project.fonts

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
        # The longest first, so that none is left to the end.
        chapters = sorted(self._book.chapters, key=lambda chapter: -len(self._bodies[chapter.name]))
        with (
            ThreadPoolExecutor(os.cpu_count()) as pool,
            Settlers(self._folder, self._fonts) as settlers,
        ):
            list(pool.map(partial(self._arrange, settlers), chapters))
        fonts = fonts_of(self._fonts)
        places: dict[str, Place] = {}
        list_pages = 0
        if self._last is not None:
            self._last.wait()
            places, list_pages = self._last.places(), self._last.list_pages()
        (self._folder / LISTS).write_text(json.dumps(list_pages), "utf-8")
        for _ in range(_MOST_LAYOUTS):
            self._lead_links_to(places)
            compiler = compiler_of(self._folder, fonts)
            before = places
            places, list_pages = self._found_by(compiler)
            if places == before:
                content = self._written(compiler)
                (self._folder / PLACES).write_text(json.dumps(places), "utf-8")
                (self._folder / LISTS).write_text(json.dumps(list_pages), "utf-8")
                return content
        raise RenderError("the places that links lead to differ from layout to layout")

    def _lead_links_to(self, places: Mapping[str, Place]) -> None:
        for chapter, linked in self._from_items.items():
            here = {name: places[name] for name in linked if name in places}
            write_places(self._folder, chapter, here)

    def _found_by(self, compiler: typst.Compiler) -> tuple[dict[str, Place], int]:
        """Lay out the book; give where the anchors stand that items link to, and pages of lists."""
        try:
            found = json.loads(compiler.query("<places>", field="value", one=True))
            return found["places"], found["lists"]
        except RuntimeError:
            self._written(compiler)  # which says where and why it cannot
            raise

    def _written(self, compiler: typst.Compiler) -> bytes:
        """Write what was laid out as a PDF."""
        try:
            content, warnings = compiler.compile_with_warnings(
                format="pdf", pdf_standards=["ua-1"], timestamp=self._book.timestamp
            )
        except typst.TypstError as error:
            raise self._complaint("error", error) from error
        if warnings:
            raise self._complaint("warning", warnings[0])
        if not isinstance(content, bytes):
            raise RenderError("Typst gave no PDF")
        return content

    def _arrange(self, settlers: Settlers, chapter: Chapter) -> None:
        """Write a chapter's files with its items placed well."""
        name, body = chapter.name, self._bodies[chapter.name]
        anchors = self._book.anchors
        elsewhere = sorted({link for link in links(chapter.blocks) if anchors[link] != name})
        # Whatever a picture shows, its place depends on its size alone.
        pictures = [root_tag(figure.svg) for figure in chapter.figures.values()]
        edition = [self._book.edition.paper, self._book.edition.lang]
        content = [edition, _entry(chapter), body, pictures]
        write_chapter(self._folder, name, self._without_idle_anchors(body))
        write_places(self._folder, name, {})
        arrangement = self._keep(
            content,
            lambda: settlers.settle(name, elsewhere, chapter.kind == "appendix"),
        )
        write_arrangement(self._folder, name, arrangement)

    def _without_idle_anchors(self, body: str) -> str:
        """Take the anchors out of a chapter that nothing leads to, most of all it has.

        A cell without one takes Typst a fifth less, and looks and reads the same.
        """
        return _ANCHOR.sub(lambda found: found[0] if found[1] in self._linked else "", body)

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
    listed = [chapter for chapter in book.chapters if chapter.kind != "appendix"]
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
        "tables": sum(len(chapter.tables) for chapter in listed),
        "figures": sum(len(chapter.figures) for chapter in listed),
        "chapters": [_entry(chapter) for chapter in book.chapters],
    }


def _entry(chapter: Chapter) -> dict[str, str]:
    return {
        "name": chapter.name,
        "title": chapter.title,
        "label": chapter.label,
        "number": chapter.number,
        "kind": chapter.kind,
    }
