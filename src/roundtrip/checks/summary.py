"""The results as plain rows, for pages, tables and terminals alike."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.checks.results import CheckResults, Failure, Outcome, SuiteResult


@dataclass(frozen=True)
class RuleRow:
    """One rule and what became of it."""

    file: str
    suite: str
    dataset: str
    rule: str
    why: str
    expectation: str
    rows_checked: int
    failures: int
    excluded: int
    passed: bool


@dataclass(frozen=True)
class RowProblem:
    """One row that does not fit a rule; all but `suite`, `rule` and `problem` may be empty."""

    suite: str
    rule: str
    place: str
    observation_id: str
    table: str
    row: str
    column: str
    value: str
    problem: str


def rule_rows(results: CheckResults) -> tuple[RuleRow, ...]:
    """List every rule with its outcome, suite by suite.

    Parameters
    ----------
    results : CheckResults

    Returns
    -------
    tuple of RuleRow
    """
    return tuple(
        RuleRow(
            file=suite.file,
            suite=suite.title,
            dataset=suite.dataset,
            rule=outcome.rule,
            why=outcome.why,
            expectation=outcome.expectation,
            rows_checked=outcome.rows_checked,
            failures=outcome.failure_count,
            excluded=len(outcome.excluded),
            passed=outcome.success,
        )
        for suite in results.suites
        for outcome in suite.outcomes
    )


def failing_rows(results: CheckResults) -> tuple[RowProblem, ...]:
    """List the failing rows that the results keep, with the rule that each breaks.

    Parameters
    ----------
    results : CheckResults

    Returns
    -------
    tuple of RowProblem
    """
    return tuple(
        _row_problem(suite, outcome, failure)
        for suite, outcome in results.failed
        for failure in outcome.failures
    )


def excluded_rows(results: CheckResults) -> tuple[RowProblem, ...]:
    """List the rows that rules leave out, with what would be wrong and why that is known.

    Parameters
    ----------
    results : CheckResults

    Returns
    -------
    tuple of RowProblem
    """
    return tuple(
        _row_problem(suite, outcome, row)
        for suite, outcome in results.excluded
        for row in outcome.excluded
    )


def _row_problem(suite: SuiteResult, outcome: Outcome, failure: Failure) -> RowProblem:
    return RowProblem(
        suite=suite.title,
        rule=outcome.rule,
        place=failure.place,
        observation_id=failure.observation_id,
        table=failure.table,
        row=failure.row,
        column=failure.column,
        value=failure.value,
        problem=failure.problem,
    )


def banner(results: CheckResults) -> str | None:
    """Say in one sentence that a report was built in spite of failures, or None without any."""
    count = len(results.failed)
    if count == 0:
        return None
    return f"Built although {count} {'check' if count == 1 else 'checks'} failed"
