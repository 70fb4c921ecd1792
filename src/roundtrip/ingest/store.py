"""``data/campaigns/<id>/``: what was ingested, kept so that doing it again changes nothing.

========================  ==========================================================================
``manifest.yml``          each input with its hash, tool, account of lines, faults met, settings
``ingested.csv``          every value of every point, with what was set and how far it is trusted
``series/*.parquet``      intervals and events of each input, for figures and for joins by time
``raw/*``                 each input up to 16 MiB, compressed, its secrets replaced; mappings
``rejects.tsv``           where lines stand that were not understood, why, and their hashes
``campaign.yml``          the context that was given
========================  ==========================================================================

A longer input is named by its hash alone: who has it can show that it is the same. Of what is kept
and of lines, hashes are those without secrets. Raw files are copies for reviewers; results never
come from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
import zstandard

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.files import (
    folder_atomically,
    hashes_below,
    sha256_of,
    sha256_of_file,
    stream_atomically,
    write_atomically,
)
from roundtrip.ingest.context import CONTEXT, FileContext
from roundtrip.ingest.joins import joined
from roundtrip.ingest.manifest import KIND, InputEntry, MetFault, check_points, load_inputs
from roundtrip.ingest.records import STREAM, TIME, Reject, printable
from roundtrip.ingest.repetitions import numbered
from roundtrip.ingest.result import FileResult
from roundtrip.ingest.rows import Row, csv_of, read_rows, with_peaks
from roundtrip.ingest.tables import as_columns, as_table, read_table
from roundtrip.ingest.tools.csv_table import SUFFIX, CsvTable
from roundtrip.project import INGESTED, MANIFEST
from roundtrip.yamlfile import load_yaml, text_of

REJECTS = "rejects.tsv"
_OWN = {INGESTED, MANIFEST, REJECTS, CONTEXT, "series", "raw"}
_WHERE = re.compile(r"(?P<name>.*?):\d+\t")
"""How a rejected line begins: its input and its number."""
_SERIES_ROWS = 2_000_000


@dataclass
class Store:
    """The results of a campaign in ``data/campaigns/<id>``, those of earlier times and of now.

    Attributes
    ----------
    rows, rejects : dict
        Values and rejected lines by the name of the input that gave them. What was joined bears the
        name of the monitor's file, and is made anew with its rows; see `whole`.
    fresh : dict
        What is kept of each input of now beside them.
    """

    folder: Path
    dictionary: Dictionary
    inputs: dict[str, InputEntry] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    rejects: dict[str, list[str]] = field(default_factory=dict)
    fresh: dict[str, dict[str, bytes]] = field(default_factory=dict)
    context: str | None = None

    @classmethod
    def opened(cls, folder: Path, dictionary: Dictionary) -> Store:
        """Read what a campaign holds already.

        Raises
        ------
        DataError
            If the folder holds a campaign of another kind, or files that are none of a campaign's:
            it is replaced as a whole.
        """
        store = cls(folder, dictionary)
        there = {path.name for path in folder.glob("[!.]*")}
        manifest = load_yaml(folder / MANIFEST, DataError) if MANIFEST in there else None
        if MANIFEST in there and (not isinstance(manifest, dict) or manifest.get("kind") != KIND):
            raise DataError(
                "the campaign was measured, not ingested", where=folder,
                remedy="choose another id for what you ingest",
            )  # fmt: skip
        if foreign := sorted(there - _OWN if manifest else there):
            raise DataError(
                f"holds {foreign[0]}, which ingest did not write and would remove", where=folder,
                remedy="choose another id, or move it out of data/campaigns",
            )  # fmt: skip
        if manifest is None:
            return store
        store.inputs = {entry.name: entry for entry in load_inputs(folder)}
        for row in read_rows(folder / INGESTED):
            # As they come from logs: a sweep may be ingested in parts.
            store.rows.setdefault(row["file"], []).append({
                name: dictionary.factor_value(name, value, str(folder / INGESTED))
                if name in dictionary.factors else value
                for name, value in row.items()
            })  # fmt: skip
        check_points(folder)
        if (folder / REJECTS).is_file():
            for line in text_of(folder / REJECTS, DataError).split("\n")[1:-1]:
                where = _WHERE.match(line)
                store.rejects.setdefault(where["name"] if where else "", []).append(line)
        if (folder / CONTEXT).is_file():
            store.context = text_of(folder / CONTEXT, DataError)
        return store

    def add(
        self, entry: InputEntry, files: dict[str, bytes], rows: list[Row], rejects: Iterable[Reject]
    ) -> None:
        """Replace what an input of that name gave before by what it gives now."""
        name = entry.name
        self.inputs[name], self.fresh[name] = entry, files
        self.rows.pop(name, None)  # so that it comes last
        self.rows[name] = rows
        self.rejects[name] = [
            f"{name}:{item.line}\t{item.cells}"
            for item in sorted(rejects, key=attrgetter("line"))
        ]  # fmt: skip

    def write(self, rows: list[Row]) -> bool:
        """Write the campaign with its whole rows, or not at all; say whether anything changed."""
        files = self._files(rows)
        hashes = {
            name: sha256_of_file(content) if isinstance(content, Path) else sha256_of(content)
            for name, content in files.items()
        }
        before = hashes_below(self.folder)  # a hidden file is none of a campaign
        if hashes == {name: before[name] for name in before if not name.startswith(".")}:
            return False
        with folder_atomically(self.folder) as work:
            for name, content in files.items():
                whole = content.read_bytes() if isinstance(content, Path) else content
                write_atomically(work / name, whole)
        return True

    def whole(self) -> list[Row]:
        """Give the rows of all inputs: runs of a point, what is joined, the peaks of sweeps."""
        read = chain.from_iterable(self.rows.values())
        rows = joined(numbered(read, self.dictionary.factors), self._series)
        return sorted(
            with_peaks(rows, self.dictionary.factors),
            key=lambda row: (
                row["point"], row["statistic"] == "peak", row["file"], row["quantity"],
                row["statistic"],
            ),
        )  # fmt: skip

    def _files(self, rows: list[Row]) -> dict[str, bytes | str | Path]:
        """Give all that the campaign consists of by its name: content, or the file of before."""
        files: dict[str, bytes | str | Path] = {}
        for name, entry in sorted(self.inputs.items()):
            for file in filter(None, (*entry.series, entry.raw, entry.mapping)):
                content = self.fresh.get(name, {}).get(file, self.folder / file)
                if isinstance(content, bytes) or content.is_file():
                    files.setdefault(file, content)
        points = csv_of(rows, self.dictionary)
        manifest = {
            "kind": KIND, "id": self.folder.name, "points_sha256": sha256_of(points),
            "inputs": [self.inputs[name].model_dump(mode="json", exclude_unset=True)
                       for name in sorted(self.inputs)],
        }  # fmt: skip
        text = yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=100)
        lines = [line for name in sorted(self.rejects) for line in self.rejects[name]]
        texts = any(line.count("\t") > 2 for line in lines)
        files |= {
            MANIFEST: text, INGESTED: points,
            REJECTS: "\n".join([_heading(texts), *lines]) + "\n",
        }  # fmt: skip
        return files if self.context is None else files | {CONTEXT: self.context}

    def _series(self, monitor: Row) -> tuple[np.ndarray, np.ndarray]:
        """Give the times and the values behind a monitor's row, from a file fresh or kept."""
        quantity, stream = monitor["quantity"], monitor["stream"]
        for name, entry in self.inputs.items():
            streams = entry.streams
            if entry.sha256 != monitor["input"] or stream not in streams:
                continue
            for file in entry.series:
                if not file.endswith("-interval.parquet"):
                    continue
                # Of millions of rows, no more than is needed.
                content = self.fresh.get(name, {}).get(file)
                source = self.folder / file if content is None else pa.BufferReader(content)
                table = read_table(source, streams, [STREAM, TIME, quantity])
                if quantity in table.column_names:
                    columns = as_columns(table)
                    own = columns[STREAM] == streams.index(stream)
                    return columns[TIME][own].astype(float), columns[quantity][own].astype(float)
        return np.empty(0), np.empty(0)


