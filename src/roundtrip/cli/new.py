"""``roundtrip new``: skeletons to begin with."""

from __future__ import annotations

from typing import Annotated

import typer

from roundtrip.cli import _context
from roundtrip.skeletons import new_chapter

new = typer.Typer(help="Begin something new.", no_args_is_help=True, rich_markup_mode=None)


@new.callback()
def _group() -> None:
    """Keep the subcommand's name, although it is the only one."""


@new.command()
def chapter(
    name: Annotated[str, typer.Argument(help="File stem with its place: 65-native-ha.")],
    report: Annotated[
        str, typer.Option(help="Published report that the chapter is about.")
    ] = "ibm-mq-v9.4-linux",
) -> None:
    """Make a chapter from the skeleton in templates/skeletons/."""
    project = _context.project()
    path = new_chapter(project, name, report)
    shown = project.relative(path)
    typer.echo(f"{shown}\nAdd '{shown}' to the chapters of _quarto.yml, in its place.")
