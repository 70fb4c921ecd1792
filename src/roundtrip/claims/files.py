"""``claims.yml`` and ``errata.yml`` of every report, read strictly."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from roundtrip.claims.declared import Claim, ClaimFile, ErrataFile, Erratum
from roundtrip.errors import DataError, nearest
from roundtrip.project import Project
from roundtrip.sources.published import CLAIMS_FILE, ERRATA_FILE, report_folders
from roundtrip.yamlfile import line_of, load_model

_SHOWN = 10
_NEW = ": 'roundtrip new chapter' creates one"


class Problems:
    """What is wrong with the entries of one file, gathered so that one run names it all.

    An id that is given twice is wrong in either file.
    """

    def __init__(self, path: Path, kind: str, entries: Sequence[Claim | Erratum]) -> None:
        self.path = path
        self.kind = kind
        self.ids = [entry.id for entry in entries]
        self._found: list[tuple[int, str]] = []
        for position, name in enumerate(self.ids):
            if name in self.ids[:position]:
                self.add(position, "id", "the id is given twice")

    def add(self, position: int, key: str, what: str) -> None:
        """Note a problem with a key of an entry, which has its position from 0."""
        line = line_of(self.path.read_text(encoding="utf-8"), [self.kind, position, key]) or 1
        name = "claim" if self.kind == "claims" else "erratum"
        self._found.append((line, f"{name} '{self.ids[position]}': {what}"))

    def raise_any(self) -> None:
        """Raise what was noted, as one error."""
        if not self._found:
            return
        (line, first), *rest = sorted(self._found)
        said = [first, *(f"line {number}: {what}" for number, what in rest[: _SHOWN - 1])]
        if len(rest) >= _SHOWN:
            said.append(f"and {len(rest) - _SHOWN + 1} more")
        raise DataError("; ".join(said), where=f"{self.path}:{line}")


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
    problems = Problems(path, "claims", claims)
    for position, claim in enumerate(claims):
        if claim.chapter not in chapters:
            close = nearest(claim.chapter, chapters)
            problems.add(position, "chapter", f"no chapter '{claim.chapter}'{close}{_NEW}")
    problems.raise_any()
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
    problems = Problems(path, "errata", errata)
    for position, erratum in enumerate(errata):
        for cell in erratum.cells:
            if cell not in observations:
                problems.add(position, "cells", f"no observation '{cell}'")
        for claim in erratum.claims:
            if claim not in claims:
                what = f"no claim '{claim}'{nearest(claim, claims)}"
                problems.add(position, "claims", what)
    problems.raise_any()
    return errata
