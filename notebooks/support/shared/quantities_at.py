"""What the runs of one operating point come to, as a row of a table takes it: means and totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from roundtrip.present import Measured, Quantity
from roundtrip.present.measured.columns import Metric, beside_rate
from roundtrip.present.measured.means import interval_text
from roundtrip.present.measured.shares import share_of
from roundtrip.present.quantities import Row


def quantities_at(here: Measured, metrics: Iterable[Metric], **at: Any) -> list[Quantity | None]:
    """Give the mean of each metric over the runs of a point, None where one of them lacks it.

    Parameters
    ----------
    metrics : iterable of (metric, statistic)
    **at
        Values that select one operating point.
    """
    rate = here.mean(**at)
    return [None for _ in metrics] if rate is None else beside_rate(here, rate, metrics, **at)


def row_at(
    here: Measured, label: str, at: Mapping[str, Any], base: Mapping[str, Any] | None,
    metrics: Iterable[Metric] = (),
) -> Row | None:  # fmt: skip
    """Give a row of a table: rate, its interval, its share of a base, runs, and further means.

    Parameters
    ----------
    at, base : mapping
        Values that select one operating point each; without a base there is no share.

    Returns
    -------
    Row or None
        None where the point was not measured.
    """
    mean = here.mean(**at)
    if mean is None:
        return None
    share = None if base is None else share_of(here, at, base)
    found = (
        mean.quantity, interval_text(here.chapter, mean), None if share is None else share.quantity,
        str(len(mean.values)),
    )  # fmt: skip
    return Row(label, (*found, *beside_rate(here, mean, metrics, **at)))


def total_at(here: Measured, metric: str, **at: Any) -> Quantity | None:
    """Add a count up over the runs of a point, where a mean would hide one lost message.

    Parameters
    ----------
    **at
        Values that select one operating point.
    """
    mean = here.mean(metric, "total", **at)
    return None if mean is None else replace(mean.quantity, value=sum(mean.values))
