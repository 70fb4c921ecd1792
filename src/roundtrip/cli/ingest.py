"""``roundtrip ingest``: raw output of the field's tools becomes observations."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from roundtrip.cli import _context
from roundtrip.dictionary import load_dictionary
from roundtrip.files import temporary_files

if TYPE_CHECKING:
    from roundtrip.ingest.session import Spread


def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Files and folders.")],
    campaign: Annotated[
        str | None, typer.Option(metavar="ID", help="Keep the results in data/campaigns/ID.")
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Read everything as this tool's output, such as mq-cph; default: by content.",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Mapping file for the columns of CSV files; default: NAME.mapping.yml beside "
            "NAME.csv.",
        ),
    ] = None,
    rejects: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File to write the list of rejected lines to."),
    ] = None,
    reject_text: Annotated[
        bool,
        typer.Option(
            "--reject-text", help="Also keep the text of rejected lines, with secrets masked."
        ),
    ] = False,
    workers: Annotated[
        str | None,
        typer.Option(
            metavar="N|ADDRESS|hosts",
            help="Read the files with N processes, with the workers of a Dask scheduler "
            "(tcp://HOST:PORT), or on the hosts of params/hosts.yml.",
        ),
    ] = None,
    format: Annotated[
        Literal["table", "ndjson"], typer.Option(help="A table, or a line of JSON for each file.")
    ] = "table",
) -> None:
    """Ingest logs and tables of results; account for every line.

    Logs are those of load drivers and system tools; a table is a CSV file with a mapping. Exit
    status 1 if they give no point.
    """
    from roundtrip.ingest.session import ingest_paths, one_by_one

    project = _context.project()
    with temporary_files(), ExitStack() as stack:
        spread: Spread = one_by_one
        if workers is not None:
            from roundtrip.hosts.cluster import workers_at
            from roundtrip.hosts.reading import OverWorkers

            spread = OverWorkers(stack.enter_context(workers_at(workers, project)))
        outcome = ingest_paths(
            paths, dictionary=load_dictionary(project.dictionary), project=project,
            campaign=campaign, tool=tool, mapping=mapping, rejects=rejects,
            reject_text=reject_text, spread=spread,
            waiting=lambda process: typer.echo(
                f"waiting for {process}, which ingests into {campaign} too", err=True
            ),
        )  # fmt: skip
    if format == "ndjson":
        for reading in outcome.readings:
            typer.echo(json.dumps(reading.as_dict(), ensure_ascii=False))
    else:
        for line in outcome.as_text():
            typer.echo(_context.printable(line))
    if not any(reading.points for reading in outcome.readings):
        raise typer.Exit(1)
