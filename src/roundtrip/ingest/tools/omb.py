"""Result files of the OpenMessaging Benchmark.

Fields: ``TestResult.java`` of openmessaging/benchmark. Latencies are in milliseconds, delays of
publishing in microseconds, and nothing says when an interval began: they follow each other every
ten seconds unless the framework was changed.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from roundtrip.dictionary import END_TO_END, PUBLISH
from roundtrip.ingest.documents import DocumentReader, finite
from roundtrip.ingest.reader import Head
from roundtrip.ingest.records import Fault, Quantity, Sink

_FAMILIES = {
    "publishLatency": (PUBLISH, 1.0), "endToEndLatency": (END_TO_END, 1.0),
    "publishDelayLatency": ("publish_delay", 1e-3),
}  # fmt: skip
_SUFFIXES = {
    "Avg": "", "50pct": "_p50", "75pct": "_p75", "95pct": "_p95", "99pct": "_p99",
    "999pct": "_p999", "9999pct": "_p9999", "Max": "_max",
}  # fmt: skip
_RATES = {"publishRate": "publish_rate", "consumeRate": "consume_rate",
          "publishErrorRate": "error_rate", "backlog": "backlog"}  # fmt: skip
_SETTINGS = ("workload", "driver", "version", "beginTime", "endTime", "messageSize", "topics",
             "partitions", "producersPerTopic", "consumersPerTopic", "consumers", "producers",
             "sampleRateMillis", "driverConfig")  # fmt: skip


def _quantities() -> dict[str, Quantity]:
    found = {
        "publish_rate": Quantity("messages/s", "message_rate"),
        "consume_rate": Quantity("messages/s"),
        "error_rate": Quantity("messages/s"),
        "backlog": Quantity("messages", combine="max"),  # published and not yet consumed
    }
    for family, _ in _FAMILIES.values():
        metric = None if family == "publish_delay" else family
        for end in _SUFFIXES.values():
            # A percentile of a run is no mean of those of its intervals.
            found[f"{family}{end}"] = Quantity(
                "ms", None if end else metric, combine="max" if end == "_max" else "mean"
            )
            found[f"run_{family}{end}"] = Quantity("ms", metric)
    return found


class OpenMessagingBenchmark(DocumentReader):
    """Reads result files of the OpenMessaging Benchmark."""

    name = "omb"
    title = "OpenMessaging Benchmark"
    ramps_up, drives = False, "as named"
    quantities: ClassVar[dict[str, Quantity]] = _quantities()
    faults = (
        Fault("mixed units", "corrected",
              "The delay before publishing is in microseconds among latencies in milliseconds: it "
              "is brought to milliseconds."),
        Fault("uneven series", "suspect",
              "The series of one result differ in length: the shorter ones have no value at the "
              "end."),
    )  # fmt: skip

    def confidence(self, head: Head) -> float:
        """Look for fields that no other tool has."""
        if re.search(r'"(?:aggregated)?(?:publish|endToEnd)Latency(?:Avg|99pct)"', head.text):
            return 0.95
        return 0.9 if '"publishRate"' in head.text and '"workload"' in head.text else 0.0

    def document(self, line: int, document: Any, sink: Sink) -> str | None:
        """Read one result."""
        if not isinstance(document, dict) or "publishRate" not in document:
            return "a JSON document that is not a result of the OpenMessaging Benchmark"
        series = self._series(document)
        if not series:
            return "a result without intervals"
        for name in _SETTINGS:
            value = document.get(name)
            if isinstance(value, (str, int, float)):
                sink.setting(name, str(value))
        lengths = {len(values) for values in series.values()}
        fault = "uneven series" if len(lengths) > 1 else ""
        for index in range(max(lengths)):
            row = {name: values[index] for name, values in series.items() if index < len(values)}
            sink.row("interval", line, row, fault=fault)
        summary: dict[str, float | None] = {}
        for field, (name, scale) in _FAMILIES.items():
            for end, short in _SUFFIXES.items():
                told = document.get(f"aggregated{field[0].upper()}{field[1:]}{end}")
                if (value := finite(told, scale)) is not None:
                    summary[f"run_{name}{short}"] = value
        if summary:
            mixed = "mixed units" if any("delay" in name for name in summary) else ""
            sink.row("summary", line, summary, fault=mixed)
        sink.run += 1
        return None

    def _series(self, document: dict[str, Any]) -> dict[str, list[float | None]]:
        found: dict[str, list[float | None]] = {}
        names = [(field, name, 1.0) for field, name in _RATES.items()]
        names += [
            (f"{field}{end}", f"{name}{short}", scale)
            for field, (name, scale) in _FAMILIES.items()
            for end, short in _SUFFIXES.items()
        ]
        for field, name, scale in names:
            values = document.get(field)
            if isinstance(values, list) and values:
                found[name] = [finite(value, scale) for value in values]
        return found
