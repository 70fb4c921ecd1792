"""Where the sources contradict themselves, what their vague words mean, how they repeat."""

from __future__ import annotations

from collections import Counter
from typing import Any

from roundtrip.claims import load_ledger, load_words
from roundtrip.claims.expected import limits_text
from roundtrip.claims.ledger import FoundErratum, Ledger
from roundtrip.claims.repeatability import repetitions
from roundtrip.detectors import RULES, Proposal, Sure, errata_found, load_proposals
from roundtrip.outputs import BodyCell, Tone
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claim_parts import (
    cell_links,
    claim_anchor,
    erratum_anchor,
    joined_links,
    tables_by_report,
)
from roundtrip.present.numbers import Quantity
from roundtrip.present.tables import Table, plain_table
from roundtrip.sources.declared import section_named

_TONES: dict[Sure, Tone] = {Sure.high: "bad", Sure.medium: "mixed", Sure.low: "open"}


def words_table(chapter: Chapter) -> Table:
    """List what vague words are taken to mean; those that the edition sets are marked."""
    words = load_words(chapter.project, chapter.word_limits)
    subject = {"number": "a stated number", "difference": "a difference"}
    rows = []
    for word in words.words:
        named = word.word + " †" * (word.word in words.changed)
        of = subject[word.of] + ", the largest of several" * word.largest
        rows.append([named, of, limits_text(word), ", ".join(word.forms), word.reason])
    changed = "† Limits set by this edition; the reason given is for the defaults."
    return plain_table(
        "How vague words are interpreted", ["Word", "Of", "Range", "Also", "Why"], rows,
        notes=[changed] if words.changed else [],
    )  # fmt: skip


def repetitions_text(chapter: Chapter) -> Text:
    """Say how far apart the sources' own repeated measurements are."""
    found = repetitions(chapter.observations)
    if not found:
        return Text("No source prints two different rates for one set-up.")
    spreads = [Quantity(item.spread, "%", item.cells, 1) for item in found]
    differ = "{most} (one such set-up)"
    if len(found) > 1:
        differ = "{least:n} to {most} ({count} such set-ups)"
    return chapter.text(
        "Where a source prints the rate of one set-up in several places and the numbers "
        f"differ, they differ by {differ}. A difference within this range cannot be told "
        "from run-to-run variation.",
        least=spreads[0], most=spreads[-1], count=len(found),
    )  # fmt: skip


def errata_tables(chapter: Chapter) -> list[Table]:
    """Show where reports contradict themselves: a table for each, each erratum under an anchor."""
    ledger = load_ledger(chapter.observations, chapter.word_limits)
    sections = {(row.report, row.claim.id): row.claim.section for row in ledger.claims}

    def caption(title: str, rows: list[FoundErratum]) -> str:
        count = "1 place" if len(rows) == 1 else f"{len(rows)} places"
        return f"{count} where the report “{title}” contradicts itself"

    def cells(row: FoundErratum) -> tuple[BodyCell, ...]:
        item = row.erratum
        several = len(item.claims) > 1
        claims = tuple(
            (f"Statement{f' {number}' if several else ''} in "
             f"{section_named(sections[row.report, name])}", claim_anchor(row.report, name))
            for number, name in enumerate(item.claims, start=1)
        )  # fmt: skip
        links = cell_links(chapter, row.report, item.cells)
        places = "; ".join(place.text for place in item.places)
        return (
            BodyCell(item.kind, "left", kind="label", anchor=erratum_anchor(row.report, item.id)),
            BodyCell(item.says, "left", links=claims),
            BodyCell(places + (". Cells:" if links else ""), "left", links=links),
            BodyCell(item.known_by, "left"),
        )

    tables = tables_by_report(
        chapter, ledger.errata, label="errata", kind="errata",
        heads=("Kind", "What contradicts what", "Places", "How it is known"),
        caption=caption, cells=cells, record=_erratum_record, shares=(12, 28, 30, 30),
    )  # fmt: skip
    return list(tables.values())


