"""``roundtrip verify``: check a packet that somebody else made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.errors import ParameterError
from roundtrip.files import write_atomically
from roundtrip.packet.findings import Finding, caveats, page_of_findings

_MOST_DETAILS = 20


def verify(
    packet: Annotated[Path, typer.Argument(metavar="ARCHIVE|DIR", help="The packet.")],
    all_: Annotated[
        bool,
        typer.Option(
            "--all", help="Check every number and observation instead of a sample of 200."
        ),
    ] = False,
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Draw another sample: the same N draws the same."),
    ] = 1,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Rebuild the report; this executes its chapters.")
    ] = False,
    here: Annotated[
        bool,
        typer.Option(
            "--here", help="With --rebuild: use the installed libraries, not the pinned ones."
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --rebuild: do not ask before executing chapters.")
    ] = False,
    signers: _context.SignersOption = None,
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", dir_okay=False, help="Also write the findings to an HTML page."
        ),
    ] = None,
    format_: _context.FormatOption = "table",
) -> None:
    """Verify that a packet is complete and its numbers are right.

    Exit status 1 if not.
    """
    from roundtrip.packet.verify import SAMPLE, has_failed
    from roundtrip.packet.verify import verify as check

    if here and not rebuild:
        raise ParameterError("works only with --rebuild", where="--here")
    if rebuild and not yes and packet.exists():
        with_what = "" if here else "installs the libraries that it pins and "
        _context.confirm(
            f"Rebuilding {packet.name} {with_what}executes the chapters in it. Do you trust "
            "whoever made it?"
        )
    most = None if all_ else SAMPLE
    findings = check(packet, most=most, seed=seed, signers=signers, again=rebuild, here=here)
    unseen = caveats(None if all_ else seed, again=rebuild)
    if page is not None:
        write_atomically(page, page_of_findings(findings, packet, unseen))
    if format_ == "json":
        _context.print_json([asdict(one) for one in findings])
    else:
        show_findings(findings, Console(emoji=False))
        for line in unseen:
            typer.echo(line, err=True)
    if has_failed(findings):
        raise typer.Exit(1)


def show_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print a table of findings, and below it what fails."""
    rows = [(one.check, one.outcome.value, one.told) for one in findings]
    what = "What was checked"
    _context.show_table(console, ("Check", "Result", what), rows, {what})
    for one in findings:
        for line in one.details[:_MOST_DETAILS]:
            console.print(Text(_context.printable(f"{one.check}: {line}")), soft_wrap=True)
        if len(one.details) > _MOST_DETAILS:
            console.print(Text(f"{one.check}: and {len(one.details) - _MOST_DETAILS:,} more"))
