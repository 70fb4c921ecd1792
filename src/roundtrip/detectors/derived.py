"""Values that a report computed from others: computed again, by formulas that are looked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from roundtrip.checks.precision import Cell, off, quotient_bounds
from roundtrip.checks.selection import rows_alike
from roundtrip.checks.tables import BYTES_PER_KILOBYTE, memory_costs
from roundtrip.detectors import margins
from roundtrip.detectors.proposal import Contradiction
from roundtrip.detectors.subject import OFF, Subject, place, printed, unstated
from roundtrip.dictionary import RATES

Values = NDArray[np.float64]
_COMPUTED = ("rate_increase", "rate_ratio", "rate_reduction")
"""Metrics that are computed from rates, whatever statistic a table declares."""


@dataclass(frozen=True)
class _Operand:
    """Cells of one printed column, one for each row of the derived column, and their bounds."""

    metric: str
    beside: bool  # whether it stands in the derived column's own table
    cells: tuple[Cell | None, ...]
    low: Values
    high: Values


class _Formula(NamedTuple):
    """What a derived column may have been computed by: its name in a sentence, and what it gives.

    For each choice of operands, by their places, there is a row of bounds, which differ by
    rounding alone.
    """

    says: str
    operands: tuple[NDArray[np.intp], ...]
    least: Values
    most: Values


def derived_columns(subject: Subject) -> Iterator[Contradiction]:
    """Propose derived values that break the formula which the rest of their column keeps.

    A report rarely says how it computed a column. The formula is looked for: the quotient of two
    of its columns, their difference in per cent, or a rate times the message size. If one gives
    most of the values to their last printed digit, the others are wrong, or what they rest on.
    """
    tables = subject.tables
    derived = tables[(tables["statistic"] == "derived") | tables["metric"].isin(_COMPUTED)]
    for _, column in derived.groupby(["table_id", "column_label", "metric"], sort=False):
        if len(column) <= margins.LEAST_EXPLAINED:
            continue
        operands = list(_operands(subject, column))
        given = [
            (float(values.max()), int(values.argmax()), formula)
            for formula in _formulas(column, operands)
            for values in [_values_given(column, formula, operands)]
        ]
        enough = max(margins.LEAST_EXPLAINED, margins.SHARE_EXPLAINED * len(column))
        most, at, formula = max(given, key=itemgetter(0), default=(0.0, 0, None))
        if formula is None or most < enough:
            continue
        for cell, low, high, *row in zip(
            subject.rows(column), formula.least[at].tolist(), formula.most[at].tolist(),
            *(operands[of[at]].cells for of in formula.operands), strict=True,
        ):  # fmt: skip
            if None not in row:
                yield from _hold(cell, low, high, row, formula.says)


def _formulas(column: pd.DataFrame, operands: Sequence[_Operand]) -> Iterator[_Formula]:
    """Yield the formulas that a column of this metric may have, as far as there are operands."""
    metrics = np.array([one.metric for one in operands])
    low, high = (np.array([getattr(one, end) for one in operands]) for end in ("low", "high"))
    if column["metric"].iloc[0] == "payload_rate":
        size = column["message_bytes"].to_numpy(dtype=float, na_value=np.nan) / BYTES_PER_KILOBYTE
        if (at := np.flatnonzero(np.isin(metrics, RATES))).size:
            yield _Formula(
                "the message size times the rate", (at,), low[at] * size, high[at] * size
            )
        return
    alike = metrics[:, None] == metrics
    over, under = np.nonzero(alike & ~np.eye(len(alike), dtype=bool))
    if not over.size:
        return
    with np.errstate(divide="ignore", invalid="ignore"):
        least = low[over] / high[under]
        most = np.where(low[under] > 0, high[over] / low[under], np.nan)
    if column["unit"].iloc[0] != "%":
        yield _Formula("the quotient", (over, under), least, most)
        return
    yield _Formula("the share in per cent", (over, under), 100 * least, 100 * most)
    yield _Formula("the gain in per cent", (over, under), 100 * (least - 1), 100 * (most - 1))
    yield _Formula("the loss in per cent", (over, under), 100 * (1 - most), 100 * (1 - least))


def _values_given(column: pd.DataFrame, formula: _Formula, operands: Sequence[_Operand]) -> Values:
    """Count the values that a formula gives to their last digit, for each choice of operands.

    Operands of the same table count for less than a value: they decide between formulas alike.
    """
    target, slack = (column[name].to_numpy(dtype=float) for name in ("settled", "slack"))
    middle, half = (formula.least + formula.most) / 2, (formula.most - formula.least) / 2
    with np.errstate(invalid="ignore"):
        fits = np.abs(target - middle) <= (half + slack) * (1 + 1e-9)
    beside = np.array([one.beside for one in operands]) / 3
    return np.asarray(sum((beside[of] for of in formula.operands), fits.sum(axis=1)))


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
            settled, slack = (_of(cells, name) for name in ("settled", "slack"))
            yield _Operand(str(metric), of_table == table, cells, settled - slack, settled + slack)


def _keys(frame: pd.DataFrame, names: list[str]) -> pd.Series | None:
    """Give equal numbers to rows that state the same, or nothing; None where no name is given."""
    return frame.groupby(names, dropna=False, sort=False).ngroup() if names else None


def _of(cells: tuple[Cell | None, ...], name: str) -> Values:
    return np.array([np.nan if cell is None else cell[name] for cell in cells], dtype=np.float64)


def _hold(
    cell: Cell, least: float, most: float, operands: Sequence[Cell], says: str
) -> Iterator[Contradiction]:
    """Propose a cell that is not between two bounds, to within its own rounding."""
    found = off(cell, least, most)
    if found is not None and found[1] > 0:
        from_what = " and ".join(f"{printed(one)} ({place(one)})" for one in operands)
        yield Contradiction(
            [cell, *operands], *found, str(cell["unit"]),
            f"{place(cell)} ({cell['row_label']}; {cell['column_label']}) prints {printed(cell)}, "
            f"but {says} of {from_what} is {(least + most) / 2:.4g}.",
        )  # fmt: skip


def defined_values(subject: Subject) -> Iterator[Contradiction]:
    """Propose values that are not what their metric's definition makes of others.

    Amounts per second over an interval, rates without a feature over rates with it, and memory
    per client.
    """
    for _, table in subject.tables.groupby("table_id", sort=False):
        quotients = chain(_per_second(subject, table), _without_over_with(subject, table))
        for cell, over, under in quotients:
            yield from _hold(cell, *quotient_bounds(over, under), (over, under), "the quotient")
        for cost, ends, least, most in memory_costs(table):
            if ends and (found := off(cost, least, most)):
                yield Contradiction(
                    [cost, *ends], *found, str(cost["unit"]),
                    f"{place(cost)} ({cost['row_label']}) prints {printed(cost)}, but free pages "
                    f"and requesters of the row give {(least + most) / 2:.1f} KB.",
                )  # fmt: skip


def _per_second(subject: Subject, table: pd.DataFrame) -> Iterator[tuple[Cell, Cell, Cell]]:
    """Yield amounts per second, each with the amount and the length of the table's one interval."""
    intervals = subject.rows(table[table["metric"] == "interval_length"])
    if len(intervals) != 1:
        return
    for per_second in subject.rows(table[table["metric"].str.endswith("_rate")]):
        whole = table[
            (table["metric"] == per_second["metric"].removesuffix("_rate"))
            & (table["row_label"] == per_second["row_label"])
        ]
        if len(whole) == 1:
            yield per_second, subject.rows(whole)[0], intervals[0]


def _without_over_with(subject: Subject, table: pd.DataFrame) -> Iterator[tuple[Cell, Cell, Cell]]:
    """Yield ratios of rates, each with the rate without and with what it is about."""
    rates = table[table["metric"].isin(RATES)]
    for ratio in subject.rows(table[table["metric"] == "rate_ratio"]):
        switched = [name for name in subject.stated if _is_on(table, ratio, name)]
        with_it = rates[rows_alike(rates, ratio, subject.stated)]
        without_it = {**ratio, **dict.fromkeys(switched, OFF)}
        without = rates[rows_alike(rates, without_it, subject.stated)]
        if len(with_it) == len(without) == 1 and switched:
            yield ratio, subject.rows(without)[0], subject.rows(with_it)[0]


def _is_on(table: pd.DataFrame, cell: Cell, name: str) -> bool:
    """Say whether a factor is on in a cell and off in another of the same table."""
    level = cell[name]
    return not unstated(level) and level != OFF and bool((table[name] == OFF).any())
