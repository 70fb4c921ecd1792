"""Whole sweeps over the number of requesters: curves read from drawings, peaks from tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.chart import chart
from support.shared.flows import rate_in_edition, time_in_round_trip

_KEY = {"curve": "read from the drawing", "dot": "printed peak"}


def sweep_panels(
    chapter: Chapter, curves: pd.DataFrame, peaks: pd.DataFrame, *, panel: str, series: str,
    title: str, caption: str, names: Mapping[Any, str] | None = None,
) -> Figure:  # fmt: skip
    """Draw rate and CPU over requesters: a column of two charts for each panel.

    Curves are thin lines without markers, since they were read from a drawing; the peak that a
    table prints is the only marked point.

    Parameters
    ----------
    chapter : Chapter
    curves : pandas.DataFrame
        Points read from figures: ``requesters``, a rate and ``cpu``.
    peaks : pandas.DataFrame
        The printed peaks of the same series: ``clients``, a rate and ``cpu``.
    panel, series : str
        Columns of both whose values make the columns of charts, and the curves in them.
    title, caption : str
        The finding; what is drawn, and how exact the curves are.
    names : mapping, optional
        Names of the series.

    Returns
    -------
    Figure
        Its alt text gives the peaks and the ends of the curves, its data file every point.
    """
    return chart(
        chapter, _together(curves, peaks), x="at", y=(RATE, "cpu"), mark="mark", series=series,
        panels=panel, names=names, x_title="Requesters", key=_KEY, title=title, caption=caption,
        varied=None,
    )  # fmt: skip


def response_curves(
    chapter: Chapter, curves: pd.DataFrame, peaks: pd.DataFrame, *, panel: str, series: str,
    title: str, caption: str, names: Mapping[Any, str] | None = None,
) -> Figure:  # fmt: skip
    """Draw the mean time of a round trip over the rate, computed from whole sweeps.

    Parameters
    ----------
    chapter : Chapter
    curves, peaks : pandas.DataFrame
        As for `sweep_panels`.
    panel, series : str
        Columns whose values make the charts side by side, and the curves in them.
    title, caption : str
        The finding; what is drawn, and how exact the curves are.
    names : mapping, optional
        Names of the series.

    Returns
    -------
    Figure
    """
    rows = _together(curves, peaks)
    rows["time"] = pd.Series(_times(chapter, rows, rows["at"]), index=rows.index, dtype=object)
    return chart(
        chapter, rows, x=RATE, y="time", mark="mark", series=series, panels=panel, names=names,
        y_title="Mean time of a round trip (ms)", columns=rows[panel].nunique(), key=_KEY,
        title=title, caption=caption, varied=None,
    )  # fmt: skip


def _together(curves: pd.DataFrame, peaks: pd.DataFrame) -> pd.DataFrame:
    """Put curves and peaks into one table that says what each is drawn as, and where."""
    curves = curves.sort_values("requesters", kind="stable")
    return pd.concat(
        [
            curves.assign(mark="curve", at=curves["requesters"].astype(float)),
            peaks.assign(mark="dot", at=peaks["clients"].astype(float)),
        ],
        ignore_index=True,
    )


def reading_accuracy(chapter: Chapter, curves: pd.DataFrame) -> str:
    """Say how exact curves are that were read off drawings, for a caption.

    Parameters
    ----------
    chapter : Chapter
    curves : pandas.DataFrame
        Points of one or more figures.

    Returns
    -------
    str
        Such as ``good to about 53 to 68 round trips/s and 0.04 percentage points of CPU``.
    """
    steps: dict[str, list[float]] = {}
    for name in dict.fromkeys(curves["table_id"]):
        for axis in chapter.about.drawings[str(name)].axes.values():
            steps.setdefault(axis.metric, []).append(axis.step)
    rates = [rate_in_edition(chapter, step) for step in (min(steps[RATE]), max(steps[RATE]))]
    spread = " to ".join(dict.fromkeys(chapter.write(rate, unit=False) for rate in rates))
    cpu = chapter.numbers.write(max(steps["cpu"]), 2)
    return (
        f"good to about {spread}\u00a0{chapter.rate_unit} and {cpu} percentage points of CPU, "
        "one step of the drawing"
    )


def requesters_for(curve: pd.DataFrame, share: float) -> pd.Series:
    """Find the first point of a sweep that reaches a share of its highest rate.

    Parameters
    ----------
    curve : pandas.DataFrame
        One series of a sweep.
    share : float
        Between 0 and 1.

    Returns
    -------
    pandas.Series
        That operating point.
    """
    ordered = curve.sort_values("requesters")
    reached: pd.DataFrame = ordered[ordered[RATE] >= share * ordered[RATE].max()]
    return reached.iloc[0]


def _times(chapter: Chapter, points: pd.DataFrame, requesters: pd.Series) -> list[Quantity]:
    return [
        time_in_round_trip(chapter, rate, Quantity(float(count), "", ()))
        for rate, count in zip(chapter.quantities(points), requesters, strict=True)
    ]
