"""The tally of verdicts: counted over the chapters of a book, written where one asks for it."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from roundtrip.outputs import MARKDOWN, TALLY, VERDICT, VERDICTS

_HEADING = re.compile(r"^#{1,2} .*\{#(sec-[\w-]+)[^}]*\}\s*$")
_ITEM = re.compile(r"^- ")


@dataclass(frozen=True)
class Counted:
    """One verdict: what it came to, the chapter or ``##`` section, and the sentence."""

    outcome: str
    section: str
    sentence: str


def with_tally(notebooks: Mapping[str, NotebookNode]) -> dict[str, NotebookNode]:
    """Count the verdicts of all chapters, write the tally where it is asked for, take marks out.

    Parameters
    ----------
    notebooks : mapping
        Chapter to its notebook as renderers want it, in the order of the book.

    Returns
    -------
    dict
        Chapter to its notebook; the same one where nothing was marked.
    """
    counted = [one for notebook in notebooks.values() for one in _counted(notebook)]
    return {name: _written(notebook, tally_text(counted)) for name, notebook in notebooks.items()}


def tally_text(counted: list[Counted]) -> str:
    """Write the tally: how many verdicts came to what, and the disagreements themselves."""
    if not counted:
        return "This edition compares nothing that was measured with what was published."
    numbers = {name: sum(one.outcome == name for one in counted) for name in VERDICTS}
    open_ones = numbers["inconclusive"]
    text = (
        f"Comparisons of published sizes with measured ones: {len(counted)}. "
        f"{numbers['agree']} agree, {numbers['disagree']} disagree, "
        f"{open_ones} {'is' if open_ones == 1 else 'are'} inconclusive"
    )
    if numbers["withheld"]:
        text += (
            f"; of {numbers['withheld']} the verdict is withheld, because the campaign fails a "
            "mandatory rule"
        )
    text += "."
    missed = [one for one in counted if one.outcome == "disagree"]
    if not missed:
        return text
    lines = (f"- {f'@{one.section}: ' if one.section else ''}{one.sentence}" for one in missed)
    # A sentence with several verdicts stands once.
    return f"{text} The disagreements:\n\n" + "\n".join(dict.fromkeys(lines))


def _texts(cell: NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
    for output in cell.get("outputs", ()):
        if MARKDOWN in output.get("data", {}):
            yield str(output["data"][MARKDOWN])


def _counted(notebook: NotebookNode) -> Iterator[Counted]:
    section = ""
    for cell in notebook.cells:
        for text in _texts(cell):
            for line in text.splitlines():
                if heading := _HEADING.match(line):
                    section = heading[1]
                for found in VERDICT.finditer(line):
                    yield Counted(found[1], section, _ITEM.sub("", VERDICT.sub("", line)).strip())


def _written(notebook: NotebookNode, tally: str) -> NotebookNode:
    def written(text: str) -> str:
        return VERDICT.sub("", text).replace(TALLY, tally)

    if not any(TALLY in text or VERDICT.search(text) for c in notebook.cells for text in _texts(c)):
        return notebook
    changed = copy.deepcopy(notebook)
    for cell in changed.cells:
        if cell.cell_type == "markdown":
            cell.source = written(cell.source)
        for output in cell.get("outputs", ()):
            if MARKDOWN in output.get("data", {}):
                output["data"][MARKDOWN] = written(str(output["data"][MARKDOWN]))
    return changed
