"""The tidy table: one row for each observed value, built from the sources."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roundtrip import __version__
from roundtrip.cache import Cache
from roundtrip.campaign.manifest import Manifest, load_manifest
from roundtrip.dictionary import BASE, Dictionary, load_dictionary
from roundtrip.errors import DataError, nearest
from roundtrip.files import sha256_of, sha256_of_tree
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

PROVENANCE = (
    "observation_id", "point_id", "source_kind", "source", "section", "table", "table_id",
    "row_label", "column_label", "value_printed", "unit_printed", "file",
)  # fmt: skip
CELL_COLUMNS = ("report", "table", "row", "column", "value_printed", "value", "unit")

_AT_A_TIME = 50_000
"""Rows that are held while the table is built."""


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
    return pa.schema(
        [(name, pa.string()) for name in PROVENANCE]
        + [("line", pa.int64())]
        + [(name, types[factor.type]) for name, factor in dictionary.factors.items()]
        + [("metric", pa.string()), ("statistic", pa.string())]
        + [("value", pa.float64()), ("unit", pa.string()), ("accuracy", pa.float64())]
        + [("repetition", pa.int64()), ("interval", pa.float64())]
        + [("status", pa.string()), ("value_corrected", pa.float64()), ("note", pa.string())]
    )


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


class Observations:
    """Everything observed, with the reports it came from.

    Parameters
    ----------
    project : Project
        Where the data is.
    fingerprint : str
        Hash of all that the tidy table is built from.
    parquet : bytes
        The tidy table as a Parquet file. It is read when it is asked for, and so are the libraries
        that read it.
    """

    def __init__(self, project: Project, fingerprint: str, parquet: bytes) -> None:
        self.project = project
        self.fingerprint = fingerprint
        self._parquet = parquet
        self._descriptions: dict[Path, Any] = {}
        self.dictionary = load_dictionary(project.dictionary)

    @cached_property
    def table(self) -> pa.Table:
        """The tidy table."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        # Not read_table, which would import far more.
        table: pa.Table = pq.ParquetFile(pa.BufferReader(self._parquet)).read()
        return table

    @cached_property
    def _frame(self) -> pd.DataFrame:
        frame: pd.DataFrame = self.table.to_pandas()
        return frame

    @property
    def frame(self) -> pd.DataFrame:
        """The tidy table as pandas, a copy of one's own (pandas copies what is written to)."""
        return self._frame.copy(deep=False)

    def sql(self, query: str) -> pd.DataFrame:
        """Query the table, named ``observations``, with DuckDB.

        It reads the columns that the query names, a group of rows at a time. Files, network and
        extensions are out of the query's reach.

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
        import pyarrow as pa
        import pyarrow.dataset as ds

        form = ds.ParquetFileFormat()
        kept = form.make_fragment(pa.py_buffer(self._parquet))
        whole = ds.FileSystemDataset([kept], kept.physical_schema, form)
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
            raise DataError(
                f"unknown campaign '{name}'{nearest(name, self.campaign_ids)}",
                allowed=", ".join(self.campaign_ids) or "none has been run yet",
            )
        return self._described(Manifest, self.project.campaigns / name, load_manifest)

    def report(self, name: str) -> PublishedReport:
        """Give what one published report says of itself.

        Raises
        ------
        DataError
            If there is no such report; the nearest id is given.
        """
        if name not in self.report_ids:
            raise DataError(
                f"unknown report '{name}'{nearest(name, self.report_ids)}",
                allowed=", ".join(self.report_ids) or "none is among the data",
            )
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
        frame = self.frame
        frame = frame[(frame["source"] == report) & (frame["source_kind"] == "table")]
        renamed = frame.rename(
            columns={"source": "report", "row_label": "row", "column_label": "column"}
        ).assign(
            value=[parse_printed(text)[0] for text in frame["value_printed"]],
            unit=frame["unit_printed"],
        )
        return renamed[list(CELL_COLUMNS)].reset_index(drop=True)


def source_fingerprint(project: Project) -> str:
    """Hash everything that the observations are built from, code included."""
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
    # A claim about a value changes no value.
    said = (CLAIMS_FILE, ERRATA_FILE)
    campaigns = [*campaign_files(project.campaigns), *ingested_files(project.campaigns)]
    data = sha256_of_tree(BASE, project.dictionary, project.published, *campaigns, without=said)
    return sha256_of(f"{__version__}\n{code}\n{data}")


def load_observations(project: Project) -> Observations:
    """Give the observations, built anew only when a source, the dictionary or a reader changed.

    Parameters
    ----------
    project : Project
        Where the sources are.

    Raises
    ------
    DataError
        If a source breaks the rules of the data model.
    """
    return _load(project, source_fingerprint(project))


@lru_cache(maxsize=4)
def _load(project: Project, fingerprint: str) -> Observations:
    cache, key = Cache(project.cache), f"{fingerprint[:16]}-table"
    parquet = cache.get("observations", key)
    if parquet is None:
        parquet = _built(project)
        cache.put("observations", key, parquet)
    return Observations(project, fingerprint, parquet)


def _rows(project: Project, dictionary: Dictionary) -> Iterator[dict[str, Any]]:
    """Give the rows of every source."""
    for folder in report_folders(project.published):
        for cell in read_report(folder, dictionary, project.root):
            yield _observation(cell)
    for folder in campaign_folders(project.campaigns):
        yield from read_campaign(folder, dictionary, project.root)
    for folder in ingested_folders(project.campaigns):
        yield from read_ingested(folder, dictionary, project.root)


def _built(project: Project) -> bytes:
    """Read every source, and give the tidy table as a Parquet file, holding few rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    dictionary = load_dictionary(project.dictionary)
    columns = schema(dictionary)
    rows = _rows(project, dictionary)
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, columns, compression="zstd") as file:
        while some := list(islice(rows, _AT_A_TIME)):
            file.write_table(pa.Table.from_pylist(some, schema=columns))
    content: bytes = sink.getvalue().to_pybytes()
    return content