def _erratum_record(row: FoundErratum) -> dict[str, Any]:
    item = row.erratum
    return {
        "report": row.report, "id": item.id, "kind": item.kind, "says": item.says,
        "places": "; ".join(place.text for place in item.places), "cells": " ".join(item.cells),
        "evidence": item.evidence, "likely": item.likely or "", "cause": item.cause or "",
        "in_numbers": item.in_numbers, "claims": " ".join(item.claims),
    }  # fmt: skip


def proposed(chapter: Chapter) -> list[Table | Text]:
    """Show what rules over numbers propose as errata.

    The rules, with how many contradictions each proposes and finds listed; how many of the errata
    that numbers show they find; a table of proposals for each report, the surest first.
    """
    ledger = load_ledger(chapter.observations, chapter.word_limits)
    proposals = load_proposals(chapter.observations, ledger, sentences=False)
    listed = [one for one in proposals if errata_found(one, ledger)]
    made, known = (Counter(one.rule for one in some) for some in (proposals, listed))
    rows = [
        [rule.title, str(made[name]), str(known[name])] for name, rule in RULES.items() if rule.find
    ]
    head = ["What must hold", "Proposed", "Listed as errata"]
    rules = plain_table(
        "Rules that look for contradictions", head, rows, right_columns=(1, 2),
        label="tbl-claims-rules",
    )  # fmt: skip
    visible = {(one.report, one.erratum.id) for one in ledger.errata if one.erratum.in_numbers}
    found = {(one.report, name) for one in proposals for name in errata_found(one, ledger)}
    summary = chapter.text(
        (
            "Of the {proposed} proposals, {listed} point to an erratum listed above, several to "
            "the same one. The errata that numbers alone can show are {visible}: the rules find "
            "{found}. "
            if proposals or visible
            else "The rules propose nothing here, and no erratum listed above is one that numbers "
            "alone can show. "
        )
        + "Contradicted sentences appear in the ledger of claims.",
        proposed=len(proposals), listed=len(listed), found=len(visible & found),
        visible=len(visible),
    )  # fmt: skip

    def caption(title: str, own: list[Proposal]) -> str:
        count = "1 contradiction" if len(own) == 1 else f"{len(own)} contradictions"
        return f"{count} proposed by rules for {title}"

    tables = tables_by_report(
        chapter, proposals, label="proposed", kind="proposals",
        heads=("Confidence", "What does not fit", "Out by", "Erratum"), caption=caption,
        cells=lambda one: _proposal_row(chapter, one, ledger),
        record=lambda one: _proposal_record(one, ledger), shares=(11, 52, 18, 19),
    )  # fmt: skip
    return [rules, summary, *tables.values()]


def _proposal_row(chapter: Chapter, one: Proposal, ledger: Ledger) -> tuple[BodyCell, ...]:
    found = errata_found(one, ledger)
    errata = joined_links(
        (f"{item.erratum.kind} in {section_named(item.erratum.places[0].section)}",
         erratum_anchor(one.report, item.erratum.id))
        for item in ledger.errata if item.report == one.report and item.erratum.id in found
    )  # fmt: skip
    says = f"{one.says} Rule: {RULES[one.rule].title}."
    return (
        BodyCell(one.sure.value, "left", kind="label", tone=_TONES[one.sure]),
        BodyCell(says, "left", links=cell_links(chapter, one.report, one.cells)),
        BodyCell(chapter.numbers.rewrite(one.out_by), "left"),
        BodyCell("" if errata else "none listed", "left", links=errata),
    )


def _proposal_record(one: Proposal, ledger: Ledger) -> dict[str, Any]:
    return {
        "report": one.report, "rule": one.rule, "sure": one.sure.value, "says": one.says,
        "deviation": one.deviation, "allowed": one.allowed, "unit": one.unit,
        "cells": " ".join(one.cells), "errata": " ".join(errata_found(one, ledger)),
    }  # fmt: skip
