"""Rules about the tables of one dataset: counts, repetitions, and what is computed from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field

from roundtrip.checks.precision import Cell, alike, near, off, quotient_bounds
from roundtrip.checks.reference import Finding
from roundtrip.checks.selection import records, require_columns, rows_of_table, rows_where
from roundtrip.errors import CheckError, nearest
from roundtrip.yamlfile import Strict, validate

KILOBYTES_PER_PAGE = 4
BYTES_PER_KILOBYTE = 1000


def cell_counts(frame: pd.DataFrame, counts: dict[str, int]) -> Finding:
    """Count the numeric cells of each table."""
    found = frame["table_id"].value_counts()
    finding = Finding(len(frame))
    for table, expected in counts.items():
        if table not in found:
            close = nearest(table, map(str, found.index))
            finding.general.append(f"no cell of {table}, {expected} are expected{close}")
        elif found[table] != expected:
            finding.general.append(f"{table} has {found[table]} cells, {expected} are expected")
    finding.general += [
        f"{table} has {count} cells, but the rule does not list it"
        for table, count in sorted(found.items())
        if table not in counts
    ]
    return finding


def table_repeats(
    cells: pd.DataFrame,
    table: str,
    repeats: str,
    by: list[str],
    metrics: list[str],
    where: dict[str, Any] | None = None,
    repeats_where: dict[str, Any] | None = None,
) -> Finding:
    """Compare cells of a table with the cells of another that it prints again.

    Of either table, a selection may take some. Cells belong together when they agree in the factors
    `by` and in the metric. A repetition may be rounded further than its original, or less far.
    """
    require_columns(cells, by)
    wanted = cells["metric"].isin(metrics)
    here = cells[wanted & rows_of_table(cells, table) & rows_where(cells, where)]
    there = cells[wanted & rows_of_table(cells, repeats) & rows_where(cells, repeats_where)]
    keys = [*by, "metric"]
    twice = there.duplicated(keys, keep="first")
    finding = Finding(len(here))
    name = str(there["table"].iloc[0]) if len(there) else repeats
    for position in there.loc[twice, "position"]:
        finding.add_row(int(position), f"several cells of {name} agree in {', '.join(by)}")
    for cell, original in _matched(here, there[~twice], keys):
        if original is None:
            finding.add_row(cell["position"], f"{name} has no such cell")
            continue
        if not alike(cell, original):
            problem = f"{name} prints {original['value_printed']}"
            finding.add_contradiction([cell, original], problem)
    return finding


class Operand(Strict):
    """What a printed ratio is computed from.

    Attributes
    ----------
    metric : str
        What is divided, or divides.
    table : str or None
        Table that prints it; the ratio's own without it.
    where : dict
        Selects its cells.
    by : list of str
        It belongs to the ratio that agrees with it in these columns; to all of them without any.
    """

    metric: str
    table: str | None = None
    where: dict[str, Any] = Field(default={})
    by: list[str] = Field(default=[])


def ratios_recomputed(
    cells: pd.DataFrame,
    table: str,
    ratio: str,
    dividend: dict[str, Any],
    divisor: dict[str, Any],
) -> Finding:
    """Compute printed ratios, shares and rates again from their operands; see `Operand`.

    The ratio must agree to its last printed digit with a quotient of values that round to the
    printed operands.
    """
    ratios = cells[rows_of_table(cells, table) & (cells["metric"] == ratio)]
    over = _operands(cells, ratios, table, dividend, "dividend")
    under = _operands(cells, ratios, table, divisor, "divisor")
    finding = Finding(len(ratios))
    for (cell, upper), (_, lower) in zip(over, under, strict=True):
        if upper is None or lower is None:
            missing = "dividend" if upper is None else "divisor"
            finding.add_row(cell["position"], f"there is no {missing} to compute it from")
            continue
        scale = 100 if cell["unit"] == "%" else 1
        if off(cell, *(scale * end for end in quotient_bounds(upper, lower))):
            exact = scale * upper["settled"] / lower["settled"]
            finding.add_contradiction([cell, upper, lower], f"computed {exact:.4f}")
    return finding


def _operands(
    cells: pd.DataFrame, ratios: pd.DataFrame, table: str, said: dict[str, Any], name: str
) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Pair each ratio with the one cell that it was computed from."""
    operand = validate(said, Operand, name, CheckError)
    require_columns(cells, operand.by)
    found = cells[
        rows_of_table(cells, operand.table or table)
        & (cells["metric"] == operand.metric)
        & rows_where(cells, operand.where)
    ]
    if operand.by:
        if found.duplicated(operand.by).any():
            raise CheckError(f"several cells are the {name} of one ratio", where=name)
        return list(_matched(ratios, found, operand.by))
    if len(found) != 1:
        raise CheckError(f"{len(found)} cells are the {name}, one is needed", where=name)
    only = records(found)[0]
    return [(cell, only) for cell in records(ratios)]


