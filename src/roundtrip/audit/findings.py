"""The findings of an audit, as plain data that a chapter shows."""

from __future__ import annotations

from pathlib import Path

from roundtrip.drafting.folder import ReadChart
from roundtrip.yamlfile import Strict

AUDIT_FILE = "audit.json"


class TableRead(Strict):
    """How a table was read."""

    number: str
    caption: str
    page: int
    rows: int = 0
    cells: int = 0
    open: int = 0  # cells that the two readings do not agree on and nobody has typed yet
    trouble: str = ""  # why it is to be typed as a whole; empty where it was read


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


class Claimed(Strict):
    """A claim of the ledger with its verdict."""

    section: str
    says: str
    verdict: str
    note: str


class Needed(Strict):
    """What a person has to do for the rest to be checked, and how much of it there is."""

    what: str
    count: int
    then: str


class Audit(Strict):
    """The findings of an audit.

    Attributes
    ----------
    report, title, document : str
        Its id; its title or the name of its file; the SHA-256 of the document.
    accepted : bool
        Whether the draft is a published report of the project already.
    sentences, numbers, checkable : int
        Sentences that state a number or compare; numbers in them that could be those of cells;
        those that a cell prints, as far as they are stated.
    graded : str
        The grade in words.
    """

    report: str
    title: str
    document: str
    accepted: bool
    pages: int
    sentences: int
    numbers: int
    checkable: int
    tables: tuple[TableRead, ...]
    charts: tuple[ReadChart, ...]
    checks: tuple[Ruled, ...]
    grade: tuple[Ruled, ...]
    graded: str
    contradictions: tuple[Contradicted, ...]
    claims: tuple[Claimed, ...]
    needed: tuple[Needed, ...]


def load_audit(root: Path) -> Audit:
    """Read the findings that a project holds.

    Parameters
    ----------
    root : Path
        Of the project that shows them.
    """
    return Audit.model_validate_json((root / "data" / AUDIT_FILE).read_text("utf-8"))
