"""Quantities computed from others: the core time of a round trip, shares of a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError, unknown
from roundtrip.present.arguments import (
    checked,
    difference_told,
    refuse_impossible,
    refuse_unknown_factor,
)
from roundtrip.present.chapter import Chapter
from roundtrip.present.numbers import Quantity

Row = tuple[str, str, Quantity]


def round_trips(chapter: Chapter, quantity: Quantity) -> float:
    """Give a rate in round trips/s, whatever unit this edition shows."""
    return quantity.value / chapter.rate_scale


def cores_of(chapter: Chapter, host_set: str) -> int:
    """Count the physical cores of a host set's first host, the queue manager's.

    Raises
    ------
    ChapterError
        If there is no such host set (the nearest one is given), or the source does not disclose
        them.
    """
    known = chapter.about.host_sets
    if host_set not in known:
        raise unknown(ChapterError, f"host set of {chapter.about.id}", host_set, known)
    cores = known[host_set].cores
    if cores is None:
        raise ChapterError(f"the cores of host set {host_set} are not disclosed")
    return cores


@checked
def cpu_cost(
    chapter: Chapter,
    points: pd.DataFrame,
    host_set: str,
    series: str,
    names: Mapping[Any, str] | None = None,
    by: str = "message_bytes",
) -> list[Row]:
    """Compute the core time that one round trip costs at its peak, in microseconds.

    CPU share times physical cores of the host, divided by the rate (utilisation law: service
    demand is utilisation over throughput; Denning & Buzen 1978, doi:10.1145/356733.356735).

    Parameters
    ----------
    points : pandas.DataFrame
        With ``cpu`` and a rate.
    host_set : str
        Key of the disclosure's host sets.
    series : str
        Column that names the series.
    names : mapping, optional
        Names of the series.
    by : str
        Factor that names the places.

    Raises
    ------
    ChapterError
        If there is no such host set or column, or the source does not disclose its cores.
    """
    cores = cores_of(chapter, host_set)
    for name in (series, by):
        refuse_unknown_factor(points, name, chapter.dictionary, "cpu_cost")
    rows = []
    values = (chapter.quantities(points), chapter.quantities(points, "cpu"))
    for (_, point), rate, cpu in zip(points.iterrows(), *values, strict=True):
        cost = cpu.value / 100 * cores / round_trips(chapter, rate) * 1e6
        name = (names or {}).get(point[series], str(point[series]))
        quantity = Quantity(cost, "µs", cpu.cells + rate.cells, 0 if cost >= 100 else 1)
        rows.append((name, chapter.level(by, point[by]), quantity))
    return rows


@checked
def relative(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    of: str,
    baseline: Any,
) -> pd.DataFrame:
    """Put the rate of every point in relation to the baseline's of its message size, in percent.

    Parameters
    ----------
    points : pandas.DataFrame
        One point for each value of `of` and message size.
    of : str
        Factor, or column that a chapter made, whose values are compared.
    baseline : object
        Its value that is 100 %; it gives no rows.

    Returns
    -------
    pandas.DataFrame
        The other points, those of one value of `of` together, with a column ``share`` of
        quantities in percent that lead to both cells. Points without counterpart are left out.

    Raises
    ------
    ChapterError
        If the points have no such factor, value of the baseline or rate (the nearest one is given),
        or several of the baseline have the message size of one other point.
    """
    refuse_impossible(points, of, [baseline], chapter.observations, "relative: baseline")
    placed = points.reset_index(drop=True)  # points that were put together share names of rows
    base = placed[placed[of] == baseline]
    found = []
    for value in dict.fromkeys(placed[of]):
        part = placed[placed[of] == value].sort_values("message_bytes", kind="stable")
        for at in part.index if value != baseline else ():
            size = part.at[at, "message_bytes"]
            alike = chapter.select(base, message_bytes=None if pd.isna(size) else size)
            if len(alike) > 1:
                raise ChapterError(
                    f"several points of {baseline!r} have one message size", where="relative",
                    allowed=difference_told(alike, chapter.dictionary),
                    remedy="select one of them",
                )  # fmt: skip
            if len(alike):
                whole = chapter.quantities(alike)[0]
                found.append((at, chapter.quantities(part.loc[[at]])[0].percent_of(whole)))
    rows = points.iloc[[at for at, _ in found]].copy()
    rows["share"] = pd.Series([share for _, share in found], dtype=object).to_numpy()
    return rows
