"""Whether a claim holds: its cases against its expectation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from enum import StrEnum
from itertools import pairwise

from roundtrip.claims.cases import Case, CaseError
from roundtrip.claims.declared import Expect
from roundtrip.claims.words import VagueWords, Word
from roundtrip.errors import nearest

_EXACT = 1e-9


class Verdict(StrEnum):
    """What became of a claim, the worst first."""

    contradicted = "contradicted"
    in_part = "holds in part"
    by_rounding = "holds by rounding"
    holds = "holds"
    not_checkable = "not checkable"


@dataclass(frozen=True)
class Judgement:
    """A verdict, and that of each case."""

    verdict: Verdict
    cases: tuple[Verdict, ...]


class WordError(Exception):
    """An expectation uses a word that the table does not define so; the text says which."""


def word_of(expect: Expect, words: VagueWords) -> Word | None:
    """Give the entry of the word that an expectation uses, None where it uses none.

    Raises
    ------
    WordError
        If the table does not have the word, or not for what the expectation says of it.
    """
    if expect.word is None:
        return None
    known = words.names
    word = known.get(expect.word)
    if word is None:
        close = nearest(expect.word, known)
        raise WordError(f"no vague word '{expect.word}'{close}; known: {', '.join(known)}")
    if (word.of == "number") != (expect.number is not None):
        problem = "needs a 'number'" if word.of == "number" else "takes no 'number'"
        raise WordError(f"'{expect.word}' speaks of a {word.of}: it {problem}")
    return word


def judge(expect: Expect, cases: Sequence[Case], words: VagueWords) -> Judgement:
    """Hold computed values against what a claim says.

    Parameters
    ----------
    cases : sequence of Case
        At least one.

    Raises
    ------
    WordError
        If the expectation uses a word that the table does not define.
    CaseError
        If a value is too far from the stated number to compute how far.
    """
    if expect.of_items:
        verdict = Verdict.holds if _in_order(expect, cases) else Verdict.contradicted
        return Judgement(verdict, (verdict,) * len(cases))
    word = word_of(expect, words)
    if word is not None and word.largest and expect.number is not None:
        return _of_largest(expect, word, expect.number, cases)
    meets = _test(expect, word)
    each = tuple(_judge_value(case.value, meets, expect.precision) for case in cases)
    return Judgement(_together(each), each)


def _together(each: Sequence[Verdict]) -> Verdict:
    """Give the verdict on a claim from those on its cases."""
    kinds = set(each)
    if Verdict.contradicted not in kinds:
        return Verdict.by_rounding if Verdict.by_rounding in kinds else Verdict.holds
    return Verdict.contradicted if len(kinds) == 1 else Verdict.in_part


def _judge_value(
    value: float, meets: Callable[[float], bool], precision: Decimal | None
) -> Verdict:
    if meets(value):
        return Verdict.holds
    if precision is not None and any(meets(rounded) for rounded in _rounded(value, precision)):
        return Verdict.by_rounding
    return Verdict.contradicted


def _rounded(value: float, precision: Decimal) -> set[float]:
    """Round to a precision; what lies half-way is rounded both ways, as people do."""
    # What floating point adds in the last digits must not decide which way is half-way.
    parts = Decimal(f"{value:.12g}") / precision
    return {
        float(parts.to_integral_value(rounding) * precision)
        for rounding in (ROUND_HALF_UP, ROUND_HALF_DOWN)
    }


def _test(expect: Expect, word: Word | None) -> Callable[[float], bool]:
    """Give the test that a value has to pass."""
    if word is not None:
        stated = expect.number
        if stated is None:
            return word.covers
        return lambda value: word.covers(deviation(value, stated))
    low, high = (expect.is_, expect.is_) if expect.is_ is not None else expect.ends
    strict = expect.above is not None or expect.below is not None

    def within(value: float) -> bool:
        if any(end is not None and _same(value, end) for end in (low, high)):
            return not strict
        return (low is None or value > low) and (high is None or value < high)

    return within


def deviation(value: float, number: float) -> float:
    """Compute how far a value is beyond a stated number, in per cent of it, which is not 0.

    Beyond a negative number is further below 0.

    Raises
    ------
    CaseError
        If it is beyond all numbers: an infinite deviation is nothing to judge by.
    """
    per_cent = 100 * (value / number - 1)
    if not math.isfinite(per_cent):
        raise CaseError(f"{value:g} deviates from {number:g} by more than can be computed")
    return per_cent


def _of_largest(expect: Expect, word: Word, number: float, cases: Sequence[Case]) -> Judgement:
    """Judge a word that speaks of the largest case: no other may be beyond its range either."""
    below = _test(expect, word.model_copy(update={"from_": None}))
    each = tuple(_judge_value(case.value, below, expect.precision) for case in cases)
    largest = max(cases, key=lambda case: deviation(case.value, number))
    return Judgement(_judge_value(largest.value, _test(expect, word), expect.precision), each)


def _in_order(expect: Expect, cases: Sequence[Case]) -> bool:
    """Compare items; values equal but for rounding contradict neither an order nor an extreme."""
    values = {case.item: case.value for case in cases}

    def reaches(left: float, right: float) -> bool:
        return left >= right or _same(left, right)

    if expect.order is not None:
        return all(reaches(values[left], values[right]) for left, right in pairwise(expect.order))
    if expect.largest is not None:
        return reaches(values[expect.largest], max(values.values()))
    return reaches(min(values.values()), values[str(expect.smallest)])


def _same(value: float, number: float) -> bool:
    """Say whether two numbers are equal but for what floating point adds."""
    return math.isclose(value, number, rel_tol=_EXACT, abs_tol=_EXACT)


def bounds(expect: Expect, words: VagueWords) -> tuple[float, float]:
    """Give the ends of the range that a claim allows its values, infinite where there is none.

    A stated number allows what rounds to it. Whether an end belongs to the range is left open.
    """
    word = word_of(expect, words)
    if word is not None:
        low = -math.inf if word.from_ is None else word.from_
        high = math.inf if word.to is None else word.to
        stated = expect.number
        if stated is None:
            return low, high
        ends = sorted(stated * (1 + end / 100) for end in (low, high))
        return ends[0], ends[1]
    if expect.is_ is not None:
        half = float(expect.precision or 0) / 2
        return expect.is_ - half, expect.is_ + half
    least, most = expect.ends
    return -math.inf if least is None else least, math.inf if most is None else most
