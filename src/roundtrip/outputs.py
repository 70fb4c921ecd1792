"""What chapters show and the build reads: kinds of outputs, cells of tables, safe text.

Light, because a build in which nothing is computed needs no more of the chapters than this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

FIGURE = "application/vnd.roundtrip.figure+json"
TABLE = "application/vnd.roundtrip.table+json"
CALCULATOR = "application/vnd.roundtrip.calculator+json"
PLOTLY = "application/vnd.plotly.v1+json"
SVG = "image/svg+xml"
MARKDOWN = "text/markdown"

NOTHING = "\u2013"
"""What a cell of a table shows where there is no value."""

Align = Literal["left", "right", "center"]
Kind = Literal["value", "label", "group", "code"]
Tone = Literal["", "good", "mixed", "bad", "open"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~^$@\"'&:=])")
# Spaces that may break a line; the others (in "2 KB", in "1 234") must stay what they are.
_BREAKING = re.compile(r"[\t-\r\x1c- \x85\u2028\u2029]+")


@dataclass(frozen=True)
class HeaderCell:
    """A header over one or more columns."""

    text: str
    span: int = 1
    align: Align = "right"


@dataclass(frozen=True)
class BodyCell:
    """A cell of the body."""

    text: str  # what it shows; plain text
    align: Align = "right"
    strong: bool = False  # whether it is emphasised
    anchor: str | None = None  # that it bears
    link: str | None = None  # the anchor it leads to
    kind: Kind = "value"  # a group spans the row and heads the rows below it
    links: tuple[tuple[str, str], ...] = ()  # what follows the text, each with its anchor
    tone: Tone = ""  # a colour that repeats what the text says
    # How dark it stands, from 0 to 10: repeats what the text says, in a table as a map of heat.
    shade: int = 0
    was: str = ""  # what it said in an older edition, in words; empty where it says the same

    @property
    def targets(self) -> tuple[str, ...]:
        """Every anchor that the cell leads to."""
        own = () if self.link is None else (self.link,)
        return (*own, *(anchor for _, anchor in self.links))


def is_group(row: Sequence[BodyCell]) -> bool:
    """Say whether a row is one cell that heads the rows below it."""
    return bool(row) and row[0].kind == "group"


def columns_of(header: Sequence[Sequence[HeaderCell]], rows: Sequence[Sequence[BodyCell]]) -> int:
    """Count the columns of a table; a row that heads a group spans all of them."""
    widths = [sum(cell.span for cell in row) for row in header]
    widths += [len(row) for row in rows if not is_group(row)]
    return max(widths, default=1)


def listed(parts: Sequence[str]) -> str:
    """Write parts as a sentence lists them: ``a, b and c``."""
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last


def one_line(text: str) -> str:
    """Put text into one line, with single spaces; spaces that do not break stay as they are."""
    return _BREAKING.sub(" ", text).strip(" ")


def escape_markdown(text: str) -> str:
    """Escape every character that Markdown could take for markup, in one line."""
    return _SPECIAL.sub(r"\\\1", one_line(text))


def table_label(report: str, table: str) -> str:
    """Give the label of a printed table in the appendix of source tables."""
    return re.sub("[^a-z0-9]", "-", f"tbl-{report}-{table}".lower())
