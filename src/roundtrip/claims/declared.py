"""What ``claims.yml`` and ``errata.yml`` hold: a report's statements, and its contradictions."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from roundtrip.sources.declared import section_named
from roundtrip.yamlfile import Strict, Text, matching

ClaimId = Annotated[
    str, StringConstraints(max_length=80),
    matching("[a-z0-9]+(?:-[a-z0-9]+)*", "words in lower case and digits, joined by hyphens"),
]  # fmt: skip
Number = (
    Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
)
Kind = Literal[
    "value", "ratio", "difference", "similarity", "ordering", "trend", "extreme", "count", "limit"
]
ErratumKind = Literal[
    "repeated quantity", "caption", "ratio", "percentage", "unit", "pattern", "numbering", "count",
    "text",
]  # fmt: skip
UNWORDED = "choose"
"""Stands in a stub for what a person has to say."""
PROPOSED = "-- proposed"
"""Begins the line of a query that a program has proposed and nobody has judged yet."""
_FORMS = (
    "is_", "word", "above", "below", "at_least", "at_most", "between", "order", "largest",
    "smallest",
)  # fmt: skip
_OF_ITEMS = ("order", "largest", "smallest")


class Expect(Strict):
    """What the computed value must be for the statement to hold; exactly one form of it.

    Attributes
    ----------
    is_ : number or None
        The stated number.
    word : str or None
        A vague word, with the `number` it speaks of when it speaks of one.
    between : (number, number) or None
        Both ends belong to it.
    order : tuple of str or None
        Items from the largest value to the smallest.
    largest, smallest : str or None
        The item with the extreme value.
    step : number or None
        The precision that the number is stated to.
    """

    is_: Number | None = Field(None, alias="is")
    word: Text | None = None
    number: Number | None = None
    above: Number | None = None
    below: Number | None = None
    at_least: Number | None = None
    at_most: Number | None = None
    between: tuple[Number, Number] | None = None
    order: Annotated[tuple[Text, ...], Field(min_length=2)] | None = None
    largest: Text | None = None
    smallest: Text | None = None
    step: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Expect:
        given = [name.rstrip("_") for name in _FORMS if getattr(self, name) is not None]
        if len(given) != 1:
            allowed = ", ".join(name.rstrip("_") for name in _FORMS)
            raise ValueError(f"needs exactly one of {allowed}; it has {', '.join(given) or 'none'}")
        if self.number is not None and self.word is None:
            raise ValueError("'number' belongs to 'word'")
        if self.number == 0:
            raise ValueError("nothing deviates from 0 by per cents: use above, below or between")
        if self.between is not None and self.between[0] > self.between[1]:
            raise ValueError("the first end of 'between' is above the second")
        if self.order is not None and len(set(self.order)) != len(self.order):
            raise ValueError("'order' names an item twice")
        if self.step is not None and not self.stated:
            raise ValueError("'step' is the precision of a stated number, and none is stated")
        return self

    @property
    def stated(self) -> tuple[float, ...]:
        """The numbers that are stated."""
        several = self.between or ()
        single = (self.is_, self.number, self.above, self.below, self.at_least, self.at_most)
        return tuple(number for number in (*single, *several) if number is not None)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The ends of the range that is stated; None where it has none."""
        if self.between is not None:
            return self.between
        low = self.at_least if self.at_least is not None else self.above
        return low, self.at_most if self.at_most is not None else self.below

    @property
    def precision(self) -> Decimal | None:
        """The precision that numbers are stated to: `step`, or their last printed digit."""
        if self.step is not None:
            return Decimal(repr(self.step))
        exponents = [
            Decimal(repr(number)).normalize().as_tuple().exponent for number in self.stated
        ]
        finest = min((min(int(exponent), 0) for exponent in exponents), default=None)
        return None if finest is None else Decimal(1).scaleb(finest)

    @property
    def of_items(self) -> bool:
        """Whether items are compared with each other."""
        return any(getattr(self, name) is not None for name in _OF_ITEMS)


class Claim(Strict):
    """One quantitative or comparative statement of a report.

    Attributes
    ----------
    id : str
        Unique within the report.
    section : str
        As printed.
    says : str
        The statement in our words, with its numbers as stated.
    printed : str or None
        The number or word as printed.
    chart : str or None
        Chart that the sentence rests on, alone or with a table, where the chart's values are not
        printed: the sentence may be about points that no query sees.
    kind : str
        What sort of statement it is.
    unit : str or None
        Unit of what is computed, where it is neither per cent nor that of a cell.
    chapter : str
        Chapter of this report that it belongs to, by file stem.
    sql : str or None
        The SELECT that computes it.
    each : str or None
        What it ranges over, where it speaks of several cases.
    note : str or None
        What a reader needs to know beside it.
    not_checkable : str or None
        Why it cannot be computed; instead of `sql` and `expect`.
    """

    id: ClaimId
    section: Text
    says: Text
    printed: Text | None = None
    chart: Text | None = None
    kind: Kind
    unit: Text | None = None
    chapter: Text
    sql: Text | None = None
    each: Text | None = None
    expect: Expect | None = None
    note: Text | None = None
    not_checkable: Text | None = None

    @field_validator("section", "says", "sql", "not_checkable")
    @classmethod
    def _worded(cls, text: str | None) -> str | None:
        if text is not None and (text == UNWORDED or f"'{UNWORDED}'" in text):
            raise ValueError(f"says '{UNWORDED}': it is a stub that a person has to fill in")
        if text is not None and text.lstrip().startswith(PROPOSED):
            raise ValueError(
                "its query was proposed by a program: compare it with the sentence, then delete "
                f"the line '{PROPOSED} …'"
            )
        return text

    @model_validator(mode="after")
    def _tested_or_not(self) -> Claim:
        if self.not_checkable is not None:
            given = [
                name
                for name in ("sql", "expect", "each", "unit")
                if getattr(self, name) is not None
            ]
            if given:
                raise ValueError(f"is not checkable, and yet has {' and '.join(given)}")
        elif self.sql is None or self.expect is None:
            lacking = [name for name in ("sql", "expect") if getattr(self, name) is None]
            raise ValueError(f"lacks {' and '.join(lacking)}; or not_checkable with the reason")
        return self


class ClaimFile(Strict):
    """``claims.yml``: claims in printed order."""

    claims: tuple[Claim, ...] = ()

    @field_validator("claims", mode="before")
    @classmethod
    def _none_yet(cls, claims: object) -> object:
        return () if claims is None else claims


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
        table = None if self.table == section_named(self.section, "sec") else self.table
        parts = [section_named(self.section), table, self.row, self.column]
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
    cause : str or None
        How it probably came about.
    in_numbers : bool
        Whether a rule over the observations could see it.
    claims : tuple of str
        Claims of the report that it contradicts or concerns.
    """

    id: ClaimId
    kind: ErratumKind
    says: Text
    places: tuple[Place, ...] = Field(min_length=1)
    cells: tuple[Text, ...]
    evidence: Text
    likely: Text | None = None
    cause: Text | None = None
    in_numbers: bool
    claims: tuple[ClaimId, ...] = ()

    @property
    def known_by(self) -> str:
        """The evidence, and what was probably meant or the cause."""
        likely = f"Probably meant: {self.likely}" if self.likely else ""
        cause = f"Probable cause: {self.cause}" if self.cause else ""
        return " ".join(filter(None, [self.evidence, likely, cause]))


class ErrataFile(Strict):
    """``errata.yml``: contradictions in printed order."""

    errata: tuple[Erratum, ...] = ()
