"""Where the sources contradict themselves, what their vague words mean, how they repeat."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.claims import load_ledger, load_words
from roundtrip.claims.expected import limits_text
from roundtrip.claims.ledger import FoundErratum, Ledger
from roundtrip.claims.repeatability import repetitions
from roundtrip.detectors import RULES, Proposal, Sure, errata_found, load_proposals
from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, Tone, table_label
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claim_parts import (
    CellIndex,
    by_report,
    cell_index,
    cell_links,
    claim_anchor,
    erratum_anchor,
    joined_links,
)
from roundtrip.present.claims import Limits
from roundtrip.present.numbers import Quantity
from roundtrip.present.tables import Table, left_heads, plain_table
from roundtrip.sources.declared import section_named

_TONES: dict[Sure, Tone] = {Sure.high: "bad", Sure.medium: "mixed", Sure.low: "open"}


def words_table(chapter: Chapter, word_limits: Limits | None = None) -> Table:
    """List what vague words are taken to mean.

    Parameters
    ----------
    word_limits : mapping, optional
        What the edition sets instead; such words are marked.
    """
    words = load_words(chapter.project, word_limits)
    subject = {"number": "a stated number", "difference": "a difference"}
    notes: tuple[str, ...] = ()
    if words.changed:
        notes = ("† Limits set by this edition; the reason given is for the defaults.",)
    return plain_table(
        "How vague words are interpreted",
        ["Word", "Of", "Range", "Also", "Why"],
        [
            [
                f"{word.word} †" if word.word in words.changed else word.word,
                subject[word.of] + (", the largest of several" if word.largest else ""),
                limits_text(word),
                ", ".join(word.forms),
                word.reason,
            ]
            for word in words.words
        ],
        notes=notes,
    )


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
        least=spreads[0],
        most=spreads[-1],
        count=len(found),
    )


def errata_tables(chapter: Chapter, word_limits: Limits | None = None) -> list[Table]:
    """Show where reports contradict themselves: a table for each, each erratum under an anchor."""
    ledger = load_ledger(chapter.observations, word_limits)
    sections = {(row.report, row.claim.id): row.claim.section for row in ledger.claims}
    index = cell_index(chapter)
    tables = []
    for report, title, rows in by_report(chapter, ledger.errata):
        count = "1 place" if len(rows) == 1 else f"{len(rows)} places"
        tables.append(
            Table(
                f"{count} where the report “{title}” contradicts itself",
                (left_heads("Kind", "What contradicts what", "Places", "How it is known"),),
                tuple(_erratum_row(chapter, row, index, sections) for row in rows),
                csv=_errata_csv(rows),
                label=table_label("errata", report),
                filter=("errata", title),
                shares=(12, 28, 30, 30),
            )
        )
    return tables


def _erratum_row(
    chapter: Chapter,
    row: FoundErratum,
    index: CellIndex,
    sections: Mapping[tuple[str, str], str],
) -> tuple[BodyCell, ...]:
    item = row.erratum
    several = len(item.claims) > 1
    claims = tuple(
        (
            f"Statement {number} in {where}" if several else f"Statement in {where}",
            claim_anchor(row.report, name),
        )
        for number, name in enumerate(item.claims, start=1)
        for where in [section_named(sections[row.report, name])]
    )
    cells = cell_links(chapter, row.report, item.cells, index)
    return (
        BodyCell(item.kind, "left", kind="label", anchor=erratum_anchor(row.report, item.id)),
        BodyCell(item.says, "left", links=claims),
        BodyCell(
            "; ".join(place.text for place in item.places) + (". Cells:" if cells else ""),
            "left",
            links=cells,
        ),
        BodyCell(item.known_by, "left"),
    )


def _errata_csv(rows: list[FoundErratum]) -> str:
    names = ["report", "id", "kind", "says", "places", "cells", "evidence", "likely", "cause",
             "in_numbers", "claims"]  # fmt: skip
    return csv_text(
        names,
        [
            [row.report, row.erratum.id, row.erratum.kind, row.erratum.says,
             "; ".join(place.text for place in row.erratum.places), " ".join(row.erratum.cells),
             row.erratum.evidence, row.erratum.likely or "", row.erratum.cause or "",
             row.erratum.in_numbers, " ".join(row.erratum.claims)]
            for row in rows
        ],
    )  # fmt: skip


def proposed(chapter: Chapter, word_limits: Limits | None = None) -> list[Table | Text]:
    """Show what rules over numbers propose as errata.

    The rules, with how many contradictions each proposes and finds listed; how many of the errata
    that numbers show they find; a table of proposals for each report, the surest first.
    """
    ledger = load_ledger(chapter.observations, word_limits)
    proposals = load_proposals(chapter.observations, ledger, sentences=False)
    listed = [bool(errata_found(one, ledger)) for one in proposals]
    rows = []
    for name, rule in RULES.items():
        mine = [known for one, known in zip(proposals, listed, strict=True) if one.rule == name]
        if rule.find:
            rows.append([rule.title, str(len(mine)), str(sum(mine))])
    rules = plain_table(
        "Rules that look for contradictions",
        ["What must hold", "Proposed", "Listed as errata"],
        rows,
        right_columns=(1, 2),
        label="tbl-claims-rules",
    )
    visible = {(one.report, one.erratum.id) for one in ledger.errata if one.erratum.in_numbers}
    found = {(one.report, name) for one in proposals for name in errata_found(one, ledger)}
    summary = chapter.text(
        "Of the {proposed} proposals, {listed} point to an erratum listed above, several to the "
        "same one. The errata that numbers alone can show are {visible}: the rules find {found}. "
        "Contradicted sentences appear in the ledger of claims.",
        proposed=len(proposals),
        listed=sum(listed),
        found=len(visible & found),
        visible=len(visible),
    )
    index = cell_index(chapter)
    tables = []
    for report, title, own in by_report(chapter, proposals):
        count = "1 contradiction" if len(own) == 1 else f"{len(own)} contradictions"
        tables.append(
            Table(
                f"{count} proposed by rules for {title}",
                (left_heads("Confidence", "What does not fit", "Out by", "Erratum"),),
                tuple(_proposal_row(chapter, one, ledger, index) for one in own),
                csv=_proposals_csv(own, ledger),
                label=table_label("proposed", report),
                filter=("proposals", title),
                shares=(11, 52, 18, 19),
            )
        )
    return [rules, summary, *tables]


def _proposal_row(
    chapter: Chapter, one: Proposal, ledger: Ledger, index: CellIndex
) -> tuple[BodyCell, ...]:
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


def _proposals_csv(rows: list[Proposal], ledger: Ledger) -> str:
    return csv_text(
        ["report", "rule", "sure", "says", "deviation", "allowed", "unit", "cells", "errata"],
        [
            [one.report, one.rule, one.sure.value, one.says, one.deviation, one.allowed, one.unit,
             " ".join(one.cells), " ".join(errata_found(one, ledger))]
            for one in rows
        ],
    )  # fmt: skip
