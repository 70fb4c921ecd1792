"""Charts of a measured campaign: its points as rows, with what a mean of runs leaves open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd

from roundtrip.present.chapter import RATE
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.words import TITLED
from roundtrip.present.plot.chart import chart


def means_of(
    here: Measured, *by: str, metric: str = RATE, statistic: str = "mean",
    levels: Sequence[Any] | None = None, **factors: Any,
) -> pd.DataFrame:  # fmt: skip
    """Give the means over the runs of a campaign's points, as rows for a chart or a table.

    Parameters
    ----------
    here : Measured
    *by : str
        Factors whose levels make the rows; the first changes slowest.
    metric, statistic : str
    levels : sequence, optional
        Of the last factor, in the order to show; all that were measured, ascending, when left out.
    **factors
        Values of the other factors that vary.

    Returns
    -------
    pandas.DataFrame
        A column for each factor of `by`, and one named after the metric that holds a `Mean` each:
        charts draw its interval. Empty when nothing was measured.
    """
    rows: list[dict[str, Any]] = [{}] if by and here.exists else []
    for factor in by:
        last = factor == by[-1]
        rows = [
            {**row, factor: level}
            for row in rows
            for level in (levels if last and levels else here.levels(factor, **factors, **row))
        ]
    for row in rows:
        row[metric] = here.mean(metric, statistic, **factors, **row)
    found = [row for row in rows if row[metric] is not None]
    return pd.DataFrame(found, columns=pd.Index([*by, metric]))


def variants_figure(
    here: Measured, by: str, *, title: str, caption: str, split: str | None = None,
    levels: Sequence[Any] | None = None, metric: str = RATE, statistic: str = "mean",
    **factors: Any,
) -> Figure | None:  # fmt: skip
    """Draw the variants of a factor as bars with 95 % intervals; None when nothing was measured.

    Parameters
    ----------
    here : Measured
    by : str
        The factor whose levels are the places, from top to bottom.
    title, caption : str
        The finding; what is drawn. A percentage in the title is a share of a baseline.
    split : str, optional
        Another factor: a bar for each of its levels at every place.
    levels : sequence, optional
        Of `by`, in the order to show.
    metric, statistic : str
    **factors
        Values of the other factors that vary.
    """
    among = [split, by] if split else [by]
    rows = means_of(here, *among, metric=metric, statistic=statistic, levels=levels, **factors)
    if rows.empty:
        return None
    if "\u00a0%" in title:
        caption = f"{caption} {TITLED}"
    return chart(
        here.chapter, rows, x=by, y=metric, series=split, horizontal=True, title=title,
        caption=caption,
    )  # fmt: skip


def measured_lines(
    here: Measured, across: str, *, title: str, caption: str, split: str | None = None,
    metric: str = RATE, statistic: str = "mean", log: Collection[str] = (), **factors: Any,
) -> Figure | None:  # fmt: skip
    """Draw a metric over a factor that is a number, with intervals; None when nothing was measured.

    Parameters
    ----------
    here : Measured
    across : str
        The factor on the horizontal axis.
    title, caption : str
        The finding; what is drawn. A percentage in the title is a share of a baseline.
    split : str, optional
        The factor whose levels are the lines.
    metric, statistic : str
    log : collection of str
        Those of `across` and `metric` whose axes are logarithmic.
    **factors
        Values of the other factors that vary.
    """
    among = [split, across] if split else [across]
    rows = means_of(here, *among, metric=metric, statistic=statistic, **factors)
    if rows.empty:
        return None
    if "\u00a0%" in title:
        caption = f"{caption} {TITLED}"
    return chart(
        here.chapter, rows, x=across, y=metric, series=split, mark="line", title=title,
        caption=caption, log=log,
    )  # fmt: skip
