"""How fast logs are read: ``python benchmarks/ingest.py [--megabytes 100] [--gigabytes 10]``.

A log of each main format is made from the grammar of a real sample in ``tests/data/ingest``: its
lines are kept in their order, the numbers in them drawn anew. It is read by Roundtrip and, for the
two formats that grow large, by a straightforward reader too: line by line, one regular expression
for each form of a line, ``float`` and ``int``. Both results are compared, every value of every
column. The last column is how fast secrets are looked for in a log that is kept raw. With
``--gigabytes`` a stream of that size is read that exists nowhere as a whole, and the
peak of the memory is printed.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np

from roundtrip.ingest.reader import Reader
from roundtrip.ingest.records import FAULT, LINE, RUN, STREAM, TIME, Columns, Kind, Sink
from roundtrip.ingest.registry import reader_named
from roundtrip.secrets import masked_bytes

SAMPLES = Path(__file__).parents[1] / "tests" / "data" / "ingest"
FORMATS = {
    "mq-cph": "mq-cph/cph_pdf_reconnecttimer.txt",
    "jmsperfharness": "jmsperfharness/tutorial_requesters.txt",
    "amqsrua": "amqsrua/mqio_disk_log_3_publications.txt",
    "vmstat": "os-tools/vmstat_1_long_ubuntu18.txt",
    "mpstat": "os-tools/mpstat_P_ALL_1_4.txt",
    "rabbitmq-perftest": "rabbitmq-perftest/docs_default_format.txt",
    "hdrhistogram": "hdrhistogram/jHiccup-2.0.7S.logV2.hlog",
}
_VARIED = re.compile(rb"(?<=rate=)\d+\.\d\d|(?<=total messages=)\d+|(?<=sent: )\d+")


def grown(sample: Path, size: int, seed: int) -> bytes:
    """Make a log of about a size: the sample's head, then its repeating lines, other numbers."""
    lines = sample.read_bytes().splitlines(keepends=True)
    drawn = np.random.default_rng(seed)

    def other(match: re.Match[bytes]) -> bytes:
        number = float(match[0])
        changed = max(0.0, number * (1 + drawn.normal(0, 0.02)))
        return b"%.2f" % changed if b"." in match[0] else b"%d" % changed

    if sample.parent.name in ("mq-cph", "jmsperfharness"):
        head = [line for line in lines if b"START" in line]
        body = [line for line in lines if line.startswith(b"rate=")]
    else:
        head, body = [], lines
    part = b"".join(_VARIED.sub(other, line) for line in body * (200_000 // len(body)))
    return b"".join(head) + part * max(1, size // len(part))


NOTHING = float("nan")


class Straightforward:
    """Reads MQ-CPH or JMSPerfHarness line by line, by the readers' rules, to the same columns."""

    forms: ClassVar[dict[str, re.Pattern[str]]] = {
        "mq-cph": re.compile(
            r"^(?:id=(?P<id>[^,]+),)?rate=(?P<rate>[-\w.]+),threads=(?P<threads>\d+)"
            r"(?:,avg_latency\(uSec\)=(?P<avg>\d+),max_latency\(uSec\)=(?P<max>\d+),"
            r"min_latency\(uSec\)=(?P<min>\d+))?$"
        ),
        "jmsperfharness": re.compile(
            r"^(?:id=(?P<id>[^,]+),)?(?:memory=(?P<memory>[\d.]+),)?rate=(?P<rate>-?[\d.]+),"
            r"total messages=(?P<messages>-?\d+),Snapshot period=(?P<period>\d+),"
            r"threads=(?P<threads>\d+)$"
        ),
    }
    quiet = re.compile(r"^\[?\w+\]?:? (?:START|STOP|First session open.*)$")
    start = re.compile(r"^(?:\[\w+\]|ControlThread\d+:) START$")
    summary = re.compile(r"^totalIterations=(\d+),")

    def __init__(self, name: str) -> None:
        self.name = name
        self.columns = reader_named(name).columns  # type: ignore[attr-defined]

    def read(self, stream: io.BytesIO) -> tuple[dict[str, np.ndarray], tuple[int, int, int]]:
        """Give the columns of the intervals, and lines used, ignored and rejected."""
        interval = self._cph if self.name == "mq-cph" else self._jms
        form = self.forms[self.name]
        found: dict[str, list[float]] = {
            name: [] for name in (LINE, STREAM, RUN, TIME, FAULT, *self.columns)
        }
        streams: dict[str, int] = {}
        used = ignored = rejected = run = 0
        summed = False
        for number, line in enumerate(io.TextIOWrapper(stream, "utf-8"), start=1):
            text = line.rstrip("\r\n")
            if match := form.match(text):
                fault, values = interval(match)
                found[LINE].append(number)
                found[STREAM].append(streams.setdefault(match["id"] or "", len(streams)))
                found[RUN].append(run)
                found[TIME].append(NOTHING)
                found[FAULT].append(fault)
                for name in self.columns:
                    found[name].append(values.get(name, NOTHING))
                used += 1
            elif self.summary.match(text):
                summed = True
                used += 1
            elif self.quiet.match(text):
                if summed and self.start.match(text):
                    run, summed = run + 1, False
                ignored += 1
            else:
                rejected += 1
        return {name: np.array(column) for name, column in found.items()}, (used, ignored, rejected)

    def _cph(self, match: re.Match[str]) -> tuple[int, dict[str, float]]:
        rate = float(match["rate"])
        values = {"threads": float(match["threads"])}
        if math.isfinite(rate):
            values["rate"] = rate
        if match["avg"] and float(match["min"]) < 2.0**63 - 1:
            for name in ("avg", "max", "min"):
                values[f"latency_{name}"] = float(match[name])
        return 0 if math.isfinite(rate) else 1, values

    def _jms(self, match: re.Match[str]) -> tuple[int, dict[str, float]]:
        values = {name: float(match[name]) for name in ("rate", "messages", "period", "threads")}
        if match["memory"]:
            values["memory"] = float(match["memory"])
        if abs(values["messages"]) * 1000 < 2**31:
            return 0, values
        values["rate_printed"] = values["rate"]
        values["rate"] = values["messages"] / values["period"]
        return 1, values


def read_all(reader: Reader, stream: io.BufferedIOBase, keep: bool) -> tuple[Columns, Sink]:
    """Read a stream, keeping the columns of the intervals or letting them go."""
    parts: list[Columns] = []

    def write(kind: Kind, columns: Columns) -> None:
        if keep and kind == "interval":
            parts.append(columns)

    sink = Sink(write, lambda item: None)
    reader.read(stream, sink)  # type: ignore[arg-type]
    names = parts[0] if parts else {}
    return {name: np.concatenate([part[name] for part in parts]) for name in names}, sink


def best_of(times: int, action: Callable[[], object]) -> float:
    """Give the smallest processor time of some calls: other work on the machine cannot lower it."""
    taken = []
    for _ in range(times):
        begin = time.process_time()
        action()
        taken.append(time.process_time() - begin)
    return min(taken)


def compare(name: str, content: bytes) -> None:
    """Assert that both readers give the same, every value of every column."""
    columns, sink = read_all(reader_named(name)(), io.BytesIO(content), keep=True)
    plain, account = Straightforward(name).read(io.BytesIO(content))
    for column, values in plain.items():
        same = np.array_equal(columns[column].astype(float), values.astype(float), equal_nan=True)
        assert same, f"{name}: {column} differs"
    ours = sink.account
    assert (ours.used, ours.ignored, ours.rejected) == account, f"{name}: {ours} and {account}"


class Endless(io.RawIOBase):
    """A stream of a given size that repeats some lines and exists nowhere as a whole."""

    def __init__(self, content: bytes, size: int) -> None:
        self._content, self._left, self._place = content, size, 0

    def read(self, size: int = -1) -> bytes:
        """Give the next bytes."""
        wanted = min(size, self._left, len(self._content) - self._place)
        data = self._content[self._place : self._place + wanted]
        self._place = (self._place + wanted) % len(self._content)
        self._left -= wanted
        return data


def memory(name: str, size: int) -> None:
    """Read a stream of a given size to points, in this process, and print its peak of memory."""
    from roundtrip.ingest.context import Steady
    from roundtrip.ingest.inputs import Input
    from roundtrip.ingest.points import points_of
    from roundtrip.ingest.result import read_input

    content = grown(SAMPLES / FORMATS[name], 8 << 20, 1)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        source = Input(name, Endless(content, size))  # type: ignore[arg-type]
        result = read_input(source, Path(folder), lambda item: None, reader_named(name)())
        points = points_of(result, Steady())
        spilled = sum(path.stat().st_size for path in Path(folder).iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    values = {value.quantity: value for value in points[0].values}
    print(json.dumps({
        "format": name, "gigabytes": round(result.length / 1e9, 2), "lines": result.account.lines,
        "intervals": result.intervals, "seconds": round(time.monotonic() - begin, 1),
        "peak_memory_mb": round(peak), "temporary_gb": round(spilled / 1e9, 2),
        "steady_rate": round(values["rate"].value, 2),
    }))  # fmt: skip


def table(megabytes: int, times: int) -> Iterator[str]:
    """Give the lines of the table."""
    yield f"{'format':<20}{'MB':>6}{'MB/s':>8}{'line by line':>14}{'ratio':>7}{'kept':>7}"
    for name, sample in FORMATS.items():
        large = name in Straightforward.forms
        content = grown(SAMPLES / sample, (megabytes if large else megabytes // 10) << 20, 1)
        size = len(content) / 1e6
        seconds = best_of(
            times,
            lambda: read_all(reader_named(name)(), io.BytesIO(content), keep=False),  # noqa: B023
        )
        row = f"{name:<20}{size:>6.0f}{size / seconds:>8.0f}"
        part = content[: content.rfind(b"\n", 0, len(content) // 4) + 1]
        if large:
            compare(name, part)
            plain = best_of(times, lambda: Straightforward(name).read(io.BytesIO(part)))  # noqa: B023
            rate = len(part) / 1e6 / plain
            row += f"{rate:>14.1f}{size / seconds / rate:>7.1f}"
        masking = best_of(times, lambda: masked_bytes(part))  # noqa: B023
        yield f"{row:<55}{len(part) / 1e6 / masking:>7.1f}"


def main() -> None:
    """Print the table, and the memory where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100, help="size of the large logs")
    parser.add_argument("--gigabytes", type=float, default=0.0, help="size of a simulated stream")
    parser.add_argument("--times", type=int, default=3, help="repetitions; the best one counts")
    parser.add_argument("--only", choices=list(Straightforward.forms), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.only:
        memory(asked.only, int(asked.gigabytes * 1e9))
        return
    for line in table(asked.megabytes, asked.times):
        print(line, flush=True)
    if asked.gigabytes:
        for name in Straightforward.forms:
            size = str(asked.gigabytes)
            command = [sys.executable, __file__, "--gigabytes", size, "--only", name]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
