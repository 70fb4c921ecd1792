"""Parts of the tables of claims: anchors, marks, numbers, and links to cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from roundtrip.claims import Judged, Verdict
from roundtrip.claims.cases import Case
from roundtrip.claims.other_system import Answer, Asked, CaseThere
from roundtrip.files import csv_text
from roundtrip.outputs import NOTHING, BodyCell, HeaderCell, Tone, listed, table_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import Chapter
from roundtrip.present.tables import Table, left_heads

CellIndex = Mapping[str, tuple[str, str, str]]
_Outcome = TypeVar("_Outcome", bound=Verdict | Answer)


class _OfReport(Protocol):
    @property
    def report(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfReport)

# A mark, a word and a colour for each verdict: no one of them stands alone.
MARKS = {
    Verdict.contradicted: "×",
    Verdict.in_part: "½",
    Verdict.by_rounding: "≈",
    Verdict.holds: "✓",
    Verdict.not_checkable: "–",
}
_TONES: dict[Verdict, Tone] = {
    Verdict.contradicted: "bad",
    Verdict.in_part: "mixed",
    Verdict.by_rounding: "good",
    Verdict.holds: "good",
    Verdict.not_checkable: "open",
}
_CELLS_ONE_BY_ONE = 4
_ITEMS = 4
_LISTED = 3
_SHORT_UNIT = 4


def claim_anchor(report: str, claim: str) -> str:
    """Give the permanent anchor of a claim in the ledger: ``claim-<report>-<id>``."""
    return f"claim-{report}-{claim}"


def ledger_label(report: str) -> str:
    """Give the label of the table that holds a report's claims: ``tbl-claims-<report>``."""
    return table_label("claims", report)


def erratum_anchor(report: str, erratum: str) -> str:
    """Give the permanent anchor of an erratum: ``erratum-<report>-<id>``."""
    return f"erratum-{report}-{erratum}"


def verdict_cell(row: Judged) -> BodyCell:
    """Give the cell that shows a verdict, with mark, word and colour."""
    # On paper, broken only in the longest: "holds by rounding".
    text = _marked(MARKS[row.verdict], row.verdict).replace(" ", "\u00a0", 1)
    strong = row.verdict is Verdict.contradicted
    return BodyCell(text, "left", strong=strong, tone=_TONES[row.verdict])


def _marked(mark: str, outcome: _Outcome) -> str:
    """Write an outcome after its mark, which stays with it."""
    return f"{mark}\u00a0{outcome.value}"


def cell_links(
    chapter: Chapter,
    report: str,
    cells: Sequence[str],
    index: CellIndex,
    *,
    counted: bool = False,
) -> tuple[tuple[str, str], ...]:
    """Name cells for a reader and say where they are: a few one by one, many by their tables.

    Gives texts and anchors. The cells of `report`, which is spoken of, need not name it. With
    `counted`, even a few are named by their tables: a claim that counts cells, or their set-ups,
    says nothing of their values.
    """
    tables = [(_table_name(chapter, report, index[cell]), cell_anchor(cell)) for cell in cells]
    if counted or len(cells) > _CELLS_ONE_BY_ONE:
        return joined_links(tables)
    return tuple(
        (f"{name}: {index[cell][2]}", anchor)
        for (name, anchor), cell in zip(tables, cells, strict=True)
    )


