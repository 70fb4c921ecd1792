"""Options that all commands share, and how they talk."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from roundtrip.errors import ParameterError, RoundtripError
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
ReportOption = Annotated[str | None, typer.Option(metavar="ID", help="Report; default: all.")]
PagesOption = Annotated[
    str | None, typer.Option("--from", metavar="PAGES", help="Pages to read, such as 7-30,42.")
]
SignersOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File of allowed signers, in OpenSSH format.")
]

_STYLES = {
    word: style
    for style, words in {
        "green": "passed, passed after correction, pass, holds, holds by rounding, same, present, "
        "fit",
        "yellow": "waived, not assessable, holds in part, moved, changed, differs, medium",
        "bold red": "FAILED, fail, contradicted, gone, missing, unfit, high",
        "dim": "not applicable, not checkable, optional, low",
    }.items()
    for word in words.split(", ")
}
"""Colours of verdicts, which say what the word says."""


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


def exclusive(one: str, given: object, other: str, given_too: object) -> None:
    """Refuse two options that exclude each other where both are given."""
    if given and given_too:
        raise ParameterError(
            f"{one} and {other} exclude each other", where=other, remedy="give only one of the two"
        )


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


def show_table(
    console: Console, heads: Sequence[str], rows: Sequence[Sequence[str | int | Text]],
    wrapped: Collection[str], title: str = "",
) -> None:  # fmt: skip
    """Print a table, with numbers to the right and verdicts in their colours.

    Parameters
    ----------
    wrapped : collection of str
        Heads of the columns whose text is wrapped; that of others is as wide as it is.
    """
    table = Table(
        title=Text(printable(title)), title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0)
    )
    for at, head in enumerate(heads):
        table.add_column(
            Text(printable(head)), no_wrap=head not in wrapped,
            overflow="fold" if head in wrapped else "ellipsis",
            justify="right" if any(isinstance(row[at], int) for row in rows) else "left",
        )  # fmt: skip
    for row in rows:
        table.add_row(*map(_cell, row))
    console.print(table)


def _cell(content: str | int | Text) -> Text:
    if isinstance(content, Text):
        return content
    text = f"{content:,}" if isinstance(content, int) else printable(content)
    return Text(text, _STYLES.get(text, ""))


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
