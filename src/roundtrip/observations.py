"""The tidy table: one row for each observed value, built from the sources."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roundtrip import __version__
from roundtrip.cache import Cache
from roundtrip.campaign.manifest import Manifest, load_manifest
from roundtrip.dictionary import BASE, PROVENANCE, VALUE, Dictionary, load_dictionary
from roundtrip.errors import DataError, unknown
from roundtrip.files import files_below, sha256_of, sha256_of_tree
from roundtrip.project import Project
from roundtrip.sources.cells import Cell, parse_printed
from roundtrip.sources.disclosure import PublishedReport
from roundtrip.sources.ingested import ingested_files, ingested_folders, read_ingested
from roundtrip.sources.measured import campaign_files, campaign_folders, read_campaign
from roundtrip.sources.published import (
    CLAIMS_FILE,
    ERRATA_FILE,
    load_report,
    read_report,
    report_folders,
)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Description = TypeVar("Description", Manifest, PublishedReport)

CELL_COLUMNS = ("report", "table", "row", "column", "value_printed", "value", "unit")

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


def _as_pandas(table: pa.Table) -> pd.DataFrame:
    """Give rows with one type for each column, whether a value is missing among them or not."""
    import pyarrow as pa

    kinds = pa.types
    floats = pa.schema(
        field.with_type(pa.float64())
        if kinds.is_integer(field.type) and field.name not in PROVENANCE
        else field
        for field in table.schema
    )
    frame: pd.DataFrame = table.cast(floats).to_pandas()
    truths = [field.name for field in floats if kinds.is_boolean(field.type)]
    return frame.astype(dict.fromkeys(truths, object))


def _observation(cell: Cell) -> dict[str, Any]:
    doubt = cell.suspect
    status = "as_printed"
    if doubt is not None:
        status = "suspect" if doubt.corrected is None else "corrected"
    return {
        "observation_id": cell.id,
        "point_id": cell.point_id,
        "source_kind": cell.kind,
        "source": cell.report,
        "section": cell.section,
        "table": cell.number,
        "table_id": cell.table,
        "row_label": cell.row,
        "column_label": cell.column,
        "value_printed": cell.printed,
        "unit_printed": cell.printed_unit,
        "file": cell.file,
        "line": cell.line,
        **cell.factors,
        "metric": cell.metric,
        "statistic": cell.statistic,
        "value": cell.value,
        "unit": cell.unit,
        "accuracy": cell.accuracy,
        "status": status,
        "value_corrected": None if doubt is None else doubt.corrected,
        "note": None if doubt is None else doubt.reason,
    }


@dataclass(frozen=True)
class _Source:
    """A report or a campaign: how its rows are read, under a hash of all that they are made of."""

    folder: Path
    read: Callable[[Path, Dictionary, Path], Iterable[dict[str, Any]]]
    fingerprint: str


class Partition:
    """The rows of one source, in a Parquet file of their own that is opened when they are used.

    Parameters
    ----------
    source : str
        What all its rows have as ``source``.
    content : callable
        Gives the Parquet file.
    """

    def __init__(self, source: str, content: Callable[[], bytes | memoryview]) -> None:
        self.source, self._content = source, content

    @cached_property
    def buffer(self) -> pa.Buffer:
        """The Parquet file."""
        import pyarrow as pa

        return pa.py_buffer(self._content())


class Observations:
    """Everything observed, with the reports it came from.

    Parameters
    ----------
    fingerprint : str
        Hash of all that the tidy table is built from.
    partitions : sequence of Partition
        Its rows, source by source, in the order of the table. They are read when they are asked
        for, and so are the libraries that read them.
    """

    def __init__(self, project: Project, fingerprint: str, partitions: Sequence[Partition]) -> None:
        self.project = project
        self.fingerprint = fingerprint
        self._partitions = partitions
        self._chosen: dict[tuple[Any, ...], pd.DataFrame] = {}
        self._descriptions: dict[Path, Any] = {}
        self.dictionary = load_dictionary(project.dictionary)

    @cached_property
    def table(self) -> pa.Table:
        """The tidy table."""
        return self._read(self._partitions, {})

    def _read(
        self, partitions: Sequence[Partition], wanted: Mapping[str, tuple[Any, ...]]
    ) -> pa.Table:
        """Give the rows of some sources, those that have one of the wanted values in each column.

        Of each group of rows the columns that decide are read first, the others only where a row
        is wanted.
        """
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        columns = schema(self.dictionary)
        values = {name: pa.array(given, columns.field(name).type) for name, given in wanted.items()}
        parts = [columns.empty_table()]
        for partition in partitions:
            # Not read_table, which would import far more.
            file = pq.ParquetFile(pa.BufferReader(partition.buffer))
            if not wanted:
                parts.append(file.read())
                continue
            for group in range(file.num_row_groups):
                deciding = file.read_row_group(group, columns=list(wanted))
                fits = [pc.is_in(deciding[name], value_set=values[name]) for name in wanted]
                chosen = reduce(pc.and_, fits)
                if pc.any(chosen).as_py():
                    parts.append(file.read_row_group(group).filter(chosen))
        return pa.concat_tables(parts)

    @cached_property
    def _frame(self) -> pd.DataFrame:
        return _as_pandas(self.table)

    @property
    def frame(self) -> pd.DataFrame:
        """The tidy table as pandas, a copy of one's own (pandas copies what is written to)."""
        return self._frame.copy(deep=False)

    def choose(self, **wanted: Any) -> pd.DataFrame:
        """Give the rows that have certain values, and read no others.

        Sources that are not asked for are not opened. Of the others a group of rows is read at a
        time, and only where one of them has the values.

        Parameters
        ----------
        **wanted : value or collection of values
            By column; a row has one of them in each.

        Returns
        -------
        pandas.DataFrame
            In the order of the table, a copy of one's own.

        Raises
        ------
        KeyError
            If there is no such column.
        """
        lists = {
            name: (values,) if isinstance(values, str | int | float) else tuple(values)
            for name, values in wanted.items()
        }
        key = tuple(lists.items())
        if key not in self._chosen:
            sources = lists.pop("source", None)
            chosen = [one for one in self._partitions if sources is None or one.source in sources]
            self._chosen[key] = _as_pandas(self._read(chosen, lists))
        return self._chosen[key].copy(deep=False)

    def rows_of(self, cells: Collection[str]) -> pd.DataFrame:
        """Give the rows of some observations, by id; only their sources are read, each once."""
        import pandas as pd

        # An observation's id begins with its source.
        heads = {cell.partition("/")[0] for cell in cells}
        sources = dict.fromkeys(one.source for one in self._partitions if one.source in heads)
        frames = [self.choose(source=source) for source in sources] or [self.choose(source=())]
        wanted = list(cells)
        found = [frame[frame["observation_id"].isin(wanted)] for frame in frames]
        return pd.concat(found, ignore_index=True)

    def sql(self, query: str) -> pd.DataFrame:
        """Query the table, named ``observations``, with DuckDB.

        It reads the columns that the query names, a group of rows at a time, of the sources that
        the query does not exclude. Files, network and extensions are out of the query's reach.

        Parameters
        ----------
        query : str
            One SELECT.

        Raises
        ------
        DataError
            If DuckDB refuses the query.
        """
        import duckdb
        import pyarrow.dataset as ds

        form = ds.ParquetFileFormat()
        fragments = [
            form.make_fragment(one.buffer, partition_expression=ds.field("source") == one.source)
            for one in self._partitions
        ]
        whole = ds.FileSystemDataset(fragments, schema(self.dictionary), form)
        with duckdb.connect(":memory:") as connection:
            connection.register("observations", whole)
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            try:
                return connection.execute(query).df()
            except duckdb.Error as problem:
                raise DataError(f"the query failed: {problem}", where="SQL") from problem

    @cached_property
    def levels(self) -> dict[str, list[Any]]:
        """What occurs of every factor, ascending."""

        def found() -> str:
            columns = {name: self.frame[name].dropna() for name in self.dictionary.factors}
            return json.dumps({name: sorted(set(values)) for name, values in columns.items()})

        levels: dict[str, list[Any]] = json.loads(self._keep("levels", found))
        return levels

    @property
    def report_ids(self) -> list[str]:
        """Ids of all published reports."""
        return [folder.name for folder in report_folders(self.project.published)]

    @property
    def campaign_ids(self) -> list[str]:
        """Ids of all measured campaigns."""
        return [folder.name for folder in campaign_folders(self.project.campaigns)]

    @property
    def ingested_ids(self) -> list[str]:
        """Ids of all ingested campaigns."""
        return [folder.name for folder in ingested_folders(self.project.campaigns)]

    def campaign(self, name: str) -> Manifest:
        """Give what one campaign says of itself.

        Raises
        ------
        DataError
            If there is no such campaign; the nearest id is given.
        """
        if name not in self.campaign_ids:
            allowed = ", ".join(self.campaign_ids) or "none has been run yet"
            raise unknown(DataError, "campaign", name, self.campaign_ids, allowed=allowed)
        return self._described(Manifest, self.project.campaigns / name, load_manifest)

    def report(self, name: str) -> PublishedReport:
        """Give what one published report says of itself.

        Raises
        ------
        DataError
            If there is no such report; the nearest id is given.
        """
        if name not in self.report_ids:
            allowed = ", ".join(self.report_ids) or "none is among the data"
            raise unknown(DataError, "report", name, self.report_ids, allowed=allowed)
        return self._described(PublishedReport, self.project.published / name, load_report)

    def _described(
        self, kind: type[Description], folder: Path, load: Callable[[Path], Description]
    ) -> Description:
        """Give what a source says of itself in YAML; it is kept as JSON, which is read at once."""
        if folder not in self._descriptions:
            name = f"{folder.parent.name}-{folder.name}"
            text = self._keep(name, lambda: load(folder).model_dump_json())
            self._descriptions[folder] = kind.model_validate_json(text)
        described: Description = self._descriptions[folder]
        return described

    def _keep(self, name: str, make: Callable[[], str]) -> str:
        cache = Cache(self.project.cache)
        return cache.text("observations", f"{self.fingerprint[:16]}-{name}", make)

    def cells(self, report: str) -> pd.DataFrame:
        """List the numeric cells that a report prints, in printed order.

        Returns
        -------
        pandas.DataFrame
            Columns `report, table, row, column, value_printed, value, unit`, the value in the
            unit that the report prints, so that a cell can be laid beside its page.
        """
        self.report(report)
        frame = self.choose(source=report, source_kind="table")
        renamed = frame.rename(
            columns={"source": "report", "row_label": "row", "column_label": "column"}
        ).assign(
            value=[parse_printed(text)[0] for text in frame["value_printed"]],
            unit=frame["unit_printed"],
        )
        return renamed[list(CELL_COLUMNS)].reset_index(drop=True)


