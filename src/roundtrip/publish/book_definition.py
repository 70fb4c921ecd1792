"""The book definition, ``_quarto.yml``, read strictly, and what an edition takes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import Field

from roundtrip.errors import ParameterError, RenderError, unknown
from roundtrip.project import PACKAGE, Project
from roundtrip.yamlfile import Strict, load_model

_TAKEN = {"index", "compare"}
"""File stems of the site's own pages: the home page, and the one that compares points."""


@dataclass(frozen=True)
class BookDefinition:
    """The chapters of the book, in order; the first is the home page.

    Chapters and appendices are paths of notebooks relative to the file that defines the book;
    `echo` says whether pages show the code of their chapters.
    """

    chapters: tuple[str, ...]
    appendices: tuple[str, ...]
    echo: bool


class _Project(Strict):
    type: Literal["book"]


class _Chapters(Strict):
    title: str = ""
    subtitle: str = ""
    author: str | tuple[str, ...] = ""
    date: str = ""
    chapters: tuple[str, ...] = Field(min_length=1)
    appendices: tuple[str, ...] = ()
    search: bool = True


class _Execute(Strict):
    enabled: Literal[False]
    echo: bool = True


class _Definition(Strict):
    project: _Project
    book: _Chapters
    execute: _Execute | None = None


def load_book_definition(path: Path) -> BookDefinition:
    """Read the book definition.

    Raises
    ------
    RenderError
        If a key is unknown to the embedded renderer (it is named, with the nearest known one), a
        value is not allowed, or a chapter is missing, listed twice or outside the project.
    """
    definition = load_model(path, _Definition, RenderError)
    book = definition.book
    _check_files([*book.chapters, *book.appendices], path)
    echo = definition.execute is None or definition.execute.echo
    return BookDefinition(book.chapters, book.appendices, echo)


def _check_files(names: Iterable[str], path: Path) -> None:
    """Refuse chapters that cannot be pages of one site: each stem is the name of a page."""
    lines = path.read_text(encoding="utf-8").splitlines()
    stems: dict[str, str] = {}
    for name in names:
        place, stem = PurePosixPath(name), PurePosixPath(name).stem
        # Of two lines that are alike, the second is one too many.
        line = max((n for n, text in enumerate(lines, 1) if name in text), default=1)
        refused = partial(RenderError, where=f"{path}:{line}")
        if place.is_absolute() or ".." in place.parts:
            allowed = "a path relative to this file"
            raise refused(f"'{name}' is outside the project", allowed=allowed)
        if place.suffix != ".ipynb":
            raise refused(f"chapter '{name}' is not a notebook", allowed=".ipynb")
        if stem in _TAKEN:
            what = f"chapter '{name}': the site has a page '{stem}' of its own"
            raise refused(what, remedy="give the notebook another name")
        if stem in stems:
            raise refused(f"chapters '{stems[stem]}' and '{name}' would be one page, {stem}.html")
        stems[stem] = name
        if not (path.parent / name).is_file():
            raise refused(
                f"chapter '{name}' does not exist",
                remedy=f"correct the list, or run 'roundtrip new chapter {stem} --plan NAME' "
                "(or --campaign ID, --report ID)",
            )


@dataclass(frozen=True)
class ChapterPlan:
    """One chapter of this edition: its notebook, its place in the book."""

    source: Path
    kind: Literal["front", "chapter", "appendix"]
    number: str


def select_chapters(
    project: Project, definition: BookDefinition, names: Sequence[str], where: str = "chapters"
) -> list[ChapterPlan]:
    """Give the chapters of this edition with their numbers.

    Parameters
    ----------
    names : sequence of str
        Chapters to include, by file stem; empty for all. The front chapter and the appendices
        always belong to the report.
    where : str
        What names them.

    Raises
    ------
    ParameterError
        If a name is no chapter; the nearest one is given.
    """
    front, *rest = definition.chapters
    known = [Path(path).stem for path in rest]
    _refuse_unknown("chapter", names, known, where)
    plans = [ChapterPlan(project.root / front, "front", "")]
    chosen = [path for path in rest if not names or Path(path).stem in names]
    plans += [
        ChapterPlan(project.root / path, "chapter", str(number))
        for number, path in enumerate(chosen, start=1)
    ]
    plans += [
        ChapterPlan(project.root / path, "appendix", appendix_letters(position))
        for position, path in enumerate(definition.appendices)
    ]
    return plans


def appendix_letters(position: int) -> str:
    """Give what an appendix is numbered with: A to Z, then AA, AB, by its place from 0 on."""
    before, letter = divmod(position, 26)
    return (appendix_letters(before - 1) if before else "") + chr(ord("A") + letter)


def refuse_unknown_annex(definition: BookDefinition, names: Sequence[str], where: str) -> None:
    """Refuse an annex of anything but appendices, which are named by their file stems."""
    _refuse_unknown("appendix", names, [Path(path).stem for path in definition.appendices], where)


def _refuse_unknown(kind: str, names: Sequence[str], known: Sequence[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise unknown(
                ParameterError, kind, name, known, where=where,
                allowed=", ".join(known) or f"the book has no {kind}",
                remedy="name one of these, or list the new one in _quarto.yml",
            )  # fmt: skip


def left_out(
    project: Project, definition: BookDefinition, plans: Sequence[ChapterPlan]
) -> dict[str, str]:
    """Give the labels of chapters that the report leaves out, with the chapters' titles.

    Those are the chapters of the book that the edition does without, and the appendices that a
    project begins with, where the book does not have them.
    """
    from roundtrip.publish.chapters.notebooks import heading_of, read_notebook, static_labels

    included = {plan.source.name for plan in plans}
    sources = sorted((PACKAGE / "templates" / "skeletons" / "notebooks").glob("*.ipynb"))
    sources += [project.root / path for path in definition.chapters]
    labels = {}
    for source in sources:
        if source.name not in included:
            notebook = read_notebook(source)
            title, _ = heading_of(notebook, source)
            labels.update(dict.fromkeys(static_labels(notebook), title))
    return labels
