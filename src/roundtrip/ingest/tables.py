"""Rows of an input, in memory while they are few and in a temporary file when they are many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from roundtrip.errors import DataError
from roundtrip.files import disk_errors
from roundtrip.ingest.records import FAULT, LINE, RUN, STREAM, Columns, Kind

_IN_MEMORY = 4_000_000  # cells
_ORDINALS = (LINE, STREAM, RUN, FAULT)


def as_table(columns: Mapping[str, np.ndarray]) -> pa.Table:
    """Turn columns into an Arrow table; nan becomes null."""
    arrays = {}
    for name, column in columns.items():
        if name in _ORDINALS:
            arrays[name] = pa.array(column.astype(np.int64, copy=False))
        elif column.dtype == object:
            arrays[name] = pa.array([str(cell) if cell else None for cell in column], pa.string())
        else:
            arrays[name] = pa.array(column.astype(np.float64, copy=False), from_pandas=True)
    return pa.table(arrays)


def as_columns(table: pa.Table) -> Columns:
    """Turn an Arrow table into columns; null becomes nan or the empty text."""
    columns: Columns = {}
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_string(column.type):
            columns[name] = np.array([cell or "" for cell in column.to_pylist()], dtype=object)
        else:
            columns[name] = column.to_numpy()
    return columns


def read_table(
    source: Path | pa.BufferReader, streams: Sequence[str], columns: list[str] | None = None
) -> pa.Table:
    """Read rows that a campaign keeps, from their file or its content.

    Parameters
    ----------
    streams : sequence of str
        Names that the column ``stream`` numbers.
    columns : list of str, optional
        Those to read, as far as there are such, ``stream`` among them; all without it.

    Raises
    ------
    DataError
        If it cannot be read, or its rows are of other streams.
    """
    try:
        with pq.ParquetFile(source) as file:
            table = file.read(columns)
        numbers = table.column(STREAM).to_numpy()
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(streams):
            raise ValueError("it holds streams that the manifest does not name")
    except (OSError, KeyError, ValueError, pa.ArrowException) as problem:
        raise DataError(
            f"cannot be read: {problem}", where=str(source),
            remedy="put the file back, or move the campaign away and ingest the logs again",
        ) from problem  # fmt: skip
    return table


class Rows:
    """Rows of one kind, in the order in which they were appended.

    Those that are too many for memory go to a folder, to files that begin with the kind.
    """

    def __init__(self, folder: Path, kind: Kind) -> None:
        self._folder, self._kind = folder, kind
        self._memory: list[Columns] = []
        self._files: list[Path] = []
        self._in_memory = 0
        self.count = 0

    def append(self, columns: Columns) -> None:
        """Add rows."""
        length = len(columns[LINE])
        self.count += length
        self._memory.append(columns)
        self._in_memory += length * len(columns)
        if self._in_memory > _IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        # Neighbours of the same columns together: fewer, larger files.
        for names, group in groupby(self._memory, key=list):
            same = list(group)
            merged = {name: np.concatenate([part[name] for part in same]) for name in names}
            table = as_table(merged)
            whole = [field.name for field in table.schema if pa.types.is_int64(field.type)]
            path = self._folder / f"{self._kind}-{len(self._files):06d}.parquet"
            self._files.append(path)
            with disk_errors(self._folder):  # a full disk is no damage of the log
                pq.write_table(
                    table, path, compression="lz4", use_dictionary=False, write_statistics=False,
                    column_encoding=dict.fromkeys(whole, "DELTA_BINARY_PACKED"),
                )  # fmt: skip
        self._memory, self._in_memory = [], 0

    def batches(self) -> Iterator[Columns]:
        """Give all rows again, some at a time."""
        if self._files and self._memory:
            self._spill()
        for path in self._files:
            with pq.ParquetFile(path) as file:
                # One group of rows at a time: reading ahead would keep the whole file.
                for group in range(file.num_row_groups):
                    yield as_columns(file.read_row_group(group, use_threads=False))
                    pa.default_memory_pool().release_unused()
        yield from self._memory