def joined_links(links: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Join links of the same name into one that says how many they are, and leads to the first."""
    anchors: dict[str, list[str]] = {}
    for name, anchor in links:
        anchors.setdefault(name, []).append(anchor)
    return tuple(
        (name if len(found) == 1 else f"{name} ({len(found)})", found[0])
        for name, found in anchors.items()
    )


def _table_name(chapter: Chapter, report: str, cell: tuple[str, str, str]) -> str:
    source, table, _ = cell
    return (
        table if source == report else f"{chapter.observations.report(source).short_title} {table}"
    )


def cell_index(chapter: Chapter) -> CellIndex:
    """Map each observation to its report, its table and its value as printed."""
    table = chapter.observations.table
    columns = [
        table.column(name).to_pylist()
        for name in ("observation_id", "source", "table", "value_printed", "value")
    ]
    return {
        # What was read off a chart was not printed.
        str(key): (str(source), str(name), f"{value:g}" if printed is None else str(printed))
        for key, source, name, printed, value in zip(*columns, strict=True)
    }


def printed_text(chapter: Chapter, row: Judged) -> str:
    """Give what is printed, in the edition's number format."""
    return chapter.numbers.rewrite(row.claim.printed) if row.claim.printed else NOTHING


def computed_text(chapter: Chapter, row: Judged) -> str:
    """Write what was computed for a claim, in the edition's number format.

    One number; items from the largest value down, or the smallest up where the claim is about
    that; or the range of several cases. A dash when the claim cannot be checked.
    """
    if not row.cases:
        return NOTHING
    return _values_text(chapter, row, row.cases)


def reason_text(chapter: Chapter, row: Judged) -> str:
    """Say why the verdict is what it is, numbers as `computed_text` writes them."""
    write = _writer(chapter, row, [case.value for case in row.cases])
    return row.reason(lambda value: write(value) + _unit(row))


def measured_text(chapter: Chapter, asked: Asked) -> str:
    """Write what was measured for a claim on another system; a single number with its interval."""
    if not asked.cases:
        return NOTHING
    text = _values_text(chapter, asked.judged, asked.cases)
    case = asked.cases[0]
    if len(asked.cases) > 1 or case.low == case.high:
        return text
    write = _writer(chapter, asked.judged, [case.value])
    low, high = map(write, (case.low, case.high))
    return f"{text} ({low} to {high})"


def _values_text(chapter: Chapter, row: Judged, cases: Sequence[Case | CaseThere]) -> str:
    expect = row.claim.expect
    values = [case.value for case in cases]
    if expect is not None and expect.of_items:
        ranked = sorted(cases, key=lambda case: case.value, reverse=not expect.smallest)
        # With the decimals that the deciding items need.
        deciding = ranked[:_ITEMS] if expect.order else ranked[:2]
        write = _writer(chapter, row, [case.value for case in deciding], 4)
        named = [f"{case.item}: {write(case.value)}" for case in ranked]
        text = "; ".join(named[:_ITEMS]) + _unit(row)
        if more := len(named[_ITEMS:]):
            text += f"; {more} more {'above' if expect.smallest else 'below'}"
        return text
    write = _writer(chapter, row, values)
    low, high = write(min(values)), write(max(values))
    if low == high:
        return low + _unit(row) + (f" in {len(values)} cases" if len(values) > 1 else "")
    if len(values) <= _LISTED:
        return listed(list(map(write, values))) + _unit(row)
    write = _writer(chapter, row, values, ends=True)
    return f"{write(min(values))} to {write(max(values))}{_unit(row)}, {len(values)} cases"


def _unit(row: Judged) -> str:
    """Give the unit as it follows a number: a short one stays on its line."""
    space = " " if len(row.unit) > _SHORT_UNIT else "\u00a0"
    return f"{space}{row.unit}" if row.unit else ""


def _writer(
    chapter: Chapter, row: Judged, values: Sequence[float], digits: int | None = None,
    *, ends: bool = False,
) -> Callable[[float], str]:  # fmt: skip
    """Give a function that writes the values of a claim, with the decimals its verdict needs.

    By default a single number has four significant digits, the largest of several has three. A
    difference that a vague word judges has its sign. The `ends` of a range have three digits: the
    verdict may need more for a value between them.
    """
    decimals, largest = _decimals_of_percentage(row), max(map(abs, values), default=0.0)
    if decimals is None:
        count = digits or (4 if len(values) == 1 else 3)
        tops = [value if digits else largest for value in values]
        decimals = max(
            (
                _decimals(one, _most_decimals(top, count))
                for one, top in zip(values, tops, strict=True)
            ),
            default=0,
        )
    shown = max(decimals, row.decimals)
    expect = row.claim.expect
    signed = expect is not None and expect.word is not None and not expect.stated

    def write(value: float) -> str:
        few = max(min(decimals, 1), _most_decimals(value or largest, 3))
        places = min(shown, few) if ends else shown
        text = chapter.numbers.write(value, places)
        return f"+{text}" if signed and round(value, places) > 0 else text

    return write


def _decimals_of_percentage(row: Judged) -> int | None:
    """Give the decimals to show where per cents were computed: one more than the claim states."""
    expect = row.claim.expect
    if expect is None or row.unit != "%":
        return None
    stated = expect.precision
    return 1 if stated is None else max(1, 1 - int(stated.normalize().as_tuple().exponent))


def _most_decimals(value: float, digits: int) -> int:
    """Give the decimals with which a number has so many significant digits, six at most."""
    return min(max(0, digits - 1 - math.floor(math.log10(abs(value)))), 6) if value else 0


def _decimals(value: float, most: int) -> int:
    """Give the decimals that a number needs, without zeros at the end."""
    return len(f"{abs(value):.{most}f}".partition(".")[2].rstrip("0"))


def by_report(chapter: Chapter, rows: Iterable[_Row]) -> Iterator[tuple[str, str, list[_Row]]]:
    """Give id and short title of each report that some rows are of, with these rows."""
    every = list(rows)
    for report in chapter.observations.report_ids:
        if own := [row for row in every if row.report == report]:
            yield report, chapter.observations.report(report).short_title, own


def counts_table(
    chapter: Chapter, outcomes: Sequence[tuple[str, _Outcome]], marks: Mapping[_Outcome, str], *,
    caption: str, to_ledger: bool = False, label: str | None = None,
) -> Table:  # fmt: skip
    """Count what statements came to, report by report and over all.

    `outcomes` gives for each statement the report that makes it, and what it came to. With
    `to_ledger`, a report leads to its table in the ledger.
    """
    body: list[tuple[BodyCell, ...]] = []
    lines: list[list[Any]] = []
    for report in [*chapter.observations.report_ids, ""]:
        found = Counter(outcome for name, outcome in outcomes if report in ("", name))
        numbers = [found.total(), *(found[outcome] for outcome in marks)]
        title = chapter.observations.report(report).short_title if report else "All"
        link = ledger_label(report) if to_ledger and report and found else None
        body.append(
            (
                BodyCell(title, "left", kind="label", link=link, strong=not report),
                *(BodyCell(str(number), strong=not report) for number in numbers),
            )
        )
        lines.append([report or "all", *numbers])
    heads = ["Statements", *(_marked(mark, outcome) for outcome, mark in marks.items())]
    return Table(
        caption, ((*left_heads("Report"), *map(HeaderCell, heads)),), tuple(body),
        csv=csv_text(["report", "statements", *(outcome.value for outcome in marks)], lines),
        label=label,
    )  # fmt: skip
