"""What the chapter of an audit shows: one function for each of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from roundtrip.audit.findings import Audit, load_audit
from roundtrip.outputs import Tone, escape_markdown
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claim_parts import LOOKS
from roundtrip.present.tables import Table, plain_table

_TONES: dict[str, Tone] = {one.value: tone for one, (_, tone) in LOOKS.items()} | {
    "high": "bad",
    "claim": "bad",
    "fail": "bad",
    "medium": "mixed",
    "waived": "mixed",
    "low": "open",
    "not assessable": "open",
    "pass": "good",
}


def findings_of(chapter: Chapter) -> Audit:
    """Give the findings that the project holds."""
    return load_audit(chapter.project.root)


def summary(chapter: Chapter) -> Text:
    """Say in few sentences what was read and found."""
    audit = findings_of(chapter)
    tables, charts, found = audit.tables, audit.charts, audit.contradictions
    typed, read = sum(bool(one.trouble) for one in tables), sum(bool(one.points) for one in charts)
    sure = sum(one.sure in ("high", "claim") for one in found)
    state = (
        "A person has accepted what was read: it is a published report of this project."
        if audit.accepted
        else "Nobody has accepted the reading yet: cells are those that two programs read alike."
    )
    return Text(
        f"Read from {escape_markdown(audit.title)}. Pages: {audit.pages}; tables: {len(tables)}; "
        f"cells: {sum(one.cells for one in tables)}, open: {sum(one.open for one in tables)}; "
        f"tables to be typed: {typed}. Figures: {len(charts)}; points read: "
        f"{sum(one.points for one in charts)}, from {read} of them; to be read by hand: "
        f"{len(charts) - read}. {state}\n\n"
        f"Contradictions proposed: {len(found)}, {sure} of them with high certainty. Of "
        f"{audit.numbers} numbers in sentences that could be those of cells, the tables print "
        f"{audit.checkable}.\n\n"
        f"By the rules of good measurement: {escape_markdown(audit.graded)}"
    )


def contradictions(chapter: Chapter) -> Table | Text:
    """List what contradicts itself, the surest first."""
    found = findings_of(chapter).contradictions
    rows = [[one.sure, one.says, one.rule, one.out_by] for one in found]
    head = ("Confidence", "What does not fit", "What must hold", "Out by")
    return _listed("Contradictions that are proposed", head, rows,
                   "No rule proposes a contradiction.", shares=(11, 50, 24, 15))  # fmt: skip


def tables(chapter: Chapter) -> Table | Text:
    """List the tables with how they were read."""
    rows = [
        [one.number, one.caption, str(one.page), str(one.cells), str(one.open), one.trouble]
        for one in findings_of(chapter).tables
    ]
    head = ("Table", "Caption as printed", "Page", "Cells", "Open", "To be typed, because")
    return _listed("Tables as they were read", head, rows, "No caption of a table was found.",
                   right_columns=(2, 3, 4))  # fmt: skip


def charts(chapter: Chapter) -> Table | Text:
    """List the figures with how they were read, and why they were not."""
    rows = []
    for one in findings_of(chapter).charts:
        read = (str(one.curves), str(one.points), one.accuracy) if one.points else ("", "", "")
        rows.append([one.number, one.caption, str(one.page), *read, one.trouble])
    head = ("Figure", "Caption as printed", "Page", "Curves", "Points", "Values off by at most",
            "To be read by hand, because")  # fmt: skip
    return _listed("Figures as they were read", head, rows, "No figure was found.",
                   right_columns=(2, 3, 4))  # fmt: skip


def checks(chapter: Chapter) -> Table | Text:
    """List the checks of the report's data."""
    rows = [[one.verdict, one.title, one.reason] for one in findings_of(chapter).checks]
    return _listed("Checks of the data", ("Verdict", "Rule", "Breaks it"), rows,
                   "Checks look at data that a person has accepted: there are none yet.",
                   shares=(12, 64, 24))  # fmt: skip


def grade(chapter: Chapter) -> Table | Text:
    """List what the report comes to by the rules of good measurement."""
    found = findings_of(chapter)
    rows = [[one.verdict, one.title, one.reason] for one in found.grade]
    head = "Why" if found.accepted else "What must hold"
    return _listed("Rules of good measurement", ("Verdict", "Rule", head), rows,
                   "What the draft says of the report cannot be read yet.",
                   shares=(16, 28, 56))  # fmt: skip


def claims(chapter: Chapter) -> Table | Text:
    """List the claims of the ledger with their verdicts."""
    rows = [[one.verdict.value, one.claim.section, one.claim.says, one.reason()]
            for one in findings_of(chapter).claims]  # fmt: skip
    return _listed("Claims with their verdicts", ("Verdict", "Section", "Says", "Note"), rows,
                   "No claim has been worded yet: each sentence that may be one has a stub in the "
                   "draft.", shares=(16, 10, 44, 30))  # fmt: skip


def needed(chapter: Chapter) -> Table | Text:
    """List what has to be done for the rest to be checked."""
    rows = [[str(one.count), one.what, one.then] for one in findings_of(chapter).needed]
    return _listed("What is needed to check the rest", ("How many", "What is needed", "So that"),
                   rows, "Nothing: all that the document says can be checked.",
                   right_columns=(0,))  # fmt: skip


def _listed(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], otherwise: str, **look: Any
) -> Table | Text:
    """Make a table whose first column has the tone of a verdict, or words where it has no row."""
    if not rows:
        return Text(otherwise)
    table = plain_table(caption, head, rows, **look)
    toned = ((replace(first, tone=_TONES.get(first.text, "")), *rest)
             for first, *rest in table.rows)  # fmt: skip
    return replace(table, rows=tuple(toned))
