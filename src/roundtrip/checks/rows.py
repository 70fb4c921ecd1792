"""Rules that each row keeps by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from roundtrip.checks.reference import Finding, Mask, Reference, require_columns, to_frame
from roundtrip.dictionary import Factor, Metric
from roundtrip.errors import nearest
from roundtrip.partitions import schema
from roundtrip.sources.cells import parse_printed
from roundtrip.sources.published import FIGURE_FOLDER

WORDS = {
    "metric": "metrics",
    "statistic": "statistics",
    "source_kind": "source_kinds",
    "status": "statuses",
}


def columns_match(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Compare names, order and types of the columns with those the dictionary gives."""
    expected = to_frame(schema(reference.dictionary).empty_table()).dtypes
    finding = Finding(len(frame))
    for name in expected.index:
        if name not in frame.columns:
            finding.general.append(f"column '{name}' is missing{nearest(name, frame.columns)}")
        elif frame[name].dtype != expected[name]:
            finding.general.append(
                f"column '{name}' holds {frame[name].dtype}, not {expected[name]}"
            )
    for name in frame.columns:
        if name not in expected.index:
            finding.general.append(f"unknown column '{name}'{nearest(name, expected.index)}")
    if not finding.general and list(frame.columns) != list(expected.index):
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
        finding.add(bound & empty.to_numpy(dtype=bool), f"{name} is empty")
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
    finding.add(
        ~words.isin(list(known)),
        lambda at: f"unknown {column} '{words.iat[at]}'{nearest(str(words.iat[at]), known)}",
    )
    return finding


