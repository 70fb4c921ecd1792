"""Gather what an audit tells: of a draft what can be told so far, of an accepted report all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from roundtrip.audit.findings import Audit, ChartRead, Contradicted, Needed, Ruled, TableRead
from roundtrip.checks import run_checks
from roundtrip.claims import Ledger, load_ledger, load_words
from roundtrip.claims.declared import PROPOSED
from roundtrip.detectors import RULES, Proposal, ReportText, detect_in, load_proposals
from roundtrip.detectors.quoted_numbers import held_numbers
from roundtrip.detectors.subject import text_beside
from roundtrip.detectors.text import Printed
from roundtrip.drafting.contents import Draft, TypedCell, typed_cells
from roundtrip.drafting.figures import Figure
from roundtrip.drafting.folder import read_rows, unsaid
from roundtrip.drafting.sentences import section_number
from roundtrip.methodology.review import grade_of
from roundtrip.methodology.rules import Rules
from roundtrip.methodology.subject import RuleVerdict
from roundtrip.observations import Observations
from roundtrip.sources.published import CLAIMS_FILE

_PROPOSED = re.compile(rf"^#?\s*{PROPOSED}", re.M)
_NEEDED = {
    "untyped": ("tables to be typed as a whole", "their cells can be checked and compared"),
    "open": ("open cells to be typed", "every cell is what the page shows"),
    "unread": ("figures to be read by hand", "curves are held against tables and sentences"),
    "unchosen": (
        "columns whose metric is to be named", "rules over numbers, checks and the grade apply"
    ),
    "proposed": (
        "proposed queries of claims to be judged, and their claims worded",
        "sentences that state a number or compare have verdicts",
    ),
    "alike": (
        "rows that no factor tells apart from another row of their table",
        "their values are compared with those of other tables",
    ),
    "not assessable": (
        "rules of good measurement that are not assessable",
        "the grade says what may be concluded; the document or its publisher has to tell",
    ),
    "unprinted": (
        "numbers of sentences that no cell prints",
        "figures, derived values or the publisher's data have to be held against them",
    ),
}  # fmt: skip
"""What is missing, in the order in which it is done, and what that makes possible."""


def gather(observations: Observations, name: str, draft: Draft) -> Audit:
    """Gather the findings on a report.

    Parameters
    ----------
    observations : Observations
        Of the project that has it.
    name : str
        Id of a draft, or of a published report.
    draft : Draft
        What its import has kept.
    """
    project = observations.project
    folder, read = project.drafts / name, draft.read
    charts = tuple(map(_chart, read.figures))
    accepted = name in observations.report_ids
    if accepted:
        title, ledger = observations.report(name).title, load_ledger(observations)
        frame = observations.choose(source=name, source_kind="table")
        text = text_beside(project, name, frame, read.sentences, read.marks)
        proposals = load_proposals(observations, ledger, sentences=True)
        proposals = [one for one in proposals if one.report == name]
        tables, checks = tuple(_accepted(observations, name, draft)), _checks(observations, name)
        judged = grade_of(observations, name, "source")
        graded = judged.sentence
        rules = tuple(
            Ruled(title=one.title, verdict=one.finding.verdict.value, reason=one.finding.reason)
            for one in judged.judged
        )
        left = Counter(alike=_alike(frame, observations))
    else:
        title, ledger = draft.title, Ledger()
        cells = list(typed_cells(folder))
        shown = tuple(_printed(name, draft, cells))
        text = ReportText(name, read.sentences, read.marks, shown, load_words(project))
        proposals = detect_in(text)
        tables, checks = tuple(_drafted(folder, draft, cells)), ()
        rules = tuple(
            Ruled(title=rule.title, verdict=RuleVerdict.not_assessable.value,
                  reason=" ".join(rule.text.split()))
            for rule in Rules(observations).rules if "source" in rule.applies_to
        )  # fmt: skip
        graded = (
            f"none of {len(rules)} rules can be assessed before a person has entered what the "
            "document says of its machines and its method."
        )
        stubs = folder / CLAIMS_FILE
        queries = _PROPOSED.findall(stubs.read_text("utf-8")) if stubs.is_file() else []
        left = Counter(
            unchosen=sum(key == "metric" for _, key in unsaid(folder)),
            unread=sum(bool(chart.trouble) for chart in charts), proposed=len(queries),
        )  # fmt: skip
    numbers, held = held_numbers(text)
    left["untyped"] = sum(bool(table.trouble) for table in tables)
    left["open"] = sum(table.open for table in tables)
    left["not assessable"] = sum(one.verdict == RuleVerdict.not_assessable for one in rules)
    left["unprinted"] = numbers - held
    return Audit(
        report=name, title=title, document=draft.document, accepted=accepted, pages=len(read.sizes),
        sentences=len(read.sentences), numbers=numbers, checkable=held, tables=tables,
        charts=charts, checks=checks, grade=rules, graded=graded,
        contradictions=tuple(_contradictions(proposals, ledger, name)),
        claims=tuple(row for row in ledger.claims if row.report == name),
        needed=tuple(
            Needed(what=what, count=left[key], then=then)
            for key, (what, then) in _NEEDED.items() if left[key]
        ),
    )  # fmt: skip


def _checks(observations: Observations, name: str) -> tuple[Ruled, ...]:
    return tuple(
        Ruled(title=outcome.rule, verdict="pass" if outcome.success else "fail",
              reason=f"{outcome.failure_count} rows" if outcome.failure_count else "")
        for suite in run_checks(observations.project, observations).suites if suite.dataset == name
        for outcome in suite.outcomes
    )  # fmt: skip


def _drafted(folder: Path, draft: Draft, cells: Sequence[TypedCell]) -> Iterator[TableRead]:
    left = Counter(cell.table.file for cell in cells if cell.open)
    for table in draft.read.tables:
        typed = table.trouble and read_rows(folder / table.file)
        yield TableRead(
            number=table.number, caption=table.caption, page=table.page, open=left[table.file],
            cells=len(list(table.cells)), trouble="" if typed else table.trouble,
        )  # fmt: skip


def _chart(figure: Figure) -> ChartRead:
    off = max((point.value_off for point in figure.points), default=0.0)
    highest = max((point.value for point in figure.points), default=0.0)
    share = 100 * off / highest if highest > 0 else 100.0
    told = f"{float(f'{off:.2g}'):,.15g} ({share:.2g} % of the highest)" if figure.points else ""
    return ChartRead(
        number=figure.number, caption=figure.caption, page=figure.page, trouble=figure.trouble,
        curves=len({point.series for point in figure.points}), points=len(figure.points),
        accuracy=told,
    )  # fmt: skip


def _accepted(observations: Observations, name: str, draft: Draft) -> Iterator[TableRead]:
    """Give the tables of a report as a person has accepted them: some may be typed or left out."""
    captions = {f"Table {table.number}": table.caption for table in draft.read.tables}
    for table in observations.report(name).tables:
        yield TableRead(
            number=table.number.removeprefix("Table "), page=table.page or 0, cells=table.cells,
            caption=captions.get(table.number, table.caption),
        )  # fmt: skip


def _alike(cells: pd.DataFrame, observations: Observations) -> int:
    """Count the rows of tables that have all factors in common with a row of another label.

    A peak brings its own number of requesters, which tells it apart from nothing.
    """
    told = cells.assign(requesters=cells["requesters"].mask(cells["statistic"] == "peak"))
    keys = ["table_id", "column_label", "metric", "statistic", *observations.dictionary.factors]
    labels = told.groupby(keys, dropna=False)["row_label"].transform("nunique")
    return len(told[labels > 1][["table_id", "row_label"]].drop_duplicates())


def _printed(name: str, draft: Draft, cells: Sequence[TypedCell]) -> Iterator[Printed]:
    """Give the cells of a draft with the sections of their captions."""
    sections: dict[str, str] = {}
    for mark in draft.read.marks:
        if mark.kind == "caption":
            sections.setdefault(mark.numbered, section_number(mark.section))
    for cell in cells:
        table = f"Table {cell.table.number}"
        yield Printed(
            f"{name}/{cell.table.id}/{cell.row}/{cell.column}", table,
            sections.get(table.lower(), ""), cell.label, cell.column, cell.text,
        )  # fmt: skip


def _contradictions(found: Sequence[Proposal], ledger: Ledger, name: str) -> Iterator[Contradicted]:
    for row in ledger.claims:
        if row.report == name and row.verdict.value == "contradicted":
            yield Contradicted(sure="claim", rule="Contradicted by the report's own cells",
                               says=f"Section {row.claim.section}: {row.claim.says}",
                               out_by="")  # fmt: skip
    for one in found:
        yield Contradicted(
            sure=one.sure.value, rule=RULES[one.rule].title, says=one.says, out_by=one.out_by
        )
