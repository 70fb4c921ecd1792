"""Runs of one point: rows that their source numbers, and that no factor tells apart.

What numbers a run is the column of a mapping, or ``{repetition}`` in the name of a log. Nothing is
a run of another point because it looks like one: what nobody numbered may differ in what nobody
said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import Any

from roundtrip.errors import DataError
from roundtrip.ingest.records import REPETITION
from roundtrip.ingest.registry import readers
from roundtrip.ingest.rows import ROLE, Row


def numbered(rows: Iterable[Row], factors: Collection[str]) -> list[Row]:
    """Say of each row of a numbered run which point it is a run of: ``run_of``, its first run's.

    Runs of a point are by one tool in one role and agree in all factors; of a tool that prints
    several series, in the series too. Only rows with a metric count. `factors` are the names of all
    factors.

    Raises
    ------
    DataError
        If a point has two runs of one number: something that nobody said tells them apart.
    """
    rows = list(rows)
    monitors = {reader.name for reader in readers() if reader.watches}  # their run is the load's
    groups: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        if row["metric"] and row.get(REPETITION) is not None and row["tool"] not in monitors:
            groups.setdefault(_alike(row, factors), {}).setdefault(row["point"], row)
    first: dict[str, str] = {}
    for points in groups.values():
        for runs in _series(list(points.values())):
            runs.sort(key=lambda row: row[REPETITION])
            for one, other in pairwise(runs):
                if one[REPETITION] == other[REPETITION]:
                    raise DataError(
                        f"two rows are run {one[REPETITION]} of one point: no factor tells them "
                        "apart",
                        where=f"{one['file']}:{one['line']} and {other['file']}:{other['line']}",
                        remedy="name the factor in which they differ, in the mapping or in "
                        "campaign.yml, or correct the number of the run",
                    )
            first |= {run["point"]: runs[0]["point"] for run in runs}
    return [{**row, "run_of": first.get(row["point"])} for row in rows]


def _alike(row: Row, factors: Collection[str]) -> tuple[Any, ...]:
    return (row["tool"], row.get(ROLE), *(row.get(name) for name in factors))


def _series(points: list[Row]) -> Iterator[list[Row]]:
    """Split points by their series, unless each run has one point."""
    numbers = [point[REPETITION] for point in points]
    if len(set(numbers)) == len(numbers):
        yield points
        return
    for stream in dict.fromkeys(point["stream"] for point in points):
        yield [point for point in points if point["stream"] == stream]
