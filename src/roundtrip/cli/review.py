"""``roundtrip review``: what sources, campaigns and the edition come to by the rules of method."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.errors import ParameterError
from roundtrip.observations import load_observations
from roundtrip.params import resolve_parameters

if TYPE_CHECKING:
    from roundtrip.methodology.review import Grade

_STYLES = {
    "pass": "green", "fail": "bold red", "waived": "yellow", "not assessable": "yellow",
    "not applicable": "dim",
}  # fmt: skip


_LONGEST_WORD = 13
"""Letters of the longest word in a rule's title, which is not broken in a narrow terminal."""


def review(
    report: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this published report.")
    ] = None,
    campaign: Annotated[str | None, typer.Option(metavar="ID", help="Only this campaign.")] = None,
    format_: _context.PageFormatOption = "table",
) -> None:
    """Grade sources, campaigns and this edition by the rules of method."""
    from roundtrip.methodology import review as methodology

    if report is not None and campaign is not None:
        raise ParameterError(
            "--report and --campaign exclude each other",
            where="--campaign",
            remedy="give only one of the two",
        )
    observations = load_observations(_context.project())
    grades: Sequence[Grade]
    if report is not None:
        grades = (methodology.grade_of(observations, report, "source"),)
    elif campaign is not None:
        grades = (methodology.grade_of(observations, campaign),)
    else:
        edition = resolve_parameters(observations.project).model_dump()
        grades = methodology.review(observations, edition)
    if format_ == "json":
        sys.stdout.write(methodology.as_json(grades))
    elif format_ == "html":
        sys.stdout.write(methodology.as_page(grades, observations.project))
    else:
        show_grades(grades, Console(emoji=False))


def show_grades(grades: Sequence[Grade], console: Console) -> None:
    """Print one table for each subject, its grade in a sentence below; all grades at the end."""
    for one in grades:
        named = {name for judged in one.judged for name in judged.finding.rests_on}
        folders = [
            posixpath.dirname(name.partition(":")[0]) for name in named if name.startswith("data/")
        ]
        folder = posixpath.commonpath(folders) if folders else ""
        place = f", files in {folder}/" if folder else ""
        table = Table(
            title=Text(f"{one.subject} ({one.kind}){place}"), title_justify="left", expand=True,
        )  # fmt: skip
        table.add_column("Rule", width=max(_LONGEST_WORD, console.width // 6), overflow="fold")
        table.add_column("Verdict", no_wrap=True)
        table.add_column("Why", ratio=5, overflow="fold")
        table.add_column("Rests on", ratio=4, overflow="fold")
        for judged in one.judged:
            found = judged.finding
            table.add_row(
                Text(judged.title + (" *" if judged.mandatory else "")),
                Text(found.verdict.value, _STYLES[found.verdict.value]),
                Text(found.reason),
                Text("\n".join(name.removeprefix(f"{folder}/") for name in found.rests_on)),
            )
        console.print(table)
        console.print(Text(f"Grade: {one.sentence} {one.withheld}".strip()), soft_wrap=True)
    console.print(Text("* mandatory: if it fails, the campaign supports no conclusion"))
    if len(grades) > 1:
        overview = Table(title="All grades", title_justify="left")
        for head in ("Subject", "Kind", "Grade"):
            overview.add_column(head, overflow="fold")
        for one in grades:
            overview.add_row(Text(one.subject), one.kind, Text(one.in_short))
        console.print(overview)
