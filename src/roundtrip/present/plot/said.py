"""What a chart says of itself: its kind, and the bars that rest on marked runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from roundtrip.outputs import listed
from roundtrip.present.numbers import NumberFormat
from roundtrip.present.plot.rows import Mark

_MOST_BARS = 4  # that a caption names


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


def bars_of_marked_runs(marks: Sequence[Mark], doubted: Collection[str]) -> str:
    """Name the bars that no ring can stand around; empty where there are none."""
    bars = [mark for mark in marks if mark.kind == "bar"]
    several = len({mark.series for mark in marks}) > 1
    found = [
        f"{mark.series}, {mark.place}" if several else mark.place
        for mark in bars
        if mark.y.quantity.kind == "measured" and set(doubted) & set(mark.y.quantity.cells)
    ]
    if len(found) > _MOST_BARS:
        return f"{len(found)} of {len(bars)} bars"
    # Their names have commas.
    return ("; ".join(found) if several else listed(found)) if found else ""
