"""How a derived column was computed: the formula that gives most of its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from roundtrip.checks.tables import BYTES_PER_KILOBYTE
from roundtrip.detectors import margins
from roundtrip.detectors.subject import Cell, Subject
from roundtrip.dictionary import RATES

Values = NDArray[np.float64]


class Explained(NamedTuple):
    """A derived value, the bounds that the formula gives for it, and the operands of its row.

    The bounds differ by rounding alone; `says` names the formula in a sentence.
    """

    cell: Cell
    least: float
    most: float
    operands: tuple[Cell, ...]
    says: str


@dataclass(frozen=True)
class _Operand:
    """Cells of one printed column, one for each row of the derived column."""

    metric: str
    near: bool
    cells: tuple[Cell | None, ...]
    values: Values
    slacks: Values


@dataclass(frozen=True)
class _Family:
    """One formula over all pairs of operands of one metric, by operand, operand and row.

    `near` is below 1 and higher the more operands stand in the derived column's own table, so
    that it decides between formulas that give as many values.
    """

    says: str
    operands: tuple[_Operand, ...]
    least: Values
    most: Values
    near: Values


def explained(subject: Subject, column: pd.DataFrame) -> Iterator[Explained]:
    """Find the formula of a derived column, and yield those of its values that have all operands.

    It is the one that gives most values to their last digit, with operands of the same table before
    others; none if none gives `SHARE_EXPLAINED` of them and `LEAST_EXPLAINED` at least.
    """
    if len(column) <= margins.LEAST_EXPLAINED:
        return
    target = column["settled"].to_numpy(dtype=float)
    slack = column["slack"].to_numpy(dtype=float)
    best: tuple[float, _Family, tuple[int, int]] | None = None
    for family in _families(column, list(_operands(subject, column))):
        middle, half = (family.least + family.most) / 2, (family.most - family.least) / 2
        with np.errstate(invalid="ignore"):
            fits = np.abs(target - middle) <= (half + slack) * (1 + 1e-9)
        rank = fits.sum(axis=-1) + family.near
        over, under = np.unravel_index(int(np.argmax(rank)), rank.shape)
        if best is None or rank[over, under] > best[0]:
            best = float(rank[over, under]), family, (int(over), int(under))
    enough = max(margins.LEAST_EXPLAINED, margins.SHARE_EXPLAINED * len(column))
    if best is None or best[0] < enough:
        return
    _, family, pair = best
    of_two = family.least.shape[1] > 1
    columns = [family.operands[at].cells for at in (pair if of_two else pair[:1])]
    for cell, least, most, *operands in zip(
        subject.rows(column), family.least[pair].tolist(), family.most[pair].tolist(), *columns,
        strict=True,
    ):  # fmt: skip
        if None not in operands:
            yield Explained(cell, least, most, tuple(operands), family.says)


def _families(column: pd.DataFrame, operands: list[_Operand]) -> Iterator[_Family]:
    """Yield the formulas that a column of this metric may have."""
    in_percent = column["unit"].iloc[0] == "%"
    by_payload = column["metric"].iloc[0] == "payload_rate"
    size = column["message_bytes"].to_numpy(dtype=float, na_value=np.nan) / BYTES_PER_KILOBYTE
    for metric in dict.fromkeys(one.metric for one in operands):
        same = tuple(one for one in operands if one.metric == metric)
        values = np.stack([one.values for one in same])
        slacks = np.stack([one.slacks for one in same])
        near = np.array([float(one.near) for one in same]) / 3
        if by_payload:
            if metric in RATES:
                least, most = (values - slacks) * size, (values + slacks) * size
                says = "the message size times the rate"
                yield _Family(says, same, least[:, None], most[:, None], near[:, None])
            continue
        least, most = _quotients(values, slacks)
        both = near[:, None] + near[None, :]
        if not in_percent:
            yield _Family("the quotient", same, least, most, both)
            continue
        yield _Family("the share in per cent", same, 100 * least, 100 * most, both)
        yield _Family("the gain in per cent", same, 100 * (least - 1), 100 * (most - 1), both)
        yield _Family("the loss in per cent", same, 100 * (1 - most), 100 * (1 - least), both)


def _quotients(values: Values, slacks: Values) -> tuple[Values, Values]:
    """Give the bounds of all quotients but those of an operand and itself."""
    low, high = values - slacks, values + slacks
    with np.errstate(divide="ignore", invalid="ignore"):
        least = low[:, None] / high[None, :]
        most = np.where(low[None, :] > 0, high[:, None] / low[None, :], np.nan)
    itself = np.arange(len(values))
    least[itself, itself] = np.nan
    return least, most


def _operands(subject: Subject, column: pd.DataFrame) -> Iterator[_Operand]:
    """Yield the report's columns, laid beside the derived one.

    Cells of the same table belong to the same printed row; those of others to the row that agrees
    in the factors which vary along the derived column.
    """
    table = column["table_id"].iloc[0]
    varying = [name for name in subject.stated if column[name].nunique(dropna=False) > 1]
    label = column["column_label"].iloc[0]
    tables = subject.tables
    here, there = _keys(tables, ["row_label"]), _keys(tables, varying)
    others = tables[(tables["table_id"] != table) | (tables["column_label"] != label)]
    others = others[others["metric"] != column["metric"].iloc[0]]
    for (of_table, _, metric), series in others.groupby(
        ["table_id", "column_label", "metric"], sort=False
    ):
        keys = here if of_table == table else there
        if keys is None or keys[series.index].duplicated().any():
            continue
        found = dict(zip(keys[series.index], subject.rows(series), strict=True))
        cells = tuple(found.get(key) for key in keys[column.index])
        if sum(cell is not None for cell in cells) >= margins.LEAST_EXPLAINED:
            yield _Operand(
                str(metric), of_table == table, cells, _of(cells, "settled"), _of(cells, "slack")
            )


def _keys(frame: pd.DataFrame, names: list[str]) -> pd.Series | None:
    """Give equal numbers to rows that state the same, or nothing; None where no name is given."""
    return frame.groupby(names, dropna=False, sort=False).ngroup() if names else None


def _of(cells: tuple[Cell | None, ...], name: str) -> Values:
    return np.array([np.nan if cell is None else cell[name] for cell in cells], dtype=np.float64)
