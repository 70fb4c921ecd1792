"""RabbitMQ PerfTest: its text in all dialects, its CSV, and the JSON of PerfTestMulti.

Forms of the lines: the classes of ``com.rabbitmq.perf.metrics``, and ``PrintlnStats`` before them,
of rabbitmq/rabbitmq-perf-test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

from roundtrip.dictionary import END_TO_END, PUBLISH
from roundtrip.ingest.documents import DocumentReader, TextOrDocuments, finite
from roundtrip.ingest.printed import number, seconds
from roundtrip.ingest.reader import Head, LineReader, under
from roundtrip.ingest.records import OTHER_STREAMS, Fault, Quantity, Sink

_NUMBER = r"\d{1,15}(?:[.,]\d{1,6})?"
_UNIT = r"(?:ms|(?:µ|μ|Âµ|Î¼|u|\?|\ufffd{1,2})s|microseconds|ns)"
_ID = r"(?:id: (?P<id>[^,]{0,200}), )?"
_LINE = re.compile(rf"^{_ID}time:? (?P<time>{_NUMBER}) ?s\b(?P<rest>.*)$")
_RATE = re.compile(rf"^(sent|returned|confirmed|nacked|received): ({_NUMBER}) msg/s$")
_LATENCY = re.compile(
    rf"(?:(?:min|avg|median|max|\d{{1,3}}th|/){{1,12}} )?"
    rf"(?P<of>consumer|confirm|message)? ?latency: ,? ?"
    rf"(?P<values>-?\d+(?:/-?\d+)+) ?(?P<unit>{_UNIT})"
)
_AVERAGE = re.compile(
    rf"^{_ID}(?P<what>sending|recving|receiving) rate avg: (?P<rate>{_NUMBER}) msg/s$"
)
_TOTAL_LATENCY = re.compile(
    rf"^{_ID}(?P<of>consumer|confirm|message)? ?latency (?:min|avg|median|max|\d+th|/)+ "
    rf"(?P<values>-?\d+(?:/-?\d+)+) ?(?P<unit>{_UNIT})$"
)
_COMPACT_HEAD = re.compile(
    r"^time(?P<columns>(?:\s+(?:sent|returned|confirmed|nacked|received|consumer latency|"
    r"confirm latency))+)\s*$"
)
_COMPACT = re.compile(
    rf"^(?:(?P<date>\d{{4}}/\d\d/\d\d) (?P<clock>\d\d:\d\d:\d\d)|(?P<time>{_NUMBER}) ?s)"
    r"(?P<rest>\s.*)$"
)
_CELL = re.compile(rf"({_NUMBER}) msg/s|((?:-?\d{{1,18}}/){{1,6}}-?\d{{1,18}}) ?({_UNIT})")
_CSV_HEAD = re.compile(r"^id,time \(s\),published \(msg/s\),")
_OTHER = re.compile(
    rf"^{_ID}(?:starting (?:consumer|producer) #\d+.*|test stopped.*|Delaying start by .*|"
    r"recving rate: .*|sending rate: .*)$|^\s*$"
)
_LATENCIES = {
    3: ("min", "avg", "max"), 5: ("min", "p50", "p75", "p95", "p99"),
    6: ("min", "p50", "p75", "p95", "p99", "max"),
}  # fmt: skip
"""What the numbers of a latency are, by how many there are."""
_JITTER = 0.5  # seconds; the shortest interval is one
_MOST_SERIES = 4096
_CSV_COLUMNS = (
    "sent", "returned", "confirmed", "nacked", "received", *(
        f"{of}_latency_{name}" for of in ("consumer", "confirm")
        for name in ("min", "p50", "p75", "p95", "p99")
    ),
)  # fmt: skip


def _quantities() -> dict[str, Quantity]:
    found = {"elapsed": Quantity("s")}
    for name in ("sent", "returned", "confirmed", "nacked", "received"):
        metric = "message_rate" if name == "received" else None
        found[name] = Quantity("messages/s", metric)
    found["run_sent"] = Quantity("messages/s")
    found["run_received"] = Quantity("messages/s", "message_rate")
    for of, metric in (("consumer", END_TO_END), ("confirm", PUBLISH)):
        for name in ("min", "avg", "p50", "p75", "p95", "p99", "max"):
            found[f"{of}_latency_{name}"] = Quantity(
                "ms", None if name == "min" else metric,
                combine="max" if name == "max" else "mean",
                statistic=name if name.startswith("p") else "mean",
            )  # fmt: skip
            found[f"run_{of}_latency_{name}"] = Quantity("ms", metric)
    return found


@dataclass
class _Series:
    """One program of those that print into one file, in the run that it is in.

    Attributes
    ----------
    elapsed : float
        Time of its last interval since its start.
    totals : dict
        What it printed of the run so far; they are one summary, from `line` on.
    """

    run: int = 0
    elapsed: float = 0.0
    totals: dict[str, float | None] = field(default_factory=dict)
    line: int = 0
    fault: str = ""


class _Lines(LineReader):
    """Text and CSV."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._scale = 1.0
        self._series: dict[str, _Series] = {}

    def end(self, sink: Sink) -> None:
        """Hand over what the last runs were summed up to."""
        for stream in list(self._series):
            self._finished(stream, sink)

    def _sum_up(
        self, line: int, stream: str, values: dict[str, float | None], sink: Sink, fault: str = ""
    ) -> str | None:
        """Keep a line of totals."""
        series = self._series_of(stream)
        if series.totals.keys() & values:
            self._finished(stream, sink)
        series.line = series.line if series.totals else line
        series.totals |= values
        series.fault = fault or series.fault
        return sink.count_used()

    def _series_of(self, stream: str) -> _Series:
        if stream not in self._series and len(self._series) >= _MOST_SERIES:
            stream = OTHER_STREAMS
        return self._series.setdefault(stream, _Series())

    def _finished(self, stream: str, sink: Sink) -> _Series:
        """Hand over the totals of a series' run, if there are any, and let another begin."""
        series = self._series_of(stream)
        if series.totals:
            sink.run = series.run
            sink.row("summary", series.line, series.totals, stream=stream, fault=series.fault)
            series.run += 1
            series.elapsed, series.totals, series.fault = 0.0, {}, ""
        return series

    def _add(
        self, line: int, stream: str, values: dict[str, float | None], time: float | None,
        sink: Sink, fault: str = "",
    ) -> str | None:  # fmt: skip
        """Hand over an interval; one after totals, or of an earlier time, is of a new run."""
        series = self._finished(stream, sink)
        if (elapsed := values.get("elapsed")) is not None:
            series.run += elapsed < series.elapsed - _JITTER
            series.elapsed = elapsed
        sink.run = series.run
        sink.row("interval", line, values, stream=stream, time=time, fault=fault)
        return sink.count_used()

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        bare = text.strip()
        if match := _LINE.match(bare):
            return self._interval(number_, match, sink)
        if _CSV_HEAD.match(bare):
            sink.dialect("CSV")
            self._scale = _scale(bare.partition("min consumer latency (")[2].partition(")")[0])
            return sink.count_ignored()
        if bare.count(",") == 16:
            return self._csv(number_, bare.split(","), sink)
        if match := _AVERAGE.match(bare):
            name = "run_sent" if match["what"] == "sending" else "run_received"
            return self._sum_up(number_, match["id"] or "", {name: number(match["rate"])}, sink)
        if match := _TOTAL_LATENCY.match(bare):
            values = _latencies("run_", match["of"], match["values"], match["unit"])
            fault = "unit damaged" if _damaged(match["unit"]) else ""
            return self._sum_up(number_, match["id"] or "", values, sink, fault)
        if match := _COMPACT_HEAD.match(bare):
            sink.dialect("compact")
            self._columns = re.split(r"\s{2,}|\s(?=(?:sent|received)\b)", match["columns"].strip())
            return sink.count_ignored()
        if self._columns and (match := _COMPACT.match(bare)):
            return self._compact(number_, match, sink)
        if _OTHER.match(bare):
            return sink.count_ignored()
        return "not a line of RabbitMQ PerfTest that is known"

    def _interval(self, line: int, match: re.Match[str], sink: Sink) -> str | None:
        values: dict[str, float | None] = {"elapsed": number(match["time"])}
        rest, fault = match["rest"], ""
        for found in _LATENCY.finditer(rest):
            values |= _latencies("", found["of"], found["values"], found["unit"])
            fault = "unit damaged" if _damaged(found["unit"]) else fault
        rates = 0
        for piece in rest.split(", "):
            if rate := _RATE.match(piece.strip()):
                values[rate[1]] = number(rate[2])
                rates += 1
        if not rates:
            return "no rate in it"
        sink.dialect("default")
        if "min/avg/max" in rest:
            sink.dialect("legacy latency")
        return self._add(line, match["id"] or "", values, values["elapsed"], sink, fault)

    def _compact(self, line: int, match: re.Match[str], sink: Sink) -> str | None:
        cells = _CELL.findall(match["rest"])
        values: dict[str, float | None] = {}
        fault = ""
        for heading, (rate, latency, unit) in under(self._columns, cells):
            if bool(rate) == heading.endswith("latency"):
                return "values in another order than their headings"
            if rate:
                values[heading] = number(rate)
            else:
                values |= _latencies("", heading.split()[0], latency, unit)
                fault = "unit damaged" if _damaged(unit) else fault
        time = None
        if match["time"]:
            time = values["elapsed"] = number(match["time"])
        else:
            time = seconds(match["date"], match["clock"])
            sink.without_zone()
        return self._add(line, "", values, time, sink, fault)

    def _csv(self, line: int, cells: list[str], sink: Sink) -> str | None:
        elapsed = number(cells[1])
        numbers = [number(cell) if cell.strip() else None for cell in cells[2:]]
        values: dict[str, float | None] = {"elapsed": elapsed}
        for name, value in zip(_CSV_COLUMNS, numbers, strict=True):
            if value is not None:
                values[name] = value * self._scale if "latency" in name else value
        sink.dialect("CSV")
        return self._add(line, cells[0], values, elapsed, sink)


