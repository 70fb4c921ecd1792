"""Columns beside a measured rate: their heads, their means, and why one is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from roundtrip.outputs import NOTHING
from roundtrip.present.chapter import with_unit
from roundtrip.present.measured.means import Mean, Measured
from roundtrip.present.numbers import Quantity
from roundtrip.present.quantities import Row

Metric = tuple[str, str]
"""Metric and statistic."""
_STATISTICS = {"mean": "", "total": "", "single": "", "p999": "p99.9"}


def beside_rate(
    here: Measured, rate: Mean, metrics: Iterable[Metric], **factors: Any
) -> list[Quantity | None]:
    """Give means of an operating point to stand beside its rate; None where a run lacks the value.

    A mean of some of the runs could contradict one of all: p99.9 could be below p99.
    """
    means = (here.mean(*metric, **factors) for metric in metrics)
    return [
        None if mean is None or len(mean.values) < len(rate.values) else mean.quantity
        for mean in means
    ]


def lacking_note(rows: Iterable[Row], beside: int) -> list[str]:
    """Say below a table why a mean is missing among the last cells of a row, so many of them."""
    lacking = any(cell is None for row in rows if row.cells for cell in row.cells[-beside:])
    told = (
        f"{NOTHING} among the means: a run of the point has no value, such as a percentile of too "
        "few round trips, or the set-up has nothing of the kind."
    )
    return [told] * (lacking and beside > 0)


def heads_of(here: Measured, metrics: Sequence[Metric]) -> tuple[list[str], list[tuple[str, int]]]:
    """Write the heads of columns: metric, statistic unless it is the mean, unit.

    Returns
    -------
    list of str
        For each column.
    list of (str, int)
        The heads above them, each with its columns, where a metric has several statistics beside
        each other; empty where none has.
    """
    heads: list[str] = []
    over: list[tuple[str, int]] = []
    for metric, group in groupby(metrics, key=itemgetter(0)):
        statistics = [statistic for _, statistic in group]
        name = here.chapter.dictionary.metrics[metric].label
        several = len(statistics) > 1
        over.append((name if several else "", len(statistics)))
        for statistic in statistics:
            told = _STATISTICS.get(statistic, statistic)
            words = (told or "mean") if several else f"{name} {told}".strip()
            heads.append(with_unit(words, here.chapter.unit(metric)))
    return heads, over if any(name for name, _ in over) else []
