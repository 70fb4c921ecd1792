"""What the checks found: suites, outcomes, failing rows, and the error that names them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter

from roundtrip.errors import CheckError


@dataclass(frozen=True)
class Failure:
    """One row that breaks a rule, or a fault that belongs to no single row.

    Attributes
    ----------
    problem : str
        What is wrong.
    observation_id : str
        The observation; empty when the fault belongs to no row, like every field below.
    file : str
        Source file, relative to the project.
    line : int or None
        Line of the source file.
    table, row, column, value : str
        Where the value is printed, and the value as printed.
    """

    problem: str
    observation_id: str = ""
    file: str = ""
    line: int | None = None
    table: str = ""
    row: str = ""
    column: str = ""
    value: str = ""

    def __str__(self) -> str:
        """Name the row: place, table, row, column, value and what is wrong with it."""
        if not self.observation_id:
            return self.problem
        cell = [
            self.table,
            f"row '{self.row}'" if self.row else "",
            f"column '{self.column}'" if self.column else "",
            f"value {self.value}" if self.value else "",
        ]
        named = ", ".join(part for part in cell if part) or self.observation_id
        place = f"{self.file}:{self.line}" if self.line is not None else self.file
        return f"{place or self.observation_id}: {named}: {self.problem}"


@dataclass(frozen=True)
class Outcome:
    """What one rule found.

    Attributes
    ----------
    rule : str
        The rule as a sentence.
    why : str
        Why the rule exists.
    expectation : str
        Type of the Great Expectations expectation.
    success : bool
        Whether every row keeps the rule.
    rows_checked : int
        Rows that the rule looked at.
    failure_count : int
        How many failures there are in all.
    failures : tuple of Failure
        The first of them.
    excluded : tuple of Failure
        Rows that do not fit, for a reason that is known: they are no failures.
    corrected : bool
        Whether the values as printed break the rule, and only the corrected ones keep it.
    """

    rule: str
    why: str
    expectation: str
    success: bool
    rows_checked: int
    failure_count: int
    failures: tuple[Failure, ...] = ()
    excluded: tuple[Failure, ...] = ()
    corrected: bool = False


@dataclass(frozen=True)
class SuiteResult:
    """The outcomes of one suite.

    Attributes
    ----------
    file : str
        The suite's file, relative to the project.
    title : str
        Heading for people.
    dataset : str
        Id of the published report, or ``observations`` for the rules that hold for every row.
    rows : int
        Rows of the dataset.
    outcomes : tuple of Outcome
        One for each rule, in the order of the file.
    """

    file: str
    title: str
    dataset: str
    rows: int
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class CheckResults:
    """The outcomes of every suite.

    Attributes
    ----------
    fingerprint : str
        Of the observations that were checked.
    suites : tuple of SuiteResult
        The suite of every row first, then one for each dataset, by name.
    """

    fingerprint: str
    suites: tuple[SuiteResult, ...]

    @property
    def outcomes(self) -> tuple[tuple[SuiteResult, Outcome], ...]:
        """Every rule, with its suite."""
        return tuple((suite, outcome) for suite in self.suites for outcome in suite.outcomes)

    @property
    def failed(self) -> tuple[tuple[SuiteResult, Outcome], ...]:
        """The broken rules, each with its suite."""
        return tuple(one for one in self.outcomes if not one[1].success)

    @property
    def excluded(self) -> tuple[tuple[SuiteResult, Outcome], ...]:
        """The rules that leave out rows, each with its suite."""
        return tuple(one for one in self.outcomes if one[1].excluded)

    @property
    def success(self) -> bool:
        """Whether every rule is kept."""
        return not self.failed

    def raise_if_failed(self) -> None:
        """Raise an error that names the failing rows, if a rule is broken.

        Raises
        ------
        CheckError
            With file, line, table, row, column and value of the rows that break a rule.
        """
        if self.success:
            return
        failed = self.failed
        lines = [f"{len(failed)} of {len(self.outcomes)} checks failed"]
        for suite, outcome in failed:
            lines.append(f"  {outcome.rule} ({suite.file}, {outcome.expectation})")
            lines += [f"    {failure}" for failure in outcome.failures]
            if hidden := outcome.failure_count - len(outcome.failures):
                lines.append(f"    and {hidden:,} more")
        raise CheckError(
            "\n".join(lines),
            remedy="lay these rows beside their source and correct the file; if the source is "
            "right, correct the rule in checks/. 'roundtrip build --allow-failed-checks' builds "
            "with a banner that says so",
        )

    def to_json(self) -> str:
        """Write the results as JSON: the same results always give the same text."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> CheckResults:
        """Read what `to_json` wrote; a ValueError if the text is anything else."""
        return TypeAdapter(cls).validate_json(text)
