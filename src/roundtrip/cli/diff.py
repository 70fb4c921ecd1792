"""``roundtrip diff``: what changed from one edition to another."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.errors import DataError

if TYPE_CHECKING:
    from roundtrip.packet.changes import Change


_EDITION = "Archive, report folder, or commit of the project (which is built first)."


class DiffFormat(StrEnum):
    """How changes are shown."""

    table = "table"
    json = "json"
    html = "html"


def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help=_EDITION)],
    new: Annotated[Path, typer.Argument(metavar="NEW", help=_EDITION)],
    format_: Annotated[
        DiffFormat,
        typer.Option("--format", help="A table, JSON for programs, or an HTML page."),
    ] = DiffFormat.table,
) -> None:
    """Compare two editions: verdicts, numbers, sentences, parameters, versions."""
    from roundtrip.packet.changes import changes
    from roundtrip.packet.verify import page_of

    with _edition(old) as first, _edition(new) as second:
        found = changes(first, second)
    if format_ is DiffFormat.json:
        rows = [asdict(change) for change in found]
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    elif format_ is DiffFormat.html:
        sys.stdout.write(page_of("changes.html", changes=found, old=old.name, new=new.name))
    else:
        _show(found, Console())


@contextmanager
def _edition(place: Path) -> Iterator[Path]:
    """Give the folder of a built report; what is no path may name a commit."""
    from roundtrip.packet.at_commit import built_at, commit_of
    from roundtrip.packet.changes import report_in
    from roundtrip.packet.verify import opened

    if not place.exists():
        project = _context.project()
        commit = commit_of(project, str(place))
        if commit is None:
            raise DataError(
                "is neither an archive nor a folder nor a commit of the project", where=place
            )
        typer.echo(f"building the edition of commit {commit[:10]}", err=True)
        with built_at(project, commit) as folder:
            yield folder
        return
    with opened(place) as folder:
        yield report_in(folder)


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
