"""What the tables of claims and errata share: anchors, marks, numbers, links, one per report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import pandas as pd

from roundtrip.claims import Judged, Verdict
from roundtrip.claims.cases import Case
from roundtrip.claims.expected import case_text, number_with_unit, values_text
from roundtrip.claims.other_system import Answer, Asked, CaseThere
from roundtrip.csvfile import csv_text
from roundtrip.outputs import NOTHING, BodyCell, HeaderCell, Tone, table_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import Chapter
from roundtrip.present.tables import Table, left_heads, shares_of

Outcome = Verdict | Answer

# A mark, a word and a colour for each outcome: no one of them stands alone.
LOOKS: Mapping[Outcome, tuple[str, Tone]] = {
    Verdict.contradicted: ("×", "bad"), Verdict.in_part: ("½", "mixed"),
    Verdict.by_rounding: ("≈", "good"), Verdict.holds: ("✓", "good"),
    Verdict.not_checkable: ("–", "open"),
    Answer.holds: ("✓", "good"), Answer.fails: ("×", "bad"), Answer.unknown: ("–", "open"),
}  # fmt: skip
LEDGER = "claims"
"""What the labels of the tables that hold the reports' claims begin with."""
_CELLS_ONE_BY_ONE = 4
_ITEMS = 4


def claim_anchor(report: str, claim: str) -> str:
    """Give the permanent anchor of a claim in the ledger: ``claim-<report>-<id>``."""
    return f"claim-{report}-{claim}"


def erratum_anchor(report: str, erratum: str) -> str:
    """Give the permanent anchor of an erratum: ``erratum-<report>-<id>``."""
    return f"erratum-{report}-{erratum}"


def outcome_cell(outcome: Outcome, link: str | None = None) -> BodyCell:
    """Give the cell that shows an outcome, with mark, word and colour."""
    tone = LOOKS[outcome][1]
    # On paper, broken only in the longest: "holds by rounding".
    text = _marked(outcome).replace(" ", "\u00a0", 1)
    return BodyCell(text, "left", strong=tone == "bad", tone=tone, link=link)


def _marked(outcome: Outcome) -> str:
    """Write an outcome after its mark, which stays with it."""
    return f"{LOOKS[outcome][0]}\u00a0{outcome.value}"


def cell_links(
    chapter: Chapter, report: str, cells: Sequence[str], *, counted: bool = False
) -> tuple[tuple[str, str], ...]:
    """Name cells for a reader and say where they are: a few one by one, many by their tables.

    Gives texts and anchors. The cells of `report`, which is spoken of, need not name it. With
    `counted`, even a few are named by their tables: a claim that counts cells, or their set-ups,
    says nothing of their values.
    """
    one_by_one = not counted and len(cells) <= _CELLS_ONE_BY_ONE
    links = []
    for cell, about in zip(cells, chapter.records_of(cells), strict=True):
        name, printed = str(about["table"]), about["value_printed"]
        if about["source"] != report:
            name = f"{chapter.observations.report(about['source']).short_title} {name}"
        if one_by_one:  # what was read off a chart was not printed
            name += f": {about['value']:g}" if pd.isna(printed) else f": {printed}"
        links.append((name, cell_anchor(cell)))
    return tuple(links) if one_by_one else joined_links(links)


