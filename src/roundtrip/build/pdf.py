"""The PDF of one edition: the book's chapters, typeset by Typst with the report's template."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from roundtrip.build.book import Book, Chapter
from roundtrip.build.linked import links_of
from roundtrip.build.pdf_memory import LastPdf
from roundtrip.build.pdf_typesetter import FONT_FILES, TYPST_FILES, Keep, Typesetter, made
from roundtrip.build.typst_writer import chapter_to_typst
from roundtrip.errors import RenderError
from roundtrip.files import disk_errors
from roundtrip.project import Project


def typst_sources(
    book: Book, project: Project, convert: Callable[[Chapter], str] | None = None
) -> dict[str, str]:
    """Write the chapters of a book for Typst.

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
    dict
        Chapter name to its Typst source.

    Raises
    ------
    RenderError
        If a template is missing, or a reference leads nowhere.
    """
    check_templates(project)
    check_links(book)
    convert = convert or partial(chapter_to_typst, fonts=project.fonts)
    return {chapter.name: convert(chapter) for chapter in book.chapters}


def render_pdf(
    book: Book,
    project: Project,
    sources: Mapping[str, str] | None = None,
    keep: Keep = made,
    last: LastPdf | None = None,
) -> bytes:
    """Typeset a book.

    Parameters
    ----------
    book : Book
        The book, with all numbers and references resolved.
    project : Project
        Where the templates and fonts are.
    sources : mapping, optional
        What `typst_sources` gave for this book, if that is at hand.
    keep : callable, optional
        Remembers how chapters were arranged.
    last : LastPdf, optional
        What the last PDF was typeset from, which saves much of the work; what this one is typeset
        from takes its place.

    Returns
    -------
    bytes
        The PDF; the same bytes for the same book and templates.

    Raises
    ------
    RenderError
        If a template is missing, a reference leads nowhere, or Typst reports an error or a warning.
    """
    sources = typst_sources(book, project) if sources is None else sources
    if last is not None:
        with last.replaced() as folder:
            return Typesetter(book, sources, project, folder, keep, last).pdf()
    with disk_errors(Path(tempfile.gettempdir())), tempfile.TemporaryDirectory() as name:
        return Typesetter(book, sources, project, Path(name), keep).pdf()


def check_templates(project: Project) -> None:
    """Refuse to start without all templates and fonts.

    Parameters
    ----------
    project : Project
        Where they should be.

    Raises
    ------
    RenderError
        Naming the first file that is missing.
    """
    for name in (*TYPST_FILES, *FONT_FILES):
        path = project.templates / name
        if not path.is_file():
            raise RenderError(
                "the PDF needs this template file, and it is missing",
                where=project.relative(path),
                remedy=f"restore it with `git checkout -- {project.relative(path)}`",
            )


def check_links(book: Book) -> None:
    """Refuse links to anchors that the book does not have, and labels that exist twice.

    Parameters
    ----------
    book : Book
        The book to look through.

    Raises
    ------
    RenderError
        Naming the anchor and the chapter.
    """
    labels = Counter(chapter.label for chapter in book.chapters)
    for chapter in book.chapters:
        labels.update([*chapter.figures, *chapter.tables])
        for anchor in links_of(chapter):
            if anchor not in book.anchors:
                raise RenderError(
                    f"a reference leads to '{anchor}', which the report does not have",
                    where=f"chapter {chapter.name}",
                )
    for label, count in labels.items():
        if count > 1:
            raise RenderError(
                f"the label '{label}' is given {count} times",
                remedy="give every chapter, figure and table a label of its own",
            )
