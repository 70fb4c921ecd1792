"""Gather what an audit tells: of a draft what can be told so far, of an accepted report all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from roundtrip.audit.findings import Audit, Contradicted, Needed, Ruled, TableRead
from roundtrip.checks import run_checks
from roundtrip.claims import Ledger, load_ledger, load_words
from roundtrip.claims.declared import PROPOSED
from roundtrip.detectors import RULES, Proposal, ReportText, detect_in, load_proposals
from roundtrip.detectors.quoted_numbers import held_numbers
from roundtrip.detectors.subject import text_beside
from roundtrip.detectors.text import Printed, read_marks
from roundtrip.drafting.folder import DraftFiles, drafted_cells, open_cells, read_rows, unsaid
from roundtrip.drafting.sentences import Mark, section_number
from roundtrip.methodology.review import grade_of
from roundtrip.methodology.rules import Rules
from roundtrip.methodology.subject import RuleVerdict
from roundtrip.observations import Observations
from roundtrip.project import Project
from roundtrip.sources.published import CLAIMS_FILE

_PROPOSED = re.compile(rf"^#?\s*{PROPOSED}", re.M)


def gather(observations: Observations, name: str, files: DraftFiles) -> Audit:
    """Gather the findings on a report.

    Parameters
    ----------
    observations : Observations
        Of the project that has it.
    name : str
        Id of a draft, or of a published report.
    files : DraftFiles
        How the document was read.
    """
    project = observations.project
    draft = project.drafts / name
    sentences, marks = read_marks(draft)
    accepted = name in observations.report_ids
    if accepted:
        title, ledger = observations.report(name).title, load_ledger(observations)
        frame = observations.choose(source=name, source_kind="table")
        text = text_beside(project, name, frame, sentences, marks)
        proposals = load_proposals(observations, ledger, sentences=True)
        proposals = [one for one in proposals if one.report == name]
        tables, checks = tuple(_accepted(observations, name, files)), _checks(observations, name)
        judged = grade_of(observations, name, "source")
        graded = judged.sentence
        rules = tuple(
            Ruled(title=one.title, verdict=one.finding.verdict.value, reason=one.finding.reason)
            for one in judged.judged
        )
        left = {"alike": _alike(frame, observations)}
    else:
        title, ledger = files.title, Ledger()
        cells = tuple(_printed(project, name, marks, files))
        text = ReportText(name, sentences, marks, cells, load_words(project))
        proposals = detect_in(text)
        tables, checks = tuple(_drafted(draft, files)), ()
        rules = tuple(
            Ruled(title=rule.title, verdict=RuleVerdict.not_assessable.value,
                  reason=" ".join(rule.text.split()))
            for rule in Rules(observations).rules if "source" in rule.applies_to
        )  # fmt: skip
        graded = (
            f"none of {len(rules)} rules can be assessed before a person has entered what the "
            "document says of its machines and its method."
        )
        stubs = draft / CLAIMS_FILE
        queries = _PROPOSED.findall(stubs.read_text("utf-8")) if stubs.is_file() else []
        left = {
            "unchosen": sum(key == "metric" for _, key in unsaid(draft)),
            "unread": sum(bool(chart.trouble) for chart in files.charts),
            "proposed": len(queries),
        }
    numbers, held = held_numbers(text)
    return Audit(
        report=name, title=title, document=files.document, accepted=accepted, pages=files.pages,
        sentences=len(sentences), numbers=numbers, checkable=held, tables=tables,
        charts=files.charts, checks=checks, grade=rules, graded=graded,
        contradictions=tuple(_contradictions(proposals, ledger, name)),
        claims=tuple(row for row in ledger.claims if row.report == name),
        needed=tuple(_needed(tables, rules, numbers - held, **left)),
    )  # fmt: skip


def _checks(observations: Observations, name: str) -> tuple[Ruled, ...]:
    return tuple(
        Ruled(title=outcome.rule, verdict="pass" if outcome.success else "fail",
              reason=f"{outcome.failure_count} rows" if outcome.failure_count else "")
        for suite in run_checks(observations.project, observations).suites if suite.dataset == name
        for outcome in suite.outcomes
    )  # fmt: skip


def _drafted(draft: Path, files: DraftFiles) -> Iterator[TableRead]:
    left = [place.partition(",")[0] for place in open_cells(draft)]
    for table in files.tables:
        typed = table.trouble and read_rows(draft / table.file)
        yield TableRead(
            number=table.number, caption=table.caption, page=table.page, rows=table.rows,
            cells=table.cells, open=left.count(table.file), trouble="" if typed else table.trouble,
        )  # fmt: skip


def _accepted(observations: Observations, name: str, files: DraftFiles) -> Iterator[TableRead]:
    """Give the tables of a report as a person has accepted them: some may be typed or left out."""
    captions = {f"Table {table.number}": table.caption for table in files.tables}
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


def _printed(
    project: Project, name: str, marks: Sequence[Mark], files: DraftFiles
) -> Iterator[Printed]:
    """Give the cells of a draft with the sections of their captions."""
    numbers = {table.file: f"Table {table.number}" for table in files.tables}
    sections: dict[str, str] = {}
    for mark in marks:
        if mark.kind == "caption":
            sections.setdefault(mark.numbered, section_number(mark.section))
    for cell in drafted_cells(project.drafts / name):
        table = numbers.get(cell["table"], cell["table"])
        yield Printed(
            f"{name}/{cell['table'].removesuffix('.csv')}/{cell['row']}/{cell['column']}",
            table, sections.get(table.lower(), ""), cell["label"], cell["column"], cell["text"],
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


def _needed(
    tables: Sequence[TableRead], rules: Sequence[Ruled], unprinted: int, *, alike: int = 0,
    unchosen: int = 0, unread: int = 0, proposed: int = 0,
) -> Iterator[Needed]:  # fmt: skip
    """Say what is missing, in the order in which it is done.

    Parameters
    ----------
    unprinted : int
        Numbers of sentences that no cell prints.
    alike : int
        Rows of an accepted report that no factor tells apart.
    unchosen, unread, proposed : int
        Of a draft: columns without a metric, figures to be read by hand, queries to be judged.
    """
    told = (
        ("tables to be typed as a whole", sum(bool(table.trouble) for table in tables),
         "their cells can be checked and compared"),
        ("open cells to be typed", sum(table.open for table in tables),
         "every cell is what the page shows"),
        ("figures to be read by hand", unread,
         "curves are held against tables and sentences"),
        ("columns whose metric is to be named", unchosen,
         "rules over numbers, checks and the grade apply"),
        ("proposed queries of claims to be judged, and their claims worded", proposed,
         "sentences that state a number or compare have verdicts"),
        ("rows that no factor tells apart from another row of their table", alike,
         "their values are compared with those of other tables"),
        ("rules of good measurement that are not assessable",
         sum(one.verdict == RuleVerdict.not_assessable.value for one in rules),
         "the grade says what may be concluded; the document or its publisher has to tell"),
        ("numbers of sentences that no cell prints", unprinted,
         "figures, derived values or the publisher's data have to be held against them"),
    )  # fmt: skip
    for what, count, then in told:
        if count:
            yield Needed(what=what, count=count, then=then)
