"""Values that a report computed from others: computed again, by formulas that are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from roundtrip.checks.precision import near, quotient_bounds
from roundtrip.checks.reference import rows_alike
from roundtrip.checks.tables import BYTES_PER_KILOBYTE, memory_costs
from roundtrip.detectors import margins
from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.subject import Cell, Subject, place, printed, unstated
from roundtrip.dictionary import RATES

Values = NDArray[np.float64]
_TOTAL = re.compile(r"^\W*(grand |sub)?(total|sum)s?\b", re.IGNORECASE)
_OFF = "none"
"""Level of a factor that is switched off."""


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


def derived_columns(subject: Subject) -> Iterator[Contradiction]:
    """Propose derived values that break the formula which the rest of their column keeps.

    A report rarely says how it computed a column. The formula is looked for: the quotient of two
    of its columns, their difference in per cent, or a rate times the message size. If one gives
    most of the values to their last printed digit, the others are wrong, or what they rest on.
    """
    derived = subject.tables[subject.tables["statistic"] == "derived"]
    for _, column in derived.groupby(["table_id", "column_label", "metric"], sort=False):
        for one in explained(subject, column):
            yield from _hold(*one)


def _hold(
    cell: Cell, least: float, most: float, operands: tuple[Cell, ...], says: str
) -> Iterator[Contradiction]:
    """Propose a cell that is not between two bounds, to within its own rounding."""
    middle, half = (least + most) / 2, (most - least) / 2
    deviation = abs(cell["settled"] - middle)
    allowed = half + cell["slack"]
    if deviation <= allowed * (1 + 1e-9) or allowed <= 0:
        return
    from_what = " and ".join(f"{printed(one)} ({place(one)})" for one in operands)
    yield Contradiction(
        [cell, *operands], deviation, allowed, str(cell["unit"]),
        f"{place(cell)} ({cell['row_label']}; {cell['column_label']}) prints {printed(cell)}, "
        f"but {says} of {from_what} is {middle:.4g}.",
    )  # fmt: skip


def _hold_quotient(cell: Cell, over: Cell, under: Cell) -> Iterator[Contradiction]:
    """Propose a cell that is not the quotient of two others, to within the rounding of all."""
    least, most = quotient_bounds(over["settled"], over["slack"], under["settled"], under["slack"])
    yield from _hold(cell, least, most, (over, under), "the quotient")


def defined_values(subject: Subject) -> Iterator[Contradiction]:
    """Propose values that are not what their metric's definition makes of others.

    Amounts per second over an interval, rates without a feature over rates with it, and memory
    per client.
    """
    for _, table in subject.tables.groupby("table_id", sort=False):
        yield from _per_second(subject, table)
        yield from _without_over_with(subject, table)
        if not (table["metric"] == "memory_per_client").any():
            continue
        for cost in memory_costs(table):
            if cost.first is None or cost.last is None:
                continue
            ends = [
                {"observation_id": end[name]}
                for end in (cost.first, cost.last)
                for name in ("observation_id", "observation_id_clients")
            ]
            deviation = abs(cost.printed["settled"] - cost.computed)
            allowed = 2 * cost.printed["slack"]  # such values are often cut off, not rounded
            if deviation > allowed:
                yield Contradiction(
                    [cost.printed, *ends], deviation, allowed, str(cost.printed["unit"]),
                    f"{place(cost.printed)} ({cost.printed['row_label']}) prints "
                    f"{printed(cost.printed)}, but free pages and requesters of the row give "
                    f"{cost.computed:.1f} KB.",
                )  # fmt: skip


def _per_second(subject: Subject, table: pd.DataFrame) -> Iterator[Contradiction]:
    """Hold amounts per second against the amount and the length of the table's one interval."""
    intervals = subject.rows(table[table["metric"] == "interval_length"])
    if len(intervals) != 1:
        return
    interval = intervals[0]
    for per_second in subject.rows(table[table["metric"].str.endswith("_rate")]):
        whole = table[
            (table["metric"] == per_second["metric"].removesuffix("_rate"))
            & (table["row_label"] == per_second["row_label"])
        ]
        if len(whole) != 1:
            continue
        amount = subject.rows(whole)[0]
        yield from _hold_quotient(per_second, amount, interval)


def _without_over_with(subject: Subject, table: pd.DataFrame) -> Iterator[Contradiction]:
    """Hold ratios of rates against the rates with and without what the ratio is about."""
    rates = table[table["metric"].isin(RATES)]
    for ratio in subject.rows(table[table["metric"] == "rate_ratio"]):
        switched = [name for name in subject.stated if _is_on(table, ratio, name)]
        with_it = rates[rows_alike(rates, ratio, subject.stated)]
        off = {**ratio, **dict.fromkeys(switched, _OFF)}
        without = rates[rows_alike(rates, off, subject.stated)]
        if len(with_it) != 1 or len(without) != 1 or not switched:
            continue
        yield from _hold_quotient(ratio, subject.rows(without)[0], subject.rows(with_it)[0])


def _is_on(table: pd.DataFrame, cell: Cell, name: str) -> bool:
    """Say whether a factor is on in a cell and off in another of the same table."""
    level = cell[name]
    return not unstated(level) and level != _OFF and bool((table[name] == _OFF).any())


def totals(subject: Subject) -> Iterator[Contradiction]:
    """Propose totals that are not the sum of their column.

    A total above the sum is sure to be low only: the table may be an extract that leaves rows out.
    """
    cells = subject.tables
    is_total = cells["row_label"].fillna("").str.match(_TOTAL)
    for total in subject.rows(cells[is_total]):
        parts = cells[
            ~is_total
            & (cells["table_id"] == total["table_id"])
            & (cells["column_label"] == total["column_label"])
            & (cells["metric"] == total["metric"])
            & (cells["statistic"] == total["statistic"])
        ]
        if len(parts) < 2:
            continue
        added = float(parts["settled"].sum())
        allowed = float(parts["slack"].sum() + total["slack"])
        if near(added, total["settled"], allowed):
            continue
        may_be_extract = added < total["settled"] and bool((parts["settled"] >= 0).all())
        yield Contradiction(
            [total, *subject.rows(parts)],
            abs(added - total["settled"]), allowed, str(total["unit"]),
            f"{place(total)} prints a total of {printed(total)} for {total['column_label']}, and "
            f"the {len(parts)} values above it add up to {added:,g}"
            + (", unless it leaves rows out." if may_be_extract else "."),
            Sure.low if may_be_extract else Sure.high,
        )  # fmt: skip
