"""Headings of Markdown: their levels, titles and labels."""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCED = r"^(?P<fence>```+|~~~+)[\s\S]*?^(?P=fence)[ \t]*$"
"""Pattern of a block of code: `re.MULTILINE` goes with it."""
LABEL_NAME = r"[\w-]*\w"
"""Pattern of a label after its kind (``sec-``): all that Pandoc takes for one in a reference."""
_SPACE = r"[^\S\n]"
_ATTRIBUTES = rf"\{{(?:[^{{}}#]*#(?P<label>sec-{LABEL_NAME})(?![^\s}}]))?[^{{}}]*\}}"
_TITLE = rf"\S+?(?:{_SPACE}++\S+?)*?"
_HEADING = re.compile(
    FENCED + rf"|^(?P<marks>#+){_SPACE}+(?P<title>{_TITLE}){_SPACE}*+(?:{_ATTRIBUTES}{_SPACE}*)?$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Heading:
    """A heading: its level from 1 on, its label (empty where it has none), its line from 1 on."""

    level: int
    title: str
    label: str
    line: int


def headings_of(markdown: str) -> list[Heading]:
    """Give the headings of a text, without what looks like one in a block of code."""
    return [
        Heading(
            len(found["marks"]), found["title"], found["label"] or "",
            markdown.count("\n", 0, found.start()) + 1,
        )
        for found in _HEADING.finditer(markdown)
        if found["marks"]
    ]  # fmt: skip
