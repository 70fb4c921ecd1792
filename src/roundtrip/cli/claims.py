"""``roundtrip claims`` and ``roundtrip errata``: what the sources say, held against their data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.errors import ParameterError, unknown

if TYPE_CHECKING:
    from roundtrip.claims import FoundErratum, Judged, Ledger
    from roundtrip.detectors import Proposal

_STYLES = {
    "contradicted": "bold red", "holds in part": "yellow", "holds by rounding": "green",
    "holds": "green", "not checkable": "dim", "high": "bold red", "medium": "yellow", "low": "dim",
}  # fmt: skip
_Row = TypeVar("_Row", bound="FoundErratum | Judged | Proposal")
Report = Annotated[str | None, typer.Option(metavar="ID", help="Report; default: all.")]


def claims(
    report: Report = None,
    verdict: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERDICT",
            help="Only claims with this verdict: contradicted, holds in part, holds by rounding, "
            "holds or not checkable; repeatable.",
        ),
    ] = None,
    format_: _context.FormatOption = "table",
) -> None:
    """Show every claim of the sources with its verdict."""
    from roundtrip.claims import Verdict

    wanted, known = verdict or [], [one.value for one in Verdict]
    for name in wanted:
        if name not in known:
            raise unknown(ParameterError, "verdict", name, known, where="--verdict")
    ledger = _ledger(report)
    rows = [
        row
        for row in ledger.claims
        if report in (None, row.report) and (not wanted or row.verdict.value in wanted)
    ]
    if format_ == "json":
        _context.print_json([row.record() for row in rows])
    else:
        show_claims(rows, Console())


def errata(
    report: Report = None,
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
    ledger = _ledger(report)
    if proposed:
        _show_proposed(ledger, report, rule or [], format_)
        return
    rows = [row for row in ledger.errata if report in (None, row.report)]
    contradicted = [row for row in ledger.unexplained if report in (None, row.report)]
    if format_ == "json":
        unexplained = [row.record() | {"kind": "contradicted claim"} for row in contradicted]
        _context.print_json([row.record() for row in rows] + unexplained)
        return
    console = Console()
    show_errata(rows, console)
    if contradicted:
        console.print("Contradicted by the report's own cells, without an erratum:")
        show_claims(contradicted, console)


def _show_proposed(ledger: Ledger, report: str | None, rules: Sequence[str], format_: str) -> None:
    """Show what rules propose; `errata` are those that a proposal finds."""
    from roundtrip.detectors import RULES, errata_found, load_proposals
    from roundtrip.observations import load_observations

    for name in rules:
        if name not in RULES:
            raise unknown(ParameterError, "rule", name, RULES, where="--rule")

    def each(reports: Sequence[str]) -> Iterable[str]:
        """Show how far it is: the rules take seconds for each report."""
        return track(
            reports, "applying the rules to each report", console=Console(stderr=True),
            transient=True, disable=not sys.stderr.isatty(),
        )  # fmt: skip

    observations = load_observations(_context.project())
    proposals = [
        one
        for one in load_proposals(observations, ledger, sentences=True, each=each)
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

    def cells(one: Proposal) -> list[str | Text]:
        found = ", ".join(errata_found(one, ledger)) or "none known"
        sure = Text(one.sure.value, _STYLES[one.sure.value])
        return [sure, one.rule, one.says, one.out_by, found]

    console = Console()
    columns = {"Confidence": None, "Rule": 3, "Says": 8, "Out by": 3, "Erratum": 3}
    _show_by_report(proposals, columns, cells, console)
    console.print(Text(f"{len(proposals)} proposal{'s' * (len(proposals) != 1)}"))


def _ledger(report: str | None) -> Ledger:
    from roundtrip.claims import load_ledger
    from roundtrip.observations import load_observations
    from roundtrip.params import resolve_parameters

    project = _context.project()
    observations = load_observations(project)
    if report is not None:
        observations.report(report)
    parameters = resolve_parameters(project)
    return load_ledger(observations, parameters.word_limits)


def show_claims(rows: Sequence[Judged], console: Console) -> None:
    """Print one table for each report, then how many claims have which verdict."""
    from roundtrip.claims import Verdict
    from roundtrip.claims.expected import computed_text

    def cells(row: Judged) -> list[str | Text]:
        return [
            f"{row.claim.id} ({row.claim.section})",
            "\n".join(filter(None, [row.claim.says, row.reason()])),
            row.claim.printed or "", computed_text(row.cases, row.unit),
            Text(row.verdict.value, _STYLES[row.verdict.value]),
        ]  # fmt: skip

    columns = {"Claim": 3, "Says": 6, "Printed": 2, "Computed": 2, "Verdict": 2}
    _show_by_report(rows, columns, cells, console)
    counts = [sum(row.verdict is verdict for row in rows) for verdict in Verdict]
    said = [f"{n} {v.value}" for n, v in zip(counts, Verdict, strict=True) if n]
    console.print(Text(f"{len(rows)} claims" + (f": {', '.join(said)}" if said else "")))


def show_errata(rows: Sequence[FoundErratum], console: Console) -> None:
    """Print one table for each report, then how many errata there are."""

    def cells(row: FoundErratum) -> list[str | Text]:
        item = row.erratum
        places = "; ".join(place.text for place in item.places)
        return [f"{item.id} ({item.kind})", item.says, places, item.known_by]

    _show_by_report(rows, {"Erratum": 3, "Says": 5, "Places": 4, "Evidence": 4}, cells, console)
    console.print(Text(f"{len(rows)} errata"))


def _show_by_report(
    rows: Sequence[_Row], columns: Mapping[str, int | None],
    cells: Callable[[_Row], Sequence[str | Text]], console: Console,
) -> None:  # fmt: skip
    """Print a table for each report; a column without a ratio is not wrapped."""
    for report in dict.fromkeys(row.report for row in rows):
        table = Table(title=Text(report), title_justify="left", expand=True, show_lines=True)
        for name, ratio in columns.items():
            # The longest word of a verdict is not broken.
            look: dict[str, Any] = {"no_wrap": True} if ratio is None else {
                "ratio": ratio, "overflow": "fold",
                "min_width": len("contradicted") if name == "Verdict" else None,
            }  # fmt: skip
            table.add_column(name, **look)
        for row in rows:
            if row.report == report:
                table.add_row(
                    *(Text(cell) if isinstance(cell, str) else cell for cell in cells(row))
                )
        console.print(table)
