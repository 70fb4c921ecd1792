"""``roundtrip doctor``: what is there, what is missing, and what each is needed for."""

from __future__ import annotations

from dataclasses import asdict

import typer
from rich.console import Console
from rich.markup import escape

from roundtrip.cli import _context
from roundtrip.setup.doctor import Finding, examine


def doctor(format_: _context.FormatOption = "table") -> None:
    """Show what is installed, what is missing and what needs it.

    Exit status 1 if a build cannot run.
    """
    findings = examine(_context.project)
    complete = not any(finding.blocks for finding in findings)
    if format_ == "json":
        told = [asdict(finding) for finding in findings]
        _context.print_json({"complete": complete, "findings": told})
    else:
        _print_table(findings, complete)
    if not complete:
        raise typer.Exit(1)


def _print_table(findings: list[Finding], complete: bool) -> None:
    console = Console()
    rows = []
    for one in findings:
        state = "optional" if one.state == "missing" and not one.required else one.state
        rows.append((one.name, state, one.found, one.needed_for))
    heads = ("What", "State", "Found", "Needed for")
    _context.show_table(console, heads, rows, {"Found", "Needed for"})
    verdict = (
        "Everything that a build needs is installed." if complete else "A build cannot run yet."
    )
    console.print(f"\n{verdict}", style="bold green" if complete else "bold red")
    to_do = [finding for finding in findings if finding.remedy]
    # What stops a build comes first; a command is never broken, so that it can be copied.
    for finding in sorted(to_do, key=lambda finding: not finding.blocks):
        console.print(f"  {escape(finding.name)}: {escape(finding.remedy)}", soft_wrap=True)
