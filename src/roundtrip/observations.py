"""The tidy table: one row for each observed value, built from the sources."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roundtrip.cache import Cache
from roundtrip.campaign.manifest import Manifest, load_manifest
from roundtrip.csvfile import without_formula
from roundtrip.dictionary import PROVENANCE, load_dictionary
from roundtrip.errors import DataError, unknown
from roundtrip.files import sha256_of
from roundtrip.partitions import Partition, Source, partitions_of, schema, sources_of
from roundtrip.project import Project
from roundtrip.sources.cells import parse_printed
from roundtrip.sources.disclosure import PublishedReport
from roundtrip.sources.ingested import ingested_folders
from roundtrip.sources.measured import campaign_folders
from roundtrip.sources.published import load_report, report_folders

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Description = TypeVar("Description", Manifest, PublishedReport)

CELL_COLUMNS = ("report", "table", "row", "column", "value_printed", "value", "unit")


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
    # Strings as well: pandas chooses rows of one block of objects many times as fast as of some
    # fifty columns of its own string type.
    objects = [f.name for f in floats if kinds.is_boolean(f.type) or kinds.is_string(f.type)]
    return frame.astype(dict.fromkeys(objects, object))


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
        """Give the rows of some sources that have one of the wanted values in each column."""
        import pyarrow as pa
        import pyarrow.dataset as ds

        columns = schema(self.dictionary)
        fits = [
            ds.field(name).isin(pa.array(given, columns.field(name).type))
            for name, given in wanted.items()
        ]
        return self._dataset(partitions).to_table(filter=reduce(and_, fits) if fits else None)

    def _dataset(self, partitions: Sequence[Partition]) -> Any:
        """Give the rows of some sources as a data set, of which only what is asked for is read."""
        import pyarrow.dataset as ds

        form = ds.ParquetFileFormat()
        fragments = [
            form.make_fragment(one.buffer, partition_expression=ds.field("source") == one.source)
            for one in partitions
        ]
        return ds.FileSystemDataset(fragments, schema(self.dictionary), form)

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

        with duckdb.connect(":memory:") as connection:
            connection.register("observations", self._dataset(self._partitions))
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
            levels: dict[str, set[Any]] = {name: set() for name in self.dictionary.factors}
            for batch in self._dataset(self._partitions).to_batches(columns=list(levels)):
                for name, column in zip(levels, batch.columns, strict=True):
                    levels[name].update(column.unique().drop_null().to_pylist())
            return json.dumps({name: sorted(values) for name, values in levels.items()})

        levels: dict[str, list[Any]] = json.loads(self._keep("levels", found))
        return levels

    @cached_property
    def report_ids(self) -> list[str]:
        """Ids of all published reports."""
        return [folder.name for folder in report_folders(self.project.published)]

    @cached_property
    def campaign_ids(self) -> list[str]:
        """Ids of all measured campaigns."""
        return [folder.name for folder in campaign_folders(self.project.campaigns)]

    @property
    def measured_ids(self) -> list[str]:
        """Ids of the campaigns with a finished run: the others show nothing of a broker yet."""
        return [name for name in self.campaign_ids if self.campaign(name).runs]

    @cached_property
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
            raise unknown(
                DataError, "report", name, self.report_ids,
                allowed=", ".join(self.report_ids) or "none is among the data",
                remedy=self.project.remedy_for_draft(name),
            )  # fmt: skip
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

    def csv(self) -> bytes:
        """Write the tidy table as CSV, without formulas."""
        import pyarrow as pa
        import pyarrow.csv

        table = self.table
        for place, column in enumerate(table.columns):
            if pa.types.is_string(column.type):
                shown = pa.array(map(without_formula, column.to_pylist()), column.type)
                table = table.set_column(place, table.field(place), shown)
        stream = io.BytesIO()
        pyarrow.csv.write_csv(table, stream)
        return stream.getvalue()


def load_observations(project: Project) -> Observations:
    """Give the observations; what a source gives is read anew only when something of it changed.

    Raises
    ------
    DataError
        If a source breaks the rules of the data model.
    """
    return _load(project, sources_of(project))


@lru_cache(maxsize=4)
def _load(project: Project, sources: tuple[Source, ...]) -> Observations:
    fingerprint = sha256_of("\n".join(source.fingerprint for source in sources))
    return Observations(project, fingerprint, partitions_of(project, sources))
