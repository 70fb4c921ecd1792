"""cphtestp and jmstestp, IBM's containers around the load drivers: results for people and as CSV.

Forms of the lines: ``cphTest.sh`` of ibm-messaging/cphtestp and ``jmsTest.sh`` of
ibm-messaging/jmstestp.
"""

from __future__ import annotations

import re
from typing import ClassVar

from roundtrip.dictionary import FactorValue
from roundtrip.ingest.printed import number, peeled, unix_date
from roundtrip.ingest.reader import Head, LineReader, share_of
from roundtrip.ingest.records import Fault, Quantity, Sink

_TITLE = re.compile(r"^(CPH|JMS) Test Results$")
_TESTING = re.compile(r"^Testing QM: \S+ on host:")
_SIZE = re.compile(r"^(\d{1,12})([KkMm])?$")
_PAIR = re.compile(r"^(threads|avgRate|CPU|Read|Write|Recv|Send|QM_CPU)=(.*)$")
_CSV_HEAD = re.compile(r"^# Persistence, ?Msg Size, ?Threads, ?Rate")
_CSV = re.compile(r"^[01],\d{1,12},\d{1,9}(?:,[-\w.]*){7}$")
_SETTINGS = (
    (re.compile(r"^Running (Non Persistent|Persistent) Messaging Tests$"), ("delivery",)),
    (re.compile(r"^Testing QM: (\S+) on host: \S* using port: \S* and channel: (\S*)$"),
     ("queue manager", "channel")),
    (re.compile(r"^Clients using auto reconnect option: (\S+)$"), ("reconnect",)),
    (re.compile(r"^(Clients using message compression)\..*$"), ("compression",)),
    (re.compile(r"^(?:JMS )?TLS Cipher: (\S*)$"), ("cipher",)),
    (re.compile(r"^MQI TLS Cipher: (\S*)$"), ("MQI cipher",)),
    (re.compile(r"^# TLS Cipher: ?(\S*)$"), ("cipher",)),
    (re.compile(r"^Using the following progression of concurrent connections: ([\d ]+)$"),
     ("requesters",)),
    (re.compile(r"^Using (\d+) responder threads$"), ("responders",)),
    (re.compile(r"^Starting test with (\d+) (?:JMS )?requesters$"), ("requesters of the run",)),
    (re.compile(r"^Extra (?:CPH|JMS) flags: (.*)$"), ("extra flags",)),
)  # fmt: skip
_OTHER = re.compile(
    r"^(?:-{4,}|Initialising test environment-+|Starting (?:cph|JMS) tests-+|"
    r"(?:cph|jms) testing finished.*|# CSV Results|Using the following message sizes: ?|"
    r"Using userid: .*|\s*)$"
)
_COLUMNS = ("rate", "cpu", "read", "write", "received", "sent", "qm_cpu")
_NAMES = {
    "avgRate": "rate", "CPU": "cpu", "Read": "read", "Write": "write", "Recv": "received",
    "Send": "sent", "QM_CPU": "qm_cpu",
}  # fmt: skip


