"""What a detector proposes: where a report may contradict itself, how far out, and how sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from roundtrip.claims import Erratum, Ledger
from roundtrip.detectors.margins import Margins


class Sure(StrEnum):
    """How sure a proposal is, from the least to the most."""

    low = "low"
    medium = "medium"
    high = "high"


class Basis(StrEnum):
    """What a rule rests on.

    An *identity* (an equation, a definition, a physical limit) only an error can break. A
    *tendency* (larger messages are slower) a real system may break as well, so that a proposal
    of such a rule is never more than medium.
    """

    identity = "identity"
    tendency = "tendency"


@dataclass(frozen=True)
class Contradiction:
    """What a rule has found: as a `Proposal`, with `most` as how sure it may be of it."""

    cells: Sequence[Mapping[str, Any]]
    deviation: float
    allowed: float
    unit: str
    says: str
    most: Sure = Sure.high

    @property
    def excess(self) -> float:
        """How many times what is allowed the deviation is."""
        return self.deviation / self.allowed


@dataclass(frozen=True)
class Proposal:
    """Something in a report that cannot be, or hardly, if the rest of it is right.

    Attributes
    ----------
    rule : str
        Name of the rule that found it.
    report : str
        Id of the report.
    cells : tuple of str
        Ids of the observations that do not fit together, the one to doubt first in front.
    deviation : float
        How far out it is, in `unit`.
    allowed : float
        How far out it could be by rounding and spread alone, in `unit`.
    unit : str
    sure : Sure
        See `how_sure`.
    says : str
        One sentence that says what contradicts what.
    """

    rule: str
    report: str
    cells: tuple[str, ...]
    deviation: float
    allowed: float
    unit: str
    sure: Sure
    says: str

    @property
    def excess(self) -> float:
        """How many times what is allowed the deviation is."""
        return self.deviation / self.allowed

    @property
    def how_far(self) -> str:
        """The deviation with its unit, for a reader."""
        unit = " %" if self.unit == "%" else f" {self.unit}"
        digits = f"{self.deviation:,.0f}" if self.deviation >= 1000 else f"{self.deviation:.3g}"
        return f"{digits}{unit}"


def how_sure(excess: float, basis: Basis, margins: Margins) -> Sure:
    """Map a deviation, in multiples of what is allowed, to how sure the proposal is.

    Parameters
    ----------
    excess : float
        Deviation over what rounding and spread allow; above 1.
    basis : Basis
        A tendency never gives more than medium.
    margins : Margins
        Its `medium_from` and `high_from` separate the levels, and say why there.
    """
    if excess >= margins.high_from and basis is Basis.identity:
        return Sure.high
    return Sure.medium if excess >= margins.medium_from else Sure.low


def in_order(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Sort proposals: the surest first, then the farthest out, then by rule and cells."""
    order = list(Sure)
    return sorted(
        proposals,
        key=lambda one: (-order.index(one.sure), -one.excess, one.rule, one.cells),
    )


def finds(proposal: Proposal, erratum: Erratum) -> bool:
    """Say whether a proposal and an erratum speak of the same contradiction.

    They do if they share two cells, or all cells of the one that has fewer, or if each has the
    cell that the other names first. Any single cell in common may be chance.
    """
    shared = set(proposal.cells) & set(erratum.cells)
    if not shared:
        return False
    both = proposal.cells[0] in shared and erratum.cells[0] in shared
    return both or len(shared) >= min(2, len(proposal.cells), len(erratum.cells))


def errata_found(proposal: Proposal, ledger: Ledger) -> list[str]:
    """Give the ids of the errata of the same report that a proposal finds."""
    return [
        one.erratum.id
        for one in ledger.errata
        if one.report == proposal.report and finds(proposal, one.erratum)
    ]
