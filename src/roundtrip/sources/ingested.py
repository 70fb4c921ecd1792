"""Ingested campaigns: the points read from raw output of tools, as observations."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.sources.cells import typed_factors
from roundtrip.sources.csvfile import finite_number
from roundtrip.sources.folders import plain_manifest, source_folders

if TYPE_CHECKING:
    import pandas as pd

POINTS = "ingested.csv"
MANIFEST = "manifest.yml"
TABLE = "ingested"
"""The table of an ingested campaign's observations."""
_NEEDED = ("point", "file", "line", "quantity", "metric", "statistic", "value", "status", "note")


def ingested_folders(campaigns: Path) -> list[Path]:
    """List the folders of ingested campaigns, by name.

    Raises
    ------
    DataError
        If a folder of a campaign, of any kind, has no manifest or cannot be read.
    """
    return [
        folder for folder in source_folders(campaigns, MANIFEST) if (folder / POINTS).is_file()
    ]  # fmt: skip


def ingested_files(campaigns: Path) -> list[Path]:
    """List the files that observations are read from."""
    return [folder / name for folder in ingested_folders(campaigns) for name in (MANIFEST, POINTS)]


def read_ingested(folder: Path, dictionary: Dictionary, base: Path) -> Iterator[dict[str, Any]]:
    """Read the points of an ingested campaign.

    Parameters
    ----------
    base : Path
        Files are named relative to it.

    Yields
    ------
    dict
        A row of the tidy table, of kind ``ingested``. Quantities that the dictionary has no metric
        for, and values outside a metric's range, such as the rate of idle programs, are left out.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    ingested_inputs(folder)
    path = folder / POINTS
    name = folder.name
    again: dict[str, int] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        with _readable(path):
            columns = reader.fieldnames or ()
        lacking = [column for column in _NEEDED if column not in columns]
        if lacking:
            raise DataError(f"lacks the column {lacking[0]}", where=path)
        factors = [column for column in columns if column in dictionary.factors]
        for record in _records(reader, path):
            where = f"{path}:{reader.line_num}"
            if not record["metric"]:
                continue
            metric = dictionary.metric(record["metric"], where)
            value = finite_number(record["value"], where)
            if metric.refusal(value):
                continue
            for column, allowed in (
                ("statistic", dictionary.statistics), ("status", dictionary.statuses),
            ):  # fmt: skip
                if record[column] not in allowed:
                    raise DataError(f"unknown {column} '{record[column]}'", where=where)
            low, high = record.get("low") or "", record.get("high") or ""
            within = ""
            if low and high:
                ends = [_shown(finite_number(end, where)) for end in (low, high)]
                within = f" 95 % interval within the run: {ends[0]} to {ends[1]}."
            identity = f"{record['point']}.{record['metric']}-{record['statistic']}"
            again[identity] = again.get(identity, 0) + 1
            if again[identity] > 1:  # the same metric of several monitors, or of several series
                identity = f"{identity}-{again[identity]}"
            yield {
                "observation_id": f"{name}/{TABLE}/{identity}",
                "point_id": f"{name}/{TABLE}/{record['point']}",
                "source_kind": "ingested",
                "source": name,
                "table_id": TABLE,
                "row_label": record["point"],
                "column_label": f"{metric.label} ({record['statistic']})",
                "file": path.relative_to(base).as_posix(),
                "line": reader.line_num,
                **typed_factors({name: record[name] for name in factors}, dictionary, where),
                "metric": record["metric"],
                "statistic": record["statistic"],
                "value": value,
                "unit": metric.unit,
                "status": record["status"],
                "value_corrected": value if record["status"] == "corrected" else None,
                "note": f"{record['note']}.{within}" if record["note"] else within or None,
            }


def _records(reader: csv.DictReader[str], path: Path) -> Iterator[dict[str, str]]:
    with _readable(path):
        yield from reader


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except csv.Error as problem:  # such as a field longer than 128 KiB
        raise DataError(
            f"a field cannot be read: {problem}", where=path, remedy="ingest the logs again"
        ) from problem


def _shown(value: float) -> str:
    """Write the end of an interval with the four digits that it may be worth."""
    return f"{float(f'{value:.4g}'):,.10g}"


def ingested_inputs(folder: Path) -> list[dict[str, Any]]:
    """Give what the manifest of an ingested campaign says of each file that was read.

    Raises
    ------
    DataError
        If the manifest cannot be read, or is none of an ingested campaign.
    """
    inputs = plain_manifest(folder / MANIFEST).get("inputs")
    if not isinstance(inputs, list):
        raise DataError(
            f"lists no inputs that {POINTS} could be from", where=folder / MANIFEST,
            remedy="put the file back, or move the folder away and ingest the logs again",
        )  # fmt: skip
    return inputs


def read_series(folder: Path, tool: str, kind: str) -> pd.DataFrame:
    """Read the intervals or events that one tool's outputs hold, of all inputs of a campaign.

    Returns
    -------
    pandas.DataFrame
        Columns as the tool's reader names them, and ``input``, the name of each row's file;
        ``stream`` holds names. Empty where there is nothing.
    """
    import pandas as pd
    import pyarrow.parquet as pq

    parts = []
    for entry in ingested_inputs(folder):
        for file in entry.get("series", []):
            path = folder / file
            inside = path.resolve().is_relative_to(folder.resolve())
            if entry["tool"] != tool or not file.endswith(f"-{kind}.parquet") or not inside:
                continue
            frame = pq.read_table(path).to_pandas()
            names = entry["streams"]
            frame["stream"] = [names[number] for number in frame["stream"]]
            frame["input"] = entry["name"]
            parts.append(frame)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
