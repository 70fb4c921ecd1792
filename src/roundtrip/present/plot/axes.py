"""Axes: from zero, or by decades; ticks at what was set, and texts that say so."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from roundtrip.errors import ChapterError
from roundtrip.present.chapter import Chapter, with_unit
from roundtrip.present.numbers import NumberFormat
from roundtrip.present.points import metric_of

_CHARACTER, _BETWEEN = 7.0, 10.0  # pixels: a letter of a tick's text, and the least between two
_ROOM, _DECADES = 0.06, 0.12  # beside the ends: share of the axis, decades of a logarithmic one
_NEAR = 0.1  # share of an axis below which the lowest value is near zero
_FEW_DECADES = 1.6  # in fewer, powers of ten alone would be one tick


@dataclass(frozen=True)
class Axis:
    """One axis of a panel.

    Attributes
    ----------
    low, high : float
        Where it begins and ends; exponents of ten where it is logarithmic.
    layout : dict
        What Plotly needs to draw it.
    """

    low: float
    high: float
    logarithmic: bool = False
    layout: dict[str, Any] = field(default_factory=dict)


def widened(axis: Axis, share: float) -> Axis:
    """Leave a share of an axis, half at the most, free at its higher end, such as for texts."""
    share = min(share, 0.5)
    high = axis.high + (axis.high - axis.low) * share / (1 - share)
    return replace(axis, high=high, layout=axis.layout | {"range": [axis.low, high]})


def axis_title(chapter: Chapter, name: str) -> str:
    """Name a metric, its percentile or a factor with its unit; another column by its own name."""
    with suppress(ChapterError):
        metric_of(name, chapter.dictionary)
        return with_unit(chapter.label(name), chapter.unit(name))
    factor = chapter.dictionary.factors.get(name)
    if factor is None:
        return "" if name in ("x", "y") else name.replace("_", " ").capitalize()
    if name == "message_bytes" or not factor.unit:  # sizes are labelled 2 KB, not 2048
        return factor.label
    return f"{factor.label} ({factor.unit})"


def logarithmic(title: str) -> str:
    """Add to an axis's title that it is logarithmic; in one bracket with a unit."""
    return f"{title[:-1]}, logarithmic)" if title.endswith(")") else f"{title} (logarithmic)"


def value_axis(values: Sequence[float], *, room: float) -> Axis:
    """Give an axis from zero, or from below a negative lowest value, to above the highest.

    `room` is the share of the outermost values that stays free beside them.
    """
    low, high = min(0, min(values) * (1 + room)), max(max(values) * (1 + room), 1e-9)
    return Axis(low, high, layout={"range": [low, high], "nticks": 7, "tickformat": ",~g"})


def share_axis() -> Axis:
    """Give the axis of a share of a whole, such as processor time in percent."""
    return Axis(0.0, 104.0, layout={"range": [0, 104], "dtick": 25})


def free_axis(values: Sequence[float]) -> Axis:
    """Give an axis around values that are no lengths: from zero only where that is near."""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    low, high = low - _ROOM * span, high + _ROOM * span
    if min(values) >= 0 and low < _NEAR * high:
        low = 0.0
    return Axis(low, high, layout={"range": [low, high], "nticks": 6})


def decade_axis(values: Sequence[float], numbers: NumberFormat) -> Axis:
    """Give a logarithmic axis with ticks at 1, 2 and 5, or at decades where there are many."""
    above = [value for value in values if value > 0]
    low, high = math.log10(min(above)) - _DECADES, math.log10(max(above)) + _DECADES
    ticks = _round_ticks(low, high, (1, 2, 5) if high - low < 3.2 else (1,))
    texts = [numbers.write(t, max(0, -math.floor(math.log10(t) + 1e-9))) for t in ticks]
    return Axis(
        low, high, True,
        {"type": "log", "range": [low, high], "tickvals": ticks, "ticktext": texts},
    )  # fmt: skip


def _round_ticks(low: float, high: float, steps: Sequence[int]) -> list[float]:
    """Give the numbers of these first digits between two powers of ten."""
    numbers = (
        step * 10.0**exponent
        for exponent in range(math.floor(low), math.ceil(high) + 1)
        for step in steps
    )
    return [number for number in numbers if low <= math.log10(number) <= high]


def level_axis(
    levels: Sequence[float], write: Callable[[float], str], *, logarithmic: bool, right: float,
    width: float,
) -> Axis:  # fmt: skip
    """Give the axis of a factor: a tick at every level that was set, as far as they do not touch.

    Where most would touch, ticks stand at round numbers. `write` names a level; `right` is the
    share of the axis that stays free on the right, for names of series; `width` that of the
    panel in pixels.
    """
    at = {level: math.log10(level) if logarithmic else level for level in sorted(set(levels))}
    low, high = min(at.values()), max(at.values())
    span = (high - low) or 1.0
    low, high = low - span * _ROOM, high + span * max(_ROOM, right)

    def clear(left: float, right: float) -> bool:
        letters = (len(write(left)) + len(write(right))) / 2
        return (at[right] - at[left]) / (high - low) * width >= _CHARACTER * letters + _BETWEEN

    ticks: list[float] = []
    for level in at:
        if not ticks or clear(ticks[-1], level):
            ticks.append(level)
    last = max(at)
    while len(ticks) > 1 and ticks[-1] != last and not clear(ticks[-1], last):
        ticks.pop()
    if ticks[-1] != last and clear(ticks[-1], last):
        ticks.append(last)
    layout: dict[str, Any] = {"type": "log" if logarithmic else "linear", "range": [low, high]}
    dense = 2 * len(ticks) < len(at)  # those left would be arbitrary
    if logarithmic and dense and high - low < _FEW_DECADES:
        ticks = _round_ticks(low, high, (1, 2, 5))
        layout |= {"tickvals": ticks, "ticktext": [write(tick) for tick in ticks]}
    elif logarithmic and dense:
        layout["dtick"] = 1
    elif dense:
        layout |= {"nticks": 6, "tickangle": 0}
    elif len(ticks) <= 14:
        layout |= {"tickvals": ticks, "ticktext": [write(tick) for tick in ticks]}
    return Axis(low, high, logarithmic, layout)
