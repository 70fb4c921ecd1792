"""``roundtrip errata --proposed``: contradictions that rules find, beside the errata known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.errors import ParameterError, unknown

if TYPE_CHECKING:
    from roundtrip.claims import Ledger
    from roundtrip.detectors import Proposal
    from roundtrip.observations import Observations

_STYLES = {"high": "bold red", "medium": "yellow", "low": "dim"}


def proposals_of(
    observations: Observations, ledger: Ledger, report: str | None, rules: Sequence[str]
) -> list[Proposal]:
    """Give the proposals for one report or all, by some rules or all.

    Raises
    ------
    ParameterError
        If there is no such rule; the nearest is given.
    """
    from roundtrip.detectors import RULES, load_proposals

    for name in rules:
        if name not in RULES:
            raise unknown(ParameterError, "rule", name, RULES, where="--rule")
    return [
        found
        for found in load_proposals(observations, ledger)
        if report in (None, found.report) and (not rules or found.rule in rules)
    ]


def records(proposals: Sequence[Proposal], ledger: Ledger) -> list[dict[str, Any]]:
    """Give proposals as plain data, for other programs; `errata` names those that they find."""
    from roundtrip.detectors import errata_found

    return [
        {
            "report": one.report,
            "rule": one.rule,
            "sure": one.sure.value,
            "says": one.says,
            "deviation": one.deviation,
            "allowed": one.allowed,
            "unit": one.unit,
            "excess": one.excess,
            "cells": list(one.cells),
            "quotes": [{"section": section, "text": text} for section, text in one.quotes],
            "errata": errata_found(one, ledger),
        }
        for one in proposals
    ]


def show_proposals(proposals: Sequence[Proposal], ledger: Ledger, console: Console) -> None:
    """Print one table for each report.

    Parameters
    ----------
    ledger : Ledger
        Its errata are named where a proposal finds them.
    """
    from roundtrip.detectors import errata_found

    for report in dict.fromkeys(one.report for one in proposals):
        table = Table(title=Text(report), title_justify="left", expand=True, show_lines=True)
        table.add_column("Sure", no_wrap=True)
        for name, ratio in {"Rule": 3, "Says": 8, "Out by": 3, "Erratum": 3}.items():
            table.add_column(name, ratio=ratio, overflow="fold")
        for one in proposals:
            if one.report == report:
                table.add_row(
                    Text(one.sure.value, _STYLES[one.sure.value]),
                    Text(one.rule),
                    Text(one.says),
                    Text(one.out_by),
                    Text(", ".join(errata_found(one, ledger)) or "none known"),
                )
        console.print(table)
    console.print(Text(f"{len(proposals)} proposals"))
