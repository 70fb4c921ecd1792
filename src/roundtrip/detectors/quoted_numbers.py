"""Numbers of sentences, held against the cells that they speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roundtrip.claims.words import Word
from roundtrip.detectors import margins
from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.text import Printed, ReportText, half_unit, named_tables, quoted, where
from roundtrip.drafting.sentences import Sentence

_NUMBER = re.compile(
    r"(?<![\w.,$€£=(-])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d,]*\d|\.\d|-)"
    r"(?P<unit>\s?(?:%|per ?cent\b|bytes?\b|[kKMGT]i?[bB]\w*|[µum]?s\b|[mμ]sec\w*|[GMk]Hz\b|MHz|"
    r"seconds?\b|minutes?\b|hours?\b|years?\b|pages?\b|K\b|M\b|x\b))?"
)
_PREFIXES = "KMGTP"
_TOTAL = re.compile(
    r"\b(?P<count>\d{1,3})\s?[x×]\s?(?P<each>\d{1,6}(?:\.\d{1,3})?)\s?(?P<of_each>[KMGTP])i?B\b"
    r"(?P<between>(?:(?!\b\d+\s?[x×]\s?\d)[^.;]){0,120}?)"
    r"\b(?P<total>\d{1,6}(?:\.\d{1,3})?)\s?(?P<of_total>[KMGTP])i?B(?: in)? total\b", re.I
)  # fmt: skip
_REDUNDANT = re.compile(r"\bRAID[- ]?[1-9]|mirror|parity|spare", re.I)
_BYTES = 0.15  # a thousand or 1024, up to five times; and a rounded number
_FAR = 50.0  # per cent beyond which even "over" does not speak of a cell
_WORD = re.compile(r"\b[a-z]{2,}\b")
_REFERENCE = re.compile(
    r"(?:tables?|figures?|sections?|chapters?|pages?|appendix|version|release|v|edition|step)\s*"
    r"(?:\d[\d.]*\s*(?:,|and|&|to|-)\s*)*$", re.I
)  # fmt: skip


@dataclass(frozen=True)
class _Said:
    """A number of a sentence."""

    text: str  # as printed
    value: float
    slack: float  # half of its last digit that counts
    word: Word | None  # the vague word before it
    per_cent: bool

    def fits(self, cell: Printed) -> bool:
        """Say whether a cell is what the number says, by rounding or by the word before it."""
        value = cell.value
        if value is None or not value:
            return False
        if abs(value - self.value) <= self.slack * (1 + 1e-9):
            return True
        deviation = 100 * (value / self.value - 1)
        return self.word is not None and abs(deviation) < _FAR and self.word.covers(deviation)


def stated_numbers(text: ReportText) -> Iterator[Contradiction]:
    """Propose numbers of sentences that lie near a cell of their table, and not on one.

    A sentence speaks of the tables that it names, otherwise of those of its section. A number is
    at home if any cell of the report rounds to it as far as it is stated, or lies in the range of
    the vague word before it. Otherwise the nearest cell is proposed, if it is near.
    """
    for sentence in text.sentences:
        about = text.cells_meant(sentence)
        named = bool(named_tables(sentence.text))
        for said in _numbers(text, sentence):
            if about and not any(map(said.fits, text.cells)):
                yield from _nearest(sentence, said, about, named)


def held_numbers(text: ReportText) -> tuple[int, int]:
    """Count the numbers of sentences that could be those of cells, and those that are."""
    said = [one for sentence in text.sentences for one in _numbers(text, sentence)]
    held = sum(any(map(one.fits, text.cells)) for one in said)
    return len(said), held


def stated_totals(text: ReportText) -> Iterator[Contradiction]:
    """Propose totals of bytes that are not so many times the size of each part beside them.

    Of disks that are mirrored or keep parity less is left: those are passed over.
    """
    for sentence in text.sentences:
        for found in _TOTAL.finditer(sentence.text):
            if _REDUNDANT.search(found["between"]):
                continue
            each, total = (
                float(found[number]) * 1000.0 ** _PREFIXES.index(found[prefix].upper())
                for number, prefix in (("each", "of_each"), ("total", "of_total"))
            )
            deviation = abs(int(found["count"]) * each / total - 1) if total else 0.0
            if deviation > _BYTES:
                yield Contradiction(
                    [], deviation, _BYTES, "total",
                    f"The sentence on {where(sentence)} gives {found['count']} times "
                    f"{found['each']} {found['of_each']}B a total of {found['total']} "
                    f"{found['of_total']}B.",
                    quotes=(sentence,),
                )  # fmt: skip


def _numbers(text: ReportText, sentence: Sentence) -> Iterator[_Said]:
    """Give the numbers of a sentence that have digits enough to be those of a cell."""
    if len(sentence.numbers) > len(_WORD.findall(sentence.text)):
        return  # a row of a table that was not found
    for found in _NUMBER.finditer(sentence.text):
        before, digits = sentence.text[: found.start()], found["digits"]
        unit = (found["unit"] or "").strip()
        per_cent = unit.startswith(("%", "per"))
        if _REFERENCE.search(before) or before.rstrip().endswith("=") or (unit and not per_cent):
            continue
        if _digits(digits) < margins.DIGITS_IN_COMMON - (1 if per_cent else 0):
            continue
        if re.fullmatch(r"(?:19|20)\d\d", digits) or (per_cent and "." not in digits):
            continue
        value, word = float(digits.replace(",", "")), text.words.before_number(before)
        yield _Said(digits, value, half_unit(digits), word, per_cent)


def _digits(text: str) -> int:
    """Count the digits of a number that count: without zeros at either end."""
    plain = text.replace(",", "")
    return len((plain if "." in plain else plain.rstrip("0")).replace(".", "").lstrip("0"))


def _nearest(
    sentence: Sentence, said: _Said, about: Sequence[Printed], named: bool
) -> Iterator[Contradiction]:
    near = margins.NEAR_NAMED if named else margins.NEAR
    cells = [
        (abs(value - said.value), cell) for cell in about
        if (value := cell.value) and (said.per_cent == ("%" in cell.text + cell.column))
        and (abs(value / said.value - 1) <= near or _slipped(value, said.value))
    ]  # fmt: skip
    if not cells:
        return
    deviation, cell = min(cells, key=lambda one: one[0])
    yield Contradiction(
        [{"observation_id": cell.observation_id}], deviation, said.slack,
        "%" if said.per_cent else "",
        f"The sentence on {where(sentence)} says {said.text} (“{quoted(sentence, said.text)}”); "
        f"no cell prints it, and the nearest of {cell.table} is {cell.text} "
        f"({cell.row}, {cell.column}).",
        Sure.high if named else Sure.medium,
        quotes=(sentence,),
    )  # fmt: skip


def _slipped(one: float, other: float) -> bool:
    """Say whether two numbers have the same digits and another point."""
    return one != other and f"{one:e}".partition("e")[0] == f"{other:e}".partition("e")[0]
