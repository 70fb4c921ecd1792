"""Text that is safe to put into Markdown, whatever the data holds."""

from __future__ import annotations

import re

from roundtrip.present.runs import place_of

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~^$@\"'&:=])")
# Spaces that may break a line; the others (in "2 KB", in "1 234") must stay what they are.
_BREAKING = re.compile(r"[\t-\r\x1c- \x85\u2028\u2029]+")


def one_line(text: str) -> str:
    """Put text into one line, with single spaces; spaces that do not break stay as they are."""
    return _BREAKING.sub(" ", text).strip(" ")


def escape_markdown(text: str) -> str:
    """Escape every character that Markdown could take for markup, in one line."""
    return _SPECIAL.sub(r"\\\1", one_line(text))


def cell_anchor(observation_id: str) -> str:
    """Give the permanent anchor of a printed cell: ``cell-<report>-<table>-r1c1``.

    A value of a run that has no cell in the appendix leads to its run.
    """
    return anchor_of(place_of(observation_id) if "/runs/" in observation_id else observation_id)


def anchor_of(place: str) -> str:
    """Give the permanent anchor of a place: a printed cell, or ``<campaign>/runs/<run>``."""
    return "cell-" + place.replace("/", "-")


def table_label(report: str, table: str) -> str:
    """Give the label of a printed table in the appendix of source tables."""
    return f"tbl-{report}-{table}".replace(".", "-").lower()
