"""Tables of what published claims come to on the broker of whoever builds the edition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from roundtrip.claims.other_system import Answer, Asked
from roundtrip.outputs import NOTHING, BodyCell, escape_markdown, table_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claim_parts import (
    claim_anchor,
    computed_text,
    counts_table,
    csv_of,
    measured_text,
    outcome_cell,
)
from roundtrip.present.own_broker import asked_again, own_campaigns
from roundtrip.present.tables import Table, left_heads

SECTION = "sec-your-broker"
_HEADS = ("Statement, in our words", "Published", "Measured here", "Verdict", "Why")
_SHARES = (38, 14, 18, 12, 18)


def own_claims_table(chapter: Chapter, name: str, campaign: str = "") -> Table | None:
    """Show what the claims of a chapter come to on the broker of whoever builds the edition.

    Parameters
    ----------
    name : str
        File stem of the chapter's notebook.
    campaign : str
        Id of the ingested campaign that the edition shows; empty for none.

    Returns
    -------
    Table or None
        None where the edition shows no run on a broker of one's own, or the ledger has no claim of
        the chapter.
    """
    rows = [row for row in asked_again(chapter, campaign) if row.judged.claim.chapter == name]
    return _table(chapter, rows, "on what this chapter shows") if rows else None


def own_claims(chapter: Chapter, campaign: str = "") -> list[Table | Text]:
    """Show what all claims come to on the broker of whoever builds the edition, below a heading.

    Empty in an edition without a run on a broker of one's own.
    """
    rows = asked_again(chapter, campaign)
    if not rows:
        return []
    names = ", ".join(map(escape_markdown, own_campaigns(chapter, campaign)))
    return [
        Text(f"## Your broker {{#{SECTION}}}"),
        Text(
            f"The same statements, checked against your own runs ({names}). Each is computed as "
            "before, from what you measured at the same message size, delivery, encryption and "
            "load. *Holds here*: the 90\u00a0% interval of the measured value lies within what "
            "the statement allows; a range is widened by the margin of your runs. *Does not hold "
            "here*: the interval lies outside (of several cases, at the error divided by their "
            "number). *Cannot say*: it lies across a limit, your runs do not cover the case or "
            "were made in different hours, or a mandatory rule of method forbids a conclusion. "
            "Absolute rates are never carried over."
        ),
        counts_table(
            chapter, [(row.judged.report, row.answer) for row in rows], Answer,
            caption="The sources' statements by their verdict on your broker",
            label=table_label("claims", "here-counts"),
        ),
        _table(chapter, rows, "of all sources", table_label("claims", "here")),
    ]  # fmt: skip


def _table(chapter: Chapter, rows: Sequence[Asked], of: str, label: str | None = None) -> Table:
    """Show each claim that the runs speak to, and count the others by reason."""
    told = [row for row in rows if row.cases]
    told.sort(key=lambda row: list(Answer).index(row.answer))
    body: list[tuple[BodyCell, ...]] = [
        (
            BodyCell(row.judged.claim.says, "left", kind="label"),
            BodyCell(computed_text(chapter, row.judged), "left"),
            BodyCell(measured_text(chapter, row), "left", links=(_runs(row),)),
            outcome_cell(row.answer, claim_anchor(row.judged.report, row.judged.claim.id)),
            BodyCell(row.reason, "left"),
        )
        for row in told
    ]
    others = Counter(row.reason for row in rows if not row.cases)
    more = "further statement" if told else "statement"
    body += [
        (
            BodyCell(f"{count} {more}{'s' if count > 1 else ''}", "left", kind="label"),
            BodyCell(NOTHING, "left"), BodyCell(NOTHING, "left"),
            outcome_cell(Answer.unknown), BodyCell(reason, "left"),
        )
        for reason, count in others.most_common()
    ]  # fmt: skip
    found = Counter(row.answer for row in rows)
    tally = ", ".join(f"{one} {found[one]}" for one in Answer if found[one])
    return Table(
        f"On your broker, the statements {of}: {tally}", (left_heads(*_HEADS),), tuple(body),
        csv=csv_of(line for row in rows for line in _records(row)), label=label, shares=_SHARES,
    )  # fmt: skip


def _runs(row: Asked) -> tuple[str, str]:
    runs = list(dict.fromkeys(run for case in row.cases for run in case.runs))
    return f"{len(runs)} run{'s' * (len(runs) > 1)}", cell_anchor(runs[0])


def _records(row: Asked) -> Iterator[dict[str, Any]]:
    """Give a line for each case of a claim; one without numbers where there is none."""
    claim = row.judged.claim
    for case in row.cases or (None,):
        numbers = (case.published, case.value, case.low, case.high) if case else ()
        texts = [f"{number:.10g}" for number in numbers] or [""] * 4
        yield {
            "report": row.judged.report, "id": claim.id, "says": claim.says,
            "item": case.item or "" if case else "",
            **dict(zip(("published", "measured", "low", "high"), texts, strict=True)),
            "verdict": (case.answer if case else row.answer).value, "reason": row.reason,
            "cells": " ".join(case.cells if case else ()),
            "runs": " ".join(case.runs if case else ()),
        }  # fmt: skip