def factors_known(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Look for factor values that the dictionary does not allow."""
    finding = Finding(len(frame))
    for name, factor in reference.dictionary.factors.items():
        require_columns(frame, [name])
        if frame[name].notna().any():
            _add_refused(finding, frame[name], name, factor)
    return finding


def _add_refused(finding: Finding, values: pd.Series, name: str, factor: Factor) -> None:
    stated = values.notna().to_numpy(dtype=bool)
    if factor.allowed is not None:
        allowed = factor.allowed
        finding.add(
            stated & ~values.isin(allowed).to_numpy(dtype=bool),
            lambda at: (
                f"{name} is '{values.iat[at]}', allowed are {', '.join(allowed)}"
                f"{nearest(str(values.iat[at]), allowed)}"
            ),
        )
    if factor.type in ("integer", "number"):
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        bad = stated & ~np.isfinite(numbers)
        if factor.minimum is not None:
            bad |= numbers < factor.minimum
        least = "a finite number" if factor.minimum is None else f"at least {factor.minimum:g}"
        finding.add(bad, lambda at: f"{name} is {values.iat[at]}, it must be {least}")


def units_match(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Look for units that are not their metric's."""
    units = {name: metric.unit for name, metric in reference.dictionary.metrics.items()}
    expected = frame["metric"].map(units)
    finding = Finding(len(frame))
    finding.add(
        expected.notna() & (frame["unit"] != expected),
        lambda at: (
            f"unit '{frame['unit'].iat[at]}', {frame['metric'].iat[at]} is in {expected.iat[at]}"
        ),
    )
    return finding


def values_in_range(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Look for values, printed or corrected, outside the range of their metric."""
    finding = Finding(len(frame))
    for column in ("value", "value_corrected"):
        values = frame[column].to_numpy(dtype=float)
        given = frame[column].notna().to_numpy(dtype=bool) | (column == "value")
        finding.add(given & ~np.isfinite(values), f"{column} is not a finite number")
        for name, metric in reference.dictionary.metrics.items():
            here = (frame["metric"] == name).to_numpy(dtype=bool) & np.isfinite(values)
            _add_out_of_range(finding, here, values, metric)
    return finding


def _add_out_of_range(
    finding: Finding, here: Mask, values: np.ndarray[Any, Any], metric: Metric
) -> None:
    bad = np.zeros(len(values), bool)
    if metric.minimum is not None:
        bad |= values <= metric.minimum if metric.exclusive else values < metric.minimum
    if metric.maximum is not None:
        bad |= values > metric.maximum
    finding.add(here & bad, lambda at: f"{metric.label} {metric.refusal(float(values[at]))}")


def printed_read_right(frame: pd.DataFrame, reference: Reference) -> Finding:
    """Read the printed text of each value again and compare it with the value."""
    printed = frame[["metric", "value_printed", "unit_printed"]]
    given = printed["value_printed"].notna().to_numpy(dtype=bool)
    again = {
        said: _read_again(reference, *said)
        for said in printed[given].drop_duplicates().itertuples(index=False, name=None)
    }
    expected = np.array(
        [again.get(said, np.nan) for said in printed.itertuples(index=False, name=None)]
    )
    finding = Finding(int(given.sum()))
    finding.add(
        given & ~(frame["value"].to_numpy(dtype=float) == expected),
        lambda at: (
            f"'{printed['value_printed'].iat[at]}' is held as {frame['value'].iat[at]:.12g} "
            f"{frame['unit'].iat[at]}"
        ),
    )
    return finding


def _read_again(reference: Reference, metric: str, printed: str, unit: str) -> float:
    """Turn printed text into a value of a metric; no number where that cannot be done."""
    try:
        known = reference.dictionary.metrics[metric]
        number, own_unit = parse_printed(printed)
        if own_unit and known.spelled(own_unit) != unit:
            return np.nan
        return known.converted(number, unit)
    except (KeyError, ValueError):
        return np.nan


def doubts_explained(frame: pd.DataFrame) -> Finding:
    """See that doubtful values say why, and that only corrected ones carry a correction."""
    finding = Finding(len(frame))
    doubted = frame["status"] != "as_printed"
    finding.add(doubted & frame["note"].isna(), "is doubted without a note that says why")
    corrected, given = frame["status"] == "corrected", frame["value_corrected"].notna()
    finding.add(corrected & ~given, "is corrected, but value_corrected is empty")
    finding.add(~corrected & given, "has a value_corrected, but its status is not 'corrected'")
    return finding


def tables_exist(frame: pd.DataFrame, reference: Reference) -> Finding:
    """See that table cells and points of curves refer to a table or figure of their report."""
    keys = ["source", "source_kind", "table_id", "table", "section", "column_label", "file"]
    cells = frame.reset_index(drop=True)
    cells = cells[cells["source_kind"].isin(["table", "figure"])]
    finding = Finding(len(cells))
    for _, group in cells.groupby(keys, dropna=False, sort=False):
        problem = _dangling(reference, list(group[keys].iloc[0].astype(str)))
        if problem:
            for position in group.index:
                finding.add_row(int(position), problem)
    return finding


def _dangling(reference: Reference, cell: Sequence[str]) -> str | None:
    """Say what a reference to a printed table or figure gets wrong, if anything."""
    source, kind, place, number, section, column, file = cell
    report = reference.reports.get(source)
    if report is None:
        return f"no published report '{source}'{nearest(source, reference.reports)}"
    tables = {table.id: table for table in report.tables}
    figures = {one.drawing.file: one for one in report.figures if one.drawing is not None}
    known = tables if kind == "table" else figures
    if place not in known:
        return f"{source} has no {kind} '{place}'{nearest(place, known)}"
    if kind == "table":
        columns, true_file = [one.header for one in tables[place].columns], f"{place}.csv"
    else:
        columns, true_file = list(report.drawings[place].axes), f"{FIGURE_FOLDER}/{place}.csv"
    here = known[place]
    if (number, section) != (here.number, here.section):
        return f"{place} is {here.number} in section {here.section}"
    if column not in columns:
        return f"{number} has no column '{column}'{nearest(column, columns)}"
    if file != f"data/published/{source}/{true_file}" or not (reference.root / file).is_file():
        return f"'{file}' is not the file of {number}"
    return None


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
            _add_undisclosed(finding, stated, frame[name], section, getattr(report, section))
    finding.checked = int(used.sum())
    return finding


def _add_undisclosed(
    finding: Finding, stated: Mask, values: pd.Series, section: str, known: Iterable[str]
) -> None:
    disclosed = list(known)
    finding.add(
        stated & ~values.isin(disclosed).to_numpy(dtype=bool),
        lambda at: (
            f"{values.name} '{values.iat[at]}' is not among the {section} that its report "
            f"discloses{nearest(str(values.iat[at]), disclosed)}"
        ),
    )
