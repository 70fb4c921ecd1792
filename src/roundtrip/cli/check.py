"""``roundtrip check``: run the expectation suites and show what they found."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from roundtrip.checks import CheckResults, run_checks
from roundtrip.checks.suites import EVERY_ROW, load_suites
from roundtrip.cli import _context
from roundtrip.errors import ParameterError, nearest
from roundtrip.observations import load_observations


def check(
    report: Annotated[
        str | None, typer.Option(metavar="ID", help="Report or campaign; default: all suites.")
    ] = None,
    format_: _context.FormatOption = "table",
) -> None:
    """Check the data against the rules, those in checks/ included.

    Exit status 1 if a rule is broken.
    """
    project = _context.project()
    observations = load_observations(project)
    known = sorted({suite.meta.dataset for suite in load_suites(project).values()} - {EVERY_ROW})
    if report is not None and report not in known:
        raise ParameterError(
            f"no suite is about '{report}'{nearest(report, known)}", where="--report",
            allowed=", ".join(known) or "there is no suite in checks/ yet",
            remedy="leave --report out to check every row, or write a suite ('roundtrip docs "
            "checks')",
        )  # fmt: skip
    results = run_checks(project, observations)
    if report is not None:
        # The rules of every row stay: what breaks them stops a build, whichever report it is of.
        own = tuple(suite for suite in results.suites if suite.dataset in (report, EVERY_ROW))
        results = replace(results, suites=own)
    if format_ == "json":
        sys.stdout.write(results.to_json())
    else:
        show_results(results, Console(emoji=False))
    if not results.success:
        raise typer.Exit(1)


def show_results(results: CheckResults, console: Console) -> None:
    """Print one table for each suite, then the rows that rules leave out, then those that fail."""
    for suite in results.suites:
        rows = []
        for one in suite.outcomes:
            held = "passed after correction" if one.corrected else "passed"
            result = held if one.success else "FAILED"
            rows.append((one.rule, one.rows_checked, one.failure_count, result))
        title = f"{suite.title} ({suite.file}, {suite.rows:,} rows)"
        _context.show_table(console, ("Rule", "Rows", "Failures", "Result"), rows, {"Rule"}, title)
    for suite, outcome in results.excluded:
        said = f"{outcome.rule} ({suite.file}) excludes known exceptions:"
        console.print(Text(said, style="bold"))
        for row in outcome.excluded:
            console.print(Text(f"  {row}"), soft_wrap=True)
    for suite, outcome in results.failed:
        console.print(Text(f"{outcome.rule} ({suite.file}, {outcome.expectation})", style="bold"))
        for failure in outcome.failures:
            console.print(Text(f"  {failure}"), soft_wrap=True)
        hidden = outcome.failure_count - len(outcome.failures)
        if hidden:
            console.print(f"  and {hidden:,} more")
    rules = len(results.outcomes)
    failed = len(results.failed)
    verdict = f"{failed} of {rules} checks failed" if failed else f"all {rules} checks passed"
    console.print(Text(verdict, style="bold red" if failed else "bold green"))
