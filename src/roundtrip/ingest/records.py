"""What a reader hands over: rows of numbers, settings, and an account of every line."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from roundtrip.ingest.printed import LocalTime
from roundtrip.ingest.settings import Settings
from roundtrip.secrets import Masking, scanned, without_secrets

Kind = Literal["interval", "summary", "event"]
Status = Literal["as_printed", "corrected", "suspect"]
Column = npt.NDArray[Any]
Columns = dict[str, Column]

LINE, STREAM, RUN, TIME, FAULT = "line", "stream", "run", "time", "trap"
"""Columns of every row, as stored series name them."""
CLOCK = "time zone"
"""Setting of an output that prints times without their zone."""
FACTOR = "factor "
"""What the name of a column begins with that holds a factor of each row, as text."""
REPETITION = "repetition"
"""Column with the number of the run that a row is, where something outside of the tool says it."""
_OWN = frozenset({LINE, STREAM, RUN, TIME, FAULT, REPETITION})
LONGEST_KEPT = 400
_ROWS = 8192
_QUANTITIES = 2000
_STREAMS = 4096
OTHER_STREAMS = "(more)"


@dataclass(frozen=True)
class Quantity:
    """What a column holds.

    Attributes
    ----------
    unit : str
        Unit of its values as stored, after conversion.
    metric : str or None
        Metric of the data dictionary that it is, None where the dictionary has none.
    factor : float
        What turns a stored value into the metric's unit.
    combine : {"mean", "max", "min", "last", "sum", "none"}
        How intervals become one value of a point; what a tool sums up itself has none.
    statistic : str
        Statistic of a value in one interval; ``mean`` for a rate or an average.
    """

    unit: str
    metric: str | None = None
    factor: float = 1.0
    combine: Literal["mean", "max", "min", "last", "sum", "none"] = "mean"
    statistic: str = "mean"


@dataclass(frozen=True)
class Fault:
    """A way in which a tool is known to print something wrong or misleading.

    Attributes
    ----------
    key : str
        Short name.
    status : {"as_printed", "corrected", "suspect"}
        Whether the value stands, was computed anew, or could not be.
    says : str
        Why, and what was done.
    of : {"row", "rates", "latencies"}
        Which values of a row it says something of.
    counts : bool
        Whether an interval that shows it counts for a point.
    """

    key: str
    status: Status
    says: str
    of: Literal["row", "rates", "latencies"] = "row"
    counts: bool = True


NOT_FINITE = Fault(
    "not finite", "suspect", "What was printed is no finite number, as after a division by zero. "
    "It is left out.",
)  # fmt: skip


IMPOSSIBLE = Fault(
    "impossible", "suspect", "A value was printed that cannot be: below zero, as of a counter that "
    "ran over, or beyond what any machine does. It is kept with the intervals and left out of "
    "points.",
)  # fmt: skip

TOO_MANY = Fault(
    "too many quantities", "suspect", f"Values of more than {_QUANTITIES:,} names were printed: "
    "those of further names are left out.",
)  # fmt: skip

BROKEN_OFF = Fault(
    "broken off", "suspect", "The run has no totals and fewer than three intervals that count: it "
    "may have ended before the load was steady.",
)  # fmt: skip

OF_ANY_TOOL = (NOT_FINITE, IMPOSSIBLE, TOO_MANY, BROKEN_OFF)
"""What any tool may print."""

_CENTURY = 3.2e9
_LARGEST = {
    "s": _CENTURY, "ms": _CENTURY * 1e3, "µs": _CENTURY * 1e6, "%": 1e6, "B": 1e18, "B/s": 1e14,
    "MiB/s": 1e8, "Gibit/s": 1e6, "1/s": 1e12, "messages/s": 1e12, "round trips/s": 1e12,
    "iterations": 1e15, "messages": 1e15, "operations": 1e15, "writes": 1e15, "threads": 1e9,
    "requesters": 1e9, "processes": 1e9,
}  # fmt: skip
"""The largest value of each unit; the least is zero. Other units have no bounds."""


def possible(values: np.ndarray, unit: str) -> np.ndarray:
    """Say which finite values of a unit can be."""
    if unit not in _LARGEST:
        return np.ones(len(values), dtype=bool)
    found: np.ndarray = (values >= 0) & (values <= _LARGEST[unit])
    return found


@dataclass
class Reject:
    """A line that was not understood.

    Attributes
    ----------
    sha256 : str
        Hash of the line without its secrets, which anyone could try out otherwise; in UTF-8 and
        without its end.
    text : str or None
        The line without its secrets, None unless it was asked for.
    """

    line: int
    reason: str
    sha256: str
    text: str | None = None

    @property
    def cells(self) -> str:
        """Reason, hash and, where it was asked for, text, apart by tabs."""
        cells = (self.reason, self.sha256, *(() if self.text is None else (self.text,)))
        return "\t".join(cell.replace("\t", " ") for cell in cells)


@dataclass
class Account:
    """Lines that gave a value, that are known and hold none, that were not understood."""

    used: int = 0
    ignored: int = 0
    rejected: int = 0

    @property
    def lines(self) -> int:
        """All lines."""
        return self.used + self.ignored + self.rejected


_NEAR = 5


class Sink:
    """Takes what a reader finds and hands it on in columns.

    Parameters
    ----------
    write : callable
        Takes a kind and columns of equal length; called again and again.
    reject : callable
        Takes each line that was not understood.
    texts : bool
        Whether the text of such a line is asked for.
    """

    def __init__(
        self,
        write: Callable[[Kind, Columns], None],
        reject: Callable[[Reject], None],
        texts: bool = False,
    ) -> None:
        self._texts = texts
        self._write = write
        self._reject = reject
        self._waiting: dict[Kind, list[dict[str, Any]]] = {}
        self.account = Account()
        self.settings = Settings()
        self.quantities: dict[str, Quantity] = {}
        self.faults: Counter[str] = Counter()
        self.dialects: dict[str, None] = {}
        self.streams: dict[str, int] = {}
        self.fault_keys: dict[str, int] = {"": 0}
        self.run = 0
        self.repetition: int | None = None
        self.masking, self.masked = Masking(), 0
        self._names: set[str] = set()
        self._rejected = (0, Masking())

    # --- lines ---------------------------------------------------------------------------------
    def count_used(self, lines: int = 1) -> str | None:
        """Count lines that gave a value; give None, as `LineReader.line` does of such a line."""
        self.account.used += lines
        return None

    def count_ignored(self, lines: int = 1) -> str | None:
        """Count lines that are known to hold nothing to keep; give None as `count_used` does."""
        self.account.ignored += lines
        return None

    def rejected(self, line: int, reason: str, text: bytes | str) -> None:
        """Count and keep a line that was not understood."""
        self.account.rejected += 1
        before, masking = self._rejected
        if not before < line < before + _NEAR:
            masking = Masking()
        self._rejected = (line, masking)
        text = masking(decoded(text) if isinstance(text, bytes) else text)
        if self._texts:
            text = scanned(text)
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        found = Reject(line, without_secrets(printable(reason)), digest)
        if self._texts:
            text = printable(text)
            found.text = text[:LONGEST_KEPT] + "…" if len(text) > LONGEST_KEPT else text
        self._reject(found)

    # --- values --------------------------------------------------------------------------------
    def dialect(self, name: str) -> None:
        """Note a dialect of the tool that was seen."""
        self.dialects.setdefault(name)

    def setting(self, name: str, value: str) -> None:
        """Keep something that the output says about how the run was made that it is at."""
        self.settings.say(self.run, printable(name), _kept(value))

    def command(self, options: Mapping[str, str], *, wrapped: bool) -> None:
        """Keep the options of a command that started the run, or of the rest of one."""
        kept = {name: _kept(value) for name, value in options.items()}
        self.settings.command(self.run, kept, wrapped=wrapped)

    def without_zone(self) -> None:
        """Note that the output prints times without their zone."""
        if CLOCK not in self.settings:
            self.setting(CLOCK, "none printed")

    def stream(self, name: str) -> int:
        """Give the number of a series, such as one process of several in one file."""
        name = printable(without_secrets(name))
        if name not in self.streams and len(self.streams) >= _STREAMS:
            name = OTHER_STREAMS
        return self.streams.setdefault(name, len(self.streams))

    def fault(self, key: str) -> int:
        """Give the number of a fault; 0 stands for none."""
        return self.fault_keys.setdefault(key, len(self.fault_keys))

    def mark(self, columns: Columns, key: str, rows: npt.NDArray[np.bool_]) -> None:
        """Note a fault, by its key, of those rows of columns that show it."""
        if rows.any():
            columns[FAULT][rows] = self.fault(key)
            self.faults[key] += int(rows.sum())

    def row(
        self, kind: Kind, line: int, values: Mapping[str, float | str | None], *, stream: str = "",
        time: float | None = None, fault: str = "",
    ) -> None:  # fmt: skip
        """Hand over one row without what is None; what is infinite or too much is marked."""
        rows = self._waiting.setdefault(kind, [])
        rows.append(self.made(line, values, stream, time, fault))
        if len(rows) >= _ROWS:
            self._flush(kind)

    def made(
        self, line: int, values: Mapping[str, float | str | None], stream: str,
        time: float | None, fault: str,
    ) -> dict[str, Any]:  # fmt: skip
        """Make a row for `row`, with what every row has."""
        if isinstance(time, LocalTime):
            self.without_zone()
        # A log may name a value as a column of ours: that one says where the row belongs.
        kept: dict[str, float | str] = {}
        for name, value in values.items():
            if isinstance(value, float) and math.isinf(value):
                fault = fault or NOT_FINITE.key
            elif value is not None:
                own = f"{name} (value)" if name in _OWN else name
                kept[own] = without_secrets(value) if isinstance(value, str) else value
        further = kept.keys() - self._names
        if len(self._names) + len(further) <= _QUANTITIES:
            self._names |= further
        else:
            kept = {name: value for name, value in kept.items() if name in self._names}
            fault = fault or TOO_MANY.key
        if fault:
            self.faults[fault] += 1
        told = {} if self.repetition is None else {REPETITION: self.repetition}
        return {LINE: line, STREAM: self.stream(stream), RUN: self.run, TIME: time,
                FAULT: self.fault(fault), **told, **kept}  # fmt: skip

    def columns(self, kind: Kind, columns: Columns) -> None:
        """Hand over many rows as columns, those of line, stream, run, time and fault among them."""
        if len(columns[LINE]):
            self._flush(kind)
            self._write(kind, columns)

    def flush(self) -> None:
        """Hand on all rows that wait."""
        for kind in list(self._waiting):
            self._flush(kind)

    def _flush(self, kind: Kind) -> None:
        rows = self._waiting.pop(kind, None)
        if rows:
            self._write(kind, columns_of(rows))


def _kept(value: str) -> str:
    return printable(without_secrets(value))[:LONGEST_KEPT]


def columns_of(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Put rows together as columns; what a row lacks is nan, or empty among texts."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns: Columns = {}
    for name in names:
        cells = [row.get(name) for row in rows]
        if name in (LINE, STREAM, RUN, FAULT):
            columns[name] = np.array(cells, dtype=np.int64)
        elif any(isinstance(cell, str) for cell in cells):
            columns[name] = np.array([cell or "" for cell in cells], dtype=object)
        else:
            columns[name] = np.array(
                [np.nan if cell is None else cell for cell in cells], dtype=np.float64
            )
    return columns


def decoded(line: bytes) -> str:
    """Decode a line: UTF-8 where it is valid, else the Windows and DOS code pages' letters."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def printable(text: str) -> str:
    """Show control characters as escapes, so that no output can steer a terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\t" else char.encode("unicode_escape").decode()
        for char in text
    )
