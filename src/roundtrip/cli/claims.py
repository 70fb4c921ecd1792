"""``roundtrip claims``: what the sources say, held against their data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.cli import _context
from roundtrip.errors import ParameterError, unknown

if TYPE_CHECKING:
    from roundtrip.claims import FoundErratum, Judged, Ledger
    from roundtrip.detectors import Proposal
    from roundtrip.observations import Observations

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
    from roundtrip.observations import load_observations
    from roundtrip.params import resolve_parameters

    project = _context.project()
    observations = load_observations(project)
    if report is not None:
        observations.report(report)
    return observations, load_ledger(observations, resolve_parameters(project).word_limits)


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
    show_by_report(rows, columns, cells, console)
    counts = [sum(row.verdict is verdict for row in rows) for verdict in Verdict]
    said = [f"{n} {v.value}" for n, v in zip(counts, Verdict, strict=True) if n]
    console.print(Text(f"{len(rows)} claims" + (f": {', '.join(said)}" if said else "")))


def show_by_report(
    rows: Sequence[_Row], columns: Mapping[str, int | None],
    cells: Callable[[_Row], Sequence[str | Text]], console: Console,
) -> None:  # fmt: skip
    """Print a table for each report; a column without a ratio is not wrapped."""
    for report in dict.fromkeys(row.report for row in rows):
        table = Table(title=Text(report), title_justify="left", expand=True, show_lines=True)
        for name, ratio in columns.items():
            look: dict[str, Any] = {"ratio": ratio, "overflow": "fold"}
            if ratio is None:
                look = {"no_wrap": True}
            elif name == "Verdict":  # its longest word is not broken
                look = {"width": len("contradicted")}
            table.add_column(name, **look)
        for row in rows:
            if row.report == report:
                table.add_row(
                    *(Text(cell) if isinstance(cell, str) else cell for cell in cells(row))
                )
        console.print(table)
