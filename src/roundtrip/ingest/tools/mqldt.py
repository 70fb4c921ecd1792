"""MQLDT, IBM's log disk tester: standard output in its dialects, standard error, CSV.

Forms of the lines: ``mqldt.c``, ``fileio.c``, ``util.c`` and ``opts.c`` of ibm-messaging/mqldt, and
their earlier versions. Standard output does not name block sizes: results follow each other in the
order of ``--bsize``, which the list of options gives.
"""

from __future__ import annotations

import re
from typing import ClassVar

from roundtrip.ingest.printed import grouped, peeled
from roundtrip.ingest.reader import Head, LineReader, under
from roundtrip.ingest.records import Fault, Quantity, Sink

# None of these tries a line in more ways than it has characters: it may be a MiB of anything.
_OPTION = re.compile(r"^[A-Z][\w\s()/]+?\(--(?P<name>\w+)\)\s*: (?P<value>.*)$")
_VALUE = re.compile(
    r"^(?:(?:Total|Max|Min|Avg) [a-z/]+ [^:]*|IOPS\s*):\s*(?P<value>-?\d[\d.,'’ \u00a0\u202f]*+)"
    r"\s*+(?:\(#[\d.,'’ \u00a0\u202f]+\))?$"
)
_RUNNING = re.compile(
    r"^Executing test for write blocksize (\d{1,12})\b.*?Seconds elapsed -> ?(.*)$"
)
_PROGRESS = re.compile(r"^\d+/\d+(?:\s+\d+/\d+)*$")
_SEVERAL = re.compile(
    r"^(?:Running simulation of (\d+) Queue Managers|Running MQLDT over (\d+) .*)$"
)
_CSV_HEAD = re.compile(r"^Blocksize,(?:Total|Max)")
_CSV = re.compile(r"^\d{1,12}(?:,-?\d{1,20}){8,10}$")
_OTHER = re.compile(
    r"^(?:Options \(specified or defaulted to\)|=+|Creating files\.\.\..*|"
    r"\d+ backgound threads started|\s*)$"
)
_LABELS = {
    "Total writes to files": "writes", "IOPS": "iops", "Total bytes written to files": "bytes",
    "Max bytes/sec written to files": "interval_max",
    "Min bytes/sec written to files": "interval_min",
    "Avg bytes/sec written to files": "bytes_per_second",
    "Max latency of write (ns)": "latency_max", "Min latency of write (ns)": "latency_min",
    "Avg latency of write (ns)": "latency", "Min bytes/sec (slowest write)": "slowest",
    "Max bytes/sec (fastest write)": "fastest",
}  # fmt: skip
_SCALES = {"k": 1024, "m": 1 << 20}


