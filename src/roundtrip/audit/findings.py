"""The findings of an audit, as plain data that a chapter shows."""

from __future__ import annotations

from pathlib import Path

from roundtrip.claims import Judged
from roundtrip.yamlfile import Strict

AUDIT_FILE = "audit.json"


class TableRead(Strict):
    """How a table was read."""

    number: str
    caption: str
    page: int
    cells: int = 0
    open: int = 0  # cells that the two readings do not agree on and nobody has typed yet
    trouble: str = ""  # why it is to be typed as a whole; empty where it was read


class ChartRead(Strict):
    """How a figure was read."""

    number: str
    caption: str
    page: int
    curves: int
    points: int
    accuracy: str  # how far a value may be off at most; empty where no point was read
    trouble: str  # why it is to be read by hand; empty where its points were read


class Ruled(Strict):
    """What the report comes to by one rule of good measurement, or of its data."""

    title: str
    verdict: str
    reason: str


class Contradicted(Strict):
    """What a rule proposes as contradiction, or a claim that the report's own cells contradict."""

    sure: str
    rule: str
    says: str
    out_by: str


class Needed(Strict):
    """What a person has to do for the rest to be checked, and how much of it there is."""

    what: str
    count: int
    then: str


class Audit(Strict):
    """The findings of an audit."""

    report: str  # its id
    title: str  # its title or the name of its file
    document: str  # its SHA-256
    accepted: bool  # whether the draft is a published report of the project already
    pages: int
    sentences: int  # that state a number or compare
    numbers: int  # in sentences, that could be those of cells
    checkable: int  # numbers that a cell prints, as far as they are stated
    tables: tuple[TableRead, ...]
    charts: tuple[ChartRead, ...]
    checks: tuple[Ruled, ...]
    grade: tuple[Ruled, ...]
    graded: str  # the grade in words
    contradictions: tuple[Contradicted, ...]
    claims: tuple[Judged, ...]  # of the ledger
    needed: tuple[Needed, ...]


def load_audit(root: Path) -> Audit:
    """Read the findings that a project holds.

    Parameters
    ----------
    root : Path
        Of the project that shows them.
    """
    return Audit.model_validate_json((root / "data" / AUDIT_FILE).read_text("utf-8"))
