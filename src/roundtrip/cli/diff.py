"""``roundtrip diff``: what changed from one edition to another."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.cli import _context

if TYPE_CHECKING:
    from roundtrip.packet.changes import Change


class DiffFormat(StrEnum):
    """How changes are shown."""

    table = "table"
    json = "json"
    html = "html"


def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="Archive, or folder of a report.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Archive, or folder of a report.")],
    format_: Annotated[
        DiffFormat,
        typer.Option("--format", help="A table for people, JSON for programs, or a page."),
    ] = DiffFormat.table,
) -> None:
    """Compare two editions: verdicts, numbers, sentences, parameters, versions."""
    from roundtrip.packet.changes import changes, report_in
    from roundtrip.packet.verify import opened, page_of

    with opened(old) as first, opened(new) as second:
        found = changes(report_in(first), report_in(second))
    if format_ is DiffFormat.json:
        rows = [asdict(change) for change in found]
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    elif format_ is DiffFormat.html:
        sys.stdout.write(page_of("changes.html", changes=found, old=old.name, new=new.name))
    else:
        _show(found, Console())


def _show(found: Sequence[Change], console: Console) -> None:
    if not found:
        console.print("nothing changed")
        return
    table = Table(expand=True)
    for name, ratio in (("Kind", None), ("Where", 3), ("Old", 3), ("New", 3), ("Change", None)):
        table.add_column(name, ratio=ratio, overflow="fold")
    for one in found:
        relative = "" if one.relative is None else f"{100 * one.relative:+.3g} %"
        beyond = {None: "", True: " beyond both intervals", False: " within the intervals"}
        cells = (one.kind, one.where, one.old, one.new, relative + beyond[one.beyond])
        table.add_row(*(Text(_context.printable(cell)) for cell in cells))
    console.print(table)
