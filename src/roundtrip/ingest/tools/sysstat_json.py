"""JSON of the sysstat tools: ``mpstat -o JSON``, ``iostat -o JSON``, ``sadf -j``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from roundtrip.ingest.documents import DocumentReader, at, finite
from roundtrip.ingest.reader import Head
from roundtrip.ingest.records import Quantity, Sink
from roundtrip.ingest.sysstat import (
    BUSY,
    CLOCK,
    OTHER_ZONE,
    SINCE_BOOT,
    UTC_NAMES,
    Clock,
    busy,
    date_of,
    local_date,
)

_NAMES = ("cpu", "disk_device", "iface", "disk-device", "filesystem", "intr", "core", "socket")


class SysstatJson(DocumentReader):
    """Reads JSON of mpstat, iostat and sadf."""

    name = "sysstat-json"
    title = "sysstat (JSON)"
    ramps_up, watches = False, "machine"
    quantities: ClassVar[dict[str, Quantity]] = {"cpu": BUSY}
    faults = (SINCE_BOOT, OTHER_ZONE)

    def confidence(self, head: Head) -> float:
        """Look for the outermost name."""
        return 0.99 if '"sysstat"' in head.text and '"hosts"' in head.text else 0.0

    def document(self, line: int, document: Any, sink: Sink) -> str | None:
        """Read all statistics of all hosts."""
        hosts = at(document, "sysstat", "hosts")
        if not isinstance(hosts, list):
            return "a JSON document that is not of the sysstat tools"
        taken = 0
        for host in hosts:
            if isinstance(at(host, "statistics"), list):
                for name in ("sysname", "release", "number-of-cpus"):
                    if name in host:
                        sink.setting(name, str(host[name]))
                taken += self._host(line, host, sink)
        return None if taken else "no statistics"

    def _host(self, line: int, host: dict[str, Any], sink: Sink) -> int:
        clock, taken = Clock(), 0
        stamps = [report.get("timestamp") for report in host["statistics"]
                  if isinstance(report, dict)]  # fmt: skip
        if any(isinstance(stamp, str) for stamp in stamps):
            clock.banner(local_date(str(host.get("date", "")), sink))
        for place, report in enumerate(host["statistics"]):
            if not isinstance(report, dict):
                continue
            stamp, in_utc = report.get("timestamp"), True
            if isinstance(stamp, dict):  # of sadf, each with a date of its own
                clock.banner(date_of(str(stamp.get("date", "")))[0])
                in_utc = stamp["tz"] in UTC_NAMES if "tz" in stamp else bool(stamp.get("utc", 1))
                stamp = stamp.get("time")
            match = CLOCK.match(f"{stamp} ") if isinstance(stamp, str) else None
            time = clock.at(match) if match and in_utc else None
            first = "since boot" if place == 0 and "avg-cpu" in report else ""
            fault = first or ("" if in_utc else OTHER_ZONE.key)
            for name, numbers in _leaves(report):
                values: dict[str, float | None] = dict(numbers)
                if "usr" in values or "user" in values:
                    values |= busy(values.get("idle"), values.get("iowait"))
                for key in numbers:
                    if key != "cpu":
                        sink.quantities.setdefault(key, Quantity(""))
                sink.row("interval", line, values, stream=name, time=time, fault=fault)
                taken += 1
        return taken


def _leaves(report: dict[str, Any]) -> Iterator[tuple[str, dict[str, float]]]:
    """Give the numbers of each processor, device or table, with its name."""
    for key, part in report.items():
        for item in part if isinstance(part, list) else [part]:
            if not isinstance(item, dict):
                continue
            label = next((str(item[name]) for name in _NAMES if name in item), "")
            numbers = {
                name: number
                for name, value in item.items()
                if (number := finite(value)) is not None
            }
            if numbers:
                whole = key in ("avg-cpu", "cpu-load") and label in ("", "all", "-1")
                yield ("" if whole else label or key), numbers
            yield from _leaves({k: v for k, v in item.items() if isinstance(v, (dict, list))})
