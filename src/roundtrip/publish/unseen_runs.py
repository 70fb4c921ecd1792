"""Runs that a sentence rests on but its section does not show: a hidden arm of an experiment."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from typing import Any

from roundtrip.campaign.names import ValueName
from roundtrip.errors import ChapterError
from roundtrip.publish.book import Chapter, stands_for
from roundtrip.publish.pandoc import walk

_NAMED = re.compile(r"campaign (\S+), run ([^,;]+),")
_FEW = 3


def unseen_runs(drafts: Sequence[Chapter], left_out: Container[str]) -> Iterator[ChapterError]:
    """Find sentences with values of runs that no table or figure of their section shows.

    What opens a chapter, before its first section, may speak of all that the chapter shows. A
    sentence may also refer to the section, table or figure that shows the runs; one that refers
    to a chapter that is left out is not held to what it shows. References in the drafts are not
    resolved yet.
    """
    shown: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        for section, block in _sections(draft):
            label, runs = _shown_by(draft, block)
            for place in (label, section, draft.label):
                shown[place] |= runs
    for draft in drafts:
        for section, block in _sections(draft):
            runs, cites = _said_in(block)
            if any(label in left_out for label in cites):
                continue
            places = (section or draft.label, *cites)
            unseen = runs.difference(*(shown[place] for place in places))
            if unseen:
                named = ", ".join(sorted(unseen)[:_FEW]) + (" …" if len(unseen) > _FEW else "")
                yield ChapterError(
                    f"a sentence rests on {len(unseen)} runs that no table or figure of its "
                    f"section shows: {named}",
                    where=f"{draft.where}: {section or 'opening'}",
                    remedy="show their points, leave them out, or refer to the section that shows "
                    "them",
                )


def _sections(draft: Chapter) -> Iterator[tuple[str, Any]]:
    """Give every block with the label of its ``##`` section."""
    section = ""
    for number, block in enumerate(draft.blocks):
        if block["t"] == "Header" and block["c"][0] == 2:
            section = block["c"][1][0] or f"{draft.label}-{number}"
        yield section, block


def _shown_by(draft: Chapter, block: Any) -> tuple[str, set[str]]:
    """Give the label of the figure or table that a block stands for, and the runs it shows."""
    _, label = stands_for(block)
    item = draft.figures.get(label) or draft.tables.get(label)
    names = map(ValueName.parse, item.cells if item else ())
    return label, {f"{name.campaign}/{name.run}" for name in names if name is not None}


def _said_in(block: Any) -> tuple[set[str], set[str]]:
    """Give the runs behind the values that a paragraph or a list names, and what it refers to."""
    runs: set[str] = set()
    cites: set[str] = set()
    for element in walk(block):
        if element["t"] == "Link":
            runs |= {f"{name}/{run}" for name, run in _NAMED.findall(element["c"][2][1])}
        elif element["t"] == "Cite":
            cites |= {citation["citationId"] for citation in element["c"][0]}
    return runs, cites
