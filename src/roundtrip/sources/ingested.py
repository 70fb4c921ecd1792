"""Ingested campaigns: the points read from raw output of tools, as observations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.csvfile import finite_number, plain_records
from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.ingest.manifest import check_points, load_inputs
from roundtrip.project import INGESTED, MANIFEST
from roundtrip.sources.folders import source_folders

if TYPE_CHECKING:
    import pandas as pd

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
        folder for folder in source_folders(campaigns, MANIFEST) if (folder / INGESTED).is_file()
    ]  # fmt: skip


def ingested_files(folder: Path) -> tuple[Path, ...]:
    """List the files of a campaign that observations are read from."""
    return (folder / MANIFEST, folder / INGESTED)


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
    check_points(folder)
    path = folder / INGESTED
    name = folder.name
    again: dict[str, int] = {}
    for line, record in plain_records(path, _NEEDED):
        where = f"{path}:{line}"
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
        run = record.get("repetition") or ""
        if not re.fullmatch("[0-9]{0,15}", run):
            raise DataError("repetition is not a whole number", where=where)
        identity = f"{record['point']}.{record['metric']}-{record['statistic']}"
        again[identity] = again.get(identity, 0) + 1
        if again[identity] > 1:  # the same metric of several monitors, or of several series
            identity = f"{identity}-{again[identity]}"
        set_here = {key: text for key, text in record.items() if key in dictionary.factors}
        yield {
            "observation_id": f"{name}/{TABLE}/{identity}",
            "point_id": f"{name}/{TABLE}/{record.get('run_of') or record['point']}",
            "source_kind": "ingested",
            "source": name,
            "table_id": TABLE,
            "row_label": record["point"],
            "column_label": f"{metric.label} ({record['statistic']})",
            "file": path.relative_to(base).as_posix(),
            "line": line,
            **dictionary.factor_values(set_here, where),
            "metric": record["metric"],
            "statistic": record["statistic"],
            "value": value,
            "unit": metric.unit,
            "repetition": int(run) if run else None,
            "status": record["status"],
            "value_corrected": value if record["status"] == "corrected" else None,
            "note": f"{record['note']}.{within}" if record["note"] else within or None,
        }


def _shown(value: float) -> str:
    """Write the end of an interval with the four digits that it may be worth."""
    return f"{float(f'{value:.4g}'):,.10g}"


def read_series(folder: Path, tool: str, kind: str) -> pd.DataFrame:
    """Read the intervals or events that one tool's outputs hold, of all inputs of a campaign.

    Returns
    -------
    pandas.DataFrame
        Columns as the tool's reader names them, and ``input``, the name of each row's file;
        ``stream`` holds names. Empty where there is nothing.

    Raises
    ------
    DataError
        If the manifest is not as ingest writes it, or a file that it names cannot be read.
    """
    import pandas as pd

    from roundtrip.ingest.tables import read_table

    parts = []
    for entry in load_inputs(folder):
        for file in entry.series:
            if entry.tool != tool or not file.endswith(f"-{kind}.parquet"):
                continue
            frame = read_table(folder / file, entry.streams).to_pandas()
            frame["stream"] = [entry.streams[number] for number in frame["stream"]]
            frame["input"] = entry.name
            parts.append(frame)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
