"""Quantities that a report prints in several places, and not the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from roundtrip.checks.precision import alike, room
from roundtrip.checks.selection import rows_alike
from roundtrip.detectors import margins
from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.subject import POINT_STATISTICS, Subject, is_bound, place, printed
from roundtrip.dictionary import RATES

_COLUMNS = (
    "position", "source_kind", "table", "section", "metric", "statistic", "requesters", "settled",
)  # fmt: skip


def repeated_quantities(subject: Subject) -> Iterator[Contradiction]:
    """Propose quantities that differ between places.

    Two values are the same quantity if all factors, metric and statistic agree (a peak brings its
    own number of requesters, which is not held), if they belong to points whose factors do not
    contradict each other and which print another value alike to three digits, or if a text states
    a value that only one cell of its section's tables can be. A rate of another section may be that
    of another run: within what runs differ by it is sure to be low only.
    """
    groups = [
        *_same_setting(subject),
        *_same_peak(subject),
        *_same_point(subject),
        *_said_of_table(subject),
    ]
    for group in _joined(groups):
        yield from _contradiction(subject, subject.cells.loc[group])


def _same_setting(subject: Subject) -> Iterator[list[int]]:
    """Yield positions of cells that agree in all factors, from more than one place."""
    cells = _narrow(subject)
    of_point = cells["statistic"].isin(POINT_STATISTICS) & cells["requesters"].notna()
    peaks = cells["statistic"] == "peak"
    held = ["setting", "metric", "requesters"]
    for kind, keys in ((cells[of_point], held), (cells[~of_point & ~peaks], [*held, "statistic"])):
        for _, group in _differing(kind, keys):
            if _tells_apart(group):
                yield group.index.to_list()


def _narrow(subject: Subject) -> pd.DataFrame:
    """Give all cells with the few columns that grouping needs: taking rows of 60 is slow."""
    return subject.cells[list(_COLUMNS)].assign(setting=subject.settings)


def _differing(cells: pd.DataFrame, keys: list[str]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Group cells, and yield the groups that hold more than one value."""
    groups = cells.groupby(keys, dropna=False, sort=False)
    several = groups["settled"].transform("nunique") > 1
    yield from cells[several].groupby(keys, dropna=False, sort=False)


def _same_peak(subject: Subject) -> Iterator[list[int]]:
    """Yield positions of peaks of one setting, from more than one place.

    A peak is left out whose number of requesters the other place prints as well, beside a peak of
    its own: it then shows another point of the same sweep.
    """
    cells = _narrow(subject)
    cells = cells[cells["statistic"].isin(POINT_STATISTICS)]
    for _, group in _differing(cells, ["setting", "metric"]):
        peaks = group[group["statistic"] == "peak"]
        if peaks["table"].nunique() < 2 or not _tells_apart(peaks):
            continue
        printed_at = set(zip(group["table"], group["requesters"], strict=True))
        for one, other in combinations(subject.rows(peaks), 2):
            beside = {(one["table"], other["requesters"]), (other["table"], one["requesters"])}
            same = not pd.isna(one["requesters"]) and one["requesters"] == other["requesters"]
            if same or not beside & printed_at:
                yield [one["position"], other["position"]]


def _tells_apart(group: pd.DataFrame) -> bool:
    """Say whether each place has one of the cells: else more than the factors varies there.

    Blocks that a report prints under one number are one place.
    """
    places = group["table"].str.cat(
        group["section"].where(group["source_kind"] == "text", ""), na_rep=""
    )
    return bool(places.nunique() > 1 and not places.duplicated().any())


def _same_point(subject: Subject) -> Iterator[list[int]]:
    """Yield positions of cells of points that are one measurement, printed twice."""
    tables = subject.tables[subject.tables["statistic"].isin(POINT_STATISTICS)]
    telling = tables[~_was_set(tables, subject) & _digits(tables)]
    by_point = {str(point): group for point, group in tables.groupby("point_id", sort=False)}
    unique = tables.groupby("point_id")["metric"].agg(lambda metrics: metrics.is_unique)
    settings = tables.drop_duplicates("point_id").set_index("point_id")
    levels = settings[subject.stated].to_dict("index")
    table_of = settings["table_id"].to_dict()
    seen: set[tuple[str, str]] = set()
    for _, same in telling.groupby(["metric", "settled"], sort=False):
        points = [str(point) for point in same["point_id"].drop_duplicates() if unique[point]]
        if len(points) > margins.POINTS_IN_COMMON:
            continue
        for one, other in combinations(points, 2):
            if (one, other) in seen or table_of[one] == table_of[other]:
                continue
            seen.add((one, other))
            here, there = levels[one], levels[other]
            conflict = any(
                not pd.isna(level) and not pd.isna(there[name]) and level != there[name]
                for name, level in here.items()
            )
            if not conflict:
                yield from _paired(by_point[one], by_point[other])


