"""iostat of the sysstat tools: processors and devices, short and extended forms."""

from __future__ import annotations

import re
from typing import ClassVar

from roundtrip.ingest.printed import number, seconds
from roundtrip.ingest.reader import Head, LineReader, under
from roundtrip.ingest.records import Quantity, Sink
from roundtrip.ingest.sysstat import (
    BANNER,
    BUSY,
    CLOCK,
    SINCE_BOOT,
    Clock,
    busy,
    call_of,
    local_date,
    set_by,
)

_CPU = re.compile(r"^avg-cpu:\s+(?P<names>%user\s.*)$")
_DEVICE = re.compile(
    r"^(?P<first>Device:?\s+)?(?P<names>(?:r/s|w/s|tps|rrqm/s)\s.*?)(?P<last>\s+Device)?$"
)
_STAMP = re.compile(
    r"^(?P<date>\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4})[ T](?P<clock>\d\d:\d\d:\d\d)(?: (?P<half>[AP]M))?"
    r"(?P<zone>[+-]\d{4}|Z)?$"
)
_HUMAN = re.compile(r"^(-?[\d.,]+)([kKMGT%]?)$")
_SCALE = {"": 1.0, "%": 1.0, "k": 1.0, "K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3}
_COMMAND = call_of("iostat")


class Iostat(LineReader):
    """Reads iostat."""

    name = "iostat"
    title = "iostat"
    ramps_up, watches = False, "machine"
    quantities: ClassVar[dict[str, Quantity]] = {"cpu": BUSY}
    faults = (SINCE_BOOT,)

    def __init__(self) -> None:
        self._names: list[str] = []
        self._table = ""
        self._last = False
        self._time: float | None = None
        self._seen: set[str] = set()
        self._fresh = True

    def confidence(self, head: Head) -> float:
        """Look for its headings."""
        lines = head.lines
        cpu = any(_CPU.match(line) for line in lines)
        device = any(_DEVICE.match(line.strip()) for line in lines)
        return 0.97 if cpu and device else 0.9 if cpu or device else 0.0

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        bare = text.strip()
        if not bare:
            self._table = ""
            return sink.count_ignored()
        if match := BANNER.match(bare):
            self._seen, self._fresh, self._table, self._time = set(), True, "", None
            if self._names:
                sink.run += 1
            set_by(match, sink)
            return sink.count_used()
        if match := _STAMP.match(bare):
            self._time = _moment(match, sink)
            return sink.count_used()
        if _COMMAND.match(bare):
            return sink.count_ignored()
        if match := _CPU.match(bare):
            return self._begin("avg-cpu", match["names"].split(), sink)
        if match := _DEVICE.match(bare):
            self._last = bool(match["last"])
            return self._begin("device", match["names"].split(), sink)
        return self._row(number_, bare, sink) if self._table else "outside of a table"

    def _begin(self, table: str, names: list[str], sink: Sink) -> str | None:
        """Take headings; a kind of table that comes again belongs to a new report."""
        if table in self._seen:
            self._seen, self._fresh = set(), False
        self._seen.add(table)
        self._table, self._names = table, names
        sink.dialect("extended" if "%util" in names else "short" if table == "device" else "cpu")
        for name in names:
            sink.quantities.setdefault(name, Quantity(_unit(name)))
        return sink.count_ignored()

    def _row(self, line: int, bare: str, sink: Sink) -> str | None:
        cells = bare.split()
        device = ""
        if self._table == "device":
            if self._last:
                *cells, device = cells
            else:
                device, *cells = cells
        values: dict[str, float | None] = {}
        for name, cell in under(self._names, cells):
            match = _HUMAN.match(cell)
            if match is None:
                return f"'{cell[:40]}' is not a number"
            values[name] = number(match[1]) * _SCALE[match[2]]
        if self._table == "avg-cpu":
            values |= busy(values.get("%idle"), values.get("%iowait"))
        fault = "since boot" if self._fresh else ""
        sink.row("interval", line, values, stream=device, time=self._time, fault=fault)
        return sink.count_used()


def _unit(name: str) -> str:
    if name.startswith("%"):
        return "%"
    if "await" in name or name == "svctm":
        return "ms"
    if name.endswith("/s") and "_" in name:
        return name.partition("_")[0] + "/s"
    return "1/s" if name in ("tps", "r/s", "w/s", "d/s", "f/s") else name


def _moment(match: re.Match[str], sink: Sink) -> float | None:
    if match["zone"]:
        try:
            return seconds(match["date"], match["clock"], None, match["zone"])
        except ValueError:
            return None
    day, clock = local_date(match["date"], sink), Clock()
    clock.banner(day)
    shown = CLOCK.match(f"{match['clock']} {match['half'] or ''} ")
    return None if day is None or shown is None else clock.at(shown)
