"""What the tests of ingestion share: reading bytes, and the samples."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.ingest.reader import Head, Reader
from roundtrip.ingest.records import FAULT, LINE, RUN, STREAM, TIME, Columns, Kind, Reject, Sink
from roundtrip.ingest.registry import reader_for

HEADS = (LINE, STREAM, RUN, TIME, FAULT)
SAMPLES = Path(__file__).parent / "data" / "ingest"


class Read:
    """What a reader made of some bytes."""

    def __init__(self, reader: Reader, content: bytes) -> None:
        self.reader = reader
        self.tables: dict[Kind, list[Columns]] = {}
        self.rejects: list[Reject] = []
        self.sink = Sink(
            lambda kind, columns: self.tables.setdefault(kind, []).append(columns),
            self.rejects.append,
        )
        reader.read(io.BytesIO(content), self.sink)
        self.account = self.sink.account

    def column(self, name: str, kind: Kind = "interval") -> list[Any]:
        """Give a column of all rows, None for what is not there."""
        cells: list[Any] = []
        for columns in self.tables.get(kind, []):
            length = len(columns["line"])
            cells += list(columns[name]) if name in columns else [None] * length
        return [None if isinstance(cell, float) and np.isnan(cell) else cell for cell in cells]

    def rows(self, kind: Kind = "interval") -> list[tuple[Any, ...]]:
        """Give line, series, run, time, fault and values of each row, without what is not there."""
        heads = (self.column("line", kind), self.streams(kind), self.column("run", kind),
                 self.column("time", kind), self.faults(kind))  # fmt: skip
        names = {name for columns in self.tables.get(kind, []) for name in columns}
        values = {name: self.column(name, kind) for name in names - set(HEADS)}
        return [
            (*head, {n: cells[place] for n, cells in values.items() if cells[place] is not None})
            for place, head in enumerate(zip(*heads, strict=True))
        ]

    def units(self, *names: str) -> list[str]:
        """Give the units of some columns."""
        return [self.sink.quantities[name].unit for name in names]

    def lines(self) -> tuple[int, int, int]:
        """Give the numbers of lines used, ignored and rejected."""
        return self.account.used, self.account.ignored, self.account.rejected

    def faults(self, kind: Kind = "interval") -> list[str]:
        """Give the fault of each row, empty where there is none."""
        keys = list(self.sink.fault_keys)
        return [keys[int(number)] for number in self.column(FAULT, kind)]

    def streams(self, kind: Kind = "interval") -> list[str]:
        """Give the series of each row."""
        names = list(self.sink.streams)
        return [names[int(number)] for number in self.column("stream", kind)]


def read(content: bytes | str, name: str = "log.txt") -> Read:
    """Detect the tool and read."""
    raw = content.encode() if isinstance(content, str) else content
    reader = reader_for(Head.of(raw[: 64 << 10], name))
    assert reader is not None, "no tool recognised"
    return Read(reader, raw)


def sample(name: str) -> Read:
    """Read a sample."""
    return read((SAMPLES / name).read_bytes(), name)
