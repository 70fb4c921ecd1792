"""Totals that a table prints below what they add up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roundtrip.checks.precision import near
from roundtrip.detectors.proposal import Basis, Proposal, Sure
from roundtrip.detectors.subject import Subject, place, printed

RULE = "total"

_TOTAL = re.compile(r"^\W*(grand |sub)?(total|sum)s?\b", re.IGNORECASE)


def totals(subject: Subject) -> Iterator[Proposal]:
    """Propose totals that are not the sum of their column.

    A total above the sum is sure to be low only: the table may be an extract that leaves rows out.
    """
    cells = subject.tables
    is_total = cells["row_label"].fillna("").str.match(_TOTAL)
    for total in subject.rows(cells[is_total]):
        parts = cells[
            ~is_total
            & (cells["table_id"] == total["table_id"])
            & (cells["column_label"] == total["column_label"])
            & (cells["metric"] == total["metric"])
            & (cells["statistic"] == total["statistic"])
        ]
        if len(parts) < 2:
            continue
        added = float(parts["settled"].sum())
        allowed = float(parts["slack"].sum() + total["slack"])
        if near(added, total["settled"], allowed):
            continue
        may_be_extract = added < total["settled"] and bool((parts["settled"] >= 0).all())
        yield subject.proposal(
            RULE,
            Basis.identity,
            [total, *subject.rows(parts)],
            abs(added - total["settled"]),
            allowed,
            str(total["unit"]),
            f"{place(total)} prints a total of {printed(total)} for {total['column_label']}, and "
            f"the {len(parts)} values above it add up to {added:,g}"
            + (", unless it leaves rows out." if may_be_extract else "."),
            Sure.low if may_be_extract else Sure.high,
        )
