"""The results as plain rows, for pages, tables and terminals alike."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.checks.results import CheckResults


@dataclass(frozen=True)
class RuleRow:
    """One rule and what became of it."""

    suite: str
    dataset: str
    rule: str
    why: str
    expectation: str
    rows_checked: int
    failures: int
    passed: bool


@dataclass(frozen=True)
class FailingRow:
    """One row that breaks a rule; all but `suite`, `rule` and `problem` may be empty."""

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
            suite=suite.title,
            dataset=suite.dataset,
            rule=outcome.rule,
            why=outcome.why,
            expectation=outcome.expectation,
            rows_checked=outcome.rows_checked,
            failures=outcome.failure_count,
            passed=outcome.success,
        )
        for suite in results.suites
        for outcome in suite.outcomes
    )


def failing_rows(results: CheckResults) -> tuple[FailingRow, ...]:
    """List the failing rows that the results keep, with the rule that each breaks.

    Parameters
    ----------
    results : CheckResults

    Returns
    -------
    tuple of FailingRow
    """
    return tuple(
        FailingRow(
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
        for suite, outcome in results.failed
        for failure in outcome.failures
    )


def banner(results: CheckResults) -> str | None:
    """Say in one sentence that a report was built in spite of failures, or None without any."""
    count = len(results.failed)
    if count == 0:
        return None
    return f"Built although {count} {'check' if count == 1 else 'checks'} failed"
