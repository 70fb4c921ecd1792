"""``claims.yml`` and ``errata.yml`` of every report, read strictly."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from roundtrip.claims.declared import Claim, ClaimFile, ErrataFile, Erratum
from roundtrip.errors import DataError, nearest
from roundtrip.project import Project
from roundtrip.sources.published import CLAIMS_FILE, ERRATA_FILE, report_folders
from roundtrip.yamlfile import line_of, load_model

_NEW = ": 'roundtrip new chapter' creates one"


Problem = tuple[int, str, str]
"""Position of an entry of a file from 0, the key of it that is wrong, and what is wrong."""


def refuse(path: Path, entries: Sequence[Claim | Erratum], problems: Iterable[Problem]) -> None:
    """Raise all that is wrong with the claims or the errata of a file, if anything is.

    An id that is given twice is wrong in either file.
    """
    ids = [entry.id for entry in entries]
    twice = [(at, "id", "the id is given twice") for at, name in enumerate(ids) if name in ids[:at]]
    kind, name = ("claims", "claim") if path.name == CLAIMS_FILE else ("errata", "erratum")
    told = sorted(
        (line_of(path.read_text("utf-8"), [kind, at, key]) or 1, f"{name} '{ids[at]}': {what}")
        for at, key, what in (*twice, *problems)
    )
    if told:
        (line, first), *rest = told
        said = "; ".join([first, *(f"line {number}: {what}" for number, what in rest)])
        raise DataError(said, where=f"{path}:{line}")


def chapter_names(project: Project) -> list[str]:
    """List the chapters that a claim may belong to, by file stem."""
    return sorted(path.stem for path in project.notebooks.glob("*.ipynb"))


def ledger_files(project: Project) -> list[Path]:
    """List the files that hold claims and errata."""
    folders = report_folders(project.published)
    paths = (folder / name for folder in folders for name in (CLAIMS_FILE, ERRATA_FILE))
    return [path for path in paths if path.is_file()]


def load_claims(path: Path, chapters: Collection[str]) -> tuple[Claim, ...]:
    """Read ``claims.yml`` of one report; without one it has no claims.

    Raises
    ------
    DataError
        If the file breaks its schema, an id is given twice, or a chapter does not exist.
    """
    claims = load_model(path, ClaimFile, DataError).claims if path.exists() else ()
    refuse(path, claims, (
        (at, "chapter", f"no chapter '{claim.chapter}'{nearest(claim.chapter, chapters)}{_NEW}")
        for at, claim in enumerate(claims) if claim.chapter not in chapters
    ))  # fmt: skip
    return claims


def load_errata(
    path: Path, claims: Collection[str], observations: Collection[str]
) -> tuple[Erratum, ...]:
    """Read ``errata.yml`` of one report; without one it has no errata.

    Raises
    ------
    DataError
        If the file breaks its schema, an id is given twice, or a cell or claim does not exist.
    """
    errata = load_model(path, ErrataFile, DataError).errata if path.exists() else ()
    problems: list[Problem] = []
    for at, erratum in enumerate(errata):
        problems += [(at, "cells", f"no observation '{cell}'")
                     for cell in erratum.cells if cell not in observations]  # fmt: skip
        problems += [(at, "claims", f"no claim '{claim}'{nearest(claim, claims)}")
                     for claim in erratum.claims if claim not in claims]  # fmt: skip
    refuse(path, errata, problems)
    return errata
