"""Runs that a sentence rests on but its section does not show: a hidden arm of an experiment."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from roundtrip.campaign.names import ValueName
from roundtrip.errors import ChapterError
from roundtrip.outputs import FIGURE
from roundtrip.publish.book import PLACEHOLDER
from roundtrip.publish.draft import Draft
from roundtrip.publish.pandoc import walk

_NAMED = re.compile(r"campaign (\S+), run ([^,;]+),")
_FEW = 3


@dataclass(frozen=True)
class Sentence:
    """A paragraph, or a list, that names measured values.

    Attributes
    ----------
    section : str
        Label of the ``##`` section that holds it; empty before the first one.
    runs : frozenset of str
        ``<campaign>/<run>`` of every run behind its values.
    cites : frozenset of str
        Labels that it refers to.
    """

    chapter: str
    section: str
    runs: frozenset[str]
    cites: frozenset[str]


def unseen_runs(drafts: Sequence[Draft], left_out: Container[str]) -> Iterator[ChapterError]:
    """Find sentences with values of runs that no table or figure of their section shows.

    What opens a chapter, before its first section, may speak of all that the chapter shows. A
    sentence may also refer to the section, table or figure that shows the runs.

    Parameters
    ----------
    drafts : sequence of Draft
        The chapters of the book, references not yet resolved.
    left_out : container of str
        Labels of chapters that the edition leaves out: a sentence that refers to one is not held
        to what it shows.

    Yields
    ------
    ChapterError
        Names the section and some of the runs.
    """
    shown: dict[str, set[str]] = {}
    sentences: list[Sentence] = []
    for draft in drafts:
        for section, block in _sections(draft):
            placed = _placed(block)
            if placed is None:
                sentences.append(_sentence(draft.name, section, block))
                continue
            kind, label = placed
            runs = _runs_of(draft, kind, label)
            for place in (label, section, draft.label):
                shown.setdefault(place, set()).update(runs)
    labels = {draft.name: draft.label for draft in drafts}
    for sentence in sentences:
        if any(label in left_out for label in sentence.cites):
            continue
        places = (sentence.section or labels[sentence.chapter], *sentence.cites)
        unseen = sentence.runs.difference(*(shown.get(place, set()) for place in places))
        if unseen:
            named = ", ".join(sorted(unseen)[:_FEW]) + (" …" if len(unseen) > _FEW else "")
            yield ChapterError(
                f"a sentence rests on {len(unseen)} runs that no table or figure of its section "
                f"shows: {named}",
                where=f"notebooks/{sentence.chapter}.ipynb: {sentence.section or 'opening'}",
                remedy="show their points, leave them out, or refer to the section that shows them",
            )


def _sections(draft: Draft) -> Iterator[tuple[str, Any]]:
    """Give every block with the label of its ``##`` section."""
    section = ""
    for number, block in enumerate(draft.blocks):
        if block["t"] == "Header" and block["c"][0] == 2:
            section = block["c"][1][0] or f"{draft.label}-{number}"
        yield section, block


def _placed(block: Any) -> tuple[str, str] | None:
    """Give kind and label of the figure, table or code that a block stands for."""
    if block["t"] != "RawBlock" or block["c"][0] != PLACEHOLDER:
        return None
    kind, _, label = block["c"][1].strip().partition(":")
    return kind, label


def _runs_of(draft: Draft, kind: str, label: str) -> set[str]:
    cells: Sequence[str] = ()
    if kind == "figure":
        cells = draft.figures[label][FIGURE]["cells"]
    elif kind == "table":
        cells = draft.tables[label]["cells"]
    names = map(ValueName.parse, cells)
    return {f"{name.campaign}/{name.run}" for name in names if name is not None}


def _sentence(chapter: str, section: str, block: Any) -> Sentence:
    runs, cites = set(), set()
    for element in walk(block):
        if element["t"] == "Link":
            runs |= {f"{name}/{run}" for name, run in _NAMED.findall(element["c"][2][1])}
        elif element["t"] == "Cite":
            cites |= {citation["citationId"] for citation in element["c"][0]}
    return Sentence(chapter, section, frozenset(runs), frozenset(cites))
