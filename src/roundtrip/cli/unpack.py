"""``roundtrip unpack``: a packet as a folder to work in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from roundtrip.cli import _context
from roundtrip.cli.verify import show_findings


def unpack(
    packet: Annotated[Path, typer.Argument(metavar="ARCHIVE|DIR", help="The packet.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder.")],
    signers: _context.SignersOption = None,
) -> None:
    """Check a packet and unpack it for JupyterLab.

    Exit status 1 if a check fails.
    """
    from roundtrip.packet.verify import PAGE, TABLE, has_failed
    from roundtrip.packet.verify import unpack as open_for_work

    findings = open_for_work(packet, folder, signers)
    show_findings(findings, Console(stderr=True, emoji=False))
    typer.echo(f"{folder}/{PAGE}\n{folder}/{TABLE}\n{folder}/project/notebooks")
    if has_failed(findings):
        raise typer.Exit(1)