class Mqldt(LineReader):
    """Reads MQLDT."""

    name = "mqldt"
    title = "MQLDT"
    quantities: ClassVar[dict[str, Quantity]] = {
        "block_bytes": Quantity("B"),  # length of a write
        "queue_managers": Quantity("queue managers"),
        "writes": Quantity("writes"),  # of the whole run
        "iops": Quantity("1/s"),
        "bytes": Quantity("B"),  # of the whole run
        "bytes_per_second": Quantity("B/s"),
        "interval_max": Quantity("B/s"),  # most bytes of a second
        "interval_min": Quantity("B/s"),  # fewest
        "latency": Quantity("µs", "log_write_latency"),
        "latency_printed": Quantity("µs"),  # before correction
        "latency_max": Quantity("µs", "log_slowest_write"),
        "latency_min": Quantity("µs"),
        "slowest": Quantity("B/s"),  # rate that the longest write alone would give
        "fastest": Quantity("B/s"),  # … the shortest
    }  # fmt: skip
    faults = (
        Fault("latency impossible", "corrected",
              "MQLDT writes one block after the other, so that writes × mean latency cannot exceed "
              "duration × queue managers. Where it does, as in early versions, the mean is "
              "computed from duration and writes, and is an upper bound."),
        Fault("no block size", "suspect",
              "Standard output does not name the block size and the list of options is missing or "
              "shorter than the results: the block size is computed from bytes and writes."),
        Fault("bytes inconsistent", "suspect",
              "Bytes differ from writes × block size: the run and its block size do not belong "
              "together."),
        Fault("no write timed", "suspect", "No write was timed: latencies are starting values."),
    )  # fmt: skip

    def __init__(self) -> None:
        self._sizes: list[float] = []
        self._next: float | None = None
        self._duration: float | None = None
        self._managers = 1.0
        self._several: float | None = None  # told before headings of CSV
        self._row: dict[str, float | None] = {}
        self._at = 0
        self._done = 0
        self._csv_columns: list[str] = []

    def confidence(self, head: Head) -> float:
        """Look for its labels and the header of its CSV."""
        if head.has(_CSV_HEAD, _RUNNING):
            return 0.95
        labels = sum(1 for line in head.bare if _label(line))
        return 0.9 if labels >= 3 or "Write blocksize             (--bsize)" in head.text else 0.0

    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        _, bare = peeled(re.sub(r"\x08+", " ", text).strip())
        running = list(re.finditer(r"Executing test for write blocksize (\d{1,12})", bare))
        if running and _RUNNING.match(bare):
            sizes = [float(match[1]) for match in running]
            self._next = sizes[-1]
            if len(sizes) > 1 or not self._sizes:
                sink.setting("block sizes", ",".join(f"{size:.0f}" for size in sizes))
            return sink.count_used()
        if match := _OPTION.match(bare):
            return self._option(match["name"], match["value"].strip(), sink)
        if match := _VALUE.match(bare):
            return self._value(number, bare, match, sink)
        if match := _SEVERAL.match(bare):
            self._managers = self._several = float(match[1] or match[2])
            sink.dialect("several queue managers")
            return sink.count_used()
        if _CSV_HEAD.match(bare):
            return self._csv_head(bare, sink)
        if _CSV.match(bare):
            return self._csv(number, bare, sink)
        if _PROGRESS.match(bare):
            return sink.count_ignored()
        if _OTHER.match(bare):
            if bare == "" and "latency" in self._row:
                self._finish(sink)
            return sink.count_ignored()
        return "not a line of MQLDT that is known"

    def end(self, sink: Sink) -> None:
        """Hand over the last result."""
        self._finish(sink)

    def _option(self, name: str, value: str, sink: Sink) -> str | None:
        if name == "bsize":
            self._finish(sink)
            sizes = [re.fullmatch(r"(\d{1,9})([kKmM]?)", part.strip()) for part in value.split(",")]
            self._sizes = [
                float(int(match[1]) * _SCALES.get(match[2].lower(), 1)) for match in sizes if match
            ]
            self._done, self._next, self._managers = 0, None, 1.0
        elif name == "duration" and value.isdigit():
            self._duration = float(value)
        elif name == "qm" and value.isdigit():
            self._managers = float(value)
        if name not in ("dir", "filePrefix", "csvFile"):
            sink.setting(name, value)
        return sink.count_used()

    def _value(self, number: int, bare: str, match: re.Match[str], sink: Sink) -> str | None:
        name = _label(bare)
        if name is None:
            return "a value of unknown meaning"
        value = grouped(match["value"])
        if name == "writes" or name in self._row:
            self._finish(sink)
        if not self._row:
            self._at = number
        if name == "interval_max":
            several = "single qm" in bare
            early = "1 sec interval" not in bare
            sink.dialect("several queue managers" if several else "first version" if early
                         else "one queue manager")  # fmt: skip
        self._row[name] = value / 1000 if name.startswith("latency") else value
        return sink.count_used()

    def _csv_head(self, bare: str, sink: Sink) -> str | None:
        columns = [_label(f"{cell} :") for cell in bare.split(",")[1:]]
        if None in columns:
            return "a heading of unknown meaning"
        sink.dialect("CSV")
        if self._csv_columns:  # another run was appended, of which the file says only its managers
            self._duration = None
            self._managers = self._several or 1.0
        self._several = None
        self._csv_columns = [column for column in columns if column]
        return sink.count_ignored()

    def _csv(self, number: int, bare: str, sink: Sink) -> str | None:
        size, *cells = (float(cell) for cell in bare.split(","))
        values = under(self._csv_columns, cells)
        self._finish(sink)
        for name, value in values:
            self._row[name] = value / 1000 if name.startswith("latency") else value
        self._at, self._next = number, size
        self._finish(sink)
        return sink.count_used()

    def _finish(self, sink: Sink) -> None:
        """Hand over a result, with its block size and what follows from its values."""
        row, self._row = self._row, {}
        if not row:
            return
        writes, total = row.get("writes"), row.get("bytes")
        size, self._next = self._next, None
        if size is None and self._done < len(self._sizes):
            size = self._sizes[self._done]
        self._done += 1
        fault = ""
        if size is None:
            fault = "no block size"
            size = total / writes if writes and total else None
        elif writes and total is not None and abs(total - writes * size) > 0.5 * size:
            fault = "bytes inconsistent"
        latency, shortest = row.get("latency"), row.get("latency_min")
        if not writes or (shortest is not None and shortest > 9e15):
            fault = "no write timed"
            row = {name: value for name, value in row.items() if not name.startswith("latency")}
        elif latency and self._bound(row) and latency > 1.05 * self._bound(row):
            row |= {"latency_printed": latency, "latency": self._bound(row)}
            fault = "latency impossible"
        row |= {"block_bytes": size, "queue_managers": self._managers}
        sink.row("summary", self._at, row, fault=fault)

    def _bound(self, row: dict[str, float | None]) -> float:
        """Give the longest mean latency that is possible, in µs; 0 where nothing bounds it."""
        writes, total, rate = row.get("writes"), row.get("bytes"), row.get("bytes_per_second")
        duration = self._duration or (total / rate if total and rate else None)
        return duration * 1e6 * self._managers / writes if duration and writes else 0.0


def _label(line: str) -> str | None:
    """Give the column of a label, whose words in brackets vary between versions."""
    text = line.partition(" :")[0].strip()
    text = re.sub(r" \(over 1 sec interval\)| by (?:a single qm|all queue managers)", "", text)
    return _LABELS.get(text)
