"""The ledger: every claim with its verdict, every erratum, of every report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from roundtrip.claims.cases import Case, CaseError, cases_of
from roundtrip.claims.declared import Claim, Erratum
from roundtrip.claims.expected import case_text, written
from roundtrip.claims.files import Problem, chapter_names, load_claims, load_errata, refuse
from roundtrip.claims.verdicts import Verdict, WordError, judge
from roundtrip.claims.words import VagueWords
from roundtrip.observations import Observations
from roundtrip.sandbox.process import QueryError, Sandbox
from roundtrip.sources.published import CLAIMS_FILE, ERRATA_FILE, report_folders

_Cell = tuple[str, Sequence[float | None]]
_SHOWN = 6


class JudgedCase(Case):
    """A case with its own verdict."""

    verdict: Verdict


class Judged(BaseModel):
    """A claim with its verdict.

    Attributes
    ----------
    report : str
        Id of the report that makes it.
    expected : str
        The expectation in words; empty when the claim cannot be checked.
    unit : str
        Unit of what was computed; empty for a plain number and for what is not known.
    cases : tuple of JudgedCase
        What was computed; empty when the claim cannot be checked.
    note : str
        What the author of the claim says of it; empty when that is nothing.
    """

    model_config = ConfigDict(frozen=True)

    report: str
    claim: Claim
    verdict: Verdict
    expected: str
    unit: str = ""
    cases: tuple[JudgedCase, ...]
    note: str

    @property
    def cells(self) -> tuple[str, ...]:
        """Observations that the claim was judged by."""
        return tuple(dict.fromkeys(cell for case in self.cases for cell in case.cells))

    @property
    def computed(self) -> float | dict[str, float] | None:
        """The computed number; by item where there are several; None when not checkable."""
        if not self.cases:
            return None
        if self.cases[0].item is None:
            return self.cases[0].value
        return {str(case.item): case.value for case in self.cases}

    def reason(self, write: Callable[[float], str] = case_text) -> str:
        """Say why the verdict is what it is: the note, then the cases that fail where others hold.

        Empty when there is nothing to say. `write` writes the value of a case.
        """
        if self.verdict is not Verdict.in_part:
            return self.note
        failing = [
            f"{case.item} ({write(case.value)})"
            for case in self.cases
            if case.verdict is Verdict.contradicted
        ]
        hidden = len(failing) - _SHOWN
        more = f" and {hidden} more" if hidden > 0 else ""
        listed = f"{'; '.join(failing[:_SHOWN])}{more}"
        said = f"Does not hold in {len(failing)} of {len(self.cases)} cases: {listed}."
        return " ".join(filter(None, [self.note, said]))

    def record(self) -> dict[str, Any]:
        """Give the claim as plain data, for other programs."""
        claim = self.claim
        return {
            "id": claim.id,
            "report": self.report,
            "section": claim.section,
            "says": claim.says,
            "printed": claim.printed,
            "kind": claim.kind,
            "chapter": claim.chapter,
            "each": claim.each,
            "expected": self.expected,
            "computed": self.computed,
            "unit": self.unit,
            "verdict": self.verdict.value,
            "note": self.reason(),
            "cells": list(self.cells),
            "cases": [case.model_dump(mode="json") for case in self.cases],
            "sql": claim.sql,
        }


class FoundErratum(BaseModel):
    """An erratum with the report that it is of."""

    model_config = ConfigDict(frozen=True)

    report: str
    erratum: Erratum

    def record(self) -> dict[str, Any]:
        """Give the erratum as plain data, for other programs."""
        content = self.erratum.model_dump(mode="json")
        return {"id": content.pop("id"), "report": self.report, **content}


class Ledger(BaseModel):
    """All claims and errata, report by report, in printed order."""

    model_config = ConfigDict(frozen=True)

    claims: tuple[Judged, ...] = ()
    errata: tuple[FoundErratum, ...] = ()

    @property
    def unexplained(self) -> tuple[Judged, ...]:
        """The claims that their own report contradicts, and that none of its errata names."""
        named = {(found.report, name) for found in self.errata for name in found.erratum.claims}
        return tuple(
            row for row in self.claims
            if row.verdict is Verdict.contradicted and (row.report, row.claim.id) not in named
        )  # fmt: skip

    @property
    def charted(self) -> tuple[Judged, ...]:
        """The contradicted claims that may be about unprinted points of a chart."""
        return tuple(
            row for row in self.claims
            if row.verdict is Verdict.contradicted and row.claim.chart is not None
        )  # fmt: skip


def evaluate(observations: Observations, words: VagueWords) -> Ledger:
    """Compute the verdict of every claim.

    Raises
    ------
    DataError
        If a claim or an erratum is malformed; file, line and id are named.
    """
    project = observations.project
    # Each observation's unit and values, as printed and as corrected.
    units = {name: metric.unit for name, metric in observations.dictionary.metrics.items()}
    columns = ("observation_id", "metric", "value", "value_corrected")
    rows = zip(*(observations.table.column(name).to_pylist() for name in columns), strict=True)
    printed: dict[str, _Cell] = {name: (units[metric], values) for name, metric, *values in rows}
    chapters = chapter_names(project)
    judged: list[Judged] = []
    errata: list[FoundErratum] = []
    with Sandbox(observations.table) as sandbox:
        for folder in report_folders(project.published):
            claims = load_claims(folder / CLAIMS_FILE, chapters)
            problems: list[Problem] = []
            for position, claim in enumerate(claims):
                try:
                    judged.append(_judged(claim, folder.name, sandbox, words, printed))
                except (QueryError, CaseError) as problem:
                    problems.append((position, "sql", str(problem)))
                except WordError as problem:
                    problems.append((position, "expect", str(problem)))
            refuse(folder / CLAIMS_FILE, claims, problems)
            ids = {claim.id for claim in claims}
            errata += [
                FoundErratum(report=folder.name, erratum=erratum)
                for erratum in load_errata(folder / ERRATA_FILE, ids, printed)
            ]
    return Ledger(claims=tuple(judged), errata=tuple(errata))


def _judged(
    claim: Claim, report: str, sandbox: Sandbox, words: VagueWords, printed: Mapping[str, _Cell]
) -> Judged:
    if claim.sql is None or claim.expect is None:
        return Judged(
            report=report, claim=claim, verdict=Verdict.not_checkable, expected="", cases=(),
            note=" ".join(filter(None, [claim.not_checkable, claim.note])),
        )  # fmt: skip
    cases = cases_of(claim, *sandbox.rows(claim.sql, report), printed)
    result = judge(claim.expect, cases, words)
    return Judged(
        report=report,
        claim=claim,
        verdict=result.verdict,
        expected=written(claim.expect, words),
        unit=_unit(claim, cases, printed),
        cases=tuple(
            JudgedCase(**case.model_dump(), verdict=verdict)
            for case, verdict in zip(cases, result.cases, strict=True)
        ),
        note=claim.note or "",
    )


def _unit(claim: Claim, cases: Sequence[Case], printed: Mapping[str, _Cell]) -> str:
    """Give the unit of what was computed: the declared one, that of a cell, or per cent."""
    if claim.unit is not None:
        return claim.unit
    units = {
        next((printed[cell][0] for cell in case.cells if case.value in printed[cell][1]), "")
        for case in cases
    }
    if len(units) == 1 and units != {""}:
        return units.pop()
    expect = claim.expect
    difference = expect is not None and expect.word is not None and not expect.stated
    return "%" if difference or "%" in (claim.printed or "") else ""