def _read_report(folder: Path, dictionary: Dictionary, base: Path) -> Iterator[dict[str, Any]]:
    return map(_observation, read_report(folder, dictionary, base))


def _sources(project: Project) -> tuple[_Source, ...]:
    """List what the observations are built from, in their order."""
    package = Path(__file__).parent
    code = sha256_of_tree(
        Path(__file__),
        package / "dictionary.py",
        package / "sources",
        package / "campaign" / "manifest.py",
        package / "campaign" / "names.py",
        package / "campaign" / "plan.py",
        package / "ingest" / "manifest.py",
        pattern="*.py",
    )
    common = f"{__version__}\n{code}\n{sha256_of_tree(BASE, project.dictionary)}"
    # A claim about a value changes no value.
    said = (CLAIMS_FILE, ERRATA_FILE)
    campaigns = project.campaigns
    files_below(project.published)  # refuses links to nothing, which would seem to be folders
    found: list[tuple[Path, Callable[..., Any], tuple[Path, ...]]] = [
        *((one, _read_report, (one,)) for one in report_folders(project.published)),
        *((one, read_campaign, campaign_files(one)) for one in campaign_folders(campaigns)),
        *((one, read_ingested, ingested_files(one)) for one in ingested_folders(campaigns)),
    ]
    return tuple(
        _Source(
            folder, read,
            sha256_of(
                f"{common}\n{read.__name__} {folder.name}\n{sha256_of_tree(*files, without=said)}"
            ),
        )
        for folder, read, files in found
    )  # fmt: skip


def _fingerprint(sources: Sequence[_Source]) -> str:
    return sha256_of("\n".join(source.fingerprint for source in sources))


def source_fingerprint(project: Project) -> str:
    """Hash everything that the observations are built from, code included."""
    return _fingerprint(_sources(project))


def load_observations(project: Project) -> Observations:
    """Give the observations; what a source gives is read anew only when something of it changed.

    Raises
    ------
    DataError
        If a source breaks the rules of the data model.
    """
    return _load(project, _sources(project))


@lru_cache(maxsize=4)
def _load(project: Project, sources: tuple[_Source, ...]) -> Observations:
    cache, dictionary = Cache(project.cache), load_dictionary(project.dictionary)

    def partition(source: _Source) -> Partition:
        key = f"{source.fingerprint[:16]}-rows"

        def built() -> bytes:
            content = _built(source.read(source.folder, dictionary, project.root), dictionary)
            cache.put("observations", key, content)
            return content

        if cache.holds("observations", key):
            return Partition(
                source.folder.name, lambda: cache.mapped("observations", key) or built()
            )
        content = built()
        return Partition(source.folder.name, lambda: content)

    return Observations(project, _fingerprint(sources), [partition(one) for one in sources])


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
