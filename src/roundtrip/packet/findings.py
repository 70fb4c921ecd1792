"""What a check of a packet comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from roundtrip import __version__
from roundtrip.files import sha256_of_file
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


def caveats(seed: int | None, *, again: bool) -> list[str]:
    """Say what was not looked at.

    Parameters
    ----------
    seed : int or None
        Of the sample; None if everything was looked at.
    again : bool
        Whether the report was built again.
    """
    told = []
    if seed is not None:
        told.append(
            f"This was the sample of seed {seed}: --seed {seed + 1} draws another, "
            "--all takes everything."
        )
    if not again:
        told.append(
            "Computed numbers, sentences, drawings of figures, the words of verdicts on pages, "
            "and PDFs are checked by --rebuild alone."
        )
    return told


def page_of_findings(findings: Sequence[Finding], source: Path, unseen: Sequence[str]) -> str:
    """Write what was found of a packet as one HTML page that needs no other file.

    Parameters
    ----------
    source : Path
        The packet; the page gives the hash of an archive.
    unseen : sequence of str
        From `caveats`.
    """
    folder = PACKAGE / "templates" / "html"
    return filled(
        [folder], "verification.html", findings=findings, name=source.name, unseen=unseen,
        sha256=sha256_of_file(source) if source.is_file() else None, version=__version__,
    )  # fmt: skip


def found(check: str, told: str, wrong: Sequence[str]) -> Finding:
    """Give a finding that fails where something is wrong."""
    return Finding(check, Outcome.failed if wrong else Outcome.passed, told, tuple(wrong))


def unknown(check: str, why: str) -> Finding:
    """Give a finding for what cannot be assessed."""
    return Finding(check, Outcome.unknown, why)
