"""Expectations and verdicts in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from roundtrip.claims.declared import Expect
from roundtrip.claims.verdicts import word_of
from roundtrip.claims.words import VagueWords, Word

_LISTED = 3
_SHORT_UNIT = 4


def case_text(value: float) -> str:
    """Write what was computed: three digits tell it from what a sentence says."""
    return number_text(value, digits=3)


def number_text(value: float, digits: int = 4) -> str:
    """Write a number with so many digits that count, and never fewer than the units.

    What is below the sixth decimal is left to floating point. Thousands are set apart, zeros end
    the decimals only of what is rounded (``12.0``), and the minus sign is a true one.
    """
    text = f"{value:,.0f}"
    if abs(value) < 1000:
        known = round(value, 6)
        text = f"{known:.{digits}g}"
        if float(text) != known:
            text = f"{known:#.{digits}g}".rstrip(".")
        text = f"{Decimal(text):f}"
    return "0" if text in ("0", "-0") else text.replace("-", "\u2212")


def limits_text(word: Word) -> str:
    """Write the range of a word, in per cent.

    Returns
    -------
    str
        Such as ``−3 % to 3 %``, ``over 0 %``.
    """
    low, high = word.from_, word.to
    if low is not None and high is not None:
        text = f"{number_text(low)}\u00a0% to {number_text(high)}\u00a0%"
        return text if word.zero else f"{text}, not 0\u00a0%"
    bound = high if low is None else low
    sense = "at most" if low is None else "at least"
    if not word.zero and bound == 0:
        sense = "under" if low is None else "over"
    return f"{sense} {number_text(bound or 0.0)}\u00a0%"


def written(expect: Expect, words: VagueWords) -> str:
    """Put it into words: ``over 20``, ``similar (−3 % to 3 %)``, ``value for A ≥ value for B``."""
    word = word_of(expect, words)
    if word is not None and expect.word is not None:
        number = "" if expect.number is None else f" {number_text(expect.number)}"
        return f"{expect.word}{number} ({limits_text(word)})"
    if expect.is_ is not None:
        return number_text(expect.is_)
    if expect.between is not None:
        low, high = expect.between
        return f"between {number_text(low)} and {number_text(high)}"
    if expect.order is not None:
        return " ≥ ".join(f"value for {item}" for item in expect.order)
    for name in ("above", "below", "at_least", "at_most"):
        bound = getattr(expect, name)
        if bound is not None:
            return f"{name.replace('_', ' ')} {number_text(bound)}"
    return f"largest for {expect.largest}" if expect.largest else f"smallest for {expect.smallest}"


def values_text(
    values: Sequence[float], unit: str = "", write: Callable[[float], str] = case_text
) -> str:
    """Write what was computed: the number, few as they are, the range of more; empty for none."""
    if not values:
        return ""
    low, high = write(min(values)), write(max(values))
    text, cases = low, f" ({len(values)} cases)" if len(values) > 1 else ""
    if low != high and len(values) <= _LISTED:
        text, cases = "; ".join(map(write, values)), ""
    elif low != high:
        text = f"{low} to {high}"
    return f"{number_with_unit(text, unit)}{cases}"


def number_with_unit(text: str, unit: str) -> str:
    """Write a unit behind a number, where there is one: a short one stays on its line."""
    space = " " if len(unit) > _SHORT_UNIT else "\u00a0"
    return f"{text}{space}{unit}" if unit else text
