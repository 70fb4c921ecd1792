"""fio's JSON output (``--output-format=json`` or ``json+``), versions 2 and 3.

Version 2 prints latencies in microseconds (``clat``), version 3 in nanoseconds (``clat_ns``). With
``--status-interval``, documents before the last hold what was counted so far: they become events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from roundtrip.ingest.documents import DocumentReader, at, finite
from roundtrip.ingest.reader import Head
from roundtrip.ingest.records import Quantity, Sink, Trap

_DIRECTIONS = ("read", "write", "trim")
_OPTIONS = ("rw", "bs", "iodepth", "numjobs", "ioengine", "direct", "sync", "fsync", "fdatasync",
            "runtime", "size")  # fmt: skip
_PERCENTILES = {"50.000000": "p50", "90.000000": "p90", "99.000000": "p99", "99.900000": "p999"}


@dataclass(frozen=True)
class _Printed:
    """What one document says of its jobs, each part with its series and trap.

    Attributes
    ----------
    jobs : list of str
        Their names.
    time, runtime : float or None, float
        When it was printed, in whole seconds, and how long the jobs had run.
    exact : float
        The time in parts of a second, where it is printed; 0 for none.
    """

    line: int
    jobs: list[str]
    time: float | None
    exact: float
    runtime: float
    parts: list[tuple[str, dict[str, float | None], str]]

    def continues(self, before: _Printed) -> bool:
        """Whether it counts on from another document: its jobs ran half of that one's time ago."""
        return (
            self.jobs == before.jobs
            and self.time is not None
            and self.runtime > before.runtime
            and self.exact - self.runtime <= before.exact - before.runtime / 2
        )


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
    traps = (
        Trap("job failed", "suspect", "fio reports an error of the job; its values are kept."),
        Trap("status", "as_printed", "Printed while the jobs ran (--status-interval): what the "
             "last document says of the whole run counts."),
    )  # fmt: skip

    def confidence(self, head: Head) -> float:
        """Look for the version."""
        return 0.95 if '"fio version"' in head.text else 0.0

    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Read every document; the last of each run is its summary."""
        self._last: _Printed | None = None
        super().read(stream, sink)
        self._hand_over(None, sink)
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
        time = finite(document.get("timestamp"))
        found = _Printed(
            line, [str(job.get("jobname")) for job in jobs], time,
            finite(document.get("timestamp_ms"), 1e-3) or time or 0.0,
            max((values.get("runtime") or 0.0 for _, values, _ in parts), default=0.0), parts,
        )  # fmt: skip
        self._hand_over(found, sink)
        return None

    def _hand_over(self, following: _Printed | None, sink: Sink) -> None:
        """Hand over the document before another one, as the whole of its run or a part of it."""
        before, self._last = self._last, following
        if before is None:
            return
        is_part = following is not None and following.continues(before)
        for stream, values, trap in before.parts:
            sink.row(
                "event" if is_part else "summary", before.line, values, stream=stream,
                time=before.time, trap="status" if is_part else trap,
            )  # fmt: skip

    def _parts(
        self, job: dict[str, Any], common: dict[str, Any], sink: Sink
    ) -> Iterator[tuple[str, dict[str, float | None], str]]:
        own = job.get("job options")
        options = {**common, **(own if isinstance(own, dict) else {})}
        for name in _OPTIONS:
            if name in options:
                sink.setting(name, str(options[name]))
        trap = "job failed" if finite(job.get("error")) not in (0.0, None) else ""
        for direction in _DIRECTIONS:
            if not finite(at(job, direction, "total_ios")):
                continue
            values = _values(job[direction])
            if direction == "write":
                values |= _synchronous(values, options, job)
            if values:
                stream = f"{job.get('jobname', '')} {direction}".strip()[:100]
                yield stream, values, trap


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
    return {name: value for name, value in values.items() if value is not None}


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
