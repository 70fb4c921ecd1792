"""``roundtrip claims``: what the sources say, held against their data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.errors import ParameterError, unknown
from roundtrip.observations import Observations, load_observations
from roundtrip.params import resolve_parameters

if TYPE_CHECKING:
    from roundtrip.claims import FoundErratum, Judged, Ledger
    from roundtrip.detectors import Proposal

_Row = TypeVar("_Row", bound="FoundErratum | Judged | Proposal")


def claims(
    report: _context.ReportOption = None,
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
    _, ledger = judged_sources(report)
    rows = [
        row
        for row in ledger.claims
        if report in (None, row.report) and (not wanted or row.verdict.value in wanted)
    ]
    if format_ == "json":
        _context.print_json([row.record() for row in rows])
    else:
        show_claims(rows, Console())


def judged_sources(report: str | None) -> tuple[Observations, Ledger]:
    """Judge the claims of the project's sources; a report that is not among them is refused."""
    from roundtrip.claims import load_ledger

    project = _context.project()
    observations = load_observations(project)
    if report is not None:
        observations.report(report)
    return observations, load_ledger(observations, resolve_parameters(project).word_limits)


def show_claims(rows: Sequence[Judged], console: Console) -> None:
    """Print one table for each report, then how many claims have which verdict."""
    from roundtrip.claims import Verdict
    from roundtrip.claims.expected import values_text

    def entry(row: Judged) -> tuple[str, Sequence[str]]:
        computed = values_text([case.value for case in row.cases], row.unit)
        values = {"printed": row.claim.printed, "computed": computed}
        told = "; ".join(f"{name}: {value}" for name, value in values.items() if value)
        lines = (f"{row.claim.id} ({row.claim.section})", row.claim.says, row.reason(), told)
        return row.verdict.value, lines

    show_by_report(rows, ("Verdict", "Claim"), entry, console)
    counts = [sum(row.verdict is verdict for row in rows) for verdict in Verdict]
    said = [f"{n} {v.value}" for n, v in zip(counts, Verdict, strict=True) if n]
    console.print(
        Text(
            f"{len(rows)} claim{'s' * (len(rows) != 1)}" + (f": {', '.join(said)}" if said else "")
        )
    )


def show_by_report(
    rows: Sequence[_Row], head: tuple[str, str],
    entry: Callable[[_Row], tuple[str, Sequence[str]]], console: Console,
) -> None:  # fmt: skip
    """Print a table for each report: of each row a word, and beside it lines with all the rest.

    More columns would break ids and numbers where a terminal is narrow.
    """
    for report in dict.fromkeys(row.report for row in rows):
        told = [
            (word, Text("\n").join([Text(name, "bold"), *map(Text, filter(None, lines)), Text()]))
            for word, (name, *lines) in (entry(row) for row in rows if row.report == report)
        ]
        _context.show_table(console, head, told, head[1:], report)
