"""Whole sweeps over the number of requesters: curves read from drawings, peaks from tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity, largest
from roundtrip.present.plot.chart import chart
from support.shared.arrangements import with_arrangement, with_single_thread
from support.shared.flows import rate_in_edition, time_in_round_trip

_KEY = {"curve": "read off the chart", "dot": "printed peak"}


@dataclass(frozen=True)
class Sweeps:
    """Curves read off drawings, and the printed peaks of the same message size.

    Attributes
    ----------
    curves : pandas.DataFrame
        ``requesters``, a rate and ``cpu``.
    peaks : pandas.DataFrame
        ``clients``, a rate and ``cpu``.
    """

    chapter: Chapter
    curves: pd.DataFrame
    peaks: pd.DataFrame

    @property
    def size(self) -> str:
        """The message size."""
        return str(self.curves["size_name"].iloc[0])

    def select(self, **factors: str) -> Sweeps:
        """Give those curves and peaks that factors select."""
        select = self.chapter.select
        return Sweeps(
            self.chapter, select(self.curves, **factors), select(self.peaks, **factors)
        )  # fmt: skip

    def peak(self, metric: str = RATE, **factors: str) -> Quantity:
        """Give one value of one printed peak."""
        return self.chapter.quantity(self.peaks, metric, **factors)

    def highest(self, **factors: str) -> Quantity:
        """Give the highest printed rate."""
        return largest(self.chapter.quantities(self.chapter.select(self.peaks, **factors)))

    def caption(self, drawn: str, remark: str = "", *, cpu: bool = True) -> str:
        """Add to what is drawn its message size, and how exact the curves are."""
        exact = reading_accuracy(self.chapter, self.curves, cpu=cpu)
        text = (
            f"{drawn}, {self.size}. Lines are read off the source's charts, {exact}; marks are "
            "printed peaks."
        )
        return f"{text} {remark}".strip()


def sweeps_of(chapter: Chapter, figures: Sequence[str], tables: Sequence[str]) -> Sweeps:
    """Give the curves of some drawings, with the peaks that tables print for their message size.

    A column ``test`` of both names persistence, protection and number of queue managers.
    """
    curves = with_arrangement(chapter.points(*figures))
    peaks = with_arrangement(with_single_thread(chapter.points(*tables)))
    peaks = peaks[peaks["message_bytes"] == curves["message_bytes"].iloc[0]]
    curves, peaks = (
        points.assign(test=points["case"] + ", " + points["managers"]) for points in (curves, peaks)
    )
    return Sweeps(chapter, curves, peaks[peaks["test"].isin(curves["test"])])


def sweep_panels(
    found: Sweeps, *, panel: str, series: str, title: str, caption: str, remark: str = "",
    names: Mapping[Any, str] | None = None,
) -> Figure:  # fmt: skip
    """Draw rate and CPU over requesters: a column of two charts for each panel.

    Curves are thin lines without markers, since they were read from a drawing; the peak that a
    table prints is the only marked point.

    Parameters
    ----------
    panel, series : str
        Columns whose values make the columns of charts, and the curves in them.
    title, caption : str
        The finding; what is drawn, without a full stop.
    remark : str
        Ends the caption.
    names : mapping, optional
        Names of the series.

    Returns
    -------
    Figure
        Its alt text gives the peaks and the ends of the curves, its data file every point.
    """
    return chart(
        found.chapter, _together(found), x="at", y=(RATE, "cpu"), mark="mark", series=series,
        panels=panel, names=names, x_title="Requesters", key=_KEY, title=title,
        caption=found.caption(caption, remark), varied=None,
    )  # fmt: skip


def response_curves(
    found: Sweeps, *, panel: str, series: str, title: str, caption: str, remark: str = "",
    names: Mapping[Any, str] | None = None,
) -> Figure:  # fmt: skip
    """Draw the mean time of a round trip over the rate; parameters as for `sweep_panels`."""
    rows = _together(found)
    times = [
        time_in_round_trip(found.chapter, rate, Quantity(float(count), "", ()))
        for rate, count in zip(found.chapter.quantities(rows), rows["at"], strict=True)
    ]
    rows["time"] = pd.Series(times, index=rows.index, dtype=object)
    return chart(
        found.chapter, rows, x=RATE, y="time", mark="mark", series=series, panels=panel,
        names=names, y_title="Mean time of a round trip (ms)", columns=rows[panel].nunique(),
        key=_KEY, title=title, caption=found.caption(caption, remark, cpu=False), varied=None,
    )  # fmt: skip


def _together(found: Sweeps) -> pd.DataFrame:
    """Put curves and peaks into one table that says what each is drawn as, and where."""
    curves = found.curves.sort_values("requesters", kind="stable")
    peaks = found.peaks.assign(mark="dot", at=found.peaks["clients"].astype(float))
    curves = curves.assign(mark="curve", at=curves["requesters"].astype(float))
    return pd.concat([curves, peaks], ignore_index=True)


def reading_accuracy(chapter: Chapter, curves: pd.DataFrame, *, cpu: bool) -> str:
    """Say how exact curves are that were read off drawings, for a caption.

    Parameters
    ----------
    curves : pandas.DataFrame
        Points of one or more figures.
    cpu : bool
        Whether their processor time is shown as well.

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
    text = f"accurate to about {spread}\u00a0{chapter.rate_unit}"
    if cpu:
        text += f" and {chapter.numbers.write(max(steps['cpu']), 2)} percentage points of CPU"
    return f"{text}, one step of the chart"


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
