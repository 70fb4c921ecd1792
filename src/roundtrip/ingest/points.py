"""Points from intervals: ramp-up and shutdown cut, the steady part averaged.

The rule. Intervals that the tool itself marks as warm-up, and those that are known not to describe
the run (the first row of vmstat), do not count. Where the tool prints how many threads ran, the
run is steady from the interval after the one that first shows the largest number, to the last one
that shows it. Where it does not, the first interval is left out, in which the load began. Rows of a
rolling mean count once their window has passed.

The interval of the mean rests on the intervals themselves where they are 32 or fewer and do not
overlap. Otherwise it is that of batch means: up to 16 batches of successive intervals, whose means
vary independently where the intervals themselves do not. It says how well this run's mean is known.
What another run would give, only repetitions tell.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from roundtrip.ingest.context import Steady
from roundtrip.ingest.reader import Reader
from roundtrip.ingest.records import (
    BROKEN_OFF,
    FACTOR,
    FAULT,
    IMPOSSIBLE,
    LINE,
    REPETITION,
    RUN,
    STREAM,
    TIME,
    Columns,
    Quantity,
    possible,
)
from roundtrip.ingest.result import FileResult
from roundtrip.ingest.settings import Settings
from roundtrip.stats.intervals import mean_interval

_BINS = 64
_BATCHES = 16
_FEW = 3
_ROLLING = "rolling_rate"
_MOST_GROUPS = 20_000
_STATISTICS = {
    **{name: name for name in ("p50", "p75", "p90", "p95", "p99", "p999", "p9999")},
    "max": "maximum", "min": "minimum",
}  # fmt: skip
"""What the end of the name of a value that the tool summed up says of its statistic."""
_NOT_VALUES = (LINE, STREAM, RUN, TIME, FAULT, REPETITION, "warmup", "elapsed")


@dataclass
class Value:
    """One value of a point.

    Attributes
    ----------
    quantity : str
        Column that it comes from.
    low, high : float or None
        Interval of the mean within the run.
    intervals : int
        How many intervals it rests on; 0 for what the tool summed up itself.
    impossible : int
        How many values were left out because they cannot be.
    """

    quantity: str
    statistic: str
    value: float
    low: float | None = None
    high: float | None = None
    intervals: int = 0
    impossible: int = 0


@dataclass
class Point:
    """What was seen at one operating point.

    Attributes
    ----------
    stream, run : str, int
        Series and run within the file.
    line : int
        First line that it rests on.
    begin, end : float or None
        Its time, where the tool has a clock.
    faults : list of str
        Known faults among its intervals.
    note : str
        How it was cut.
    factors : dict
        What the row itself says was set, as text.
    repetition : int or None
        Which run of its point it is, where the row itself says so.
    """

    stream: str
    run: int
    line: int
    begin: float | None
    end: float | None
    values: list[Value] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    note: str = ""
    factors: dict[str, str] = field(default_factory=dict)
    repetition: int | None = None

    @property
    def summed_up(self) -> bool:
        """Whether the tool itself summed it up: no value rests on intervals."""
        return not any(value.intervals for value in self.values)


@dataclass
class _Extent:
    """Where the intervals of one series and run lie, and over how many of them each is a mean."""

    count: int = 0
    overlap: int = 1
    most: float = -math.inf
    first_most: int = 0
    last_most: int = 0


def points_of(result: FileResult, steady: Steady) -> list[Point]:
    """Give the points of an input: one for each run and series, one for each printed summary.

    `steady` says what to cut beside the rule.
    """
    points = list(_of_intervals(result, steady)) if "interval" in result.rows else []
    return points + (list(_of_summaries(result)) if "summary" in result.rows else [])


def _of_intervals(result: FileResult, steady: Steady) -> Iterator[Point]:
    extents = _extents(result)
    bins: dict[tuple[int, int], _Bins] = {}
    notes: dict[tuple[int, int], str] = {}
    for key, extent in extents.items():
        first, last, notes[key] = _cut(extent, result.reader, steady)
        bins[key] = _Bins(first, last, result.quantities, extent.overlap)
    places: dict[tuple[int, int], int] = dict.fromkeys(extents, 0)
    streams, faults = list(result.streams), list(result.fault_keys)
    totals = result.rows["summary"].batches() if "summary" in result.rows else ()
    totalled = {int(run) for columns in totals for run in np.unique(columns[RUN])}
    for columns, key, rows in _groups(result):
        if key not in bins:
            continue
        ordinals = places[key] + np.arange(int(rows.sum()))
        places[key] += len(ordinals)
        bins[key].add({name: column[rows] for name, column in columns.items()}, ordinals)
    for (run, stream), kept in bins.items():
        if not kept.rows:
            continue
        point = Point(
            streams[stream], run, kept.line,
            None if math.isinf(kept.begin) else kept.begin,
            None if math.isinf(kept.end) else kept.end, note=notes[run, stream],
        )  # fmt: skip
        point.faults = [faults[number] for number in sorted(kept.faults) if number]
        if kept.rows < _FEW and result.reader and result.reader.drives and run not in totalled:
            point.faults.append(BROKEN_OFF.key)
            result.faults[BROKEN_OFF.key] += 1
        if kept.impossible.total():
            result.faults[IMPOSSIBLE.key] += kept.impossible.total()
        for name, sums in kept.sums.items():
            quantity = result.quantities.get(name, Quantity(""))
            value = sums.value(name, quantity, kept.overlap if name == _ROLLING else 1)
            if value is not None:
                value.impossible = kept.impossible[name]
                point.values.append(value)
        if point.values:
            yield point


def _groups(result: FileResult) -> Iterator[tuple[Columns, tuple[int, int], np.ndarray]]:
    """Give the rows of each series and run, batch by batch, without those that never count."""
    uncounted = {fault.key for fault in result.explained.values() if not fault.counts}
    dropped = [number for key, number in result.fault_keys.items() if key in uncounted]
    for columns in result.rows["interval"].batches():
        keep = ~np.isin(columns[FAULT], dropped)
        if "warmup" in columns:
            keep &= ~(columns["warmup"] == 1)
        code = columns[RUN] * (1 << 20) + columns[STREAM]
        for value in np.unique(code[keep]):
            yield columns, (int(value) >> 20, int(value) & 0xFFFFF), keep & (code == value)


def _extents(result: FileResult) -> dict[tuple[int, int], _Extent]:
    extents: dict[tuple[int, int], _Extent] = {}
    for columns, key, rows in _groups(result):
        if key not in extents and len(extents) >= _MOST_GROUPS:
            continue
        extent = extents.setdefault(key, _Extent())
        if _ROLLING in columns and np.isfinite(columns[_ROLLING][rows]).any():
            extent.overlap = _window(result.settings, key[0])
        if "threads" in columns:
            threads = columns["threads"][rows]
            places = extent.count + np.arange(len(threads))
            most = float(np.nanmax(threads, initial=-math.inf))
            here = places[threads == most]
            if most > extent.most and len(here):
                extent.most, extent.first_most = most, int(here[0])
            if most == extent.most and len(here):
                extent.last_most = int(here[-1])
        extent.count += int(rows.sum())
    return extents


def _window(settings: Settings, run: int) -> int:
    """Give how many rows a rolling mean covers: JMSPerfHarness takes 30 s (-sr) each 10 s (-ss)."""
    told = (settings.one(run, "rolling window"), settings.one(run, "interval"))
    window, step = (
        int(text) if re.fullmatch(r"[1-9]\d{0,5}", text) else usual
        for text, usual in zip(told, (30, 10), strict=True)
    )
    return math.ceil(window / step)


def _cut(extent: _Extent, reader: Reader | None, steady: Steady) -> tuple[int, int, str]:
    """Give the first and the last interval that count, and why, in words."""
    first, last, why = 0, extent.count - 1, "all intervals"
    if extent.most > -math.inf:
        first, last = extent.first_most, extent.last_most
        if first > 0 or last - first >= 3:
            first += extent.overlap
        why = f"steady part: after all {extent.most:.0f} threads ran"
        why += " for a rolling window" if extent.overlap > 1 else ""
    elif reader and reader.ramps_up and extent.count >= 3:
        first, why = 1, "without the first interval"
    if last < first:
        first, last, why = 0, extent.count - 1, "all intervals: none shows a steady part"
    first, last = first + steady.skip_first, last - steady.skip_last
    if last < first:
        return 0, extent.count - 1, "all intervals: what campaign.yml leaves out is all of them"
    if steady.skip_first or steady.skip_last:
        why += f", {steady.skip_first} first and {steady.skip_last} last ones left out"
    return first, last, why


class _Sums:
    """Sums of one quantity over bins of successive intervals."""

    def __init__(self) -> None:
        self.total = np.zeros(_BINS)
        self.count = np.zeros(_BINS)
        self.most, self.least, self.last = -math.inf, math.inf, math.nan

    def value(self, name: str, quantity: Quantity, overlap: int) -> Value | None:
        """Give the value of the steady part, None where there is none."""
        rows = int(self.count.sum())
        if not rows or quantity.combine == "none":
            return None
        if quantity.combine != "mean":
            statistic, value = {
                "max": ("maximum", self.most), "min": ("minimum", self.least),
                "last": ("single", self.last), "sum": ("total", float(self.total.sum())),
            }[quantity.combine]  # fmt: skip
            return Value(name, statistic, value, intervals=rows)
        mean = float(self.total.sum() / rows)
        low, high = self._interval(overlap)
        statistic = "steady" if quantity.statistic == "mean" else quantity.statistic
        return Value(name, statistic, mean, low, high, rows)

    def _interval(self, overlap: int) -> tuple[float | None, float | None]:
        """Give the interval of the mean by batch means."""
        filled = self.count > 0
        totals, counts = self.total[filled], self.count[filled]
        batches = min(_BATCHES, len(totals), int(counts.sum()) // overlap)
        if batches < 3:
            return None, None
        edges = np.linspace(0, len(totals), batches + 1).astype(int)[:-1]
        if counts.max() == 1 and overlap == 1 and len(totals) <= 2 * _BATCHES:
            means = totals
        else:
            means = np.add.reduceat(totals, edges) / np.add.reduceat(counts, edges)
        interval = mean_interval(means.tolist())
        return (interval.low, interval.high) if interval.known else (None, None)


class _Bins:
    """The intervals of one series and run that count."""

    def __init__(
        self, first: int, last: int, quantities: Mapping[str, Quantity], overlap: int
    ) -> None:
        self.first, self.last, self.overlap = first, last, overlap
        self.impossible: Counter[str] = Counter()
        self._quantities = quantities
        self.sums: dict[str, _Sums] = {}
        self.rows, self.line = 0, 0
        self.begin, self.end = math.inf, -math.inf
        self.faults: set[int] = set()

    def add(self, columns: Columns, ordinals: np.ndarray) -> None:
        """Add intervals with their places."""
        inside = (ordinals >= self.first) & (ordinals <= self.last)
        if not inside.any():
            return
        length = self.last - self.first + 1
        place = (ordinals[inside] - self.first) * _BINS // max(length, _BINS)
        if not self.rows:
            self.line = int(columns[LINE][inside][0])
        self.rows += int(inside.sum())
        self.faults.update(int(number) for number in np.unique(columns[FAULT][inside]))
        time = columns[TIME][inside].astype(float)
        time = time[np.isfinite(time)]
        if len(time):
            self.begin, self.end = min(self.begin, time.min()), max(self.end, time.max())
        for name, column in columns.items():
            if name in _NOT_VALUES or column.dtype == object:
                continue
            values = column[inside].astype(float)
            good = np.isfinite(values)
            quantity = self._quantities.get(name)
            if quantity is not None:
                can_be = possible(values, quantity.unit)
                self.impossible[name] += int((good & ~can_be).sum())
                good &= can_be
            if not good.any():
                continue
            sums = self.sums.setdefault(name, _Sums())
            sums.total += np.bincount(place[good], values[good], _BINS)
            sums.count += np.bincount(place[good], minlength=_BINS)
            sums.most = max(sums.most, float(values[good].max()))
            sums.least = min(sums.least, float(values[good].min()))
            sums.last = float(values[good][-1])


def _of_summaries(result: FileResult) -> Iterator[Point]:
    """Give a point for each line in which the tool itself summed up a run."""
    said = result.reader.summary_note if result.reader else ""
    streams, faults = list(result.streams), list(result.fault_keys)
    for columns in result.rows["summary"].batches():
        factors = [name for name in columns if name.startswith(FACTOR)]
        names = [
            name for name, column in columns.items()
            if name not in _NOT_VALUES and column.dtype != object
        ]  # fmt: skip
        for index in range(len(columns[LINE])):
            row = {name: column[index] for name, column in columns.items()}
            time, fault = float(row[TIME]), int(row[FAULT])
            moment = time if math.isfinite(time) else None
            point = Point(
                streams[int(row[STREAM])], int(row[RUN]), int(row[LINE]), moment, moment,
                faults=[faults[fault]] if fault else [], note=said,
                factors={name.removeprefix(FACTOR): str(row[name]) for name in factors
                         if row[name]},
                repetition=int(row[REPETITION]) if REPETITION in row else None,
            )  # fmt: skip
            for name in names:
                value = float(row[name])
                if math.isfinite(value):
                    quantity = result.quantities.get(name, Quantity(""))
                    if not possible(np.array([value]), quantity.unit)[0]:
                        point.note += f"; {name} could not be and is left out"
                        result.faults[IMPOSSIBLE.key] += 1
                        continue
                    _, mark, end = name.rpartition("_")
                    statistic = _STATISTICS.get(end) if mark else None
                    point.values.append(Value(name, statistic or quantity.statistic, value))
            if point.values:
                yield point
