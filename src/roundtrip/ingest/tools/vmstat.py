"""vmstat of procps, in its table of processes, memory and processors."""

from __future__ import annotations

import re
from typing import ClassVar

from roundtrip.ingest.printed import LocalTime, number, peeled, seconds
from roundtrip.ingest.reader import Head, LineReader, under
from roundtrip.ingest.records import Quantity, Sink
from roundtrip.ingest.sysstat import BUSY, OTHER_ZONE, SINCE_BOOT, UTC_NAMES, busy, call_of

_TITLE = re.compile(r"^(?:--)?procs[- ]+memory-+")
_HEADINGS = re.compile(r"^\s*r\s+b\s+swpd\s+free\s+.*\bus\s+sy\s+id\b.*$")
_STAMP = re.compile(r"\s(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$")
_COMMAND = call_of("vmstat")
_PROCESSES = ("r", "b")
_MEMORY = ("swpd", "free", "buff", "cache", "inact", "active")
_EVENTS = ("si", "so", "bi", "bo", "in", "cs")
_PERCENT = ("us", "sy", "id", "wa", "st", "gu")
_NAMES = (*_PROCESSES, *_MEMORY, *_EVENTS, *_PERCENT)


class Vmstat(LineReader):
    """Reads vmstat."""

    name = "vmstat"
    title = "vmstat"
    ramps_up, watches = False, "machine"
    quantities: ClassVar[dict[str, Quantity]] = {
        "cpu": BUSY,
        **dict.fromkeys(_PROCESSES, Quantity("processes")),
        **dict.fromkeys(_MEMORY, Quantity("")),  # KiB, unless the call says another unit (-S)
        **dict.fromkeys(_EVENTS, Quantity("1/s")),
        **dict.fromkeys(_PERCENT, Quantity("%")),
    }
    faults = (SINCE_BOOT, OTHER_ZONE)

    def __init__(self) -> None:
        self._names: list[str] = []
        self._rows = 0
        self._usual = 0
        self._first = True
        self._zone = ""

    def confidence(self, head: Head) -> float:
        """Look for its two lines of headings."""
        return 0.98 if head.has(_HEADINGS) else 0.6 if head.has(_TITLE) else 0.0

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        time, bare = peeled(text)
        if _TITLE.match(bare) or not bare.strip() or _COMMAND.match(bare):
            if self._names and _COMMAND.match(bare):
                self._begin_call(sink)
                self._names = []
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
        values: dict[str, float | None] = {
            name: number(cell) for name, cell in under(self._names, bare.split())
        }
        fault = "since boot" if self._first else ""
        if not fault and time is None and self._zone not in ("", *UTC_NAMES):
            fault = OTHER_ZONE.key
        values |= busy(values.get("id") or 0.0, values.get("wa"))
        self._first = False
        self._rows += 1
        sink.row("interval", number_, values, time=time, fault=fault)
        return sink.count_used()

    def _begin_call(self, sink: Sink) -> None:
        """Let what a further call prints be a run of its own, with a first row since boot."""
        sink.run += 1
        self._usual, self._first = 0, True

    def _headings(self, bare: str, sink: Sink) -> str | None:
        """Take headings; changed, or repeated at another distance, they begin a new call."""
        names = [name for name in bare.split() if name in _NAMES]
        if len(names) != len(set(names)) or names[:2] != ["r", "b"]:
            return "headings of unknown meaning"
        if self._names:
            if names != self._names or (self._usual and self._rows != self._usual):
                self._begin_call(sink)
            else:
                self._usual = self._rows
        sink.dialect("active memory" if "active" in names else "memory")
        if len(bare.split()) > len(names):
            sink.dialect("with time")
        self._names, self._rows = names, 0
        self._zone = " ".join(word for word in bare.split() if word not in _NAMES)
        return sink.count_ignored()
