"""Sweeps over the number of requesters: curves read from drawings, peaks from tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from roundtrip.outputs import listed
from roundtrip.present import Chapter, Figure, Quantity, Table, chart, largest
from roundtrip.present.chapter import RATE
from roundtrip.present.quantities import Entry, Row, quantity_table
from support.appliance.peaks import GENERATIONS, LOGGED, ONE, PEAKS, PLAIN, TEN, Peaks
from support.shared.arrangements import arranged_peaks, with_arrangement
from support.shared.flows import rate_in_edition, time_in_round_trip
from support.shared.sweep_end import BUSY

_KEY = {"curve": "read off the chart", "dot": "printed peak"}
_COPIES = ("HA", "DR", "HA and DR")
_NEITHER = {"none": "neither"}
_UNPROTECTED = ("figure-05", "figure-07", "figure-06", "figure-08")
_PROTECTED = (
    "figure-06", "figure-15", "figure-17", "figure-19",
    "figure-08", "figure-16", "figure-18", "figure-20",
)  # fmt: skip


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
    peaks = arranged_peaks(chapter, *tables)
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


def every_sweep(chapter: Chapter) -> Sweeps:
    """Give every sweep of the two models of one generation."""
    return sweeps_of(chapter, ("figure-05", "figure-07", *_PROTECTED), PEAKS)


def protected_sweeps(chapter: Chapter) -> Sweeps:
    """Give the sweeps with persistent messages."""
    return sweeps_of(chapter, _PROTECTED, PEAKS)


def generations_figure(chapter: Chapter, *, caption: str, remark: str) -> Figure:
    """Draw the sweeps of both generations."""
    found = sweeps_of(chapter, ("figure-01", "figure-02", "figure-03"), GENERATIONS)

    def rate(model: str, case: str) -> str:
        return chapter.write(found.peak(model=model, case=case), unit=False)

    return sweep_panels(
        found, panel="case", series="model", caption=caption, remark=remark,
        title=f"M2003A peaks at {rate('M2003A', PLAIN)} {chapter.rate_unit} without and "
        f"{rate('M2003A', LOGGED)} with persistence, M2002A at {rate('M2002A', PLAIN)} and "
        f"{rate('M2002A', LOGGED)}",
    )  # fmt: skip


def models_figure(chapter: Chapter, *, caption: str) -> Figure:
    """Draw the sweeps of models A and B."""
    found = sweeps_of(chapter, _UNPROTECTED, PEAKS)
    return sweep_panels(
        found, panel="test", series="model", caption=caption,
        title=f"At {found.size}, M2003B reaches at most "
        f"{chapter.write(found.highest(model='M2003B'))}, M2003A "
        f"{chapter.write(found.highest(model='M2003A'), unit=False)}",
    )  # fmt: skip


def protection_figure(found: Sweeps, model: str) -> Figure:
    """Draw the sweeps of one model with HA, DR, both and neither."""
    rates = {
        name: found.peak(model=model, protection=name, managers=TEN) for name in ("none", *_COPIES)
    }
    worst = min(_COPIES, key=lambda name: rates[name].value)
    write = found.chapter.write
    return sweep_panels(
        found.select(model=model), panel="managers", series="protection", names=_NEITHER,
        caption=f"Rate and CPU of {model} over requesters, persistent messages",
        title=f"Ten queue managers on {model} peak at {write(rates['none'])} with neither HA nor "
        f"DR, and at {write(rates[worst], unit=False)} with {worst}",
    )  # fmt: skip


def response_figure(found: Sweeps, *, caption: str, remark: str) -> Figure:
    """Draw the time of a round trip over the rate of M2003A."""
    chapter, found = found.chapter, found.select(model="M2003A")
    curves = {
        name: curve.sort_values("requesters")
        for name, curve in chapter.select(found.curves, managers=TEN).groupby("protection")
    }
    # Near their tops, sweeps gain requesters but hardly rate.
    lowest = min(curve[RATE].max() for curve in curves.values()) / chapter.rate_scale
    rate = rate_in_edition(chapter, float(f"{0.9 * lowest:.2g}"))

    def time(protection: str) -> Quantity:
        curve = curves[protection]
        requesters = float(np.interp(rate.value, curve[RATE], curve["requesters"]))
        found = time_in_round_trip(chapter, rate, Quantity(requesters, "", ()))
        return replace(found, decimals=2)

    rows = _together(found)
    times = [
        time_in_round_trip(chapter, at, Quantity(float(count), "", ()))
        for at, count in zip(chapter.quantities(rows), rows["at"], strict=True)
    ]
    rows["time"] = pd.Series(times, index=rows.index, dtype=object)
    return chart(
        chapter, rows, x=RATE, y="time", mark="mark", series="protection", panels="managers",
        names=_NEITHER, y_title="Mean time of a round trip (ms)",
        columns=rows["managers"].nunique(), key=_KEY,
        title=f"At {chapter.write(rate)} over ten queue managers, a round trip takes "
        f"{chapter.write(time('none'))} with neither and {chapter.write(time('HA'))} with HA",
        caption=found.caption(caption, remark, cpu=False), varied=None,
    )  # fmt: skip


def core_times(found: Sweeps, cores: Quantity) -> SimpleNamespace:
    """Follow the core time of a round trip along the persistent sweep of one queue manager.

    Returns
    -------
    namespace
        On M2003A, the requesters at a low load and where the rate is highest, ``few`` and
        ``peak``, and ``few_time`` and ``peak_time`` there; ``cpu`` and ``cpu_b`` at the printed
        peaks of both models.
    """
    of = {"managers": ONE, "case": LOGGED}
    curve = found.chapter.select(found.curves, model="M2003A", **of).sort_values("requesters")
    few, peak = curve.iloc[1], curve.iloc[int(curve[RATE].argmax())]

    def time(point: pd.Series) -> Quantity:
        cells = (str(point[f"{RATE}_cell"]), str(point["cpu_cell"]))
        seconds = point["cpu"] / 100 * cores.value / point[RATE]
        return Quantity(float(1e6 * seconds), "µs", cells, 0)

    return SimpleNamespace(
        size=found.size, few=f"{few['requesters']:g}", few_time=time(few),
        peak=f"{peak['requesters']:g}", peak_time=time(peak),
        cpu=found.peak("cpu", model="M2003A", **of), cpu_b=found.peak("cpu", model="M2003B", **of),
    )  # fmt: skip


def sweep_ends(found: Sweeps, printed: Peaks, generations: Peaks) -> SimpleNamespace:
    """Count the printed peaks with as many requesters as the drawn sweeps end at.

    Returns
    -------
    namespace
        The ``requesters`` there, the ``count`` of ``all`` peaks of both models, and how many of
        them use less CPU than ``busy``: ``open``, as those can be no maxima; a ``remark`` on the
        sizes at which persistent peaks of M2002A have more requesters, empty where there is none.
    """
    last = float(found.curves["requesters"].max())

    def requesters(size: str, model: str) -> float:
        return generations.of("clients", size, model=model).value

    sizes = [
        size for size in generations.sizes
        if requesters(size, "M2003A") == last < requesters(size, "M2002A")
    ]  # fmt: skip
    remark = ""
    if sizes:
        more = listed(list(dict.fromkeys(f"{requesters(size, 'M2002A'):g}" for size in sizes)))
        remark = (
            f" Persistent, {listed(sizes)}: M2003A with {last:g} requesters, where its drawn "
            f"sweeps end, M2002A with {more}."
        )
    at_end = printed.points[printed.points["clients"] == last]
    return SimpleNamespace(
        requesters=f"{last:g}", count=len(at_end), open=int(at_end["cpu"].lt(BUSY).sum()),
        busy=Quantity(BUSY, "%", ()), all=len(printed.points), remark=remark,
    )  # fmt: skip


def requesters_table(found: Sweeps, *, shares: Sequence[float], caption: str, note: str) -> Table:
    """List how many requesters each sweep needs for shares of its highest rate.

    Parameters
    ----------
    shares : sequence of float
        Between 0 and 1.
    caption, note : str
        Without a full stop: the caption is followed by the message size, the note by how exact
        the curves are.
    """
    chapter = found.chapter
    curves = found.curves.assign(place=found.curves["model"] + ", " + found.curves["managers"])
    rows = []
    for place, of_place in curves.groupby("place"):
        rows.append(Row(str(place)))
        for case, curve in of_place.groupby("case", sort=False):
            line: list[Entry] = []
            for point in (requesters_for(curve, share) for share in shares):
                cells = (str(point[f"{RATE}_cell"]),)
                rate = Quantity(float(point[RATE]), chapter.unit(RATE), cells)
                line += [f"{point['requesters']:g}", rate]
            rows.append(Row(str(case), tuple(line)))
    header = ["Messages"]
    for share in shares:
        percent = chapter.write(Quantity(100 * share, "%", ()))
        header += [f"Requesters for {percent}", chapter.label(RATE)]
    return quantity_table(
        chapter, rows, caption=f"{caption}, {found.size}", header=header,
        notes=[f"{note}, {reading_accuracy(chapter, found.curves, cpu=False)}."],
    )  # fmt: skip
