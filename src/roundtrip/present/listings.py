"""Tables that list rather than measure: hosts, links, words, versions, rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from roundtrip.checks import run_checks
from roundtrip.checks.summary import RowProblem, RuleRow, excluded_rows, failing_rows, rule_rows
from roundtrip.files import sha256_of_tree
from roundtrip.present.chapter import RATE, Chapter, Text
from roundtrip.present.figure import csv_text
from roundtrip.present.markup import cell_anchor
from roundtrip.present.numbers import size_label
from roundtrip.present.tables import Table, plain_table
from roundtrip.project import find_project
from roundtrip.shown import BodyCell, HeaderCell
from roundtrip.versions import library_versions
from roundtrip.yamlfile import load_yaml


def compression_table(chapter: Chapter, points: pd.DataFrame, *, caption: str) -> Table:
    """Lay out compression rates: a row for each message size, a column for each algorithm."""
    algorithms = list(dict.fromkeys(points["compression"]))
    rows = []
    csv_rows: list[list[Any]] = []
    for size in sorted(set(points["message_bytes"])):
        line = [BodyCell(size_label(float(size)), "left", kind="label")]
        for algorithm in algorithms:
            if not chapter.has(points, compression=algorithm, message_bytes=size):
                line.append(BodyCell("\u2013"))
                continue
            q = chapter.quantity(
                points, "compression_rate", compression=algorithm, message_bytes=size
            )
            line.append(BodyCell(chapter.write(q, unit=False), link=cell_anchor(q.cells[0])))
            csv_rows.append([int(size), algorithm, f"{q.value:g}", q.unit, q.cells[0]])
        rows.append(tuple(line))
    header = (
        HeaderCell("Message size", align="left"),
        *[HeaderCell(f"{algorithm} (%)") for algorithm in algorithms],
    )
    cells = tuple(str(cell) for cell in points["compression_rate_cell"])
    text = csv_text(["message_bytes", "compression", "value", "unit", "cell"], csv_rows)
    return Table(caption, (header,), tuple(rows), cells=cells, csv=text)


def ratio_check_table(chapter: Chapter, tables: list[str], *, caption: str) -> Table:
    """Put printed ratios of rates beside the ratios of the printed rates."""
    rows: list[tuple[BodyCell, ...]] = []
    csv_rows: list[list[Any]] = []
    used: list[str] = []
    for table in tables:
        points = chapter.points(table)
        rates = points[points[RATE].notna()]
        base = chapter.quantity(rates, tls_cipher="none")
        title = next(item.caption for item in chapter.about.tables if item.id == table)
        rows.append((BodyCell(title, "left", kind="group"),))
        ratios = points[points["rate_ratio"].notna()]
        for cipher, printed in zip(
            ratios["tls_cipher"], chapter.quantities(ratios, "rate_ratio"), strict=True
        ):
            rate = chapter.quantity(rates, tls_cipher=cipher)
            computed = base.over(rate)
            used += [*printed.cells, *base.cells, *rate.cells]
            rows.append(
                (
                    BodyCell(str(cipher), "left", kind="label"),
                    *[
                        BodyCell(chapter.write(q, unit=False), link=cell_anchor(q.cells[0]))
                        for q in (base, rate, printed)
                    ],
                    BodyCell(chapter.write(computed)),
                )
            )
            csv_rows.append(
                [table, cipher, f"{base.value:.0f}", f"{rate.value:.0f}", printed.value,
                 f"{computed.value:.6g}"]
            )  # fmt: skip
    unit = chapter.label(RATE)
    header = (
        HeaderCell("CipherSpec", align="left"),
        HeaderCell(f"{unit}, no TLS"),
        HeaderCell(f"{unit}, TLS"),
        HeaderCell("Ratio printed"),
        HeaderCell("Ratio computed"),
    )
    names = ["table", "tls_cipher", "rate_no_tls", "rate", "ratio_printed", "ratio_computed"]
    return Table(
        caption, (header,), tuple(rows), cells=tuple(dict.fromkeys(used)),
        csv=csv_text(names, csv_rows),
    )  # fmt: skip


def kept_table(
    chapter: Chapter, points: pd.DataFrame, *, row: str, across: str, caption: str
) -> Table:
    """Show which share of the rate at the smallest value of a factor is left at its others."""
    levels = sorted({float(value) for value in points[across]})
    rows: list[tuple[BodyCell, ...]] = []
    csv_rows: list[list[Any]] = []
    for size in sorted({float(value) for value in points["message_bytes"]}):
        rows.append((BodyCell(f"Message size {size_label(size)}", "left", kind="group"),))
        of_size = points[points["message_bytes"] == size]
        for kind in dict.fromkeys(of_size[row]):
            part = of_size[of_size[row] == kind]
            base = chapter.quantities(chapter.select(part, **{across: levels[0]}))[0]
            line = [BodyCell(str(kind), "left", kind="label")]
            for level in levels:
                rate = chapter.quantities(chapter.select(part, **{across: level}))[0]
                share = rate.percent_of(base)
                line.append(BodyCell(chapter.write(share, unit=False)))
                csv_rows.append([int(size), kind, level, f"{share.value:.6g}", "%"])
            rows.append(tuple(line))
    header = (
        HeaderCell("", align="left"),
        *[HeaderCell(f"{chapter.level(across, level)} (%)") for level in levels],
    )
    text = csv_text(["message_bytes", row, across, "value", "unit"], csv_rows)
    cells = tuple(str(cell) for cell in points[f"{RATE}_cell"])
    return Table(caption, (header,), tuple(rows), cells=cells, csv=text)


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
