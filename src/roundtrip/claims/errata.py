"""The shape of ``errata.yml``: where a report contradicts itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from roundtrip.claims.declared import ClaimId
from roundtrip.yamlfile import Strict, Text

ErratumKind = Literal[
    "repeated quantity", "caption", "ratio", "percentage", "unit", "pattern", "numbering", "count",
    "text",
]  # fmt: skip


class Place(Strict):
    """One of the places that contradict each other; only the section is always there."""

    section: Text
    table: Text | None = None
    row: Text | None = None
    column: Text | None = None
    printed: Text | None = None

    @property
    def text(self) -> str:
        """The place in one line: section, table, row, column, what is printed there."""
        parts = [f"section {self.section}", self.table, self.row, self.column]
        where = ", ".join(part for part in parts if part)
        return f"{where}: {self.printed}" if self.printed else where


class Erratum(Strict):
    """One contradiction inside a report.

    Attributes
    ----------
    id : str
        Unique within the report.
    kind : str
        What sort of contradiction it is.
    says : str
        What contradicts what.
    cells : tuple of str
        Observations concerned; empty when none is.
    evidence : str
        How it is known.
    likely : str or None
        What was probably meant.
    in_numbers : bool
        Whether a rule over the observations could see it.
    claims : tuple of str
        Claims of the report that it contradicts.
    """

    id: ClaimId
    kind: ErratumKind
    says: Text
    places: tuple[Place, ...] = Field(min_length=1)
    cells: tuple[Text, ...]
    evidence: Text
    likely: Text | None = None
    in_numbers: bool
    claims: tuple[ClaimId, ...] = ()


class ErrataFile(Strict):
    """``errata.yml``: contradictions in printed order."""

    errata: tuple[Erratum, ...] = ()
