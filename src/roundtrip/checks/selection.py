"""Rows of the observations: by a mask, by table, by values of columns, or like another row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from roundtrip.dictionary import Dictionary
from roundtrip.errors import CheckError, unknown

Mask = Any
"""One truth value for each row: a boolean array or Series."""


def places(chosen: Mask) -> list[int]:
    """Give the positions of the rows that a mask chooses."""
    found: list[int] = np.flatnonzero(np.asarray(chosen, dtype=bool)).tolist()
    return found


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Turn the tidy table into pandas without losing its types to missing values."""
    exact = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame: pd.DataFrame = table.to_pandas(types_mapper=exact.get)
    return frame


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give the rows as mappings from column to value."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def stated_factors(frame: pd.DataFrame, dictionary: Dictionary, *but: str) -> list[str]:
    """List the factors, but for some, that any of the rows states."""
    return [name for name in dictionary.factors if name not in but and frame[name].notna().any()]


def require_columns(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse a rule that names a column which the observations lack; the nearest is given."""
    for name in names:
        if name not in frame.columns:
            raise unknown(
                CheckError, "column", name, frame.columns,
                allowed="factors of data/dictionary.yml and the other columns of the observations",
            )  # fmt: skip


def rows_where(frame: pd.DataFrame, where: Mapping[str, Any] | None) -> pd.Series:
    """Select rows by column values; a list selects any of its values, None what is not stated."""
    chosen = pd.Series(True, index=frame.index)
    require_columns(frame, where or {})
    for name, wanted in (where or {}).items():
        values = wanted if isinstance(wanted, list) else [wanted]
        here = frame[name].isin([value for value in values if value is not None])
        chosen &= (here | frame[name].isna()) if None in values else here
    return chosen


def rows_alike(
    frame: pd.DataFrame, row: Mapping[str, Any] | pd.Series, names: Iterable[str]
) -> pd.Series:
    """Select rows that agree with one in some columns; what neither states agrees too."""
    chosen = pd.Series(True, index=frame.index)
    for name in names:
        here = frame[name].isna() if pd.isna(row[name]) else frame[name] == row[name]
        chosen &= here.fillna(False).astype(bool)
    return chosen


def rows_of_table(frame: pd.DataFrame, table: str) -> pd.Series:
    """Select the rows of one table by its id, or refuse an id of none; the nearest is given."""
    chosen = frame["table_id"] == table
    if not chosen.any():
        raise unknown(CheckError, "table", table, sorted(frame["table_id"].dropna().unique()))
    return chosen
