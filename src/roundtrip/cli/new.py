"""``roundtrip new``: skeletons to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roundtrip.cli import _context
from roundtrip.skeletons import (
    new_campaign,
    new_chapter,
    new_report,
    new_workload,
    report_from_draft,
)

new = typer.Typer(
    help="Create a skeleton: chapter, report, campaign or workload.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@new.command()
def chapter(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="File stem, with its position: 65-native-ha.")
    ],
    plan: Annotated[str | None, typer.Option(metavar="NAME", help="Campaign plan to show.")] = None,
    report: Annotated[
        str | None, typer.Option(metavar="ID", help="Published report to show.")
    ] = None,
    campaign: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Campaign to show; repeat it to compare several."),
    ] = None,
) -> None:
    """Create a chapter from a skeleton."""
    project = _context.project()
    path = new_chapter(project, name, report=report, plan=plan, campaigns=campaign or ())
    shown = project.relative(path)
    typer.echo(f"{shown}\nNext: add '{shown}' to the chapters in _quarto.yml.")


@new.command()
def report(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="Id of the report, such as acme-mq-v1.")
    ],
    draft: Annotated[
        bool, typer.Option("--draft", help="Adopt the completed draft of 'roundtrip import'.")
    ] = False,
) -> None:
    """Create a published report's folder, with its suite of checks."""
    project = _context.project()
    for path in (report_from_draft if draft else new_report)(project, name):
        typer.echo(project.relative(path))
    if draft:
        typer.echo("Run 'roundtrip check', then give it a chapter ('roundtrip docs add-a-report').")
        return
    typer.echo("Fill them in as 'roundtrip docs add-a-report' says, then run 'roundtrip check'.")


@new.command()
def campaign(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the logs.")],
) -> None:
    """Create a campaign.yml next to logs, for what they do not say."""
    typer.echo(new_campaign(_context.project(), folder))
    typer.echo(
        "Fill it in as 'roundtrip docs ingest' says, then run 'roundtrip ingest DIR --campaign ID'."
    )


@new.command()
def workload(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the workload, such as order-service.")
    ],
) -> None:
    """Create a workload file for 'roundtrip size'."""
    project = _context.project()
    typer.echo(project.relative(new_workload(project, name)))
    typer.echo(f"Fill it in as 'roundtrip docs sizing' says, then run 'roundtrip size {name}'.")
