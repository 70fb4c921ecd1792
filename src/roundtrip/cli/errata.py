"""``roundtrip errata``: where the sources contradict themselves, and where rules say they may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.cli.claims import judged_sources, show_by_report, show_claims
from roundtrip.errors import ParameterError, unknown
from roundtrip.observations import Observations

if TYPE_CHECKING:
    from roundtrip.claims import FoundErratum, Ledger
    from roundtrip.detectors import Proposal


def errata(
    report: _context.ReportOption = None,
    proposed: Annotated[
        bool,
        typer.Option(
            "--proposed",
            help="Show what rules over the numbers propose instead of the listed errata.",
        ),
    ] = False,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE", help="Only proposals of this rule, such as outlier; repeatable."
        ),
    ] = None,
    format_: _context.FormatOption = "table",
) -> None:
    """Show where the sources contradict themselves."""
    if rule and not proposed:
        raise ParameterError(
            "--rule applies only to proposals", where="--rule", remedy="add --proposed"
        )
    observations, ledger = judged_sources(report)
    if proposed:
        _show_proposed(observations, ledger, report, rule or [], format_)
        return
    rows = [row for row in ledger.errata if report in (None, row.report)]
    contradicted = [row for row in ledger.unexplained if report in (None, row.report)]
    if format_ == "json":
        unexplained = [row.record() | {"kind": "contradicted claim"} for row in contradicted]
        _context.print_json([row.record() for row in rows] + unexplained)
        return
    console = Console()
    if _nothing_to_look_at(observations, console):
        return
    _show_errata(rows, console)
    if contradicted:
        console.print("Contradicted by the report's own cells, without an erratum:")
        show_claims(contradicted, console)


def _nothing_to_look_at(observations: Observations, console: Console) -> bool:
    """Say that there is no report, and which drafts would be; what is not there has no errata."""
    if observations.report_ids:
        return False
    console.print(Text("There is no published report to look at."))
    project = observations.project
    for path in sorted(project.drafts.glob("*/report.yml")):
        console.print(Text(str(project.remedy_for_draft(path.parent.name))), soft_wrap=True)
    return True


def _show_errata(rows: Sequence[FoundErratum], console: Console) -> None:
    """Print one table for each report, then how many errata there are."""

    def entry(row: FoundErratum) -> tuple[str, Sequence[str]]:
        item = row.erratum
        places = "; ".join(place.text for place in item.places)
        lines = (item.id, item.says, f"places: {places}", f"evidence: {item.known_by}")
        return item.kind, lines

    show_by_report(rows, ("Kind", "Erratum"), entry, console)
    console.print(Text(f"{len(rows)} {'erratum' if len(rows) == 1 else 'errata'}"))


def _show_proposed(
    observations: Observations, ledger: Ledger, report: str | None, rules: Sequence[str],
    format_: str,
) -> None:  # fmt: skip
    """Show what rules propose; `errata` are those that a proposal finds."""
    from roundtrip.detectors import RULES, errata_found, load_proposals

    for name in rules:
        if name not in RULES:
            raise unknown(ParameterError, "rule", name, RULES, where="--rule")

    proposals = [
        one
        for one in load_proposals(observations, ledger, sentences=True)
        if report in (None, one.report) and (not rules or one.rule in rules)
    ]
    if format_ == "json":
        _context.print_json([
            {
                "report": one.report, "rule": one.rule, "sure": one.sure.value, "says": one.says,
                "deviation": one.deviation, "allowed": one.allowed, "unit": one.unit,
                "excess": one.excess, "cells": list(one.cells),
                "quotes": [{"section": section, "text": text} for section, text in one.quotes],
                "errata": errata_found(one, ledger),
            }
            for one in proposals
        ])  # fmt: skip
        return

    def entry(one: Proposal) -> tuple[str, Sequence[str]]:
        found = ", ".join(errata_found(one, ledger)) or "none known"
        lines = (one.rule, one.says, f"out by: {one.out_by}", f"erratum: {found}")
        return one.sure.value, lines

    console = Console()
    if _nothing_to_look_at(observations, console):
        return
    show_by_report(proposals, ("Confidence", "Proposal"), entry, console)
    console.print(Text(f"{len(proposals)} proposal{'s' * (len(proposals) != 1)}"))
