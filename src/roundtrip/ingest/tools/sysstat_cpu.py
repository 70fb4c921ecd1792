"""mpstat and sar of the sysstat tools."""

from __future__ import annotations

import re
from typing import ClassVar

from roundtrip.ingest.printed import number
from roundtrip.ingest.reader import Head, LineReader, under
from roundtrip.ingest.records import Quantity, Sink
from roundtrip.ingest.sysstat import (
    AVERAGE,
    BANNER,
    BUSY,
    CLOCK,
    COMMENT,
    RESTART,
    SINCE_BOOT,
    Clock,
    busy,
    local_date,
    set_by,
)

_KEYS = frozenset({
    "CPU", "INTR", "DEV", "IFACE", "FILESYSTEM", "MOUNTPOINT", "TTY", "BUS", "FAN", "TEMP", "IN",
    "DEVICE", "FCHOST", "BAT", "idvendor", "idprod", "manufact", "product", "NODE",
})  # fmt: skip
_HEADINGS = re.compile(r"^[%A-Za-z][\w%/.+-]*$")
_CLOCK = r"^\d\d:\d\d:\d\d(?: [AP]M)?\s+"
_INTERRUPT = re.compile(r"^(?:\d+|[A-Z]{2,4}\d?)/s$")


class _Sysstat(LineReader):
    """What mpstat and sar have in common."""

    ramps_up, watches = False, "machine"
    quantities: ClassVar[dict[str, Quantity]] = {"cpu": BUSY}
    faults = (SINCE_BOOT,)

    def __init__(self) -> None:
        self._time = Clock()
        self._names: list[str] = []
        self._head_time: float | None = None
        self._taken = False

    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        bare = text.strip()
        if not bare:
            self._names = []
            return sink.count_ignored()
        if match := BANNER.match(bare):
            if self._taken:
                sink.run += 1
            self._names, self._taken = [], False
            self._time.banner(local_date(match["date"] or "", sink))
            set_by(match, sink)
            return sink.count_used()
        if RESTART.match(bare):
            sink.run += 1
            self._time.restart()
            return sink.count_ignored()
        # Means over all rows are not kept, as the rows themselves are.
        if AVERAGE.match(bare):
            self._time.again()
            return sink.count_ignored()
        if COMMENT.match(bare):
            return sink.count_ignored()
        if match := CLOCK.match(bare):
            return self._timed(number, bare, match, sink)
        return f"not a line of {self.title} that is known"

    def _timed(self, line: int, bare: str, match: re.Match[str], sink: Sink) -> str | None:
        time = self._time.at(match)
        if time is None:
            return "a time that is not one"
        cells = bare[match.end() :].split()
        if _is_heading(cells):
            self._names, self._head_time = cells, time
            return sink.count_ignored()
        if not self._names:
            return "a row without headings above it"
        if any(_INTERRUPT.match(name) for name in self._names):
            return sink.count_ignored()  # interrupts of each kind: they are not kept
        values: dict[str, float] = {}
        about = []  # a processor, a device
        for name, cell in under(self._names, cells):
            if name in _KEYS:
                about.append(cell)
            else:
                values[name] = number(cell)
        for name in values:
            unit = "%" if name.startswith("%") else "1/s" if name.endswith("/s") else ""
            sink.quantities.setdefault(name, Quantity(unit))
        values |= busy(values.get("%idle"), values.get("%iowait", values.get("%wio")))
        fault = "since boot" if time == self._head_time else ""
        self._taken = True
        sink.row("interval", line, values, stream=" ".join(about), time=time, fault=fault)
        return sink.count_used()


class Mpstat(_Sysstat):
    """Reads mpstat."""

    name = "mpstat"
    title = "mpstat"

    def confidence(self, head: Head) -> float:
        """Look for its headings: %usr, where sar's short form has %user."""
        headings = r"(?:%usr.*%irq\s+%soft|%user.*%sys\s.*%irq|intr/s)"
        return _confidence(head, rf"{_CLOCK}CPU\s+{headings}")


class Sar(_Sysstat):
    """Reads sar."""

    name = "sar"
    title = "sar"

    def confidence(self, head: Head) -> float:
        """Look for tables that sar has and mpstat has not."""
        return 0.9 * _confidence(head, rf"{_CLOCK}(?:[A-Z]+\s+)?[%A-Za-z]\S*[/%\w-]")


def _confidence(head: Head, heading: str) -> float:
    pattern = re.compile(heading)
    lines = head.lines
    banner = any(BANNER.match(line.strip()) for line in lines[:20])
    found = any(
        pattern.match(line) and _is_heading(line[CLOCK.match(line).end() :].split())  # type: ignore[union-attr]
        for line in lines
        if CLOCK.match(line)
    )
    return 1.0 if banner and found else 0.6 if found else 0.0


def _is_heading(cells: list[str]) -> bool:
    """Whether cells are headings: words, and none of them the name of one processor or device."""
    if not cells or cells[0] == "all":
        return False
    return all(_HEADINGS.match(cell) or _INTERRUPT.match(cell) for cell in cells) and any(
        cell.startswith("%") or "/s" in cell or cell in _KEYS or cell[:2].islower()
        for cell in cells
    )
