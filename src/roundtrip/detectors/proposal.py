"""What a detector proposes: where a report may contradict itself, how far out, and how sure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from roundtrip.claims import Erratum, Ledger
from roundtrip.claims.declared import Place
from roundtrip.detectors import margins
from roundtrip.drafting.sentences import Mark, Sentence


class Sure(StrEnum):
    """How sure a proposal is, from the least to the most."""

    low = "low"
    medium = "medium"
    high = "high"


@dataclass(frozen=True)
class Contradiction:
    """What a rule has found: as a `Proposal`, with `most` as how sure it may be of it.

    An identity (an equation, a definition, a physical limit) only an error can break. A tendency
    (larger messages are slower) a real system may break as well: of it, `most` is medium. `quotes`
    are the sentences and lines that it rests on.
    """

    cells: Sequence[Mapping[str, Any]]
    deviation: float
    allowed: float
    unit: str
    says: str
    most: Sure = Sure.high
    quotes: Sequence[Sentence | Mark] = ()

    @classmethod
    def of_words(
        cls, says: str, quotes: Sequence[Sentence | Mark], most: Sure = Sure.high
    ) -> Contradiction:
        """Make one that has no size: words are wrong or not, so that `most` alone says how sure."""
        return cls((), 1.0, 1 / margins.HIGH_FROM, "", says, most, quotes)


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
    sure : Sure
        See `how_sure`.
    says : str
        One sentence that says what contradicts what.
    quotes : tuple of (str, str)
        Section and text of the sentences that it rests on; empty for a rule over numbers.
    """

    rule: str
    report: str
    cells: tuple[str, ...]
    deviation: float
    allowed: float
    unit: str
    sure: Sure
    says: str
    quotes: tuple[tuple[str, str], ...] = ()

    @property
    def excess(self) -> float:
        """How many times what is allowed the deviation is."""
        return self.deviation / self.allowed

    @property
    def out_by(self) -> str:
        """How far out it is, for a reader; empty where words contradict each other."""
        if not self.cells:
            return ""
        digits = three_digits(self.deviation)
        unit = self.unit.replace("s/", "/", 1) if digits == "1" else self.unit
        how_far = f"{digits} {unit}".rstrip()
        times = f"{self.excess:,.0f}" if self.excess >= 100 else f"{self.excess:.1f}"
        return f"{how_far}, {times} times what is allowed"


def three_digits(value: float) -> str:
    """Write a value with three digits, or with all of its whole part."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def signed(percent: float) -> str:
    """Write a change in percent with one decimal and a minus sign, no hyphen."""
    return f"{percent:.1f}".replace("-", "\u2212")


def how_sure(excess: float) -> Sure:
    """Map a deviation, in multiples of what is allowed, to how sure the proposal is at most."""
    if excess >= margins.HIGH_FROM:
        return Sure.high
    return Sure.medium if excess >= margins.MEDIUM_FROM else Sure.low


def in_order(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Sort proposals: the surest first, then the farthest out, then by rule and cells."""
    order = list(Sure)
    return sorted(
        proposals, key=lambda one: (-order.index(one.sure), -one.excess, one.rule, one.cells)
    )


def finds(proposal: Proposal, erratum: Erratum) -> bool:
    """Say whether a proposal and an erratum speak of the same contradiction.

    They do if they share two cells, or all cells of the one that has fewer, or if each has the
    cell that the other names first. Any single cell in common may be chance. They do too if what
    the erratum says is printed stands in a sentence that the proposal rests on, of that section.
    """
    if any(_quotes(quote, place) for quote in proposal.quotes for place in erratum.places):
        return True
    shared = set(proposal.cells) & set(erratum.cells)
    if not shared:
        return False
    both = proposal.cells[0] in shared and erratum.cells[0] in shared
    return both or len(shared) >= min(2, len(proposal.cells), len(erratum.cells))


def _quotes(quote: tuple[str, str], place: Place) -> bool:
    section, text = (_letters(part) for part in quote)
    said = [_letters(part) for part in (place.printed or "").split(", ")]
    return section == _letters(place.section) and any(
        len(part) > 1 and part in text for part in said
    )


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9.%]", "", text.lower())


def errata_found(proposal: Proposal, ledger: Ledger) -> list[str]:
    """Give the ids of the errata of the same report that a proposal finds."""
    return [
        one.erratum.id
        for one in ledger.errata
        if one.report == proposal.report and finds(proposal, one.erratum)
    ]
