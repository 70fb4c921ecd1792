"""Multiples, extremes, trends and bounds that sentences state, held against their table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb
import pandas as pd
import yaml

from roundtrip.claims.cases import Case
from roundtrip.claims.declared import Expect
from roundtrip.claims.expected import computed_text, number_text, written
from roundtrip.claims.verdicts import Judgement, Verdict, judge
from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.text import (
    Printed,
    ReportText,
    by_table,
    named_tables,
    quoted,
    where,
)
from roundtrip.drafting.comparisons import Query, comparison
from roundtrip.drafting.readings import DraftCell, DraftRow, DraftTable
from roundtrip.drafting.sentences import Sentence
from roundtrip.sources.cells import parse_printed

_NOWHERE = (0.0, 0.0, 0.0, 0.0)


def comparisons(text: ReportText) -> Iterator[Contradiction]:
    """Propose comparisons that the table that a sentence names does not bear out.

    Only sentences of which every word is accounted for are judged, by the query that an import
    proposes for their claim: see `roundtrip.drafting.comparisons`.
    """
    tables = by_table(text.cells)
    for sentence in text.sentences:
        named = [name for name in dict.fromkeys(named_tables(sentence.text)) if name in tables]
        if len(named) != 1:
            continue
        cells = tables[named[0]]
        table = _table(text, named[0], cells)
        query = comparison(sentence.text, table, text.words) if table else None
        if table is None or query is None:
            continue
        cases = _cases(query, table, cells)
        expect = Expect.model_validate(yaml.safe_load(query.expect))
        if cases and (len(cases) > 1 or not expect.of_items):
            result = judge(expect, cases, text.words)
            yield from _contradicted(sentence, query, expect, cases, result, text)


def _table(text: ReportText, name: str, cells: Sequence[Printed]) -> DraftTable | None:
    """Put the cells of a table together; None where two of them have the same labels."""
    held = {(cell.row, cell.column): cell for cell in cells}
    if len(held) < len(cells):
        return None
    labels = dict.fromkeys(cell.row for cell in cells)
    headers = tuple(dict.fromkeys(cell.column for cell in cells))
    rows = tuple(
        DraftRow(label, "", tuple(
            DraftCell(held[label, header].text, 0, _NOWHERE) if (label, header) in held else None
            for header in headers
        )) for label in labels
    )  # fmt: skip
    caption = next(
        (mark.text for mark in text.marks if mark.kind == "caption"
         and " ".join(mark.text.lower().split()[:2]).rstrip(":.-–—") == name), ""
    )  # fmt: skip
    corner = text.corners.get(name, "")
    return DraftTable(name.removeprefix("table "), caption[len(name) :], 0, corner, headers, rows)


def _cases(query: Query, table: DraftTable, cells: Sequence[Printed]) -> list[Case]:
    o = pd.DataFrame([
        {"table_id": table.id, "row_label": cell.row, "column_label": cell.column, "line": line,
         "value": _value(cell.text), "observation_id": cell.observation_id, "unit": "",
         "unit_printed": ""}
        for line, cell in enumerate(cells)
    ])  # fmt: skip
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("o", o.dropna(subset="value"))
        found = connection.execute("\n".join(query.sql)).df().dropna(subset="value")
    return [
        Case(item=row.get("item"), value=row["value"], cells=tuple(row["cells"]))
        for row in found.to_dict("records")
    ]


def _value(printed: str) -> float | None:
    try:
        return parse_printed(printed)[0]
    except ValueError:
        return None


def _contradicted(
    sentence: Sentence, query: Query, expect: Expect, cases: Sequence[Case], result: Judgement,
    text: ReportText,
) -> Iterator[Contradiction]:  # fmt: skip
    """Propose what does not hold; of what holds for some rows only a bound is sure to be broken."""
    if result.verdict not in (Verdict.contradicted, Verdict.in_part):
        return
    failing = [case for case, verdict in zip(cases, result.cases, strict=True)
               if verdict is Verdict.contradicted] or cases  # fmt: skip
    if expect.of_items:
        best = max(cases, key=lambda case: case.value if expect.largest else -case.value)
        failing = [case for case in cases
                   if case.item in (best.item, expect.largest, expect.smallest)]  # fmt: skip
        told = f"the {query.printed.lower()} is that of {best.item}, {number_text(best.value)}"
    else:
        rows = [str(case.item) for case in failing if case.item is not None]
        of = f" in row{'s' * (len(rows) > 1)} {', '.join(rows[:3])}" if rows else ""
        told = f"the cells give {computed_text(failing)}{of}, not {written(expect, text.words)}"
    most = Sure.low if result.verdict is Verdict.in_part and query.kind != "limit" else Sure.medium
    yield Contradiction(
        [{"observation_id": cell} for case in failing for cell in case.cells], 1.0, 0.25, "claim",
        f"The sentence on {where(sentence)} says “{quoted(sentence, query.printed)}”; {told}.",
        most, (sentence,),
    )  # fmt: skip
