"""``roundtrip claims``: what the sources say, held against their data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.errors import ParameterError, unknown
from roundtrip.observations import Observations, load_observations
from roundtrip.params import resolve_parameters

if TYPE_CHECKING:
    from roundtrip.claims import FoundErratum, Judged, Ledger
    from roundtrip.detectors import Proposal

_STYLES = {
    "contradicted": "bold red", "holds in part": "yellow", "holds by rounding": "green",
    "holds": "green", "not checkable": "dim",
}  # fmt: skip
_Row = TypeVar("_Row", bound="FoundErratum | Judged | Proposal")
ReportOption = Annotated[str | None, typer.Option(metavar="ID", help="Report; default: all.")]


def claims(
    report: ReportOption = None,
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

    def entry(row: Judged) -> tuple[Text, Sequence[str]]:
        computed = values_text([case.value for case in row.cases], row.unit)
        values = {"printed": row.claim.printed, "computed": computed}
        told = "; ".join(f"{name}: {value}" for name, value in values.items() if value)
        lines = (f"{row.claim.id} ({row.claim.section})", row.claim.says, row.reason(), told)
        return Text(row.verdict.value, _STYLES[row.verdict.value]), lines

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
    entry: Callable[[_Row], tuple[Text, Sequence[str]]], console: Console,
) -> None:  # fmt: skip
    """Print a table for each report: of each row a word, and beside it lines with all the rest.

    More columns would break ids and numbers where a terminal is narrow.
    """
    for report in dict.fromkeys(row.report for row in rows):
        table = Table(title=Text(report), title_justify="left", expand=True, show_lines=True)
        table.add_column(head[0], no_wrap=True)
        table.add_column(head[1], ratio=1, overflow="fold")
        for word, (name, *lines) in (entry(row) for row in rows if row.report == report):
            text = Text("\n".join(filter(None, (name, *lines))))
            text.stylize("bold", 0, len(name))
            table.add_row(word, text)
        console.print(table)
