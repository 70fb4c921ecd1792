"""``roundtrip claims`` and ``roundtrip errata``: what the sources say, held against their data."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.cli import _context, proposals
from roundtrip.errors import ParameterError, unknown

if TYPE_CHECKING:
    from roundtrip.claims import FoundErratum, Judged, Ledger

_STYLES = {
    "contradicted": "bold red",
    "holds in part": "yellow",
    "holds by rounding": "green",
    "holds": "green",
    "not checkable": "dim",
}


Report = Annotated[str | None, typer.Option(metavar="ID", help="Report; default: all.")]


def claims(
    report: Report = None,
    verdict: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERDICT", help="Only claims with this verdict: contradicted, …; repeatable."
        ),
    ] = None,
    format_: _context.FormatOption = _context.Format.table,
) -> None:
    """Show every claim of the sources with its verdict."""
    wanted = _verdicts(verdict or [])
    ledger = _ledger(report)
    rows = [
        row
        for row in ledger.claims
        if report in (None, row.report) and (not wanted or row.verdict.value in wanted)
    ]
    if format_ is _context.Format.json:
        _print_json([row.record() for row in rows])
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
        typer.Option(metavar="RULE", help="Only proposals of this rule: outlier, …; repeatable."),
    ] = None,
    format_: _context.FormatOption = _context.Format.table,
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
    if format_ is _context.Format.json:
        unexplained = [row.record() | {"kind": "contradicted claim"} for row in contradicted]
        _print_json([row.record() for row in rows] + unexplained)
        return
    console = Console()
    show_errata(rows, console)
    if contradicted:
        console.print("Contradicted by the report's own cells, without an erratum:")
        show_claims(contradicted, console)


def _show_proposed(
    ledger: Ledger, report: str | None, rules: Sequence[str], format_: _context.Format
) -> None:
    from roundtrip.observations import load_observations

    found = proposals.proposals_of(load_observations(_context.project()), ledger, report, rules)
    if format_ is _context.Format.json:
        _print_json(proposals.records(found, ledger))
    else:
        proposals.show_proposals(found, ledger, Console())


def _verdicts(names: Sequence[str]) -> set[str]:
    """Refuse a verdict that does not exist."""
    from roundtrip.claims import Verdict

    known = [verdict.value for verdict in Verdict]
    for name in names:
        if name not in known:
            raise unknown(ParameterError, "verdict", name, known, where="--verdict")
    return set(names)


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


def _print_json(rows: Sequence[object]) -> None:
    sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")


def show_claims(rows: Sequence[Judged], console: Console) -> None:
    """Print one table for each report, then how many claims have which verdict."""
    from roundtrip.claims import Verdict
    from roundtrip.claims.expected import computed_text

    for report in dict.fromkeys(row.report for row in rows):
        table = _table(report, {"Claim": 3, "Says": 6, "Printed": 2, "Computed": 2, "Verdict": 2})
        for row in rows:
            if row.report != report:
                continue
            table.add_row(
                Text(f"{row.claim.id} ({row.claim.section})"),
                Text(f"{row.claim.says}\n{row.note}" if row.note else row.claim.says),
                Text(row.claim.printed or ""),
                Text(computed_text(row.cases)),
                Text(row.verdict.value, _STYLES[row.verdict.value]),
            )
        console.print(table)
    counts = [sum(row.verdict is verdict for row in rows) for verdict in Verdict]
    said = [f"{n} {v.value}" for n, v in zip(counts, Verdict, strict=True) if n]
    console.print(Text(f"{len(rows)} claims" + (f": {', '.join(said)}" if said else "")))


def show_errata(rows: Sequence[FoundErratum], console: Console) -> None:
    """Print one table for each report."""
    for report in dict.fromkeys(row.report for row in rows):
        table = _table(report, {"Erratum": 3, "Says": 5, "Places": 4, "Evidence": 4})
        for row in rows:
            if row.report != report:
                continue
            item = row.erratum
            places = "; ".join(place.text for place in item.places)
            likely = f" Probably meant: {item.likely}" if item.likely else ""
            table.add_row(
                Text(f"{item.id} ({item.kind})"), Text(item.says), Text(places),
                Text(f"{item.evidence}{likely}"),
            )  # fmt: skip
        console.print(table)
    console.print(Text(f"{len(rows)} errata"))


def _table(title: str, columns: dict[str, int]) -> Table:
    table = Table(title=Text(title), title_justify="left", expand=True, show_lines=True)
    for name, ratio in columns.items():
        # The longest word of a verdict is not broken.
        narrowest = len("contradicted") if name == "Verdict" else None
        table.add_column(name, ratio=ratio, overflow="fold", min_width=narrowest)
    return table
