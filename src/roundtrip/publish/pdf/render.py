"""The PDF of one edition: the book's chapters, typeset by Typst with the report's template."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typst

from roundtrip.errors import RenderError
from roundtrip.files import disk_errors
from roundtrip.project import Project
from roundtrip.publish.book import Book, Chapter
from roundtrip.publish.pdf.svg import with_heavy_family
from roundtrip.publish.pdf.writer import chapter_to_typst
from roundtrip.theme import brand_pictures, load_theme, typeface

_TEMPLATES = ("book.typ", "cover.typ", "look.typ", "report.typ", "table.typ")
_PLACE = re.compile(r"┌─ (.+):(\d+):\d+$", re.MULTILINE)
_UNPRINTABLE = re.compile(r'the text `"(.+)"` could not be displayed')


def render_pdf(book: Book, project: Project, sources: Mapping[str, str] | None = None) -> bytes:
    """Typeset a book as a tagged PDF (PDF/UA-1).

    A process that has typeset the book before lays out again only what changed.

    Parameters
    ----------
    book : Book
        The book, with all numbers and references resolved.
    project : Project
        Where the templates and fonts are.
    sources : mapping, optional
        Chapter name to what `chapter_to_typst` gives for it, where that is at hand.

    Returns
    -------
    bytes
        The same for the same book and templates.

    Raises
    ------
    RenderError
        If Typst reports an error or a warning.
    """
    if sources is None:
        fonts = typeface(project)
        sources = {c.name: chapter_to_typst(c, fonts) for c in book.chapters}
    with disk_errors(Path(tempfile.gettempdir())), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_files(book, sources, project, folder)
        shipped = typst.Fonts(
            include_system_fonts=False,
            include_embedded_fonts=False,
            font_paths=[str(place) for place in project.template_folders("fonts")],
        )
        compiler = typst.Compiler(str(folder / "book.typ"), root=str(folder), font_paths=shipped)
        try:
            content, warnings = compiler.compile_with_warnings(
                format="pdf", pdf_standards=["ua-1"], timestamp=book.timestamp
            )
        except typst.TypstError as error:
            raise _complaint("error", error, sources) from error
    if warnings:
        raise _complaint("warning", warnings[0], sources)
    if not isinstance(content, bytes):
        raise RenderError("Typst gave no PDF")
    return content


def _write_files(book: Book, sources: Mapping[str, str], project: Project, folder: Path) -> None:
    for name in _TEMPLATES:
        shutil.copyfile(project.template(f"typst/{name}"), folder / name)
    theme = load_theme(project)
    (folder / "theme.typ").write_text(theme.typst(), "utf-8")
    for name, content in brand_pictures(project).items():
        (folder / name).write_bytes(content)
    (folder / "chapters").mkdir()
    (folder / "figures").mkdir()
    (folder / "book.json").write_text(json.dumps(front_matter(book)), "utf-8")
    for chapter in book.chapters:
        body = f'#import "/report.typ": *\n\n{sources[chapter.name]}'
        (folder / "chapters" / f"{chapter.name}.typ").write_text(body, "utf-8")
        for figure in chapter.figures.values():
            picture = with_heavy_family(figure.svg, theme.heavy_families)
            (folder / "figures" / f"{figure.label}.svg").write_text(picture, "utf-8")


def _complaint(kind: str, complaint: Any, sources: Mapping[str, str]) -> RenderError:
    place = _PLACE.search(complaint.diagnostic)
    where = _name_of(Path(place[1]), place[2]) if place else None
    text = _UNPRINTABLE.search(complaint.message)
    if text:
        # Typst names the function that sets the text; the reader wants to know who wrote it.
        holders = [name for name, body in sources.items() if text[1] in body]
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
