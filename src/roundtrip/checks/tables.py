"""Rules of one dataset: counts, repeats, recomputed ratios, and limits of nature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from roundtrip.checks.reference import (
    Finding,
    Reference,
    require_columns,
    rows_of_table,
    rows_where,
)
from roundtrip.errors import nearest

BITS_PER_BYTE = 8
GIGA = 1e9


def cell_counts(frame: pd.DataFrame, counts: Mapping[str, int]) -> Finding:
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
    frame: pd.DataFrame,
    table: str,
    repeats: str,
    by: Sequence[str],
    metrics: Sequence[str],
    where: Mapping[str, Any] | None,
) -> Finding:
    """Compare cells of a table with the cells of another that it prints again."""
    cells = frame.reset_index(drop=True).reset_index(names="position")
    require_columns(cells, by)
    wanted = cells["metric"].isin(metrics) & (cells["statistic"] != "derived")
    here = cells[wanted & rows_of_table(cells, table) & rows_where(cells, where)]
    there = cells[wanted & rows_of_table(cells, repeats)]
    keys = [*by, "metric"]
    twice = there.duplicated(keys, keep="first")
    original = there[~twice].set_index("position")[[*keys, "table", "value", "value_printed"]]
    pairs = here.merge(original, on=keys, how="left", suffixes=("", "_original"))
    finding = Finding(len(here))
    name = str(there["table"].iloc[0]) if len(there) else repeats
    for position in there.loc[twice, "position"]:
        finding.add_row(int(position), f"several cells of {name} agree in {', '.join(by)}")
    for pair in pairs[pairs["value"] != pairs["value_original"]].to_dict("records"):
        if np.isnan(pair["value_original"]):
            problem = f"{name} has no such cell"
        else:
            problem = f"{name} prints {pair['value_printed_original']}"
        finding.add_row(pair["position"], problem)
    return finding


def ratios_recomputed(
    frame: pd.DataFrame,
    table: str,
    ratio: str,
    of: str,
    baseline: Mapping[str, Any],
    by: Sequence[str],
) -> Finding:
    """Compute printed ratios again: baseline value over the value they stand for."""
    cells = frame.reset_index(drop=True)
    require_columns(cells, by)
    here = rows_of_table(cells, table)
    values = cells[here & (cells["metric"] == of)]
    base = values.loc[rows_where(values, baseline), "value"]
    ratios = cells[here & (cells["metric"] == ratio)]
    finding = Finding(len(ratios))
    if len(base) != 1:
        finding.general.append(f"{table} has {len(base)} baseline values of {of}, one is needed")
        return finding
    others = values.drop_duplicates(list(by))[[*by, "value"]]
    pairs = ratios.reset_index(names="position").merge(
        others, on=list(by), how="left", suffixes=("", "_of")
    )
    for pair in pairs.to_dict("records"):
        exact = base.iloc[0] / pair["value_of"]
        decimals = len(pair["value_printed"].partition(".")[2])
        # Half a unit of the last printed digit, and a little for binary fractions.
        if not abs(pair["value"] - exact) <= 0.5 * 10.0**-decimals + 1e-9:
            found = "no value to divide by" if np.isnan(exact) else f"computed {exact:.4f}"
            finding.add_row(pair["position"], found)
    return finding


def rates_fit_link(frame: pd.DataFrame, messages_each_way: Mapping[str, int]) -> Finding:
    """See that no uncompressed rate needs more bandwidth than its link has."""
    messages = frame["workload"].map(messages_each_way).to_numpy(dtype=float, na_value=np.nan)
    size = frame["message_bytes"].to_numpy(dtype=float, na_value=np.nan)
    link = frame["link_gbps"].to_numpy(dtype=float, na_value=np.nan)
    needed = frame["value"].to_numpy(dtype=float) * messages * size * BITS_PER_BYTE / GIGA
    bound = (
        (frame["metric"] == "round_trip_rate").to_numpy(dtype=bool)
        & (frame["compression"] == "none").to_numpy(dtype=bool)
        & np.isfinite(needed)
        & np.isfinite(link)
    )
    finding = Finding(int(bound.sum()))
    with np.errstate(invalid="ignore"):
        finding.add(
            bound & (needed > link),
            lambda at: f"the messages alone need {needed[at]:.1f} Gb/s, the link has {link[at]:g}",
        )
    return finding


def rates_fall_with(frame: pd.DataFrame, reference: Reference, factor: str) -> Finding:
    """See that peak rates fall as one factor rises and all others stay.

    The number of requesters is not held: each peak has its own.
    """
    cells = frame.reset_index(drop=True)
    require_columns(cells, [factor])
    cells = cells[
        (cells["metric"] == "round_trip_rate")
        & (cells["statistic"] == "peak")
        & cells[factor].notna()
    ]
    held = [name for name in reference.dictionary.factors if name not in (factor, "requesters")]
    stated = [name for name in held if cells[name].notna().any()]
    finding = Finding(0)
    for _, group in cells.groupby(["source", *stated], dropna=False, sort=False):
        levels = group.groupby(factor)["value"].min()
        if len(levels) < 2:
            continue
        finding.checked += len(group)
        # The lowest rate seen at any lower level: a row at or above it does not fall.
        limit = levels.cummin().shift()
        for position, level, value in zip(group.index, group[factor], group["value"], strict=True):
            if value >= limit[level]:
                finding.add_row(
                    int(position), f"is not below {limit[level]:,.0f} at a lower {factor}"
                )
    return finding