def _heading(texts: bool) -> str:
    """Give the first line of such a file."""
    return "where\treason\tsha256" + ("\ttext" if texts else "")


@contextmanager
def rejects_file(path: Path | None, texts: bool) -> Iterator[Callable[[str, Reject], None]]:
    """Take rejected lines into a file that appears whole at the end, or not at all.

    Without a path nothing is kept; with `texts` it holds the text of the lines.
    """
    if path is None:
        yield lambda name, reject: None
        return
    with stream_atomically(path) as stream, TextIOWrapper(stream, encoding="utf-8") as text:

        def add(name: str, reject: Reject) -> None:
            text.write(f"{printable(name)}:{reject.line}\t{reject.cells}\n")

        text.write(f"{_heading(texts)}\n")
        yield add


def files_of(result: FileResult) -> dict[str, bytes]:
    """Give what a campaign keeps of an input beside its points, while its rows are there.

    Those are its intervals and events as Parquet, of the longest inputs only in their beginning,
    and the input itself where it is short, as it is in the result; see `FileResult.mask`.
    """
    key = result.sha256[:16]
    found: dict[str, bytes] = {}
    for kind, rows in result.rows.items():
        if kind == "summary":  # `INGESTED` holds them all
            continue
        tables, count = [], 0
        for columns in rows.batches():
            tables.append(as_table(columns))
            count += tables[-1].num_rows
            if count >= _SERIES_ROWS:
                break
        if tables:
            table = pa.concat_tables(tables, promote_options="permissive").slice(0, _SERIES_ROWS)
            sink = pa.BufferOutputStream()
            pq.write_table(table, sink, compression="zstd")
            found[f"series/{key}-{kind}.parquet"] = sink.getvalue().to_pybytes()
    if result.content is not None:
        packer = zstandard.ZstdCompressor(level=9, write_content_size=True)
        found[f"raw/{key}.zst"] = packer.compress(result.content)
        if isinstance(result.reader, CsvTable):
            mapping = result.reader.mapping.encode()
            found[f"raw/{sha256_of(mapping)[:16]}{SUFFIX}"] = mapping
    return found


def entry_of(result: FileResult, files: Mapping[str, bytes], context: FileContext) -> InputEntry:
    """Say what was read of an input, of which a campaign keeps some files; see `files_of`."""
    known, account = result.explained, result.account
    told: dict[str, Any] = {
        "problem": result.problem,
        "faults": tuple(
            MetFault(fault=name, times=count, explained=known[name].says if name in known else "")
            for name, count in sorted(result.faults.items())
        ),
        "settings": dict(sorted(result.settings.items())),
        "series": tuple(name for name in files if name.endswith(".parquet")),
        "raw": next((name for name in files if name.endswith(".zst")), None),
        "mapping": next((name for name in files if name.endswith(SUFFIX)), None),
        "called": context.called if context.called != result.name else None,
        "context_sha256": context.sha256,
        "streams": tuple(result.streams),
    }
    told = {name: value for name, value in told.items() if value}
    return InputEntry(
        name=result.name, sha256=result.sha256, bytes=result.length, tool=result.tool or None,
        dialects=tuple(result.dialects), lines=account.lines, used=account.used,
        ignored=account.ignored, rejected=account.rejected, intervals=result.intervals, **told,
    )  # fmt: skip
