"""``roundtrip hosts``: the hosts of the inventory."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from roundtrip.cli import _context
from roundtrip.files import temporary_files
from roundtrip.hosts.inventory import load_inventory

hosts = typer.Typer(
    help="The hosts of params/hosts.yml.", no_args_is_help=True, rich_markup_mode=None
)


@hosts.callback()
def _hosts() -> None:
    """Keep the name of the one command."""


@hosts.command()
def check(
    inventory: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Inventory file; default: params/hosts.yml.")
    ] = None,
    format_: _context.FormatOption = "table",
) -> None:
    """Check each host, its clock and the links between hosts.

    Exit status 1 if a host is unfit for what the inventory asks of it.
    """
    from roundtrip.hosts.check import check as look

    wanted = load_inventory(_context.project(), inventory)
    with temporary_files():
        findings = look(wanted)
    unfit = [found for found in findings if found.problem]
    if format_ == "json":
        content = {"fit": not unfit, "findings": [asdict(found) for found in findings]}
        _context.print_json(content)
    else:
        console = Console()
        rows = [
            (found.host, found.about, found.found, "unfit" if found.problem else "fit")
            for found in findings
        ]
        heads = ("Host", "About", "Found", "")
        _context.show_table(console, heads, rows, {"Host", "About", "Found"})
        for found in unfit:
            text = f"{found.host}: {found.about}: {found.problem}\n  remedy: {found.remedy}"
            console.print(escape(_context.printable(text)), soft_wrap=True)
    if unfit:
        raise typer.Exit(1)
