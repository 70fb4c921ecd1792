"""What a check of a packet comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from roundtrip.project import PACKAGE, filled


class Outcome(StrEnum):
    """What a check comes to."""

    passed = "pass"
    failed = "fail"
    unknown = "not assessable"


@dataclass(frozen=True)
class Finding:
    """One check of a packet."""

    check: str  # what was looked at, in few words
    outcome: Outcome
    told: str  # what was found, with how much was looked at
    details: tuple[str, ...] = ()  # files, cells and numbers that fail, one a line


def page_of_findings(findings: Sequence[Finding], name: str) -> str:
    """Write what was found of a packet as one HTML page that needs no other file."""
    folder = PACKAGE / "templates" / "html"
    return filled([folder], "verification.html", findings=findings, name=name)


def found(check: str, told: str, wrong: Sequence[str]) -> Finding:
    """Give a finding that fails where something is wrong."""
    return Finding(check, Outcome.failed if wrong else Outcome.passed, told, tuple(wrong))


def unknown(check: str, why: str) -> Finding:
    """Give a finding for what cannot be assessed."""
    return Finding(check, Outcome.unknown, why)
