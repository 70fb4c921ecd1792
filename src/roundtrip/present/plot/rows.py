"""From rows of a table to the marks of a chart: numbers with their text, cells and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError, unknown
from roundtrip.present.arguments import difference_told, in_short, values_of
from roundtrip.present.chapter import Chapter
from roundtrip.present.measured.means import Mean, mean_of_cells
from roundtrip.present.numbers import Quantity

MARKS = ("bar", "line", "dot", "curve")
_ONCE = ("bar", "line")
"""Marks that have one value at a place: a line through two would go to and fro."""
_TUPLES = {3: ("series", "x", "y"), 4: ("panels", "series", "x", "y")}

Place = float | str | datetime


@dataclass(frozen=True)
class Number:
    """A value as a chart draws it: with the ends of its interval, and as a reader sees it."""

    quantity: Quantity
    shown: str
    low: float
    high: float

    @property
    def value(self) -> float:
        """The value itself."""
        return self.quantity.value

    @property
    def has_interval(self) -> bool:
        """Whether its ends differ."""
        return self.low < self.high


@dataclass(frozen=True)
class Mark:
    """One drawn value.

    `panel` is the row and the column of its panel, from zero. `key` is what its series is in
    the data, and decides the style. `x` is where it stands, a text a place among others;
    `place` is the same as a reader sees it, and `across` too, if that is a value with an
    interval or cells of its own. `label` stands beside it.
    """

    kind: str
    panel: tuple[int, int]
    panel_name: str
    series: str
    key: Any
    x: Place
    place: str
    y: Number
    across: Number | None
    label: str

    @property
    def is_point(self) -> bool:
        """Whether it is drawn as a point: one of a curve shows only by its interval."""
        return self.kind not in ("bar", "curve") or (self.kind == "curve" and self.y.has_interval)

    @property
    def look(self) -> tuple[str, bool]:
        """What all marks of one trace have in common: their kind, and whether they are hollow."""
        return self.kind, self.y.quantity.kind == "measured"

    @property
    def text(self) -> str:
        """What may stand beside it: its label, or its value without the unit."""
        return self.label or self.y.shown.removesuffix(f"\u00a0{self.y.quantity.unit}")


def drawn_in_several_ways(marks: Iterable[Mark], series: Iterable[str]) -> list[str]:
    """Name the series of which some marks are points and others lines."""
    kinds: dict[str, set[str]] = {}
    for mark in marks:
        kinds.setdefault(mark.series, set()).add(mark.kind)
    return [name for name in series if name and len(kinds[name]) > 1 and "bar" not in kinds[name]]


def frame_of(rows: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    """Give rows that came as tuples, whose order says what is what, as a table."""
    lengths = {len(row) for row in rows} or {3}
    if len(lengths) != 1 or not lengths <= set(_TUPLES):
        raise ChapterError(
            f"rows of {' or '.join(map(str, sorted(lengths)))} parts", where="chart: rows",
            allowed="a table of points, or tuples (series, x, y) or (panel, series, x, y)",
        )  # fmt: skip
    return pd.DataFrame(rows, columns=pd.Index(_TUPLES[lengths.pop()]))


def numbers_of(chapter: Chapter, frame: pd.DataFrame, column: str) -> list[Number | None]:
    """Give a column of quantities, of means, or of a metric of points as numbers.

    None where a row has none. Refuses plain numbers, of which nobody could say where they come
    from (ChapterError).
    """
    if f"{column}_cell" in frame:
        stated = frame[column].notna()
        quantities = chapter.quantities(frame[stated], column)
        found: Iterator[Quantity | Mean] = iter(quantities)
        if f"{column}_runs" in frame:
            found = (mean_of_cells(chapter, one) for one in quantities)
        return [_number(chapter, next(found)) if one else None for one in stated]
    return [_number(chapter, value) for value in frame[column]]


def _number(chapter: Chapter, value: Any) -> Number | None:
    if isinstance(value, Number):
        return value
    if isinstance(value, Mean):
        if value.interval.known:
            return _between(chapter, value.quantity, *value.ends)
        value = value.quantity
    if isinstance(value, Quantity):
        return Number(value, chapter.write(value), value.value, value.value)
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return None
    raise ChapterError(
        f"{in_short(value)} has no origin", where="chart",
        allowed="metrics of points, quantities and means",
    )  # fmt: skip


def _between(chapter: Chapter, quantity: Quantity, low: float, high: float) -> Number:
    """Give a value with the ends of its interval."""
    ends = (chapter.numbers.write(end, quantity.decimals) for end in (low, high))
    return Number(quantity, f"{chapter.write(quantity)} ({' to '.join(ends)})", low, high)


def marks_of(
    chapter: Chapter,
    frame: pd.DataFrame,
    *,
    x: str,
    y: Sequence[str],
    mark: str,
    series: str | None,
    panels: str | None,
    columns: int,
    labels: str | None,
    ends: tuple[str, str] | None,
    names: Mapping[Any, str],
) -> tuple[list[Mark], list[str]]:
    """Turn rows into marks, and name the panels row by row.

    `y` names columns of values; several make a row of panels each, one has `columns` panels
    beside each other. `mark` is a kind of mark, or the column that says which.
    """
    parts = [] if panels is None else values_of(frame[panels])
    levels = list(dict.fromkeys(parts))
    titles = [_named(chapter, panels, level, names) for level in levels] if panels else []
    across: list[Number | None] = [None] * len(frame)
    if f"{x}_cell" in frame or (len(frame) and isinstance(frame[x].iloc[0], (Quantity, Mean))):
        across = numbers_of(chapter, frame, x)
    kinds = list(frame[mark]) if mark in frame and mark not in MARKS else [mark] * len(frame)
    keys = [""] * len(frame) if series is None else values_of(frame[series])
    texts = [""] * len(frame)
    if labels is not None:
        texts = [
            "" if pd.isna(value) else _place_name(chapter, labels, value) for value in frame[labels]
        ]
    marks: list[Mark] = []
    taken: dict[tuple[Any, ...], int] = {}
    for row, column in enumerate(y):
        values = numbers_of(chapter, frame, column)
        for at, value in enumerate(values):
            if value is None:
                continue
            if kinds[at] not in MARKS:
                raise unknown(
                    ChapterError, "mark", str(kinds[at]), MARKS, where="chart",
                    allowed=f"{', '.join(MARKS)}, or a column that says so for each row",
                )  # fmt: skip
            if ends is not None:
                found = (frame[end].iloc[at] for end in ends)
                low, high = (value.value if pd.isna(end) else float(end) for end in found)
                slack = 1e-9 * abs(value.value)
                if not low - slack <= value.value <= high + slack:
                    raise ChapterError(
                        f"the interval from {low:.10g} to {high:.10g} does not hold "
                        f"{value.value:.10g}",
                        where="chart", allowed="ends: the columns of the lower and the upper end",
                    )  # fmt: skip
                if low < high:
                    value = _between(chapter, value.quantity, low, high)
            level = 0 if panels is None else levels.index(parts[at])
            number = across[at]
            place: Any = frame[x].iloc[at] if number is None else number.value
            if pd.isna(place):
                raise ChapterError(
                    f"a row has no {x}", where="chart",
                    remedy=f"choose those that state it: rows[rows['{x}'].notna()]",
                )  # fmt: skip
            name = "" if series is None else _named(chapter, series, keys[at], names)
            if number is None and kinds[at] in _ONCE:
                first = taken.setdefault((row, level, name, place), at)
                if first != at:
                    told = difference_told(frame.iloc[[first, at]], chapter.dictionary)
                    raise ChapterError(
                        f"a {kinds[at]} has two values at {_place_name(chapter, x, place)} of {x}",
                        where="chart", allowed="; ".join(
                            filter(None, ["one for each place, series and panel", told])
                        ),
                        remedy="name what tells them apart as series or panels, or select one of "
                        "them",
                    )  # fmt: skip
            marks.append(
                Mark(
                    kind=kinds[at],
                    panel=(row, level) if len(y) > 1 else divmod(level, columns),
                    panel_name=titles[level] if titles else "",
                    series=name,
                    key=keys[at],
                    x=place if isinstance(place, (str, datetime)) else float(place),
                    place=number.shown if number else _place_name(chapter, x, place),
                    y=value,
                    across=number,
                    label=texts[at],
                )
            )
    return marks, titles


def _named(chapter: Chapter, factor: str, level: Any, names: Mapping[Any, str]) -> str:
    if level in names:
        return names[level]
    entry = chapter.dictionary.factors.get(factor)
    counted = entry is not None and entry.type == "integer"
    # A bare count says of what.
    return chapter.level_named(factor, level) if counted else chapter.level(factor, level)


def _place_name(chapter: Chapter, factor: str, value: Any) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if factor in chapter.dictionary.factors:
        return chapter.level(factor, value)
    return value if isinstance(value, str) else chapter.numbers.exact(value)