class CphTestp(LineReader):
    """Reads the results of cphtestp and jmstestp."""

    name = "cphtestp"
    title = "cphtestp/jmstestp"
    implied: ClassVar[dict[str, FactorValue]] = {"product": "IBM MQ"}
    role = "requesters"
    quantities: ClassVar[dict[str, Quantity]] = {
        # Resources are those of the last minute; `cpu` that of the client machine.
        "cpu": Quantity("%"),
        "read": Quantity("MiB/s"),
        "write": Quantity("MiB/s"),
        "received": Quantity("Gibit/s"),
        "sent": Quantity("Gibit/s"),
        "qm_cpu": Quantity("%", "cpu"),
        "requesters": Quantity("requesters"),
        "message_bytes": Quantity("B"),
        "persistent": Quantity("0/1"),
        "rate": Quantity("round trips/s", "round_trip_rate"),
    }
    faults = (
        Fault("no data", "suspect",
              "-1 stands for no data: no sample was taken in the last minute of the run. Left "
              "out."),
        Fault("no rate", "suspect", "The load driver printed no summary: the run failed.",
              of="rates"),
    )  # fmt: skip

    def __init__(self) -> None:
        self._size: float | None = None
        self._time: float | None = None
        self._run: dict[str, float] = {}
        self._at = 0
        self._missing: str = ""
        self._told: set[tuple[float, float, float]] = set()
        self._given: set[str] = set()  # forms of the results of this call

    def confidence(self, head: Head) -> float:
        """Look for its title, its results and the header of its CSV."""
        lines = [line.strip() for line in head.bare]
        if any(_CSV_HEAD.match(line) for line in lines):
            return 1.0
        pairs = sum(1 for line in lines if _PAIR.match(line))
        if pairs >= 3 or any(_TITLE.match(line) or _TESTING.match(line) for line in lines):
            return 0.95
        return 0.7 if share_of(lines, _CSV) > 0.5 else 0.0

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        _, bare = peeled(text)
        bare = bare.strip()
        if match := _PAIR.match(bare):
            return self._pair(number_, match[1], match[2].strip(), sink)
        if match := _SIZE.match(bare):
            scale = {"k": 1024, "m": 1 << 20}.get((match[2] or "").lower(), 1)
            self._finish(sink)
            self._size = float(int(match[1]) * scale)
            return sink.count_used()
        if match := _TITLE.match(bare):
            self._begin(sink, "text", "CSV")
            sink.dialect(f"{match[1]}, for people")
            sink.setting("api", {"CPH": "MQI"}.get(match[1], match[1]))
            return sink.count_ignored()
        if _CSV.match(bare):
            return self._csv(number_, bare, sink)
        if bare.startswith("# "):
            self._begin(sink, "CSV")
        elif bare.startswith("Running "):
            self._begin(sink, "text", "CSV")
        if _CSV_HEAD.match(bare):
            sink.dialect("CSV")
            return sink.count_ignored()
        for pattern, names in _SETTINGS:
            if match := pattern.match(bare):
                for name, value in zip(names, match.groups(), strict=True):
                    sink.setting(name, value)
                return sink.count_used()
        time = unix_date(bare.lstrip("# "))
        if time is not None:
            self._time = time
            return sink.count_used()
        if _OTHER.match(bare):
            self._finish(sink)
            return sink.count_ignored()
        return "not a line of cphtestp or jmstestp that is known"

    def end(self, sink: Sink) -> None:
        """Hand over the last run."""
        self._finish(sink)

    def _begin(self, sink: Sink, *forms: str) -> None:
        """Let another call begin where results of some forms were printed already."""
        self._finish(sink)
        if self._given.intersection(forms):
            sink.run += 1
            sink.command({}, wrapped=False)  # a call says all that was set
            self._given, self._size = set(), None

    def _pair(self, line: int, name: str, text: str, sink: Sink) -> str | None:
        if name == "threads":
            if not re.fullmatch(r"\d{1,9}", text):
                return "a number of threads that is not one"
            self._finish(sink)
            self._run, self._at = {"requesters": float(text)}, line
            return sink.count_used()
        value = number(text) if text else None
        if not self._at:
            return f"{name} without the number of threads before it"
        if value is None or (value < 0 and name != "avgRate"):
            self._missing = "no rate" if name == "avgRate" else "no data"
        elif value < 0:
            return "a rate below zero"
        else:
            self._run[_NAMES[name]] = value
        return sink.count_used()

    def _finish(self, sink: Sink) -> None:
        """Hand over a run that was printed line by line."""
        if not self._at:
            return
        values = dict(self._run)
        if self._size is not None:
            values["message_bytes"] = self._size
        sink.row("summary", self._at, values, time=self._time, fault=self._missing)
        self._given.add("text")
        self._told.add(_identity(values))
        self._run, self._at, self._missing = {}, 0, ""

    def _csv(self, line: int, bare: str, sink: Sink) -> str | None:
        sink.dialect("CSV")
        cells = bare.split(",")
        values = {
            "persistent": float(cells[0]), "message_bytes": float(cells[1]),
            "requesters": float(cells[2]),
        }  # fmt: skip
        missing = ""
        for name, cell in zip(_COLUMNS, cells[3:], strict=True):
            value = number(cell) if cell else -1.0
            if value >= 0:
                values[name] = value
            else:
                missing = "no rate" if name == "rate" else missing or "no data"
        if _identity(values) not in self._told:  # a container prints both forms of its results
            self._begin(sink, "text")
            sink.row("summary", line, values, time=self._time, fault=missing)
        sink.setting("delivery", "Persistent" if values["persistent"] else "Non Persistent")
        self._given.add("CSV")
        return sink.count_used()


def _identity(values: dict[str, float]) -> tuple[float, float, float]:
    return tuple(values.get(name, -1.0) for name in ("message_bytes", "requesters", "rate"))  # type: ignore[return-value]
