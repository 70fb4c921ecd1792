"""fio's JSON output (``--output-format=json`` or ``json+``), versions 2 and 3.

Version 2 prints latencies in microseconds (``clat``), version 3 in nanoseconds (``clat_ns``). With
``--status-interval``, a document holds what was counted so far: of those that name the same jobs in
one input, the last counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

from roundtrip.ingest.documents import DocumentReader, at, finite
from roundtrip.ingest.reader import Head
from roundtrip.ingest.records import Fault, Quantity, Sink

_DIRECTIONS = ("read", "write", "trim")
_OPTIONS = ("rw", "bs", "iodepth", "numjobs", "ioengine", "direct", "sync", "fsync", "fdatasync",
            "runtime", "size")  # fmt: skip
_PERCENTILES = {"50.000000": "p50", "90.000000": "p90", "99.000000": "p99", "99.900000": "p999"}

_Part = tuple[str, dict[str, float | None], str]
"""Series, values and fault."""
_Printed = tuple[int, float | None, list[_Part]]
"""Line and time of a document, and what it says of its jobs."""


class Fio(DocumentReader):
    """Reads fio."""

    name = "fio"
    title = "fio"
    quantities: ClassVar[dict[str, Quantity]] = {
        "iops": Quantity("1/s"),
        "bandwidth": Quantity("B/s"),
        "latency": Quantity("µs"),  # of completion, as all but the next
        "synchronous_latency": Quantity("µs", "log_write_latency"),  # until on stable storage
        "latency_p50": Quantity("µs"),
        "latency_p90": Quantity("µs"),
        "latency_p99": Quantity("µs"),
        "latency_p999": Quantity("µs"),
        "latency_max": Quantity("µs"),
        "operations": Quantity("operations"),
        "runtime": Quantity("s"),
    }  # fmt: skip
    faults = (
        Fault("job failed", "suspect", "fio reports an error of the job; its values are kept."),
        Fault("printed again", "as_printed", "The same jobs were printed before, while they ran "
              "(--status-interval) or of another run: what is printed last counts."),
    )  # fmt: skip

    def confidence(self, head: Head) -> float:
        """Look for the version."""
        return 0.95 if '"fio version"' in head.text else 0.0

    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Read every document; the last of the same jobs is their summary."""
        self._last: dict[tuple[str, ...], _Printed] = {}
        super().read(stream, sink)
        for line, time, parts in self._last.values():
            for stream_, values, fault in parts:
                sink.row("summary", line, values, stream=stream_, time=time, fault=fault)
        sink.flush()

    def document(self, line: int, document: Any, sink: Sink) -> str | None:
        """Read the jobs of one run."""
        if not isinstance(document, dict) or "fio version" not in document:
            return "a JSON document that is not fio's"
        jobs = document.get("jobs") or document.get("client_stats")
        if not isinstance(jobs, list):
            return "no jobs"
        sink.setting("version", str(document["fio version"]))
        common = document.get("global options")
        common = common if isinstance(common, dict) else {}
        jobs = [job for job in jobs if isinstance(job, dict)]
        parts = [part for job in jobs for part in self._parts(job, common, sink)]
        names = tuple(str(job.get("jobname")) for job in jobs)
        if names in self._last:
            sink.faults["printed again"] += 1
        self._last[names] = line, finite(document.get("timestamp")), parts
        return None

    def _parts(self, job: dict[str, Any], common: dict[str, Any], sink: Sink) -> Iterator[_Part]:
        own = job.get("job options")
        options = {**common, **(own if isinstance(own, dict) else {})}
        for name in _OPTIONS:
            if name in options:
                sink.setting(name, str(options[name]))
        fault = "job failed" if finite(job.get("error")) not in (0.0, None) else ""
        for direction in _DIRECTIONS:
            if not finite(at(job, direction, "total_ios")):
                continue
            values = _values(job[direction])
            if direction == "write":
                values |= _synchronous(values, options, job)
            yield f"{job.get('jobname', '')} {direction}".strip()[:100], values, fault


def _values(part: dict[str, Any]) -> dict[str, float | None]:
    values: dict[str, float | None] = {
        "iops": finite(part.get("iops")),
        "operations": finite(part.get("total_ios")),
    }
    exact = finite(part.get("bw_bytes"))
    values["bandwidth"] = finite(part.get("bw"), 1024) if exact is None else exact
    runtime = finite(part.get("runtime"))
    values["runtime"] = None if runtime is None else runtime / 1000
    key, scale = ("clat_ns", 1e-3) if isinstance(part.get("clat_ns"), dict) else ("clat", 1.0)
    values["latency"] = finite(at(part, key, "mean"), scale)
    values["latency_max"] = finite(at(part, key, "max"), scale)
    for printed, short in _PERCENTILES.items():
        values[f"latency_{short}"] = finite(at(part, key, "percentile", printed), scale)
    return values


def _synchronous(
    values: dict[str, float | None], options: dict[str, Any], job: dict[str, Any]
) -> dict[str, float | None]:
    """Give the time of a synchronous write, where each write was one or had a sync after it."""
    latency = values.get("latency")
    if latency is None:
        return {}
    if str(options.get("sync", "0")) not in ("0", "none"):
        return {"synchronous_latency": latency}
    mean = finite(at(job, "sync", "lat_ns", "mean"), 1e-3)
    each = any(str(options.get(name)) == "1" for name in ("fsync", "fdatasync"))
    return {"synchronous_latency": latency + mean} if each and mean is not None else {}
