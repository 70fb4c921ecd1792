"""What the sources say, with the verdict on each sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from roundtrip.claims import Judged, Verdict, load_ledger
from roundtrip.claims.files import chapter_names
from roundtrip.errors import ChapterError, unknown
from roundtrip.outputs import BodyCell, escape_markdown, listed
from roundtrip.present.arguments import checked
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claim_parts import (
    LEDGER,
    cell_links,
    claim_anchor,
    computed_text,
    counts_table,
    csv_of,
    erratum_anchor,
    outcome_cell,
    printed_text,
    reason_text,
    tables_by_report,
)
from roundtrip.present.tables import Table, left_heads, shares_of
from roundtrip.sections import CLAIMS
from roundtrip.sources.declared import section_named

_TOLD = (Verdict.contradicted, Verdict.in_part)
"""What a chapter tells one by one."""


@checked
def claims_table(chapter: Chapter, name: str) -> Table | Text:
    """Show which claims that belong to a chapter do not simply hold, the contradicted ones first.

    What holds and what cannot be checked is counted; the ledger lists it.

    Parameters
    ----------
    name : str
        File stem of the chapter's notebook.

    Returns
    -------
    Table or Text
        A sentence where the ledger holds no claim of the chapter, or none that does not hold.

    Raises
    ------
    ChapterError
        If there is no such chapter; the nearest one is given.
    """
    claims = load_ledger(chapter.observations, chapter.word_limits).claims
    known = chapter_names(chapter.project)
    if name not in known:
        raise unknown(ChapterError, "chapter", name, known, where="claims_table")
    rows = [row for row in claims if row.claim.chapter == name]
    if not rows:
        return Text("The ledger has no statement of the sources on this topic.")
    order = list(Verdict)
    rows.sort(key=lambda row: (row.report, order.index(row.verdict)))
    told = [row for row in rows if row.verdict in _TOLD]
    if not told:
        return Text(f"Of the sources' statements on this topic, {_tally(rows)}.")
    several = len({row.report for row in told}) > 1
    # The report that the chapter is about comes first.
    told.sort(key=lambda row: not chapter.is_about(row.report))
    body: list[tuple[BodyCell, ...]] = []
    for report, of_report in groupby(told, key=lambda row: row.report):
        if several:
            title = chapter.observations.report(report).short_title
            body.append((BodyCell(title, "left", kind="group"),))
        body += [
            (
                BodyCell(row.claim.says, "left", kind="label"),
                BodyCell(printed_text(chapter, row), "left"),
                BodyCell(computed_text(chapter, row), "left"),
                outcome_cell(row.verdict, claim_anchor(row.report, row.claim.id)),
            )
            for row in of_report
        ]
    rest = [row for row in rows if row.verdict not in _TOLD]
    heads = left_heads("Statement, in our words", "Printed", "Computed", "Verdict")
    return Table(
        f"Statements of the sources that their own data do not fully support: {_tally(told)}",
        (heads,), tuple(body), (f"In addition, {_tally(rest)}.",) if rest else (),
        csv=csv_of(map(_record, rows)), shares=shares_of(body),
    )  # fmt: skip


def claim_counts(chapter: Chapter) -> Table:
    """Count the verdicts, report by report."""
    rows = load_ledger(chapter.observations, chapter.word_limits).claims
    return counts_table(
        chapter, [(row.report, row.verdict) for row in rows], Verdict,
        caption="Statements of the sources by verdict", to_ledger=True,
    )  # fmt: skip


def claim_tables(chapter: Chapter) -> list[Table | Text]:
    """Show the whole ledger: a table for each report, each claim under a permanent anchor.

    The section that takes up most statements of a report is named once, above the tables.
    """
    ledger = load_ledger(chapter.observations, chapter.word_limits)
    told = chapter.sections
    errata: dict[tuple[str, str], str] = {
        (found.report, claim): erratum_anchor(found.report, found.erratum.id)
        for found in ledger.errata
        for claim in found.erratum.claims
    }
    chapters: dict[str, Counter[str]] = {}
    for row in ledger.claims:
        chapters.setdefault(row.report, Counter())[f"{CLAIMS}{row.claim.chapter}"] += 1
    usual = {
        report: section
        for report, counts in chapters.items()
        for section, count in counts.items()
        if section in told and count * 2 > counts.total()
    }
    tables = tables_by_report(
        chapter, ledger.claims, label=LEDGER, kind="statements",
        heads=("Statement, in our words", "Printed", "Computed", "Verdict",
               "Reason, and the cells used"),
        caption=lambda title, rows: f"Statements of {title}: {_tally(rows)}",
        cells=lambda row: _ledger_row(chapter, row, told, usual.get(row.report), errata),
        group=lambda row: section_named(row.claim.section, "Section"), record=_record,
    )  # fmt: skip
    most = [
        f"those of {escape_markdown(chapter.observations.report(report).short_title)} in @{section}"
        for report, section in usual.items()
    ]
    words = (
        [Text(f"Most statements are taken up without an arrow, {listed(most)}.")] if most else []
    )
    return [*words, *tables.values()]


def _ledger_row(
    chapter: Chapter, row: Judged, told: Mapping[str, str], usual: str | None,
    errata: Mapping[tuple[str, str], str],
) -> tuple[BodyCell, ...]:  # fmt: skip
    claim = row.claim
    rounded = ""
    if row.verdict is Verdict.by_rounding and claim.expect is not None:
        # Which numbers pass is not seen from the criterion alone.
        rounded = f", once rounded to the nearest {claim.expect.precision}"
    held = f"Criterion: {row.expected}{rounded}." if row.expected else ""
    links = cell_links(chapter, row.report, row.cells, counted=claim.kind == "count")
    erratum = errata.get((row.report, claim.id))
    links += (("erratum", erratum),) if erratum else ()
    section = f"{CLAIMS}{claim.chapter}"
    elsewhere = section in told and section != usual
    back = ((f"→\u00a0{told[section]}", section),) if elsewhere else ()
    anchor = claim_anchor(row.report, claim.id)
    return (
        BodyCell(claim.says, "left", kind="label", anchor=anchor, links=back),
        BodyCell(printed_text(chapter, row), "left"),
        BodyCell(computed_text(chapter, row), "left"),
        outcome_cell(row.verdict),
        BodyCell(" ".join(filter(None, [reason_text(chapter, row), held])), "left", links=links),
    )


def _tally(rows: Sequence[Judged]) -> str:
    """Count verdicts in words: ``3 are contradicted, 1 holds in part and 20 hold``."""
    counts = Counter(row.verdict for row in rows)
    return listed([f"{counts[one]} {_verb(one, counts[one])}" for one in Verdict if counts[one]])


def _verb(verdict: Verdict, count: int) -> str:
    if verdict.value.startswith("holds"):
        return verdict.value if count == 1 else verdict.value.replace("holds", "hold")
    return f"{'is' if count == 1 else 'are'} {verdict.value}"


def _record(row: Judged) -> dict[str, Any]:
    return {
        "report": row.report, "id": row.claim.id, "section": row.claim.section,
        "says": row.claim.says, "printed": row.claim.printed or "", "expected": row.expected,
        "computed": " ".join(f"{case.value:.10g}" for case in row.cases),
        "verdict": row.verdict.value, "note": row.reason(), "cells": " ".join(row.cells),
    }  # fmt: skip
