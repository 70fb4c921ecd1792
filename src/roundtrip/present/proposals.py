"""What rules over the numbers propose as errata, beside those that are known."""

from __future__ import annotations

from roundtrip.claims.ledger import Ledger
from roundtrip.detectors import RULES, Proposal, Sure, errata_found, load_proposals
from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, Tone, table_label
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claim_parts import (
    CellIndex,
    by_report,
    cell_index,
    cell_links,
    erratum_anchor,
    joined_links,
)
from roundtrip.present.claims import Limits, ledger_of
from roundtrip.present.tables import Table, left_heads, plain_table
from roundtrip.sources.declared import section_named

_TONES: dict[Sure, Tone] = {Sure.high: "bad", Sure.medium: "mixed", Sure.low: "open"}


def rules_table(chapter: Chapter, word_limits: Limits | None = None) -> Table:
    """List the rules, with how many contradictions each proposes and finds listed."""
    ledger, proposals = _found(chapter, word_limits)
    rows = []
    for name, rule in RULES.items():
        if not rule.find:
            continue
        mine = [one for one in proposals if one.rule == name]
        listed = sum(bool(errata_found(one, ledger)) for one in mine)
        rows.append([rule.title, str(len(mine)), str(listed)])
    return plain_table(
        "Rules that look for contradictions",
        ["What must hold", "Proposed", "Listed as errata"],
        rows,
        right_columns=(1, 2),
    )


def proposals_text(chapter: Chapter, word_limits: Limits | None = None) -> Text:
    """Say how many of the errata that numbers show the rules find."""
    ledger, proposals = _found(chapter, word_limits)
    visible = {(one.report, one.erratum.id) for one in ledger.errata if one.erratum.in_numbers}
    found = {(one.report, name) for one in proposals for name in errata_found(one, ledger)}
    return chapter.text(
        "Of the {proposed} proposals, {listed} point to an erratum listed above, several to the "
        "same one. The errata that numbers alone can show are {visible}: the rules find {found}. "
        "Contradicted sentences appear in the ledger of claims.",
        proposed=len(proposals),
        listed=sum(bool(errata_found(one, ledger)) for one in proposals),
        found=len(visible & found),
        visible=len(visible),
    )


def proposals_tables(chapter: Chapter, word_limits: Limits | None = None) -> list[Table]:
    """Show what the rules propose: a table for each report, the surest first."""
    ledger, proposals = _found(chapter, word_limits)
    index = cell_index(chapter)
    tables = []
    for report, title, rows in by_report(chapter, proposals):
        count = "1 contradiction" if len(rows) == 1 else f"{len(rows)} contradictions"
        tables.append(
            Table(
                f"{count} proposed by rules for {title}",
                (left_heads("Confidence", "What does not fit", "Out by", "Erratum"),),
                tuple(_row(chapter, one, ledger, index) for one in rows),
                csv=_csv(rows, ledger),
                label=table_label("proposed", report),
                filter=("proposals", title),
                shares=(11, 52, 18, 19),
            )
        )
    return tables


def _found(chapter: Chapter, word_limits: Limits | None) -> tuple[Ledger, list[Proposal]]:
    """Give the ledger, and what the rules over numbers propose beside it."""
    ledger = ledger_of(chapter, word_limits)
    return ledger, load_proposals(chapter.observations, ledger, sentences=False)


def _row(chapter: Chapter, one: Proposal, ledger: Ledger, index: CellIndex) -> tuple[BodyCell, ...]:
    found = errata_found(one, ledger)
    errata = joined_links(
        (f"{item.erratum.kind} in {section_named(item.erratum.places[0].section)}",
         erratum_anchor(one.report, item.erratum.id))
        for item in ledger.errata if item.report == one.report and item.erratum.id in found
    )  # fmt: skip
    return (
        BodyCell(one.sure.value, "left", kind="label", tone=_TONES[one.sure]),
        BodyCell(
            f"{one.says} Rule: {RULES[one.rule].title}.",
            "left",
            links=cell_links(chapter, one.report, one.cells, index),
        ),
        BodyCell(chapter.numbers.rewrite(one.out_by), "left"),
        BodyCell("" if errata else "none listed", "left", links=errata),
    )


def _csv(rows: list[Proposal], ledger: Ledger) -> str:
    return csv_text(
        ["report", "rule", "sure", "says", "deviation", "allowed", "unit", "cells", "errata"],
        [
            [one.report, one.rule, one.sure.value, one.says, one.deviation, one.allowed, one.unit,
             " ".join(one.cells), " ".join(errata_found(one, ledger))]
            for one in rows
        ],
    )  # fmt: skip
