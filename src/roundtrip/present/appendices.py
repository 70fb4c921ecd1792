"""What the appendices of a report list: whatever the project has, and words where it has nothing.

Each function gives all that one place of an appendix shows, in order, and a cell of a notebook that
ends with a call shows it. Tables carry labels of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from pydantic import RootModel

from roundtrip.checks import Failure, Outcome, run_checks
from roundtrip.errors import DataError
from roundtrip.files import files_below, sha256_of_tree
from roundtrip.outputs import NOTHING, escape_markdown, table_label
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claims import claim_counts, claim_tables
from roundtrip.present.configuration import (
    campaign_settings_table,
    campaigns_table,
    configuration_tables,
    ingested_context_table,
    ingested_inputs_table,
)
from roundtrip.present.errata import errata_tables, proposed
from roundtrip.present.ingested import ingested_points
from roundtrip.present.measured.tables import READING, campaign_tables
from roundtrip.present.numbers import size_label
from roundtrip.present.own_claims import own_claims
from roundtrip.present.printed import printed_tables
from roundtrip.present.tables import Table, plain_table
from roundtrip.versions import library_versions
from roundtrip.yamlfile import load_model, load_yaml

NO_REPORT = Text("This edition has no published report in its data.")
_ON_THE_COVER = frozenset({"title", "subtitle", "authors", "notices", "made_with"})


class Parts(list[Table | Text]):
    """Tables and text that a cell shows below each other."""

    def _ipython_display_(self) -> None:
        from IPython.display import display

        for part in self:
            display(part)  # type: ignore[no-untyped-call]


def _of_reports(
    chapter: Chapter, kind: str, tables_of: Callable[[Chapter], Iterable[Table | Text]],
    otherwise: Iterable[Text] = (NO_REPORT,),
) -> Parts:  # fmt: skip
    """Show tables of every published report, each below a heading."""
    parts = Parts()
    for name in chapter.observations.report_ids:
        of_report = chapter.on(name)
        label = table_label(kind, name).replace("tbl-", "sec-", 1)
        title = escape_markdown(of_report.about.short_title)
        parts += [Text(f"## {title} {{#{label}}}"), *tables_of(of_report)]
    return parts or Parts(otherwise)


# --- what the report is made of -----------------------------------------------------------------


def sources(chapter: Chapter) -> Parts:
    """List the published reports, and say what was measured and ingested beside them."""
    known = chapter.observations
    reports = [known.report(name) for name in known.report_ids]
    parts = Parts([] if reports else [NO_REPORT])
    if reports:
        table = plain_table(
            "Published reports in the data",
            ["Report", "Published", "Id", "Tables or parts", "Cells", "Values in text"],
            [
                [report.title, report.date, report.id, str(len(report.tables)),
                 chapter.numbers.write(report.cells),
                 str(report.text.values) if report.text else NOTHING]
                for report in reports
            ],
            right_columns=(3, 4, 5), label="tbl-sources", shares=(38, 16, 21, 9, 7, 9),
        )  # fmt: skip
        printed = {
            "numeric cells in tables": sum(report.cells for report in reports),
            "values in text and captions": sum(one.text.values for one in reports if one.text),
        }
        told = [f"{chapter.numbers.write(count)} {of}" for of, count in printed.items() if count]
        parts += [table, Text(f"All {' and '.join(told)} are in this report's data.")]
    campaigns = {
        "measured for this report": len(known.measured_ids),
        "ingested from the output of other tools": len(known.ingested_ids),
    }
    told = [
        f"{count} {'campaigns were' if count > 1 else 'campaign was'} {how}"
        for how, count in campaigns.items()
        if count
    ]
    parts.append(Text(f"{' and '.join(told) or 'There are no campaigns'}."))
    return parts


def configurations(chapter: Chapter) -> Parts:
    """List the test systems: what published reports disclose, what campaigns ran on."""
    parts = _of_reports(chapter, "configuration", configuration_tables, ())
    if parts:
        reading = (
            "Sections named in these tables are those of the source; a setting without an entry "
            "under \u201cApplies to\u201d is stated for all tests."
        )
        parts.insert(0, Text(reading))
    kinds = (
        campaigns_table, campaign_settings_table, ingested_context_table, ingested_inputs_table,
    )  # fmt: skip
    tables = [kind(chapter) for kind in kinds]
    if own := [table for table in tables if table is not None]:
        lead = "These are the campaigns in the data, with what they ran on or were read from."
        parts += [Text(f"## Campaigns {{#sec-configuration-campaigns}}\n\n{lead}"), *own]
    return parts or Parts([Text("The data contain neither published reports nor campaigns.")])


def glossary(chapter: Chapter) -> Table | Text:
    """List the words that ``data/glossary.yml`` explains."""
    path = chapter.project.root / "data" / "glossary.yml"
    words = load_model(path, RootModel[dict[str, str]], DataError).root if path.exists() else {}
    if not words:
        return Text("There is no glossary yet: add words to `data/glossary.yml`.")
    rows = sorted(map(list, words.items()), key=lambda row: row[0].lower())
    table = plain_table("Terms as used in this report", ["Word", "Meaning"], rows)
    named = tuple(
        (replace(row[0], anchor="term-" + re.sub(r"\W+", "-", row[0].text.lower())), *row[1:])
        for row in table.rows
    )
    return replace(table, rows=named)


# --- claims and errata --------------------------------------------------------------------------


def verdicts(chapter: Chapter) -> Table | Text:
    """Count the verdicts on what the sources claim."""
    if not chapter.observations.report_ids:
        return NO_REPORT
    return claim_counts(chapter)


def your_broker(chapter: Chapter, campaign: str = "") -> Parts:
    """Show what the sources' claims come to on a broker of one's own; nothing without such runs."""
    return Parts(own_claims(chapter, campaign))


def ledger(chapter: Chapter) -> Parts:
    """Show every claim with its verdict."""
    return Parts(claim_tables(chapter)) or Parts([Text("The ledger has no claims.")])


def errata(chapter: Chapter) -> Parts:
    """Show where sources contradict themselves."""
    return Parts(errata_tables(chapter)) or Parts([Text("No errata are listed.")])


def proposals(chapter: Chapter) -> Parts:
    """Show the rules that look for contradictions, and what they propose."""
    if not chapter.observations.report_ids:
        return Parts([NO_REPORT])
    return Parts(proposed(chapter))


# --- dictionary ---------------------------------------------------------------------------------


def metrics(chapter: Chapter) -> Table:
    """List what can be observed, as far as the project uses or declares it."""
    known = chapter.dictionary.metrics
    listed = sorted(_in_use(chapter, "metrics", known))
    rows = [[of, known[of].label, known[of].unit, known[of].description] for of in listed]
    head = ["Name", "Label", "Unit", "Meaning"]
    return plain_table("Metrics", head, rows, code_columns=(0,))


def factors(chapter: Chapter) -> Table:
    """List what can be set, as far as the project uses or declares it."""
    known = chapter.dictionary.factors
    rows = []
    for name in sorted(_in_use(chapter, "factors", known)):
        factor = known[name]
        unit = f" ({factor.unit})" if factor.unit else ""
        values = ", ".join(factor.allowed) if factor.allowed else factor.type + unit
        rows.append([name, factor.label, values, factor.description])
    head = ["Name", "Label", "Values", "Meaning"]
    return plain_table("Factors", head, rows, code_columns=(0,))


def words_of_columns(chapter: Chapter) -> Table:
    """List the values of the columns on provenance and trust; statistics as `metrics`."""
    dictionary = chapter.dictionary
    known = dictionary.statistics
    columns = {
        "statistic": {name: known[name] for name in _in_use(chapter, "statistics", known)},
        "source_kind": dictionary.source_kinds, "status": dictionary.statuses,
    }  # fmt: skip
    rows = [[column, *entry] for column, words in columns.items() for entry in words.items()]
    return plain_table(
        "Values of the provenance and trust columns", ["Column", "Value", "Meaning"], rows,
        group_by_first=True, code_columns=(1,),
    )  # fmt: skip


def _in_use(chapter: Chapter, kind: str, known: Collection[str]) -> list[str]:
    """Give what occurs in the observations or is declared by the project; all if nothing is."""
    table = chapter.observations.table
    if kind == "factors":
        occur = {name for name in table.column_names if table[name].null_count < len(table)}
    else:
        occur = set(table["metric" if kind == "metrics" else "statistic"].unique().to_pylist())
    path = chapter.project.dictionary
    declared = (load_yaml(path, DataError) or {}).get(kind) if path.is_file() else None
    return [name for name in known if name in occur or name in (declared or {})] or list(known)


# --- validation ---------------------------------------------------------------------------------


def validation(chapter: Chapter) -> Parts:
    """Show every rule with its outcome, a table for each suite, and the rows that do not fit."""
    results = run_checks(chapter.project, chapter.observations)
    reports = chapter.observations.report_ids
    failed = f"**{len(results.failed)} failed.**" if results.failed else "None failed."
    observations = chapter.numbers.write(chapter.observations.table.num_rows)
    told = f"{len(results.outcomes)} rules were checked on {observations} observations. {failed}"
    parts = Parts([Text(told)])
    if unguarded := set(reports) - {suite.dataset for suite in results.suites}:
        names = ", ".join(f"`{name}`" for name in sorted(unguarded))
        parts.append(
            Text(f"There are no specific rules for {names}, only those for every observation.")
        )
    parts += [
        plain_table(
            f"Rules for {suite.title}" if suite.dataset in reports else suite.title,
            ["Rule", "Why", "Rows", "Result"],
            [
                [one.rule, one.why, chapter.numbers.write(one.rows_checked), _result(one)]
                for one in suite.outcomes
            ],
            right_columns=(2,),
            label=table_label("checks", PurePosixPath(suite.file).stem),
        )
        for suite in results.suites
    ]
    left_out = [(one.rule, row) for _, one in results.excluded for row in one.excluded]
    broken = [(one.rule, row) for _, one in results.failed for row in one.failures]
    for name, rows, caption in (
        ("excluded", left_out,
         "Values excluded from a rule because their source contradicts itself or is incomplete"),
        ("failing", broken, "Rows that break a rule"),
    ):  # fmt: skip
        if rows:
            parts.append(_problems(chapter, caption, name, rows))
    return parts


def _result(outcome: Outcome) -> str:
    if not outcome.success:
        return f"fails on {outcome.failure_count}"
    if not outcome.rows_checked:
        return "nothing to check"
    result = f"passes except for {len(outcome.excluded)}" if outcome.excluded else "passes"
    return f"{result} after correction" if outcome.corrected else result


def _problems(
    chapter: Chapter, caption: str, name: str, rows: Sequence[tuple[str, Failure]]
) -> Table:
    """Show rows that do not fit a rule."""
    known = chapter.observations
    texts = []
    for rule, row in rows:
        source = row.observation_id.partition("/")[0]
        report = f"{known.report(source).short_title}: " if source in known.report_ids else ""
        where = f"{report}{row.table}, {row.row}, {row.column}"
        value = chapter.numbers.rewrite(row.value)
        if re.fullmatch(r"-?\d+(\.\d+)?", row.value):  # written as the report does, all digits
            value = chapter.numbers.write(float(row.value), len(row.value.partition(".")[2]))
        texts.append([rule, where, value, row.problem])
    return plain_table(
        caption, ["Rule", "Where", "Value, as printed", "Problem"], texts, group_by_first=True,
        right_columns=(2,), label=f"tbl-checks-{name}",
    )  # fmt: skip


# --- source tables and runs ---------------------------------------------------------------------


def published_tables(chapter: Chapter) -> Parts:
    """Show every printed table, and what text states and figures draw, cell by cell."""
    return _of_reports(chapter, "source", printed_tables)


def campaign_runs(chapter: Chapter) -> Parts:
    """Show every run of every measured campaign; a sentence where the data hold no campaign."""
    tables = campaign_tables(chapter)
    if not tables:
        none = Text("This edition has no measured campaign in its data.")
        return Parts([] if chapter.observations.ingested_ids else [none])
    parts = Parts([Text(f"## Measured campaigns {{#sec-runs-measured}}\n\n{READING}")])
    for table in tables:
        label = (table.label or "").replace("tbl-", "sec-", 1)
        parts += [Text(f"### {table.caption.partition(':')[0]} {{#{label}}}"), table]
    return parts


def ingested_values(chapter: Chapter) -> Parts:
    """Show every point of every ingested campaign; nothing where there is none."""
    tables = [ingested_points(chapter, name) for name in chapter.observations.ingested_ids]
    heading = Text(
        "## Ingested results {#sec-runs-ingested}\n\n"
        "Read from the output of load drivers and system tools, or from tables of results."
    )
    return Parts([heading, *tables] if tables else ())


# --- provenance ---------------------------------------------------------------------------------


def parameters_of_edition(given: Mapping[str, Any], commit: str) -> Table | Text:
    """List what the edition was built with, beside what its cover shows."""
    if not given:
        return Text("The parameters of an edition are known only when it is built.")
    shown = {name: value for name, value in given.items() if name not in _ON_THE_COVER}
    rows = []
    for name, value in {**shown, "commit": commit}.items():
        several = isinstance(value, (list, tuple))
        items = value if several else [] if value in (None, "", {}) else [value]
        text = ", ".join(size_label(v) if name == "message_bytes" else str(v) for v in items)
        whole = several and name not in ("annex", "campaigns")
        rows.append([name, text or ("all" if whole else "not set")])
    head = ["Parameter", "Value"]
    return plain_table("Parameters of this edition", head, rows, code_columns=(0,))


def data_folders(chapter: Chapter) -> Table | Text:
    """List the folders of data, each with its hash."""
    project, known = chapter.project, chapter.observations
    folders = [project.published / name for name in known.report_ids]
    folders += [project.campaigns / name for name in (*known.campaign_ids, *known.ingested_ids)]
    if not folders:
        return Text("The project has no data.")
    rows = [
        [project.relative(folder), str(len(files_below(folder))), sha256_of_tree(folder)[:16]]
        for folder in folders
    ]
    head = ["Folder", "Files", "SHA-256 of the folder, first 16 digits"]
    return plain_table("Folders of data", head, rows, code_columns=(0, 2), right_columns=(1,))


def libraries() -> Table:
    """List Python and the libraries that the edition was built with, with their versions."""
    rows = list(map(list, library_versions().items()))
    return plain_table("Libraries", ["Library", "Version"], rows, code_columns=(0, 1))
