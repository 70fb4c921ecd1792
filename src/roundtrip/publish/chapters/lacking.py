"""Figures and tables that an edition lacks, for want of their data, and paragraphs on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from nbformat import NotebookNode

from roundtrip.headings import FENCED
from roundtrip.publish.chapters.notebooks import LABEL, read_options, static_labels, with_cells

_REFERENCE = re.compile(rf"@({LABEL.pattern})")
_PARAGRAPH = re.compile(
    rf"{FENCED}|(?P<text>^[^\S\n]*\S.*(?:\n(?!```|~~~)[^\S\n]*\S.*)*)(?:\s*\n)?", re.MULTILINE
)
_ITEM = re.compile(r"\n(?=\s*(?:[-*+|]|\d+[.)])\s)")
"""Where an item of a list, or a row of a table, begins."""
_FRAME = re.compile(r"^(?:#|:::)", re.MULTILINE)
"""A heading or the border of a callout, which holds more than its own paragraph."""
_KINDS = {"fig": "Figure", "tbl": "Table"}


def without_lacking(
    sources: Mapping[str, NotebookNode], texts: Mapping[str, NotebookNode]
) -> tuple[dict[str, NotebookNode], dict[str, str]]:
    """Leave out what chapters say of nothing but figures and tables that the edition lacks.

    Parameters
    ----------
    sources : mapping
        Chapter to its notebook as the author wrote it, which labels all its figures and tables.
    texts : mapping
        Chapter to its notebook as renderers want it.

    Returns
    -------
    texts : dict
        Without paragraphs, and lists, all of which refers to what is lacking.
    lacking : dict
        Label of each figure and table that is lacking, to "Figure" or "Table".
    """
    lacking: dict[str, str] = {}
    for name, source in sources.items():
        shown = {
            read_options(cell.source).get("label")
            for cell in texts[name].cells
            if cell.cell_type == "code" and cell.outputs
        }
        for label in sorted(static_labels(source)):
            if label[:3] in _KINDS and label not in shown:
                lacking[label] = _KINDS[label[:3]]
    return {name: _without(notebook, lacking.keys()) for name, notebook in texts.items()}, lacking


def _without(notebook: NotebookNode, lacking: Set[str]) -> NotebookNode:
    cells = [
        NotebookNode({**cell, "source": _rest_of(cell.source, lacking)})
        if cell.cell_type == "markdown"
        else cell
        for cell in notebook.cells
    ]
    return with_cells(notebook, cells)


def _rest_of(text: str, lacking: Set[str]) -> str:
    def kept(paragraph: re.Match[str]) -> str:
        items = _ITEM.split(paragraph["text"] or "")
        labels = [{match[1] for match in _REFERENCE.finditer(item)} for item in items]
        gone = all(named and named <= lacking for named in labels)
        return paragraph[0] if not gone or _FRAME.search(paragraph["text"]) else ""

    return _PARAGRAPH.sub(kept, text)