def _said_of_table(subject: Subject) -> Iterator[list[int]]:
    """Yield positions of a value that a text states, and of the one table cell it speaks of.

    It speaks of a cell of its own section if metric, statistic and all that the text states
    agree, and of none if several do. A text that states no statistic may give any; one that
    calls its value a bound gives none.
    """
    tables = subject.tables
    texts = subject.cells[
        (subject.cells["source_kind"] == "text") & (subject.cells["statistic"] != "derived")
    ]
    for value in subject.rows(texts):
        same = tables[
            (tables["section"] == value["section"]) & (tables["metric"] == value["metric"])
        ]
        if value["statistic"] != "single" or (same["statistic"] == "single").any():
            same = same[same["statistic"] == value["statistic"]]
        named = [name for name in (*subject.stated, "requesters") if not pd.isna(value[name])]
        same = same[rows_alike(same, value, named)]
        if len(same) == 1 and not is_bound(value):
            yield [int(same["position"].iloc[0]), value["position"]]


def _was_set(tables: pd.DataFrame, subject: Subject) -> pd.Series:
    """Mark cells that print the level of a factor, as the number of clients: set, not observed."""
    was_set = tables["settled"] == tables["requesters"]
    for name in subject.stated:
        if pd.api.types.is_numeric_dtype(tables[name]):
            was_set |= tables["settled"] == tables[name]
    return was_set.fillna(False).astype(bool)


def _digits(tables: pd.DataFrame) -> pd.Series:
    """Mark cells that print enough digits to tell points apart."""
    least = 10.0 ** (margins.DIGITS_IN_COMMON - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        units = tables["settled"] / (2 * tables["slack"])
    return (tables["slack"] > 0) & (units >= least)


def _paired(one: pd.DataFrame, other: pd.DataFrame) -> Iterator[list[int]]:
    positions = dict(zip(other["metric"], other.index, strict=True))
    for metric, position in zip(one["metric"], one.index, strict=True):
        if metric in positions:
            yield [int(position), int(positions[metric])]


def _joined(groups: list[list[int]]) -> list[list[int]]:
    """Unite groups that share a cell, in the order of their first cells."""
    group_of: dict[int, set[int]] = {}
    for group in groups:
        union = set(group).union(*(group_of.get(cell, ()) for cell in group))
        for cell in union:
            group_of[cell] = union
    distinct = {id(group): sorted(group) for group in group_of.values()}
    return sorted(distinct.values())


def _contradiction(subject: Subject, group: pd.DataFrame) -> Iterator[Contradiction]:
    """Hold the values of one quantity against the one that is printed most often."""
    counts = group["settled"].map(group["settled"].value_counts())
    cells = subject.rows(group)
    usual = cells[int(np.argmax(counts.to_numpy()))]
    off = [cell for cell in cells if not alike(cell, usual)]
    if not off:
        return
    worst = max(off, key=lambda cell: abs(cell["settled"] - usual["settled"]))
    deviation = abs(worst["settled"] - usual["settled"])
    allowed = room(worst, usual)
    spread = margins.SPREAD * usual["settled"]
    two_runs = (
        usual["metric"] in RATES and usual["section"] != worst["section"] and deviation <= spread
    )
    metric = subject.dictionary.metrics[usual["metric"]]
    others = "; ".join(f"{place(cell)} prints {printed(cell)}" for cell in off)
    quantity = "Rate" if metric.label.lower() == metric.unit else metric.label
    yield Contradiction(
        [*off, *(cell for cell in cells if cell["settled"] == usual["settled"])],
        deviation, allowed, "percentage points" if usual["unit"] == "%" else str(usual["unit"]),
        f"{quantity} of one point is {printed(usual)} in {place(usual)} "
        f"({usual['row_label']}), but {others}{'; two runs may differ by as much' * two_runs}.",
        Sure.low if two_runs else Sure.high,
    )  # fmt: skip