def _matched(
    here: pd.DataFrame, there: pd.DataFrame, keys: Sequence[str]
) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Pair rows with those that agree in the keys; what neither states agrees too."""
    others = records(there)
    paired = here[[*keys]].merge(
        there[[*keys]].assign(other=range(len(there))), on=list(keys), how="left"
    )
    for cell, other in zip(records(here), paired["other"], strict=True):
        yield cell, None if np.isnan(other) else others[int(other)]


def payloads_recomputed(cells: pd.DataFrame, table: str) -> Finding:
    """Compute throughputs in KB/s again from message rates and sizes."""
    here = cells[rows_of_table(cells, table)]
    payloads = here[here["metric"] == "payload_rate"]
    rates = here[here["metric"] == "message_rate"]
    finding = Finding(len(payloads))
    for payload, rate in _matched(payloads, rates, ["point_id"]):
        if rate is None:
            finding.add_row(payload["position"], "its point has no message rate")
            continue
        size = payload["message_bytes"] / BYTES_PER_KILOBYTE
        computed, slack = rate["settled"] * size, payload["slack"] + rate["slack"] * size
        if not near(payload["settled"], computed, slack):
            finding.add_contradiction([payload, rate], f"computed {computed:.4g}")
    return finding


def memory_costs(here: pd.DataFrame) -> Iterator[tuple[Cell, Sequence[Cell], float, float]]:
    """Compute memory per client again: pages that went, by requesters that came, along a row.

    Parameters
    ----------
    here : pandas.DataFrame
        Cells of one table, as `settled_cells` gives them.

    Yields
    ------
    printed : mapping
        The cell of a memory per client.
    ends : list of mapping
        Pages and requesters of the first and of the last point of its row; none where the row
        does not have two numbers of requesters.
    least, most : float
        Bounds in KB: sources cut off or round, so that a unit of the last digit is left to them.
    """
    stating = here.loc[here["metric"] == "memory_per_client", "row_label"]
    for _, row in here[here["row_label"].isin(stating)].groupby("row_label", sort=False):
        cells = {(cell["point_id"], cell["metric"]): cell for cell in records(row)}
        points = [one for one, name in cells if name == "free_pages" and (one, "clients") in cells]
        ends = [
            cells[point, name]
            for point in (*points[:1], *points[-1:])
            for name in ("free_pages", "clients")
        ]
        came = ends[3]["settled"] - ends[1]["settled"] if ends else 0
        if not came:
            ends, came = [], np.nan
        went = ends[0]["settled"] - ends[2]["settled"] if ends else np.nan
        computed = went * KILOBYTES_PER_PAGE / came
        for cost in records(row[row["metric"] == "memory_per_client"]):
            yield cost, ends, computed - cost["slack"], computed + cost["slack"]


def memory_recomputed(cells: pd.DataFrame, tables: list[str]) -> Finding:
    """See that each memory per client is what its row's pages and requesters make."""
    finding = Finding(0)
    for table in tables:
        for cost, ends, least, most in memory_costs(cells[rows_of_table(cells, table)]):
            finding.checked += 1
            if not ends:
                finding.add_row(cost["position"], "its row does not have two numbers of clients")
            elif off(cost, least, most):
                finding.add_contradiction([cost, *ends], f"computed {(least + most) / 2:.1f} KB")
    return finding
