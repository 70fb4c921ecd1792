"""Chapters about the report itself, written when everything else in it is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from roundtrip.outputs import TABLE
from roundtrip.publish.book_definition import ChapterPlan, appendix_letters
from roundtrip.publish.chapters.finalise import finalise
from roundtrip.publish.chapters.notebooks import read_options
from roundtrip.publish.references import Target


@dataclass(frozen=True)
class Afterword:
    """One such chapter, and what it has to say within the others.

    Attributes
    ----------
    name : str
        File stem of its page.
    notebook : notebook
        From `afterword_notebook`.
    was : mapping
        Label of a table to what is said of its cells, by row and column: what they were before.
    """

    name: str
    notebook: NotebookNode
    was: Mapping[str, Mapping[tuple[int, int], str]] = field(default_factory=dict)


Writer = Callable[[Path, Mapping[str, Target]], Afterword]
"""Writes an afterword, given the report without it, as a folder, and what its anchors stand for."""


def afterword_notebook(parts: Sequence[str | tuple[str, Any]], name: str) -> NotebookNode:
    """Make the notebook of an afterword.

    Parameters
    ----------
    parts : sequence
        Markdown, the first with the heading; tables of `roundtrip.present` with their labels.
    """
    cells = []
    for part in parts:
        if isinstance(part, str):
            cells.append(nbformat.v4.new_markdown_cell(part))
            continue
        label, table = part
        bundle = json.loads(json.dumps(table._repr_mimebundle_()))
        shown = nbformat.v4.new_output("display_data", bundle)
        cells.append(nbformat.v4.new_code_cell(f"#| label: {label}", outputs=[shown]))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return finalise(notebook, {}, name)


def with_afterwords(
    plans: Sequence[ChapterPlan],
    notebooks: Mapping[str, NotebookNode],
    afterwords: Sequence[Afterword],
) -> tuple[list[ChapterPlan], dict[str, NotebookNode]]:
    """Put afterwords behind the appendices, and what they say of cells into copies of the cells."""
    appendices = sum(plan.kind == "appendix" for plan in plans)
    added = [
        ChapterPlan(Path(f"{one.name}.ipynb"), "appendix", appendix_letters(position))
        for position, one in enumerate(afterwords, start=appendices)
    ]
    said = {label: cells for one in afterwords for label, cells in one.was.items()}
    marked = {name: _marked(notebook, said) for name, notebook in notebooks.items()}
    return [*plans, *added], marked | {one.name: one.notebook for one in afterwords}


def _marked(
    notebook: NotebookNode, said: Mapping[str, Mapping[tuple[int, int], str]]
) -> NotebookNode:
    tables = [
        position
        for position, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and read_options(cell.source).get("label") in said
    ]
    if not tables:
        return notebook
    copy = deepcopy(notebook)
    for position in tables:
        cell = copy.cells[position]
        rows = cell.outputs[0].data[TABLE]["rows"]
        for (row, column), text in said[read_options(cell.source)["label"]].items():
            rows[row][column]["was"] = text
    return copy
