"""amqsrua: resource-usage publications of a queue manager.

Forms of the lines: the sample ``amqsruaa.c`` of IBM MQ. A publication has one line for each element
of its class and type, after the object's name where there is one; which elements there are, the
queue manager decides. Lines are read from the right: value and rate first, what is left is the name
of the element.
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal, NamedTuple

from roundtrip.dictionary import FactorValue
from roundtrip.ingest.printed import peeled, seconds
from roundtrip.ingest.reader import Head, LineReader
from roundtrip.ingest.records import Fault, Quantity, Sink

_BEGIN = re.compile(
    r"^Publication received PutDate: ?(?P<date>\d{8}) PutTime: ?(?P<time>[\d ]{8})"
    r"(?: Interval: ?(?P<interval>.*?) ?seconds?)? *$"
)
_ELEMENT = re.compile(
    r"^(?P<name>.*?\S)\s+(?P<value>-?\d{1,20}(?:\.\d{1,4})?)"
    r"(?P<unit>%|KB|MB|GB|\s?uSec|)?(?:\s+(?P<rate>-?\d{1,20})/sec)?\s*$"
)
_OBJECT_WIDTH = 48
_PROMPT = re.compile(
    r"^(?:==> ?.*|Enter (?:Class|Type) selection|Enter object name|"
    r"An object name is required for Class\(\S+\) Type\(\S+\)|[A-Z][A-Z0-9_]{1,20} : .+|"
    r"Invalid (?:Class|Type) \(.*\) supplied|\s*)$"
)
_COMMAND = re.compile(r"^(?:\[[^\]]*\][$#>]?|[$#>])? ?(?:\S*/)?amqsrua(?:\s.*)?$")
_COUNT = re.compile(r"count|bytes (?:written|sent|received|decompressed)$")
"""An element that counts events: without a printed rate, its rate is zero."""
_BINARY = {"KB": 1024.0, "MB": 1024.0**2, "GB": 1024.0**3}

# Elements that the data dictionary has a metric for, by the end of their name.
_METRICS = {
    "Log - write latency": "log_write_latency",
    "Log - write size": "log_write_size",
    "Log - slowest write since restart": "log_slowest_write",
    "Backlog bytes": "backlog",
    "Backlog average bytes": "backlog",
    "Average network round trip time": "network_round_trip_time",
    "Log write average acknowledgement latency": "acknowledgement_latency",
    "Log write average acknowledgement size": "acknowledgement_size",
    "Rebase count": "rebases",
    "Log file system - bytes in use": "log_file_system_used",
    "Queue Manager file system - bytes in use": "queue_manager_file_system_used",
}
_COMBINED: dict[str, Literal["max", "sum"]] = {
    "Log - slowest write since restart": "max", "Rebase count": "sum",
}  # fmt: skip
"""Elements whose intervals have no mean that would say anything."""


class _Publication(NamedTuple):
    """What was published of one object, or of the queue manager itself: its owner is empty."""

    line: int
    elements: dict[str, float | str]
    owner: str
    time: float | None
    fault: str


class Amqsrua(LineReader):
    """Reads amqsrua."""

    name = "amqsrua"
    title = "amqsrua"
    implied: ClassVar[dict[str, FactorValue]] = {"product": "IBM MQ"}
    ramps_up, watches = False, "broker"
    quantities: ClassVar[dict[str, Quantity]] = {"interval": Quantity("s")}
    faults = (
        Fault("long first interval", "suspect",
              "The first publication after subscribing covers the time since the queue manager "
              "last published, which can be far longer than the others: its counts and rates do "
              "not describe the measured run. It is left out of steady-state values.",
              counts=False),
        Fault("no interval", "suspect",
              "The publication does not say how long its interval was: counts have no rate."),
    )  # fmt: skip

    def __init__(self) -> None:
        self._emitted = False
        self._row: dict[str, float | str] = {}
        self._at, self._object = 0, ""
        self._moment: float | None = None
        self._first = True
        self._fault = ""
        self._held: _Publication | None = None

    def confidence(self, head: Head) -> float:
        """Look for publications."""
        if any(_BEGIN.match(line.strip()) for line in head.bare):
            return 0.9
        return 0.6 if head.has(_COMMAND) else 0.0

    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        _, bare = peeled(text.rstrip())
        if match := _BEGIN.match(bare.strip()):
            return self._publication(number, match, sink)
        if not bare.strip():
            self._finish(sink)
            return sink.count_ignored()
        if _COMMAND.match(bare):
            self._begin_call(sink)
            return sink.count_ignored()
        if _PROMPT.match(bare) and not (self._at and _ELEMENT.match(bare)):
            if bare.startswith("==> "):
                sink.setting("selection", bare[4:].strip())
            return sink.count_ignored()
        if self._at and (match := _ELEMENT.match(bare)):
            return self._element(number, bare, match, sink)
        return "not a line of amqsrua that is known"

    def end(self, sink: Sink) -> None:
        """Hand over the last publication."""
        self._finish(sink)
        self._release(sink)

    def _begin_call(self, sink: Sink) -> None:
        """Let what a further call prints be a run of its own, with a first publication."""
        self._finish(sink)
        self._release(sink)
        if self._emitted:
            sink.run += 1
        self._emitted, self._first = False, True

    def _publication(self, number: int, match: re.Match[str], sink: Sink) -> str | None:
        self._finish(sink)
        date, time = match["date"], match["time"].replace(" ", "0")
        moment = seconds(
            f"{date[:4]}-{date[4:6]}-{date[6:]}", f"{time[:2]}:{time[2:4]}:{time[4:6]}", time[6:]
        )
        length = _interval(match["interval"]) if match["interval"] else None
        self._moment, self._at = moment, number
        self._row = {} if length is None else {"interval": length}
        self._fault = "" if length else "no interval"
        return sink.count_used()

    def _element(self, number: int, bare: str, match: re.Match[str], sink: Sink) -> str | None:
        unit = match["unit"].strip()
        owner, name = _owner_and_element(bare, match["name"])
        if owner and self._object and owner != self._object:
            self._finish(sink, keep=True)
            self._at = number
        self._object = owner
        self._row[name] = float(match["value"]) * _BINARY.get(unit, 1.0)
        shown = {"uSec": "µs", "%": "%"}.get(unit, "B" if unit in _BINARY else "")
        sink.quantities.setdefault(
            name, Quantity(shown, _METRICS.get(name), combine=_COMBINED.get(name, "mean"))
        )
        if not unit and "interval" in self._row:
            # The tool leaves out a rate of zero; a count over an interval has one all the same.
            rate = float(match["rate"]) if match["rate"] else None
            if rate is not None or _COUNT.search(name):
                self._row[f"{name} per second"] = rate or 0.0
                sink.quantities.setdefault(f"{name} per second", Quantity("1/s"))
        return sink.count_used()

    def _finish(self, sink: Sink, *, keep: bool = False) -> None:
        """Hand over a publication; the first waits until its interval can be judged."""
        if not self._at or (len(self._row) <= 1 and not self._object):
            if not keep:
                self._at, self._row, self._object = 0, {}, ""
            return
        entry = _Publication(self._at, self._row, self._object, self._moment, self._fault)
        length = self._row.get("interval")
        if self._held is not None:
            first = self._held.elements.get("interval")
            if isinstance(first, float) and isinstance(length, float) and first > 1.5 * length:
                self._held = self._held._replace(fault="long first interval")
            self._release(sink)
        if self._first:
            self._held, self._first = entry, False
        else:
            self._emit(entry, sink)
        interval = {"interval": length} if keep and isinstance(length, float) else {}
        self._row, self._object = dict(interval), ""
        self._at = self._at if keep else 0

    def _release(self, sink: Sink) -> None:
        if self._held is not None:
            self._emit(self._held, sink)
            self._held = None

    def _emit(self, one: _Publication, sink: Sink) -> None:
        self._emitted = True
        sink.row("interval", one.line, one.elements, stream=one.owner, time=one.time,
                 fault=one.fault)  # fmt: skip


def _owner_and_element(bare: str, name: str) -> tuple[str, str]:
    """Tell the object's name, padded to 48 characters, from the name of the element.

    Documents change the padding to fewer blanks, so that any run of two blanks or more ends the
    object's name; names of elements hold single blanks only.
    """
    if bare[:1].isspace():
        return "", name.strip()
    if len(bare) > _OBJECT_WIDTH and " " not in bare[:_OBJECT_WIDTH]:
        return bare[:_OBJECT_WIDTH], name[_OBJECT_WIDTH:].strip()
    owner, *element = re.split(r"\s{2,}", name, maxsplit=1)
    if element:
        return owner.strip(), re.sub(r"\s{2,}", " ", element[0])
    return "", name


def _interval(text: str) -> float:
    """Give seconds of ``2 days,3 hours,4 minutes,5.678``, which the tool prints without blanks."""
    match = re.fullmatch(
        r"(?:(\d{1,9}) ?days?,)?(?:(\d{1,9}) ?hours?,)?(?:(\d{1,9}) ?minutes?,)?(\d{1,9}\.\d{3})",
        text.strip(),
    )
    if not match:
        raise ValueError("an interval that is not one")
    days, hours, minutes, rest = match.groups()
    return int(days or 0) * 86400 + int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(rest)
