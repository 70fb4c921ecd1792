"""Operating points: what was seen together, one row each."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from roundtrip.dictionary import Dictionary
from roundtrip.observations import Observations
from roundtrip.present.numbers import decimals_of_step
from roundtrip.sources.cells import printed_step


def points_of(observations: Observations, report: str, tables: Sequence[str]) -> pd.DataFrame:
    """Put the observations of some tables into one row for each operating point, table by table.

    The columns are the factors, ``point_id, source_kind, table_id, table, row_label``, one for
    each metric that occurs and, named ``<metric>_cell`` and ``<metric>_decimals``, the
    observation it was read from and the digits after its point that its source gives. Corrected
    values take the place of the printed ones that their source disproves. A table that the
    report lacks is a KeyError.
    """
    frame = observations.choose(source=report)
    known = set(frame["table_id"])
    for table in tables:
        if table not in known:
            raise KeyError(f"{report} has no table '{table}'; it has {', '.join(sorted(known))}")
    frame = frame[frame["table_id"].isin(tables)].copy()
    frame["shown"] = frame["value_corrected"].fillna(frame["value"])
    frame["decimals"] = decimals_of(frame, observations.dictionary)
    factors = observations.dictionary.factors
    keys = ["point_id", "source_kind", "table_id", "table", "row_label", *factors]
    points = frame.drop_duplicates("point_id")[keys]
    columns = {"shown": "", "observation_id": "_cell", "decimals": "_decimals"}
    for metric, seen in frame.groupby("metric", sort=False):
        by_point = seen.drop_duplicates("point_id", keep="last").set_index("point_id")
        for column, ending in columns.items():
            points[f"{metric}{ending}"] = points["point_id"].map(by_point[column])
    order = {table: position for position, table in enumerate(tables)}
    return points.sort_values(
        "table_id", key=lambda ids: ids.map(order), kind="stable"
    ).reset_index(drop=True)


def decimals_of(frame: pd.DataFrame, dictionary: Dictionary) -> list[int]:
    """Give the digits after the point that the source of each value gives, in its metric's unit."""
    found = []
    columns = (frame[name] for name in ("metric", "value_printed", "unit_printed", "accuracy"))
    for name, printed, unit, accuracy in zip(*columns, strict=True):
        metric = dictionary.metrics[name]
        if pd.notna(printed):
            found.append(decimals_of_step(printed_step(printed, unit, metric)))
        elif pd.notna(accuracy):
            found.append(decimals_of_step(accuracy))
        else:
            found.append(metric.decimals)
    return found
