"""Which chapters an edition has, and which it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from roundtrip.errors import ParameterError, unknown
from roundtrip.project import PACKAGE, Project
from roundtrip.publish.book_definition import BookDefinition


@dataclass(frozen=True)
class ChapterPlan:
    """One chapter of this edition: its notebook, its place in the book."""

    source: Path
    kind: Literal["front", "chapter", "appendix"]
    number: str


def select_chapters(
    project: Project, definition: BookDefinition, names: Sequence[str]
) -> list[ChapterPlan]:
    """Give the chapters of this edition with their numbers.

    Parameters
    ----------
    names : sequence of str
        Chapters to include, by file stem; empty for all. The front chapter and the appendices
        always belong to the report.

    Raises
    ------
    ParameterError
        If a name is no chapter; the nearest one is given.
    """
    front, *rest = definition.chapters
    known = [Path(path).stem for path in rest]
    for name in names:
        if name not in known:
            raise unknown(ParameterError, "chapter", name, known, where="chapters")
    plans = [ChapterPlan(project.root / front, "front", "")]
    chosen = [path for path in rest if not names or Path(path).stem in names]
    plans += [
        ChapterPlan(project.root / path, "chapter", str(number))
        for number, path in enumerate(chosen, start=1)
    ]
    plans += [
        ChapterPlan(project.root / path, "appendix", chr(ord("A") + position))
        for position, path in enumerate(definition.appendices)
    ]
    return plans


def refuse_unknown_annex(definition: BookDefinition, names: Sequence[str]) -> None:
    """Refuse an annex of anything but appendices, which are named by their file stems."""
    known = [Path(path).stem for path in definition.appendices]
    for name in names:
        if name not in known:
            allowed = ", ".join(known) or "nothing: the book has no appendices"
            raise unknown(ParameterError, "appendix", name, known, where="annex", allowed=allowed)


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
