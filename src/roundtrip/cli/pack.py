"""``roundtrip pack``: a report and all that it rests on, as one archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roundtrip.cli import _context
from roundtrip.packet.contents import contents_of
from roundtrip.packet.pack import pack as write_packet
from roundtrip.packet.rebuild import pinned_otherwise
from roundtrip.params import resolve_parameters
from roundtrip.publish.redacted import source_of


def pack(
    version: Annotated[
        str | None,
        typer.Argument(
            metavar="VERSION", help="Version of a built report; default: that of params/report.yml."
        ),
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Sign the checksums with this OpenSSH key.")
    ] = None,
) -> None:
    """Pack a built report and all that it rests on for a reviewer.

    The archive holds the report, its sources, data and raw files.
    """
    project = _context.project()
    chosen = version or resolve_parameters(project).version
    source = source_of(project, chosen)
    contents = contents_of(source, chosen)
    typer.echo(project.relative(write_packet(source, contents, sign)))
    for name, rule in sorted(contents.left_out.items()):
        typer.echo(f"left out: {_context.printable(name)}, which {rule}", err=True)
    for difference in pinned_otherwise(contents):
        typer.echo(f"a rebuild may differ: {_context.printable(difference)}", err=True)
    commit = contents.manifest["report"]["commit"]
    if commit.endswith("-modified"):
        typer.echo(
            f"the report names the commit {commit}: it was built from files that differ from that "
            "commit. The packet holds them as they were built; for a report that anyone finds by "
            "its commit, commit them and build again",
            err=True,
        )
    if source != project:
        typer.echo(
            "it contains the redacted copy that the report was built from; the names and "
            "the rest of the project are not in it",
            err=True,
        )
