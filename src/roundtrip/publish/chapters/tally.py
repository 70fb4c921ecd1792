"""Verdicts of all chapters of a book: counted and drawn where a chapter asks for it."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode

from roundtrip.comparison_marks import (
    ALL_VERDICTS,
    NO_VERDICT,
    TALLY,
    VERDICT,
    Sides,
    outcomes_words,
)
from roundtrip.headings import headings_of
from roundtrip.outputs import FIGURE, MARKDOWN
from roundtrip.publish.chapters.finalise import figure_cell
from roundtrip.publish.chapters.forest import Row, forest_bundles
from roundtrip.publish.chapters.notebooks import with_cells
from roundtrip.theme import Theme

if TYPE_CHECKING:
    from roundtrip.present.numbers import NumberFormat

_HEAD = re.compile(r"(?s)\A\s*(\S[^\n]*):\n\n- ")
# Links, escapes, and references in brackets, which a drawing cannot follow.
_MARKUP = re.compile(r"\[([^\]]*)\]\((?:\\.|[^)\\])*\)|\\(.)| \(@[\w-]+\)")


@dataclass(frozen=True)
class Counted:
    """One verdict of the book.

    `section` is the label of its ``##`` or ``###`` section, or of its chapter. `titles` are the
    title of the chapter, and what the shares are of: the words above the list, or else the
    section's title.
    """

    outcome: str
    section: str
    titles: tuple[str, str]
    sides: Sides | None


def with_tally(
    notebooks: Mapping[str, NotebookNode], theme: Theme, numbers: NumberFormat
) -> dict[str, NotebookNode]:
    """Count and draw the verdicts of all chapters where one asks for it, take marks out.

    Parameters
    ----------
    notebooks : mapping
        Chapter to its notebook as renderers want it, in the order of the book.
    theme : Theme
        Gives the colours and the families of the drawing.
    numbers : NumberFormat
        How it writes numbers.

    Returns
    -------
    dict
        Chapter to its notebook, with the same cells where nothing was marked.
    """
    counted = [one for notebook in notebooks.values() for one in _counted(notebook)]
    drawn = [Row(*one.titles, one.outcome, one.sides) for one in counted if one.sides]
    asking = sum(_asks(cell) for notebook in notebooks.values() for cell in notebook.cells)
    draw = drawn and asking
    figures = iter(forest_bundles(drawn, asking, theme, numbers) if draw else ())
    cells = (cell for notebook in notebooks.values() for cell in notebook.cells)
    bare = sum(text.count(NO_VERDICT) for cell in cells for text in _texts(cell))
    tally = tally_text(counted, bare)
    return {
        name: with_cells(
            notebook, [_told(cell, tally) for cell in _with_drawings(notebook.cells, figures)]
        )
        for name, notebook in notebooks.items()
    }


def tally_text(counted: list[Counted], bare: int) -> str:
    """Write the tally: how many verdicts came to what, and the sections that disagree.

    `bare` pairs of shares are listed without a verdict.
    """
    more = f" Pairs listed without a verdict: {bare}." if bare else ""
    if not counted:
        return f"This edition compares nothing that was measured with what was published.{more}"
    numbers = Counter(one.outcome for one in counted)
    text = f"{outcomes_words(numbers)}."
    if numbers["withheld"]:
        text += " A verdict is withheld where the campaign fails a mandatory rule."
    text += more
    missed = Counter(one.section for one in counted if one.outcome == "disagree")
    places = ", ".join(f"@{section} ({count})" for section, count in missed.items() if section)
    return f"{text} The disagreements: {places}." if places else text


def _texts(cell: NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
    for output in cell.get("outputs", ()):
        if MARKDOWN in output.get("data", {}):
            yield str(output["data"][MARKDOWN])


def _counted(notebook: NotebookNode) -> Iterator[Counted]:
    chapter = section = title = part = ""
    for cell in notebook.cells:
        for text in _texts(cell):
            head = _HEAD.match(text)
            of = _MARKUP.sub(r"\1\2", head[1]) if head else ""
            headings = {one.line: one for one in headings_of(text) if one.level <= 3}
            for number, line in enumerate(text.split("\n"), start=1):
                if heading := headings.get(number):
                    if heading.level == 1:
                        chapter, title = heading.label, heading.title
                    if heading.level == 3:
                        section = heading.label or section
                        continue
                    section = heading.label or chapter
                    part = heading.title if heading.level == 2 else ""
                for found in VERDICT.finditer(line):
                    sides = Sides.read(found[2]) if found[2] else None
                    yield Counted(found[1], section, (title, of or part), sides)


def _asks(cell: NotebookNode) -> bool:
    """Say whether a cell shows a figure that stands for the drawing."""
    figures = (output.get("data", {}).get(FIGURE) for output in cell.get("outputs", ()))
    return any(figure and figure["caption"] == ALL_VERDICTS for figure in figures)


def _with_drawings(
    cells: Iterable[NotebookNode], bundles: Iterator[dict[str, Any]]
) -> Iterator[NotebookNode]:
    """Put drawings in place of the figures that stand for them; take out those left over."""
    for cell in cells:
        if not _asks(cell):
            yield cell
        elif bundle := next(bundles, None):
            yield figure_cell(cell, bundle)


def _told(cell: NotebookNode, tally: str) -> NotebookNode:
    """Give a cell with the tally in its place and without marks."""

    def told(text: str) -> str:
        return VERDICT.sub("", text).replace(NO_VERDICT, "").replace(TALLY, tally)

    if all(told(text) == text for text in _texts(cell)):
        return cell
    cell = copy.deepcopy(cell)
    if cell.cell_type == "markdown":
        cell.source = told(cell.source)
    for output in cell.get("outputs", ()):
        if text := output.get("data", {}).get(MARKDOWN):
            output["data"][MARKDOWN] = told(str(text))
    return cell
