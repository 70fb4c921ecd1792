"""vmstat of procps, in its table of processes, memory and processors."""

from __future__ import annotations

import re
from typing import ClassVar

from roundtrip.ingest.printed import LocalTime, peeled, seconds
from roundtrip.ingest.reader import Head, LineReader, under
from roundtrip.ingest.records import Quantity, Sink, Trap
from roundtrip.ingest.sysstat import BUSY, OTHER_ZONE, UTC_NAMES, busy, call_of

_TITLE = re.compile(r"^(?:--)?procs[- ]+memory-+")
_HEADINGS = re.compile(r"^\s*r\s+b\s+swpd\s+free\s+.*\bus\s+sy\s+id\b.*$")
_STAMP = re.compile(r"\s(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$")
_COMMAND = call_of("vmstat")
_UNIT = re.compile(r"\s(?:-\w{0,9}S ?|--unit )([kKmM])\b")
_IN_KIB = {"k": 1000 / 1024, "K": 1.0, "m": 1e6 / 1024, "M": 1024.0}
"""What turns the units of ``-S`` into KiB."""
_PROCESSES = ("r", "b")
_MEMORY = ("swpd", "free", "buff", "cache", "inact", "active")
_EVENTS = ("si", "so", "bi", "bo", "in", "cs")
_PERCENT = ("us", "sy", "id", "wa", "st", "gu")
_NAMES = (*_PROCESSES, *_MEMORY, *_EVENTS, *_PERCENT)
_SIZES = (*_MEMORY, "si", "so")
_MEANS = (*_EVENTS, *_PERCENT)
_PAGE = 21
"""Rows between headings in a file; on a terminal they depend on its height."""


class Vmstat(LineReader):
    """Reads vmstat."""

    name = "vmstat"
    title = "vmstat"
    quantities: ClassVar[dict[str, Quantity]] = {
        "cpu": BUSY,
        **dict.fromkeys(_PROCESSES, Quantity("processes")),
        **dict.fromkeys(_MEMORY, Quantity("KiB")),
        **dict.fromkeys(_EVENTS, Quantity("1/s")),
        **dict.fromkeys(_PERCENT, Quantity("%")),
    }
    traps = (
        Trap("since boot", "suspect",
             "The first row of vmstat holds means since the machine was started: it does not "
             "describe a measured run, and is left out of steady-state values."),
        Trap("sum not 100", "suspect", "The processors' shares do not add up to 100 %."),
        OTHER_ZONE,
    )  # fmt: skip

    def __init__(self) -> None:
        self._names: list[str] = []
        self._rows = 0
        self._usual = 0
        self._first = True
        self._since_boot: dict[str, float | None] = {}
        self._doubtful = False
        self._zone = ""
        self._kib = 1.0

    def confidence(self, head: Head) -> float:
        """Look for its two lines of headings."""
        return 0.98 if head.has(_HEADINGS) else 0.6 if head.has(_TITLE) else 0.0

    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        time, bare = peeled(text)
        if _TITLE.match(bare) or not bare.strip() or _COMMAND.match(bare):
            if _COMMAND.match(bare):
                if self._names:
                    self._begin_call(sink)
                    self._names = []
                unit = _UNIT.search(bare)
                self._kib = _IN_KIB[unit[1]] if unit else 1.0
            return sink.count_ignored()
        if _HEADINGS.match(bare):
            return self._headings(bare, sink)
        if not self._names:
            return "a row without headings above it"
        if match := _STAMP.search(bare):
            moment = seconds(match[1], match[2])
            if self._zone in UTC_NAMES:
                time = moment
            elif not self._zone and time is None:
                time = LocalTime(moment)
            bare = bare[: match.start()]
        cells = bare.split()
        printed = dict(under(self._names, cells))
        if not all(re.fullmatch(r"-?\d{1,18}", cell) for cell in cells):
            return "a cell that is not a whole number"
        values: dict[str, float | None] = {
            name: float(cell) * (self._kib if name in _SIZES else 1.0)
            for name, cell in printed.items()
        }
        if any(float(cell) < 0 for cell in cells):
            return "a number below zero"
        if self._doubtful and self._repeats_first(values):
            self._begin_call(sink)
        self._doubtful = False
        trap = "since boot" if self._first else ""
        if self._first:
            self._since_boot = values
        shares = sum(values.get(name) or 0.0 for name in _PERCENT)
        if not trap and abs(shares - 100) > 3:
            trap = "sum not 100"
        if not trap and time is None and self._zone not in ("", *UTC_NAMES):
            trap = OTHER_ZONE.key
        values |= busy(values.get("id") or 0.0, values.get("wa"))
        self._first = False
        self._rows += 1
        sink.row("interval", number, values, time=time, trap=trap)
        return sink.count_used()

    def _begin_call(self, sink: Sink) -> None:
        """Let what a further call prints be a run of its own, with a first row since boot."""
        sink.run += 1
        self._usual, self._first = 0, True

    def _repeats_first(self, values: dict[str, float | None]) -> bool:
        """Say whether a row holds the means since boot of the first row again, or nearly so."""
        return all(
            abs((values.get(name) or 0.0) - (mean or 0.0)) <= max(1.0, 0.1 * (mean or 0.0))
            for name, mean in self._since_boot.items()
            if name in _MEANS
        )

    def _headings(self, bare: str, sink: Sink) -> str | None:
        """Take headings; repeated at another distance than before they begin a new call.

        At the distance of before they may, unless it is that of a file: the row below them tells.
        """
        names = [name for name in bare.split() if name in _NAMES]
        if self._names:
            if self._usual and self._rows != self._usual:
                self._begin_call(sink)
            else:
                self._usual = self._rows
                self._doubtful = self._rows != _PAGE
        if len(names) != len(set(names)) or names[:2] != ["r", "b"]:
            return "headings of unknown meaning"
        sink.dialect("active memory" if "active" in names else "memory")
        if len(bare.split()) > len(names):
            sink.dialect("with time")
        self._names, self._rows = names, 0
        self._zone = " ".join(word for word in bare.split() if word not in _NAMES)
        return sink.count_ignored()
