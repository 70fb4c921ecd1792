"""The ``roundtrip`` command and what all its commands share."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from roundtrip import __version__
from roundtrip.cli import _context
from roundtrip.cli.audit import audit
from roundtrip.cli.build import build, join_pairs
from roundtrip.cli.check import check
from roundtrip.cli.claims import claims
from roundtrip.cli.data import data
from roundtrip.cli.diff import diff
from roundtrip.cli.docs import docs
from roundtrip.cli.doctor import doctor
from roundtrip.cli.errata import errata
from roundtrip.cli.hosts import hosts
from roundtrip.cli.import_ import import_
from roundtrip.cli.ingest import ingest
from roundtrip.cli.init import init
from roundtrip.cli.new import new
from roundtrip.cli.pack import pack
from roundtrip.cli.remarks import remarks
from roundtrip.cli.rerun import rerun
from roundtrip.cli.review import review
from roundtrip.cli.run import run
from roundtrip.cli.size import size
from roundtrip.cli.unpack import unpack
from roundtrip.cli.verify import verify
from roundtrip.errors import RoundtripError

_INTERRUPTED = 130


class _Commands(TyperGroup):
    """All commands: they say what is wrong with an option's value without naming a Python type."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run a command."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as problem:
            problem.message = problem.message.removeprefix("Value error, ")
            raise


app = typer.Typer(
    cls=_Commands,
    help="Reproducible messaging-performance reports from parameterised Jupyter notebooks.\n\n"
    "Exit status: 0 done, 1 refused, failed or a check broken, 2 wrong usage, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_COMMANDS: tuple[Callable[..., None], ...] = (
    init, build, check, claims, errata, doctor, docs, ingest, import_, audit, review, run, rerun,
    size, pack, verify, unpack, diff, remarks,
)  # fmt: skip
for _command in _COMMANDS:
    app.command(_command.__name__.rstrip("_"))(_command)
app.add_typer(data, name="data")
app.add_typer(new, name="new")
app.add_typer(hosts, name="hosts")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"roundtrip {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    project: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Report project; default: the one that you are in."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    del version
    _context.set_options(project, debug)


def main() -> None:
    """Run the command line: status 1 for an error, 2 for wrong usage, 130 for Ctrl-C."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # sources hold characters of many scripts
    try:
        app(args=join_pairs(sys.argv[1:]))
    except RoundtripError as problem:
        if _context.debug():
            raise
        _context.show_error(problem)
        sys.exit(1)
    except SystemExit as end:
        if end.code == _INTERRUPTED:  # Typer has caught Ctrl-C by then
            Console(stderr=True, soft_wrap=True).print(
                "interrupted: finished work is kept; run the command again to resume"
            )
        raise
    except ModuleNotFoundError:
        raise  # `roundtrip.__main__` says what is not installed
    except Exception as problem:
        if _context.debug():
            raise
        if isinstance(problem, OSError) and problem.filename is not None:
            _context.show_error(
                f"{os.fsdecode(problem.filename)}: {problem.strerror}\n"
                "  remedy: correct the path or its permissions, then run the command again"
            )
            sys.exit(1)
        _context.show_error(
            f"unexpected {type(problem).__name__}: {problem}\n"
            "  remedy: run the command again with 'roundtrip --debug …' and report the traceback"
        )
        sys.exit(1)
