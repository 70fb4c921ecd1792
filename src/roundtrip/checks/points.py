"""Rules about operating points: the values that were seen together."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from roundtrip.checks.reference import Finding, Reference
from roundtrip.checks.selection import places, rows_of_table
from roundtrip.errors import CheckError, unknown


def points_complete(
    frame: pd.DataFrame, reference: Reference, metrics: list[str], tables: list[str] | None = None
) -> Finding:
    """See that each point of a table has each of the metrics exactly once.

    Without `tables`, a metric is demanded at each point that has any of them, in the tables that
    print it; with them, at each point of these tables. Points that hold only values derived from
    other points are no operating points. Clients may be missing where the factor `requesters` is
    stated: some sources print the number once for several points.
    """
    known = reference.dictionary.metrics
    for name in metrics:
        if name not in known:
            raise unknown(CheckError, "metric", name, known)
    bound = (frame["source_kind"] == "table") & (frame["statistic"] != "derived")
    if tables is not None:
        bound &= np.logical_or.reduce([rows_of_table(frame, table) for table in tables])
    cells = frame[bound]
    listed = cells[cells["metric"].isin(metrics)]
    finding = Finding(len(listed))
    held = listed if tables is None else cells
    for _, table in held.groupby(["source", "table_id"], dropna=False, sort=False):
        demanded = [name for name in metrics if tables or (table["metric"] == name).any()]
        for _, point in table.groupby("point_id", sort=False):
            counts = Counter(point["metric"])
            for name in demanded:
                stated = name == "clients" and pd.notna(point["requesters"].iloc[0])
                if counts[name] != 1 and not (stated and counts[name] == 0):
                    problem = f"its point has {counts[name] or 'no'} {name}, there must be one"
                    finding.add_row(int(point.index[0]), problem)
    return finding


def points_agree(frame: pd.DataFrame, reference: Reference) -> Finding:
    """See that the values of one point stand in one row and were seen under one setting.

    A point that was measured several times has a row for each repetition.
    """
    leader = _first_of(frame[["point_id"]])
    leader_of_row = _first_of(frame[["point_id", "repetition"]])
    finding = Finding(len(frame))
    for name in ("source", "table_id", "row_label", *reference.dictionary.factors):
        first = leader_of_row if name == "row_label" else leader
        values = frame[name]
        codes, _ = pd.factorize(values)
        for position in np.flatnonzero(codes != codes[first]).tolist():
            elsewhere = _said(values, int(first[position]))
            finding.add_row(
                position, f"{name} is {_said(values, position)}, elsewhere at its point {elsewhere}"
            )
    return finding


def _first_of(keys: pd.DataFrame) -> NDArray[np.int64]:
    """Give for each row the position of the first row with the same keys."""
    places = keys.assign(place=np.arange(len(keys)))
    groups = places.groupby(list(keys), sort=False, dropna=False)
    return groups["place"].transform("min").to_numpy(dtype=np.int64)


def _said(values: pd.Series, position: int) -> str:
    value: Any = values.iat[position]
    return "not stated" if pd.isna(value) else f"'{value}'"


def clients_are_requesters(frame: pd.DataFrame) -> Finding:
    """See that the requesters that a point prints are its factor `requesters`."""
    observed = (frame["metric"] == "clients").to_numpy(dtype=bool)
    requesters = frame["requesters"].to_numpy(dtype=float, na_value=np.nan)
    settled = frame["value_corrected"].fillna(pd.to_numeric(frame["value"]))
    finding = Finding(int(observed.sum()))
    for at in places(observed & (settled.to_numpy(dtype=float) != requesters)):
        said = _said(frame["requesters"], at)
        problem = f"{frame['value'].iat[at]:g} requesters, but the factor requesters is {said}"
        finding.add_row(at, problem)
    return finding
