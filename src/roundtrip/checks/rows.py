"""Rules that each row keeps by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from roundtrip.checks.reference import Finding, Reference
from roundtrip.checks.selection import places, require_columns, to_frame
from roundtrip.errors import nearest
from roundtrip.partitions import schema

WORDS = {
    "metric": "metrics",
    "statistic": "statistics",
    "source_kind": "source_kinds",
    "status": "statuses",
}


def columns_match(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Compare names, order and types of the columns with those the dictionary gives."""
    expected = to_frame(schema(reference.dictionary).empty_table()).dtypes.astype(str).to_dict()
    found = frame.dtypes.astype(str).to_dict()
    finding = Finding(len(frame))
    for name in expected | found:
        given, wanted = found.get(name, "missing"), expected.get(name, "no column of it")
        if given != wanted:
            finding.general.append(f"column '{name}' is {given}, by the dictionary {wanted}")
    if not finding.general and list(found) != list(expected):
        finding.general.append("the columns are not in the order of the dictionary")
    return finding


def columns_stated(
    frame: pd.DataFrame, columns: list[str], source_kinds: list[str] | None = None
) -> Finding:
    """Look for rows that leave one of the columns empty; of all, or of some kinds of sources."""
    require_columns(frame, columns)
    bound = (
        np.ones(len(frame), dtype=bool)
        if source_kinds is None
        else frame["source_kind"].isin(source_kinds).to_numpy()
    )
    finding = Finding(int(bound.sum()))
    for name in columns:
        empty = frame[name].isna()
        if isinstance(frame[name].dtype, pd.StringDtype):
            empty |= frame[name].str.strip() == ""
        for at in places(bound & empty.to_numpy(dtype=bool)):
            finding.add_row(at, f"{name} is empty")
    return finding


def words_known(
    frame: pd.DataFrame,
    reference: Reference,
    column: Literal["metric", "statistic", "source_kind", "status"],
) -> Finding:
    """Look for metrics, statistics, source kinds and statuses that the dictionary lacks."""
    known: Mapping[str, object] = getattr(reference.dictionary, WORDS[column])
    words = frame[column]
    finding = Finding(len(frame))
    for at in places(~words.isin(list(known))):
        word = str(words.iat[at])
        finding.add_row(at, f"unknown {column} '{word}'{nearest(word, known)}")
    return finding


def factors_known(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Look for factor values that the dictionary does not allow."""
    finding = Finding(len(frame))
    for name, factor in reference.dictionary.factors.items():
        require_columns(frame, [name])
        values = frame[name]
        stated = values.notna().to_numpy(dtype=bool)
        if not stated.any():
            continue
        if factor.allowed is not None:
            for at in places(stated & ~values.isin(factor.allowed).to_numpy(dtype=bool)):
                level, allowed = values.iat[at], ", ".join(factor.allowed)
                close = nearest(str(level), factor.allowed)
                finding.add_row(at, f"{name} is '{level}', allowed are {allowed}{close}")
        if factor.type in ("integer", "number"):
            numbers = values.to_numpy(dtype=float, na_value=np.nan)
            bad = stated & ~np.isfinite(numbers)
            if factor.minimum is not None:
                bad |= numbers < factor.minimum
            least = "a finite number" if factor.minimum is None else f"at least {factor.minimum:g}"
            for at in places(bad):
                finding.add_row(at, f"{name} is {values.iat[at]}, it must be {least}")
    return finding


def units_match(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Look for units that are not their metric's."""
    units = {name: metric.unit for name, metric in reference.dictionary.metrics.items()}
    expected = frame["metric"].map(units)
    finding = Finding(len(frame))
    for at in places(expected.notna() & (frame["unit"] != expected)):
        metric, unit = frame["metric"].iat[at], frame["unit"].iat[at]
        finding.add_row(at, f"unit '{unit}', {metric} is in {expected.iat[at]}")
    return finding


def values_in_range(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Look for values, printed or corrected, outside the range of their metric."""
    finding = Finding(len(frame))
    for column in ("value", "value_corrected"):
        values = frame[column].to_numpy(dtype=float)
        given = frame[column].notna().to_numpy(dtype=bool) | (column == "value")
        for at in places(given & ~np.isfinite(values)):
            finding.add_row(at, f"{column} is not a finite number")
        for name, metric in reference.dictionary.metrics.items():
            here = (frame["metric"] == name).to_numpy(dtype=bool) & np.isfinite(values)
            ends = (values[here].min(), values[here].max()) if here.any() else ()
            if not any(metric.refusal(float(end)) for end in ends):
                continue  # nor is any value between them refused
            for at in places(here):
                refusal = metric.refusal(float(values[at]))
                if refusal:
                    finding.add_row(at, f"{metric.label} {refusal}")
    return finding


def tables_exist(frame: pd.DataFrame, reference: Reference) -> Finding:
    """See that table cells and points of curves are of a table or figure of their report."""
    cells = frame[frame["source_kind"].isin(["table", "figure"])]
    finding = Finding(len(cells))
    for (source, table), group in cells.groupby(["source", "table_id"], dropna=False, sort=False):
        report = reference.reports.get(str(source))
        known = {} if report is None else report.numbers
        if table not in known:
            problem = f"{source} has no table or figure '{table}'{nearest(str(table), known)}"
            for at in group.index:
                finding.add_row(at, problem)
    return finding


def factors_disclosed(
    frame: pd.DataFrame, reference: Reference, factors: dict[str, Literal["host_sets", "workloads"]]
) -> Finding:
    """See that factors which name a part of a report's disclosure name one that exists."""
    require_columns(frame, factors)
    finding = Finding(0)
    used = np.zeros(len(frame), bool)
    for source, report in reference.reports.items():
        here = (frame["source"] == source).to_numpy(dtype=bool)
        for name, section in factors.items():
            stated = here & frame[name].notna().to_numpy(dtype=bool)
            used |= stated
            known = list(getattr(report, section))
            for at in places(stated & ~frame[name].isin(known).to_numpy(dtype=bool)):
                value = frame[name].iat[at]
                finding.add_row(
                    at,
                    f"{name} '{value}' is not among the {section} that its report discloses"
                    f"{nearest(str(value), known)}",
                )
    finding.checked = int(used.sum())
    return finding
