"""Text that is safe to put into Markdown, whatever the data holds."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~^$@\"'&:=])")


def escape_markdown(text: str) -> str:
    """Escape every character that Markdown could take for markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def cell_anchor(observation_id: str) -> str:
    """Give the permanent anchor of a printed cell: ``cell-<report>-<table>-r1c1``."""
    return "cell-" + observation_id.replace("/", "-")


def table_label(report: str, table: str) -> str:
    """Give the label of a printed table in the appendix of source tables."""
    return f"tbl-{report}-{table}".replace(".", "-").lower()