class _Multi(DocumentReader):
    """The JSON of PerfTestMulti: scenarios, each with samples; latencies in microseconds."""

    def document(self, line: int, document: Any, sink: Sink) -> str | None:
        """Read all scenarios of a document."""
        sink.dialect("PerfTestMulti JSON")
        if not isinstance(document, dict):
            return "a JSON document that is not of PerfTestMulti"
        found = [
            self._scenario(line, str(name), content, sink) for name, content in document.items()
        ]
        return None if any(found) else "no scenario with results"

    def _scenario(self, line: int, name: str, content: Any, sink: Sink) -> bool:
        """Read one scenario; varied ones nest a result below each value of each dimension."""
        if not isinstance(content, dict):
            return False
        if "send-msg-rate" not in content and "samples" not in content:
            inner = content.get("data", content)
            if not isinstance(inner, dict):
                return False
            found = [
                self._scenario(line, f"{name} {key}", part, sink) for key, part in inner.items()
            ]
            return any(found)
        samples = content.get("samples")
        for sample in samples if isinstance(samples, list) else []:
            if isinstance(sample, dict):
                values = _sample(sample)
                elapsed = finite(sample.get("elapsed"))
                time = None if elapsed is None else elapsed / 1000
                sink.row("interval", line, {**values, "elapsed": time}, stream=name, time=time)
        run = {
            name.replace("sent", "run_sent").replace("received", "run_received")
            .replace("consumer", "run_consumer"): value
            for name, value in _sample(content).items()
        }  # fmt: skip
        if run:
            sink.row("summary", line, run, stream=name)
        return True


