"""Operating points: what was seen together, one row each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd

from roundtrip.observations import Observations


def points_of(observations: Observations, report: str, tables: Sequence[str]) -> pd.DataFrame:
    """Put the observations of some tables into one row for each operating point.

    Parameters
    ----------
    observations : Observations
    report : str
        Report id.
    tables : sequence of str
        Table ids, in the order the points shall have.

    Returns
    -------
    pandas.DataFrame
        The factors, ``point_id, table_id, table, row_label``, a column for each metric that
        occurs and, named ``<metric>_cell`` and ``<metric>_decimals``, the observation it was
        read from and the digits printed after its point. Corrected values take the place of the
        printed ones that their source disproves.

    Raises
    ------
    KeyError
        If a table does not exist in the report.
    """
    frame = observations.frame
    frame = frame[frame["source"] == report]
    known = set(frame["table_id"])
    for table in tables:
        if table not in known:
            raise KeyError(f"{report} has no table '{table}'; it has {', '.join(sorted(known))}")
    frame = frame[frame["table_id"].isin(tables)].copy()
    frame["shown"] = frame["value_corrected"].fillna(frame["value"])
    keys = ["point_id", "table_id", "table", "row_label", *observations.dictionary.factors]
    rows = []
    for _, group in frame.groupby("point_id", sort=False):
        row = {key: group[key].iloc[0] for key in keys}
        for metric, shown, value, cell, printed in zip(
            group["metric"], group["shown"], group["value"], group["observation_id"],
            group["value_printed"], strict=True,
        ):  # fmt: skip
            row[metric] = shown
            row[f"{metric}_cell"] = cell
            row[f"{metric}_decimals"] = _decimals(str(printed), value)
        rows.append(row)
    order = {table: position for position, table in enumerate(tables)}
    points = pd.DataFrame(rows)
    return points.sort_values(
        "table_id", key=lambda ids: ids.map(order), kind="stable"
    ).reset_index(drop=True)


def _decimals(printed: str, value: float) -> int:
    """Give the decimals that a value has in its metric's unit, from the digits it is printed with.

    ``0.0026`` seconds that are kept as 2.6 ms have one.
    """
    found = re.search(r"\d[\d,]*(?:\.(\d+))?", printed)
    if found is None:
        return 0
    number = float(found[0].replace(",", ""))
    shift = round(math.log10(value / number)) if number > 0 and value > 0 else 0
    return max(0, len(found[1] or "") - shift)
