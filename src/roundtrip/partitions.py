"""Rows of the tidy table, a Parquet file for each source: built from it, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.cache import Cache
from roundtrip.dictionary import PROVENANCE, VALUE, Dictionary, load_dictionary
from roundtrip.files import files_below, sha256_of, sha256_of_tree
from roundtrip.project import Project
from roundtrip.sources.ingested import ingested_files, ingested_folders, read_ingested
from roundtrip.sources.measured import campaign_files, campaign_folders, read_campaign
from roundtrip.sources.published import CLAIMS_FILE, ERRATA_FILE, read_report, report_folders
from roundtrip.versions import computing

if TYPE_CHECKING:
    import pyarrow as pa

_AT_A_TIME = 50_000
"""Rows that are held while a partition is built, and of a group that a choice may pass over."""


def schema(dictionary: Dictionary) -> pa.Schema:
    """Give the columns of the tidy table: provenance, factors, the value, trust.

    Parameters
    ----------
    dictionary : Dictionary
        Its factors become columns of their own type.
    """
    import pyarrow as pa

    types = {
        "string": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_(),
    }  # fmt: skip
    factors = {name: factor.type for name, factor in dictionary.factors.items()}
    columns = {**PROVENANCE, **factors, **VALUE}
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


@dataclass(frozen=True)
class Source:
    """A report or a campaign: how its rows are read, under a hash of all that they are made of."""

    folder: Path
    read: Callable[[Path, Dictionary, Path], Iterable[dict[str, Any]]]
    fingerprint: str


class Partition:
    """The rows of one source, in a Parquet file of their own that is opened when they are used."""

    def __init__(self, source: str, content: Callable[[], bytes | memoryview]) -> None:
        self.source, self._content = source, content

    @cached_property
    def buffer(self) -> pa.Buffer:
        """The Parquet file."""
        import pyarrow as pa

        return pa.py_buffer(self._content())


def sources_of(project: Project) -> tuple[Source, ...]:
    """List what the observations are built from, in their order."""
    common = f"{computing()}\n{sha256_of_tree(project.dictionary)}"
    # A claim about a value changes no value.
    said = (CLAIMS_FILE, ERRATA_FILE)
    campaigns = project.campaigns
    files_below(project.published)  # refuses links to nothing, which would seem to be folders
    found: list[tuple[Path, Callable[..., Any], tuple[Path, ...]]] = [
        *((one, read_report, (one,)) for one in report_folders(project.published)),
        *((one, read_campaign, campaign_files(one)) for one in campaign_folders(campaigns)),
        *((one, read_ingested, ingested_files(one)) for one in ingested_folders(campaigns)),
    ]
    return tuple(
        Source(
            folder, read,
            sha256_of(
                f"{common}\n{read.__name__} {folder.name}\n{sha256_of_tree(*files, without=said)}"
            ),
        )
        for folder, read, files in found
    )  # fmt: skip


def partitions_of(project: Project, sources: Iterable[Source]) -> list[Partition]:
    """Give the rows of each source; they are read anew only when something of it changed.

    Raises
    ------
    DataError
        If a source breaks the rules of the data model.
    """
    cache, dictionary = Cache(project.cache), load_dictionary(project.dictionary)

    def partition(source: Source) -> Partition:
        name, key = source.folder.name, f"{source.fingerprint[:16]}-rows"

        def built() -> bytes:
            content = _built(source.read(source.folder, dictionary, project.root), dictionary)
            cache.put("observations", key, content)
            return content

        content = None if cache.holds("observations", key) else built()
        return Partition(name, lambda: content or cache.mapped("observations", key) or built())

    return [partition(source) for source in sources]


def _built(given: Iterable[dict[str, Any]], dictionary: Dictionary) -> bytes:
    """Give rows as a Parquet file, holding few of them at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns, rows = schema(dictionary), iter(given)
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, columns, compression="zstd") as file:
        while some := list(islice(rows, _AT_A_TIME)):
            file.write_table(pa.Table.from_pylist(some, schema=columns))
    content: bytes = sink.getvalue().to_pybytes()
    return content
