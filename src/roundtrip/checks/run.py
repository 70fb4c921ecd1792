"""The process that runs the suites: ``python -m roundtrip.checks.run PROJECT``.

Reads the observations as an Arrow stream from standard input and writes the outcomes, or the
error, as JSON to standard output. A process of its own, because importing Great Expectations
takes seconds and is needed only when something changed.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from roundtrip.checks.reference import Finding, Reference
from roundtrip.checks.results import Failure, Outcome, SuiteResult
from roundtrip.checks.selection import to_frame
from roundtrip.checks.suites import EVERY_ROW, Rule, Suite, load_suites
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import CheckError, RoundtripError, SetupError, unknown
from roundtrip.project import Project
from roundtrip.sources.published import load_report, report_folders

SHOWN = 20
"""Failing rows that an outcome keeps; all are counted."""

_EXECUTED = {"row_condition", "condition_parser"}
"""Arguments of Great Expectations that pandas evaluates as code: `meta.where` chooses rows."""

_NATIVE_PROBLEMS = {
    "expect_column_values_to_be_unique": "is there more than once",
    "expect_compound_columns_to_be_unique": "is there more than once",
    "expect_column_values_to_not_be_null": "is empty",
}


def run_suites(project: Project, table: pa.Table) -> list[SuiteResult]:
    """Run every suite of a project on a tidy table.

    Raises
    ------
    CheckError
        If a suite uses an expectation or an argument that does not exist.
    SetupError
        If Great Expectations is not installed.
    """
    suites = load_suites(project)
    whole = _open_batches()
    from roundtrip.checks import expectations

    prepared = {file: _prepare(file, suite) for file, suite in suites.items()}
    reference = Reference(
        load_dictionary(project.dictionary),
        {folder.name: load_report(folder) for folder in report_folders(project.published)},
    )
    expectations.ObservationExpectation.reference = reference
    frame = to_frame(table)
    found = []
    for file, suite in suites.items():
        dataset = suite.meta.dataset
        rows = frame if dataset == EVERY_ROW else frame[frame["source"] == dataset]
        rows = rows.reset_index(drop=True)
        expectations.ObservationExpectation.frame = rows
        batch = whole.get_batch({"dataframe": rows})
        validated = batch.validate(prepared[file], result_format={"result_format": "COMPLETE"})
        # Great Expectations groups by column; the file's order is the reader's order.
        by_place = {item.expectation_config.meta["place"]: item for item in validated.results}
        outcomes = tuple(
            _outcome(suite, file, rule, by_place[place], rows)
            for place, rule in enumerate(suite.expectations)
        )
        found.append(SuiteResult(file, suite.meta.title, dataset, len(rows), outcomes))
    return found


def _open_batches() -> Any:
    """Import Great Expectations: nothing on disk, nothing over the network, nothing printed."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"  # read when the library is imported
    try:
        import great_expectations as gx
        from great_expectations.data_context.types import base

        import roundtrip.checks.expectations  # noqa: F401 - registers them
    except ModuleNotFoundError as problem:
        raise SetupError(
            f"the checks need great-expectations ({problem})", remedy="run 'make setup'"
        ) from problem
    config = base.DataContextConfig(
        # Without this the library makes a temporary folder for a documentation site.
        store_backend_defaults=base.InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        analytics_enabled=False,
        progress_bars=base.ProgressBarsConfig(globally=False),
    )
    return (
        gx.get_context(mode="ephemeral", project_config=config)
        .data_sources.add_pandas("roundtrip")
        .add_dataframe_asset("observations")
        .add_batch_definition_whole_dataframe("dataset")
    )


