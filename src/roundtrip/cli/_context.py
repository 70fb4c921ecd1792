"""Options that all commands share, and how they talk."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from roundtrip.errors import RoundtripError
from roundtrip.project import Project, find_project

FormatOption = Annotated[
    Literal["table", "json"], typer.Option("--format", help="A table, or JSON for programs.")
]
PageFormatOption = Annotated[
    Literal["table", "json", "html"],
    typer.Option("--format", help="A table, JSON for programs, or an HTML page."),
]
FreshOption = Annotated[
    bool,
    typer.Option("--fresh", help="Start over; old results stay until the new ones are complete."),
]
PagesOption = Annotated[
    str | None, typer.Option("--from", metavar="PAGES", help="Pages to read, such as 7-30,42.")
]
SignersOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File of allowed signers, in OpenSSH format.")
]


@dataclass
class _Options:
    project: Path | None = None
    debug: bool = False


_options = _Options()


def confirm(question: str) -> None:
    """Ask whether to go on, and end the command if not; where nobody can answer, say so."""
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort as problem:
        if isinstance(problem.__context__, KeyboardInterrupt):
            raise
        typer.echo(err=True)
        raise RoundtripError(
            "nobody answered", remedy="answer, or pass --yes to go on without a question"
        ) from problem
    if not agreed:
        raise typer.Abort


def set_options(project: Path | None, debug: bool) -> None:
    """Remember the global options; messages of libraries, tracebacks included, need `debug`.

    Faults that matter are raised as our own errors. Libraries log others as well, such as that of a
    browser that was closed in the middle of a message because the build had failed.
    """
    _options.project = project
    _options.debug = debug
    # Without any, Python says once that there is none.
    logging.lastResort = logging.StreamHandler() if debug else logging.NullHandler()


def debug() -> bool:
    """Whether tracebacks are wanted."""
    return _options.debug


def show_error(problem: object) -> None:
    """Write an error on the error stream as people read it, without traceback."""
    Console(stderr=True, highlight=False, soft_wrap=True, emoji=False).print(
        f"[bold red]error:[/] {escape(printable(str(problem)))}"
    )


def place_given() -> Path | None:
    """Give the folder that --project names, if it does."""
    return _options.project


def project() -> Project:
    """Give the project that ``--project`` names, or that the working directory belongs to."""
    return find_project(_options.project)


def printable(text: str) -> str:
    """Show control characters as escapes, so that no name or value can steer a terminal.

    A space that keeps words together is a space.
    """
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in text.replace("\u00a0", " ").replace("\u202f", " ")
    )


def columns_of(*names: str) -> Table:
    """Make a table without lines whose cells are wrapped."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name, overflow="fold")
    return table


def print_json(content: object) -> None:
    """Print a result for programs."""
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


class RichProgress:
    """Progress of a build: one line for each step, on the error stream."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)

    @contextmanager
    def step(self, text: str, total: int = 1) -> Iterator[Callable[[], None]]:
        """Show a step while it lasts, and how long it took."""
        columns = [TextColumn("{task.description:<24}"), BarColumn(bar_width=24)]
        columns += [MofNCompleteColumn(), TimeElapsedColumn()]
        with Progress(*columns, console=self.console) as bar:
            task = bar.add_task(text, total=total)
            yield lambda: bar.advance(task)
            bar.update(task, completed=total)
