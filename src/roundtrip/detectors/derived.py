"""Values that a report computed from others: computed again."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from roundtrip.checks.precision import near, quotient_bounds
from roundtrip.checks.reference import rows_alike
from roundtrip.checks.tables import memory_costs
from roundtrip.detectors.formulas import explained
from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.subject import Cell, Subject, place, printed, unstated
from roundtrip.dictionary import RATES

_TOTAL = re.compile(r"^\W*(grand |sub)?(total|sum)s?\b", re.IGNORECASE)
_OFF = "none"
"""Level of a factor that is switched off."""


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