def _prepare(file: str, suite: Suite) -> Any:
    """Build the suite, refusing expectations and arguments that do not exist."""
    from great_expectations import ExpectationSuite
    from great_expectations.compatibility.pydantic import ValidationError
    from great_expectations.expectations import registry
    from great_expectations.expectations.expectation import Expectation

    known = registry.list_registered_expectation_implementations()
    items = []
    for place, rule in enumerate(suite.expectations):
        where = f"{file}: expectations.{place}"
        if rule.type not in known:
            raise unknown(
                CheckError, "expectation type", rule.type, known, where=where,
                allowed="an expectation of Great Expectations or of roundtrip.checks.expectations",
            )  # fmt: skip
        expectation = registry.get_expectation_impl(rule.type)
        fields = set(expectation.__fields__) - set(Expectation.__fields__)
        accepted = sorted(fields - {"batch_id"} - _EXECUTED)
        for name in rule.kwargs:
            if name not in accepted:
                raise unknown(CheckError, "argument", name, accepted, where=where)
        try:
            expectation(**rule.kwargs)
        except ValidationError as problem:
            said = "; ".join(
                f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}"
                for error in problem.errors()
            )
            raise CheckError(f"{rule.type}: {said}", where=where) from problem
        items.append({"type": rule.type, "kwargs": rule.kwargs, "meta": {"place": place}})
    return ExpectationSuite(name=suite.name, expectations=items)


def _outcome(suite: Suite, file: str, rule: Rule, item: Any, frame: pd.DataFrame) -> Outcome:
    """Turn a validation result into ours: no times, no random ids, rows by their place."""
    result = item.result
    found = (result.get("details") or {}).get("found")
    if isinstance(found, CheckError):
        raise CheckError(
            f"{rule.type}: {found.what}",
            where=file,
            allowed=found.allowed,
            remedy=f"correct the rule '{rule.meta.rule}'",
        )
    if isinstance(found, Finding):
        finding = found
    else:
        finding = Finding(int(result.get("element_count", len(frame))))
        exception = _exception(item.exception_info)
        if exception is not None:
            finding.general.append(f"the rule could not be evaluated: {exception}")
        elif not item.success:
            problem = _NATIVE_PROBLEMS.get(rule.type, "breaks the rule")
            finding.rows = dict.fromkeys(result.get("unexpected_index_list") or (), problem)
            if not finding.rows:
                finding.general.append(_observed(rule, result))
    # A project need not have what the rules of every project are about.
    if finding.checked == 0 and suite.name != EVERY_ROW:
        finding.general.append("the rule found nothing to check")
    failures = [Failure(problem) for problem in finding.general]
    failures += [
        _failure(frame, position, finding.rows[position])
        for position in sorted(finding.rows)[:SHOWN]
    ]
    return Outcome(
        rule=rule.meta.rule,
        why=rule.meta.why,
        expectation=rule.type,
        success=not failures,
        rows_checked=finding.checked,
        failure_count=len(finding.general) + len(finding.rows),
        failures=tuple(failures[:SHOWN]),
        excluded=tuple(
            _failure(frame, position, finding.excluded[position])
            for position in sorted(finding.excluded)
        ),
        corrected=finding.corrected,
    )


def _exception(info: dict[str, Any]) -> str | None:
    """Find the message of an exception, wherever Great Expectations put it."""
    for entry in (info, *info.values()):
        if isinstance(entry, dict) and entry.get("raised_exception"):
            return str(entry["exception_message"])
    return None


def _observed(rule: Rule, result: dict[str, Any]) -> str:
    wanted = ", ".join(
        f"{key} {value}"
        for key, value in rule.kwargs.items()
        if isinstance(value, (int, float, str))
    )
    return f"found {result.get('observed_value')}, expected {wanted}"


def _failure(frame: pd.DataFrame, position: int, problem: str) -> Failure:
    row = frame.iloc[position]

    def text(column: str) -> str:
        return "" if pd.isna(row[column]) else str(row[column])

    return Failure(
        problem=problem,
        observation_id=text("observation_id"),
        file=text("file"),
        line=None if pd.isna(row["line"]) else int(row["line"]),
        table=text("table"),
        row=text("row_label"),
        column=text("column_label"),
        value=text("value_printed") or f"{row['value']:.12g}",
    )


def main() -> None:
    """Run the suites of the project named on the command line."""
    # Libraries may print; standard output is for the outcome alone.
    outcome = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        with pa.ipc.open_stream(sys.stdin.buffer) as stream:
            table = stream.read_all()
        suites = run_suites(Project(Path(sys.argv[1])), table)
        answer: dict[str, Any] = {"suites": [asdict(suite) for suite in suites]}
    except RoundtripError as error:
        answer = {"error": type(error).__name__, **vars(error)}
    with outcome:
        json.dump(answer, outcome)


if __name__ == "__main__":
    main()
