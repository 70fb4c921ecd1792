"""``roundtrip init``: a project with everything that a first report needs."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from roundtrip.cli import _context
from roundtrip.cli.run import run
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import RoundtripError
from roundtrip.project import Project
from roundtrip.skeletons import SKELETONS, new_chapter, new_project

_PLAN = "first"
_CHAPTER = "20-first-measurement"


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder.")],
    title: Annotated[
        str | None, typer.Option(help="Title of the report; prompts if missing.")
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="Author of the report; prompts if missing.")
    ] = None,
) -> None:
    """Start your own report, with a first small measurement."""
    given, folder = folder, folder.resolve()
    words = folder.name.replace("-", " ").replace("_", " ").strip().capitalize() or "My report"
    title = title or _asked("Title", f"{words}: messaging performance")
    author = author or _asked("Author", "Author not stated")
    project = new_project(folder, title, author)
    os.chdir(project.root)  # "." was replaced by it: Java starts in no folder that is gone
    typer.echo(f"{folder.name}: chapters, parameters, a plan, templates", err=True)
    _fill(project)
    # Into "." too: the shell is still in the folder that was replaced.
    typer.echo(
        f"\nNext: cd {shlex.quote(str(given))} && roundtrip build    (or: make report)\n"
        "Then: README.md explains the layout; roundtrip doctor shows what is missing on this "
        "machine."
    )


def _asked(what: str, otherwise: str) -> str:
    """Ask a person; a script gets what params/report.yml can change later."""
    if not sys.stdin.isatty():
        return otherwise
    return str(typer.prompt(what, default=otherwise, err=True))


def _fill(project: Project) -> None:
    """Measure for the first chapter; where that cannot be done here, ingest a sample for it."""
    _context.set_options(project.root, _context.debug())
    try:
        run([_PLAN], profile="quick", yes=True)
    except RoundtripError as problem:
        typer.echo(
            f"The first measurement was not completed: {problem}\n"
            "The first chapter shows a sample log instead; "
            f"'roundtrip run {_PLAN}' and 'roundtrip new chapter 30-measured --plan {_PLAN}' "
            "add a measurement later.",
            err=True,
        )
        from roundtrip.ingest.session import ingest_paths

        ingest_paths(
            [SKELETONS / "sample"], dictionary=load_dictionary(project.dictionary),
            project=project, campaign="sample",
        )  # fmt: skip
        new_chapter(project, _CHAPTER, campaigns=["sample"])
    else:
        new_chapter(project, _CHAPTER, plan=_PLAN)
