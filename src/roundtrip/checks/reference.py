"""What rules compare the observations with, and what they report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from roundtrip.dictionary import Dictionary
from roundtrip.errors import CheckError, nearest
from roundtrip.sources.disclosure import PublishedReport

Mask = Any
"""One truth value for each row: a boolean array or Series."""


@dataclass(frozen=True)
class Reference:
    """The definitions that the observations are held against.

    Attributes
    ----------
    dictionary : Dictionary
        Factors, metrics and words.
    reports : mapping
        Published reports by id.
    root : Path
        Folder that the observations' files are named from.
    """

    dictionary: Dictionary
    reports: Mapping[str, PublishedReport]
    root: Path


_reference: ContextVar[Reference] = ContextVar("reference")


@contextmanager
def comparing_with(reference: Reference) -> Iterator[None]:
    """Make a reference the one that expectations compare with."""
    token = _reference.set(reference)
    try:
        yield
    finally:
        _reference.reset(token)


def current_reference() -> Reference:
    """Give the reference that expectations compare with.

    Suites are plain JSON, so the dictionary cannot reach an expectation as an argument.
    """
    return _reference.get()


@dataclass
class Finding:
    """What a rule found.

    Attributes
    ----------
    checked : int
        Rows that the rule looked at. A rule that finds nothing to check fails: it would pass
        whatever the data were.
    rows : dict
        Position of a failing row to what is wrong with it.
    general : list of str
        Faults that belong to no single row.
    """

    checked: int
    rows: dict[int, str] = field(default_factory=dict)
    general: list[str] = field(default_factory=list)

    def add(self, failing: Mask, problem: str | Callable[[int], str]) -> None:
        """Add rows that fail, by a mask over all rows."""
        for position in np.flatnonzero(np.asarray(failing, dtype=bool)).tolist():
            self.add_row(position, problem if isinstance(problem, str) else problem(position))

    def add_row(self, position: int, problem: str) -> None:
        """Add one row that fails."""
        known = self.rows.get(position)
        self.rows[position] = f"{known}; {problem}" if known else problem

    @property
    def success(self) -> bool:
        """Whether something was checked and nothing was wrong."""
        return self.checked > 0 and not self.rows and not self.general


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Turn the tidy table into pandas without losing its types to missing values."""
    exact = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame: pd.DataFrame = table.to_pandas(types_mapper=exact.get)
    return frame


def require_columns(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse a rule that names a column which the observations do not have.

    Raises
    ------
    CheckError
        With the nearest name.
    """
    for name in names:
        if name not in frame.columns:
            raise CheckError(
                f"unknown column '{name}'{nearest(name, frame.columns)}",
                allowed="factors of data/dictionary.yml and the other columns of the observations",
            )


def rows_where(frame: pd.DataFrame, where: Mapping[str, Any] | None) -> pd.Series:
    """Select rows by column values; a list selects any of its values."""
    chosen = pd.Series(True, index=frame.index)
    require_columns(frame, where or {})
    for name, wanted in (where or {}).items():
        chosen &= frame[name].isin(wanted if isinstance(wanted, list) else [wanted])
    return chosen


def rows_of_table(frame: pd.DataFrame, table: str) -> pd.Series:
    """Select the rows of one table by its id.

    Raises
    ------
    CheckError
        If no row belongs to it; the nearest id is given.
    """
    chosen = frame["table_id"] == table
    if not chosen.any():
        known = sorted(frame["table_id"].dropna().unique())
        raise CheckError(f"no table '{table}'{nearest(table, known)}", allowed=", ".join(known))
    return chosen
