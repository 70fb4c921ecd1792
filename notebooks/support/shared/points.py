"""Which points of a campaign stand for it, and whether one metric orders another."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Measured
from roundtrip.present.chapter import RATE
from roundtrip.present.measured.means import Mean


def common_requesters(here: Measured) -> int | None:
    """Give the number of requesters that the most points have, the largest of several.

    Returns
    -------
    int or None
        None when nothing was measured.
    """
    rates = here.frame[here.frame["metric"] == RATE]
    if rates.empty:
        return None
    counts = rates.groupby("requesters")["point_id"].nunique()
    return int(max(counts.index[counts == counts.max()]))


def with_rows(here: Measured, rows: pd.DataFrame) -> Measured:
    """Give the same campaign with some of its observations; `here` stays as it is."""
    chosen = copy.copy(here)
    chosen.frame = rows
    return chosen


def main_size_of(here: Measured, factor: str, **factors: Any) -> int | None:
    """Give the message size that the most levels of a factor were measured with.

    Parameters
    ----------
    **factors
        Values that other factors must have.

    Returns
    -------
    int or None
        The smallest of several; None when nothing was measured.
    """

    def measured(size: int) -> int:
        return len(here.levels(factor, message_bytes=size, **factors))

    return max(here.levels("message_bytes", **factors), key=measured, default=None)


def order_of(points: Sequence[tuple[Mean, Mean]]) -> tuple[int, list[tuple[int, int]]]:
    """Count, over all pairs of points, whether the second value falls as the first one rises.

    Only points are compared whose intervals do not overlap in either value: the others do
    not differ significantly.

    Returns
    -------
    int
        Pairs in which it does.
    list of (int, int)
        Numbers of the points of each pair that was compared.
    """
    reverse, told = 0, []
    for one, other in combinations(range(len(points)), 2):
        (x1, y1), (x2, y2) = points[one], points[other]
        if _apart(x1, x2) and _apart(y1, y2):
            told.append((one, other))
            rises = x1.quantity.value < x2.quantity.value
            reverse += rises != (y1.quantity.value < y2.quantity.value)
    return reverse, told


def _apart(one: Mean, other: Mean) -> bool:
    if not (one.interval.known and other.interval.known):
        return False
    return one.interval.high < other.interval.low or other.interval.high < one.interval.low


def at_common_load(chapter: Chapter, plan: str, **factors: Any) -> Measured:
    """Give a campaign at the number of requesters that most of its points have.

    Where a campaign sweeps the requesters, its variants peak at different numbers; they are
    compared at one.

    Parameters
    ----------
    plan : str
        Name of the plan.
    **factors
        Values that factors must have.
    """
    here = Measured(chapter, plan, **factors)
    return Measured(chapter, plan, **factors, requesters=common_requesters(here))