class RabbitPerfTest(TextOrDocuments):
    """Reads RabbitMQ PerfTest."""

    name = "rabbitmq-perftest"
    title = "RabbitMQ PerfTest"
    drives = "as named"
    quantities: ClassVar[dict[str, Quantity]] = _quantities()
    faults = (
        Fault("unit damaged", "suspect",
              "The letter µ of the unit was damaged on its way; a damaged unit is taken for µs.",
              of="latencies"),
    )  # fmt: skip

    opening, text, documents = ("{", "var "), _Lines, _Multi

    def confidence(self, head: Head) -> float:
        """Look for its lines, its CSV header and the fields of its JSON."""
        lines = head.lines
        if any(_CSV_HEAD.match(line) for line in lines[:50]):
            return 1.0
        if '"send-msg-rate"' in head.text and '"recv-msg-rate"' in head.text:
            return 0.95
        if any("msg/s" in line and (_LINE.match(line) or _AVERAGE.match(line)) for line in lines):
            return 0.95
        return 0.9 if any(_COMPACT_HEAD.match(line) for line in lines) else 0.0


def _sample(sample: dict[str, Any]) -> dict[str, float | None]:
    names = {
        "send-msg-rate": ("sent", 1.0), "recv-msg-rate": ("received", 1.0),
        "min-latency": ("consumer_latency_min", 1e-3),
        "avg-latency": ("consumer_latency_avg", 1e-3),
        "max-latency": ("consumer_latency_max", 1e-3),
    }  # fmt: skip
    return {
        name: value
        for field, (name, scale) in names.items()
        if (value := finite(sample.get(field), scale)) is not None
    }


def _latencies(prefix: str, of: str | None, values: str, unit: str) -> dict[str, float | None]:
    numbers = [float(text) for text in values.split("/")]
    names = _LATENCIES.get(len(numbers), ())
    what = "confirm" if of == "confirm" else "consumer"
    scale = _scale(unit)
    return {
        f"{prefix}{what}_latency_{name}": value * scale
        for name, value in zip(names, numbers, strict=False)
    }


def _scale(unit: str) -> float:
    """Give what turns a unit into milliseconds."""
    return 1.0 if unit == "ms" else 1e-6 if unit == "ns" else 1e-3


def _damaged(unit: str) -> bool:
    return unit not in ("ms", "µs", "μs", "us", "ns", "microseconds")
