"""``artemis perf`` of Apache ActiveMQ Artemis, text and JSON.

Forms of the lines: ``LiveStatistics.java`` of apache/activemq-artemis.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from roundtrip.dictionary import END_TO_END, PUBLISH
from roundtrip.ingest.documents import DocumentReader, TextOrDocuments, at, finite
from roundtrip.ingest.printed import number, peeled
from roundtrip.ingest.reader import Head, LineReader
from roundtrip.ingest.records import Quantity, Sink

_WARMUP = re.compile(r"^--- warmup (true|false)\s*$")
_RATE = re.compile(
    r"^--- (sent|blocked|completed|received):\s*(-?[\d.,]{1,20}) msg/(sec|ms|us|ns)\s*$"
)
_LATENCY = re.compile(
    r"^--- (send delay time|send ack time|transfer time|aggregated delay send time|"
    r"aggregated send time|aggregated transfer time):\s*(mean:.*)$"
)
_PART = re.compile(r"(mean|max|\d{1,3}[.,]\d{1,3}%):\s*([-\d.,∞\ufffdNaN]{1,24}) (us|μs|µs|ms|ns)")
_SUMMARY = re.compile(r"^--- SUMMARY\s*$")
_RESULT = re.compile(r"^--- result:\s*(success|fail)\s*$")
_TOTAL = re.compile(r"^--- total (sent|blocked|completed|received):\s*(\d{1,20})\s*$")
_OTHER = re.compile(
    r"^(?:\$ .*|(?:\./)?artemis perf .*|Connection brokerURL = .*|\s*|# .*|\^C.*|"
    r"Microseconds wall-clock time not available: .*|"
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d{3} +(?:TRACE|DEBUG|INFO|WARN|ERROR) .*)$"
)
_PER_SECOND = {"sec": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_LATENCIES = {
    "send delay time": "delay", "send ack time": "send", "transfer time": "transfer",
    "aggregated delay send time": "run_delay", "aggregated send time": "run_send",
    "aggregated transfer time": "run_transfer",
}  # fmt: skip
_SHORT = {"50.00%": "p50", "90.00%": "p90", "99.00%": "p99", "99.90%": "p999", "99.99%": "p9999"}
_JSON_LATENCIES = {
    "delaySendTime": "delay", "sendTime": "send", "transferTime": "transfer",
    "totalDelaySendTime": "run_delay", "totalSendTime": "run_send",
    "totalTransferTime": "run_transfer",
}  # fmt: skip


def _quantities() -> dict[str, Quantity]:
    found: dict[str, Quantity] = {"warmup": Quantity("0/1")}
    for name in ("sent", "blocked", "completed", "received"):
        metric = "message_rate" if name == "received" else None
        found[name] = Quantity("messages/s", metric)
        found[f"total_{name}"] = Quantity("messages", combine="none")
    for name, metric in (("delay", None), ("send", PUBLISH), ("transfer", END_TO_END)):
        for end in ("mean", "p50", "p90", "p99", "p999", "p9999", "max"):
            # A percentile of a run is no mean of those of its intervals.
            found[f"{name}_{end}"] = Quantity(
                "µs", metric if end == "mean" else None, 1e-3,
                combine="max" if end == "max" else "mean",
            )  # fmt: skip
            found[f"run_{name}_{end}"] = Quantity("µs", metric, 1e-3, combine="none")
    return found


@dataclass
class _Runs:
    """Tells where another run begins: after a summary, or where warm-up follows measuring."""

    done: bool = False
    measuring: bool = False

    def begin(self, warmup: bool, sink: Sink) -> None:
        """Begin an interval."""
        if self.done or (warmup and self.measuring):
            sink.run += 1
            self.done = False
        self.measuring = not warmup


class _Lines(LineReader):
    """Text."""

    def __init__(self) -> None:
        self._row: dict[str, float | None] = {}
        self._at = 0
        self._time: float | None = None
        self._summary = False
        self._runs = _Runs()

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        time, bare = peeled(text) if " --- " in text or "] ---" in text else (None, text)
        if match := _WARMUP.match(bare):
            self._finish(sink)
            self._runs.begin(match[1] == "true", sink)
            self._summary = False
            self._row, self._at, self._time = {"warmup": float(match[1] == "true")}, number_, time
        elif _SUMMARY.match(bare):
            self._finish(sink)
            self._runs.done = True
            self._row, self._at, self._summary = {}, number_, True
        elif match := _RATE.match(bare):
            if self._summary:
                return "a rate outside of an interval"
            return self._take({match[1]: number(match[2]) * _PER_SECOND[match[3]]}, sink)
        elif match := _RESULT.match(bare):
            sink.setting("result", match[1])
        elif match := _TOTAL.match(bare):
            return self._take({f"total_{match[1]}": float(match[2])}, sink)
        elif match := _LATENCY.match(bare):
            return self._take(_latencies(_LATENCIES[match[1]], match[2]), sink)
        elif _OTHER.match(text):
            return sink.count_ignored()
        else:
            return "not a line of Artemis perf that is known"
        return sink.count_used()

    def _take(self, values: dict[str, float | None], sink: Sink) -> str | None:
        """Take what a line says of the block above it."""
        if not self._at:
            return "outside of a block"
        if self._row.keys() & values:
            return "said twice in one block"
        self._row |= values
        return sink.count_used()

    def end(self, sink: Sink) -> None:
        """Hand over the last block."""
        self._finish(sink)

    def _finish(self, sink: Sink) -> None:
        if self._at and len(self._row) > (0 if self._summary else 1):
            kind = "summary" if self._summary else "interval"
            sink.row(kind, self._at, self._row, time=self._time)  # type: ignore[arg-type]
        self._row, self._at = {}, 0


class _Samples(DocumentReader):
    """JSON, one document with a list of samples."""

    def __init__(self) -> None:
        self._runs = _Runs()

    def document(self, line: int, document: Any, sink: Sink) -> str | None:
        """Read a list of samples."""
        samples = document if isinstance(document, list) else [document]
        taken = 0
        for sample in samples:
            if not isinstance(sample, dict) or "sampleType" not in sample:
                continue
            taken += 1
            moment = finite(sample.get("time"))
            time = None if moment is None else moment / 1000
            values: dict[str, float | None] = {}
            for name in ("sent", "completed", "received"):
                values[name] = finite(sample.get(name))
                values[f"total_{name}"] = finite(sample.get(f"total{name.capitalize()}"))
            values["blocked"] = finite(sample.get("delayed"))
            for field, name in _JSON_LATENCIES.items():
                for key, short in (("mean", "mean"), *_SHORT.items(), ("max", "max")):
                    values[f"{name}_{short}"] = finite(at(sample, field, key))
            if sample["sampleType"] == "interval":
                warmup = bool(sample.get("warmup"))
                values["warmup"] = float(warmup)
                self._runs.begin(warmup, sink)
                sink.row("interval", line, values, time=time)
            else:
                self._runs.done = True
                sink.row("summary", line, values, time=time)
        sink.dialect("JSON")
        return None if taken else "a JSON document without samples of Artemis perf"


class ArtemisPerf(TextOrDocuments):
    """Reads ``artemis perf``."""

    name = "artemis-perf"
    title = "Artemis perf"
    drives = "as named"
    quantities: ClassVar[dict[str, Quantity]] = _quantities()

    opening, text, documents = ("[", "{"), _Lines, _Samples

    def confidence(self, head: Head) -> float:
        """Look for its blocks of lines."""
        if head.has(_WARMUP, _TOTAL):
            return 0.95
        return 0.9 if '"sampleType"' in head.text and '"warmup"' in head.text else 0.0


def _latencies(name: str, text: str) -> dict[str, float | None]:
    """Read mean, percentiles and maximum, as microseconds."""
    scale = {"ms": 1e3, "ns": 1e-3}
    found: dict[str, float | None] = {}
    for what, value, unit in _PART.findall(text):
        short = _SHORT.get(what.replace(",", "."), what)
        found[f"{name}_{short}"] = number(value) * scale.get(unit, 1.0)
    return found
