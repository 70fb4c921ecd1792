"""Chapters as git keeps them: ``python -m roundtrip.publish.chapters.strip NOTEBOOK…``."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat

from roundtrip.files import write_atomically
from roundtrip.publish.chapters.inline import RESULTS
from roundtrip.publish.chapters.notebooks import read_notebook


def strip(path: Path) -> None:
    """Take what was computed out of a notebook: outputs, counts, values that its text names.

    Of the Python that ran it, only the language stays.
    """
    notebook = read_notebook(path)
    if language := notebook.metadata.get("language_info"):
        notebook.metadata["language_info"] = {"name": language["name"]}
    for cell in notebook.cells:
        cell.metadata.pop(RESULTS, None)
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
            for name in ("execution", "collapsed", "scrolled"):
                cell.metadata.pop(name, None)
    stripped = nbformat.writes(notebook) + "\n"
    if stripped != path.read_text(encoding="utf-8"):
        write_atomically(path, stripped)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        strip(Path(name))
