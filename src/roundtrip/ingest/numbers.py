"""Numbers as tools print them in the languages of the world."""

from __future__ import annotations

import math
import re
import unicodedata

_PLAIN = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_NOT_FINITE = {
    "inf": math.inf, "infinity": math.inf, "1.#inf": math.inf, "∞": math.inf, "nan": math.nan,
    "1.#ind": math.nan, "1.#qnan": math.nan, "\ufffd": math.nan, "nan(ind)": math.nan,
}  # fmt: skip
_MINUS = str.maketrans(dict.fromkeys("\u2212\u2010\u2011\u2013\u200e\u200f\u061c", ""))


def number(text: str) -> float:
    """Read a number: a point or a comma for decimals, any script's digits, inf and nan.

    A mark that stands before exactly three digits could group thousands; the tools that we read
    print two decimals or none, so that there is no such case among them.

    Raises
    ------
    ValueError
        If it is not a number.
    """
    text = text.strip()
    if _PLAIN.fullmatch(text):
        return _in_range(float(text), text)
    bare = text.lstrip("-+\u2212\u200e\u200f\u061c").lower()
    sign = -1.0 if any(mark in text[:2] for mark in "-\u2212") else 1.0
    if bare in _NOT_FINITE:
        return sign * _NOT_FINITE[bare]
    folded = "".join(
        str(unicodedata.digit(char)) if char.isdigit() and not char.isascii() else char
        for char in bare
    )
    folded = folded.translate(_MINUS).replace("\u066b", ".").replace(",", ".")
    if not _PLAIN.fullmatch(folded):
        raise ValueError(f"'{text[:40]}' is not a number")
    return sign * _in_range(float(folded), text)


def _in_range(value: float, text: str) -> float:
    if math.isinf(value):
        raise ValueError(f"'{text[:40]}' is larger than any number")
    return value


def grouped(text: str) -> float:
    """Read a whole number, thousands set apart by commas, points or spaces; else a ValueError."""
    bare = text.strip()
    if re.fullmatch(r"-?[0-9]{1,3}(?:([.,'’ \u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*", bare):
        bare = re.sub(r"[^0-9-]", "", bare)
    if not re.fullmatch(r"-?[0-9]{1,18}", bare):
        raise ValueError(f"'{text[:40]}' is not a whole number")
    return float(bare)
