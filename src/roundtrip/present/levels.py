"""Values of factors as a reader knows them."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import pandas as pd

from roundtrip.dictionary import Dictionary
from roundtrip.present.numbers import NumberFormat, size_label
from roundtrip.typography import by_numbers

NOT_STATED = "not stated"
_SMALL_GBPS = 0.1


def inside(label: str) -> str:
    """Write a label as it stands inside a sentence: API and CipherSpec keep their capitals."""
    first = label.split(" ")[0]
    return label if first[1:] != first[1:].lower() else label[:1].lower() + label[1:]


def ascending(levels: Iterable[Any]) -> list[Any]:
    """Sort the values of a factor: 3.8 comes before 3.10, where these are versions, too."""
    known = sorted(levels)
    return sorted(known, key=by_numbers) if all(isinstance(one, str) for one in known) else known


def level_text(factor: str, value: Any, dictionary: Dictionary, numbers: NumberFormat) -> str:
    """Name a factor's value: 2048 bytes is ``2 KB``, no TLS is ``no TLS``."""
    if pd.isna(value):
        return NOT_STATED
    if factor == "message_bytes":
        return size_label(float(value))
    entry = dictionary.factors.get(factor)
    if entry is None:  # a column that a chapter made, such as the family of a CipherSpec
        return str(value)
    if value in entry.levels:
        return entry.levels[value]
    if entry.type == "boolean":
        return "yes" if value else "no"
    if factor == "model":
        return f"model {value}"
    if value == "none":
        return f"no {inside(entry.label)}"
    if not isinstance(value, Real):  # NumPy's whole numbers are such, too
        return str(value)
    value = float(value)
    if entry.unit == "Gb/s" and 0 < value < _SMALL_GBPS:
        return f"{numbers.write(1000 * value, 0)}\u00a0Mb/s"
    number = numbers.exact(value)
    return f"{number}\u00a0{entry.unit}" if entry.unit else number
