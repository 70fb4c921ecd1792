"""What a chart says of itself to those who do not see it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from roundtrip.present.numbers import NumberFormat
from roundtrip.present.plot.rows import Mark


def kind_of(
    marks: Sequence[Mark], log: Collection[str], panels: int, lines: Iterable[tuple[float, str]],
    numbers: NumberFormat,
) -> str:  # fmt: skip
    """Say what a chart is, for those who do not see it.

    `log` names its logarithmic axes, `lines` are its references.
    """
    name = {"bar": "Bar chart", "dot": "Dot chart"}.get(marks[0].kind, "Line chart")
    if any(mark.y.has_interval for mark in marks):
        name += " with intervals"
    if log:
        name += " with logarithmic axes" if len(log) > 1 else " with a logarithmic axis"
    if panels > 1:
        name += f", {panels} panels"
    for at, words in dict.fromkeys(lines):
        name += f", a line at {numbers.exact(float(f'{at:g}'))} ({words})"
    return name
