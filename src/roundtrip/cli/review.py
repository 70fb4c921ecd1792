"""``roundtrip review``: what sources, campaigns and the edition come to by the rules of method."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.observations import load_observations
from roundtrip.params import resolve_parameters

if TYPE_CHECKING:
    from roundtrip.methodology.review import Grade


def review(
    report: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this published report.")
    ] = None,
    campaign: Annotated[str | None, typer.Option(metavar="ID", help="Only this campaign.")] = None,
    format_: _context.PageFormatOption = "table",
) -> None:
    """Grade sources, campaigns and this edition by the rules of method."""
    from roundtrip.methodology import review as methodology

    _context.exclusive("--report", report, "--campaign", campaign)
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
        rows = []
        for judged in one.judged:
            found = judged.finding
            title = judged.title + (" *" if judged.mandatory else "")
            rests_on = "\n".join(name.removeprefix(f"{folder}/") for name in found.rests_on)
            rows.append((title, found.verdict.value, found.reason, rests_on))
        heads = ("Rule", "Verdict", "Why", "Rests on")
        wrapped = {"Rule", "Why", "Rests on"}
        _context.show_table(console, heads, rows, wrapped, f"{one.subject} ({one.kind}){place}")
        console.print(Text(f"Grade: {one.sentence} {one.withheld}".strip()), soft_wrap=True)
    console.print(Text("* mandatory: if it fails, the campaign supports no conclusion"))
    if len(grades) > 1:
        all_heads = ("Subject", "Kind", "Grade")
        told = [(one.subject, one.kind, one.in_short) for one in grades]
        _context.show_table(console, all_heads, told, all_heads, "All grades")