def joined_links(links: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Join links of the same name into one that says how many they are, and leads to the first."""
    anchors: dict[str, list[str]] = {}
    for name, anchor in links:
        anchors.setdefault(name, []).append(anchor)
    return tuple(
        (name if len(found) == 1 else f"{name} ({len(found)})", found[0])
        for name, found in anchors.items()
    )


def printed_text(chapter: Chapter, row: Judged) -> str:
    """Give what is printed, in the edition's number format."""
    return chapter.numbers.rewrite(row.claim.printed) if row.claim.printed else NOTHING


def computed_text(chapter: Chapter, row: Judged) -> str:
    """Write what was computed for a claim, in the edition's number format.

    One number; items from the largest value down, or the smallest up where the claim is about
    that; or few cases, or the range of more. A dash when the claim cannot be checked.
    """
    return _values_text(chapter, row, row.cases)


def reason_text(chapter: Chapter, row: Judged) -> str:
    """Say why the verdict is what it is, numbers as `computed_text` writes them."""
    return row.reason(lambda value: values_text([value], row.unit, _writer(chapter)))


def measured_text(chapter: Chapter, asked: Asked) -> str:
    """Write what was measured for a claim on another system; a single number with its interval."""
    text = _values_text(chapter, asked.judged, asked.cases)
    if len(asked.cases) != 1 or asked.cases[0].low == asked.cases[0].high:
        return text
    low, high = map(_writer(chapter), (asked.cases[0].low, asked.cases[0].high))
    return f"{text} ({low} to {high})"


def _writer(chapter: Chapter) -> Callable[[float], str]:
    return lambda value: chapter.numbers.rewrite(case_text(value))


def _values_text(chapter: Chapter, row: Judged, cases: Sequence[Case | CaseThere]) -> str:
    expect, write = row.claim.expect, _writer(chapter)
    if expect is None or not expect.of_items:
        return values_text([case.value for case in cases], row.unit, write) or NOTHING
    ranked = sorted(cases, key=lambda case: case.value, reverse=not expect.smallest)
    named = [f"{case.item}: {write(case.value)}" for case in ranked]
    text = number_with_unit("; ".join(named[:_ITEMS]), row.unit)
    if more := len(named[_ITEMS:]):
        text += f"; {more} more {'above' if expect.smallest else 'below'}"
    return text


def tables_by_report(
    chapter: Chapter, rows: Iterable[Any], *, label: str, kind: str, heads: Sequence[str],
    caption: Callable[[str, list[Any]], str], cells: Callable[[Any], tuple[BodyCell, ...]],
    record: Callable[[Any], dict[str, Any]], shares: tuple[int, ...] = (),
    group: Callable[[Any], str] | None = None,
) -> dict[str, Table]:  # fmt: skip
    """Lay out what is known of reports: a table for each, which a reader can filter.

    Parameters
    ----------
    rows : iterable
        Things with a `report`, its id.
    label, kind : str
        What the labels of the tables begin with; what the rows are, for the filter.
    caption : callable
        Makes a caption of the title of a report and its rows.
    cells, record : callable
        Give what a row of the table shows, and a line of its download by the names of columns.
    group : callable, optional
        Gives the heading that a row stands below with those beside it.
    """
    tables: dict[str, Table] = {}
    every = list(rows)
    for report in chapter.observations.report_ids:
        own = [row for row in every if row.report == report]
        if not own:
            continue
        title = chapter.observations.report(report).short_title
        body: list[tuple[BodyCell, ...]] = []
        for heading, members in groupby(own, group or (lambda _: "")):
            if heading:
                body.append((BodyCell(heading, "left", kind="group"),))
            body += map(cells, members)
        tables[report] = Table(
            caption(title, own), (left_heads(*heads),), tuple(body), csv=csv_of(map(record, own)),
            label=table_label(label, report), filter=(kind, title),
            shares=shares or shares_of(body),
        )  # fmt: skip
    return tables


def csv_of(records: Iterable[dict[str, Any]]) -> str:
    """Write records, one at least, as CSV under the names of their parts."""
    lines = list(records)
    return csv_text(list(lines[0]), [list(line.values()) for line in lines])


def counts_table(
    chapter: Chapter, found: Sequence[tuple[str, Outcome]], outcomes: Iterable[Outcome], *,
    caption: str, to_ledger: bool = False, label: str | None = None,
) -> Table:  # fmt: skip
    """Count what statements came to, report by report and over all.

    `found` gives for each statement the report that makes it, and which of the `outcomes` it came
    to. With `to_ledger`, a report leads to its table in the ledger.
    """
    columns = list(outcomes)
    body: list[tuple[BodyCell, ...]] = []
    lines: list[list[Any]] = []
    for report in [*chapter.observations.report_ids, ""]:
        counts = Counter(outcome for name, outcome in found if report in ("", name))
        numbers = [counts.total(), *(counts[outcome] for outcome in columns)]
        title = chapter.observations.report(report).short_title if report else "All"
        link = table_label(LEDGER, report) if to_ledger and report and counts else None
        body.append(
            (
                BodyCell(title, "left", kind="label", link=link, strong=not report),
                *(BodyCell(str(number), strong=not report) for number in numbers),
            )
        )
        lines.append([report or "all", *numbers])
    heads = ["Statements", *map(_marked, columns)]
    return Table(
        caption, ((*left_heads("Report"), *map(HeaderCell, heads)),), tuple(body),
        csv=csv_text(["report", "statements", *(outcome.value for outcome in columns)], lines),
        label=label,
    )  # fmt: skip
