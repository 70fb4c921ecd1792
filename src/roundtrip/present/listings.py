"""Tables that list rather than measure: hosts, links, words, versions, rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roundtrip.checks import run_checks
from roundtrip.checks.summary import RowProblem, RuleRow, excluded_rows, failing_rows, rule_rows
from roundtrip.files import sha256_of_tree
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.numbers import size_label
from roundtrip.present.tables import Table, plain_table
from roundtrip.project import find_project
from roundtrip.versions import library_versions
from roundtrip.yamlfile import load_yaml


def sources_table(chapter: Chapter) -> Table:
    """List the published reports whose numbers this report holds."""
    rows = []
    for name in chapter.observations.report_ids:
        report = chapter.observations.report(name)
        stated = str(report.text.values) if report.text else ""
        rows.append(
            [report.title, report.date, name, str(len(report.tables)),
             chapter.numbers.write(report.cells), stated]
        )  # fmt: skip
    return plain_table(
        "Published reports in the data",
        ["Report", "Published", "Id", "Tables", "Cells", "Values in text"],
        rows,
        right_columns=(3, 4, 5),
    )


def data_table(chapter: Chapter) -> Table:
    """List the data files, one folder for each report, with a hash of each folder."""
    published = chapter.project.published
    rows = []
    for name in chapter.observations.report_ids:
        files = sorted(path for path in (published / name).rglob("*") if path.is_file())
        digest = sha256_of_tree(published / name)
        rows.append([f"data/published/{name}", str(len(files)), digest[:16]])
    return plain_table(
        "Data",
        ["Folder", "Files", "SHA-256 of the folder, first 16 digits"],
        rows,
        code_columns=(0, 2),
        right_columns=(1,),
    )


def glossary_table() -> Table:
    """List the words of the field as this report uses them."""
    from roundtrip.errors import DataError

    words = load_yaml(find_project().root / "data" / "glossary.yml", DataError)
    return plain_table(
        "Words as this report uses them",
        ["Word", "Meaning"],
        [[str(word), str(meaning)] for word, meaning in sorted(words.items(), key=_by_word)],
    )


def _by_word(item: tuple[object, object]) -> str:
    return str(item[0]).lower()


def parameters_table(values: Mapping[str, Any]) -> Table:
    """List the parameters of this edition."""
    rows = []
    for name, value in values.items():
        items = value if isinstance(value, (list, tuple)) else [value]
        text = ", ".join(size_label(v) if name == "message_bytes" else str(v) for v in items)
        rows.append([name, text or "all"])
    return plain_table(
        "Parameters of this edition", ["Parameter", "Value"], rows, code_columns=(0,)
    )


def libraries_table() -> Table:
    """List the libraries that the numbers and pictures passed through, with their versions."""
    return plain_table(
        "Libraries",
        ["Library", "Version"],
        [[name, version] for name, version in library_versions().items()],
        code_columns=(0, 1),
    )


def validation_summary(chapter: Chapter) -> Text:
    """Say how many rules were checked and how many failed."""
    rows = rule_rows(run_checks(chapter.project, chapter.observations))
    failed = sum(not row.passed for row in rows)
    return chapter.text(
        "{rules} rules were checked on {observations} observations. "
        + ("**{failed} failed.**" if failed else "None failed."),
        rules=len(rows),
        observations=chapter.observations.table.num_rows,
        failed=failed,
    )


def validation_tables(chapter: Chapter) -> list[Table]:
    """Show every rule with its outcome, one table for each suite, and the rows that do not fit."""
    results = run_checks(chapter.project, chapter.observations)
    rows = rule_rows(results)
    tables = []
    for suite in dict.fromkeys(row.suite for row in rows):
        part = [row for row in rows if row.suite == suite]
        table = plain_table(
            suite,
            ["Rule", "Why", "Rows", "Result"],
            [
                [row.rule, row.why, str(row.rows_checked), _verdict(row)]
                for row in part
            ],
            right_columns=(2,),
        )  # fmt: skip
        label = "tbl-checks-" + part[0].dataset.replace(".", "-").lower()
        tables.append(Table(**{**vars(table), "label": label}))
    tables += _problem_table(
        "Values that a rule leaves out, because their source contradicts itself",
        "excluded",
        excluded_rows(results),
    )
    return tables + _problem_table("Rows that break a rule", "failing", failing_rows(results))


def _verdict(row: RuleRow) -> str:
    if not row.passed:
        return f"fails on {row.failures}"
    return f"holds but for {row.excluded}" if row.excluded else "holds"


def _problem_table(caption: str, name: str, rows: Sequence[RowProblem]) -> list[Table]:
    """Show rows that do not fit a rule: one table, or none."""
    if not rows:
        return []
    table = plain_table(
        caption,
        ["Rule", "Where", "Value", "Problem"],
        [[r.rule, f"{r.table}, {r.row}, {r.column}", r.value, r.problem] for r in rows],
        group_by_first=True,
        right_columns=(2,),
    )
    return [Table(**{**vars(table), "label": f"tbl-checks-{name}"})]
