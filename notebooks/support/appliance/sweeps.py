"""Sweeps over requesters of the models: which curves stand in which figure, and what they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, plain_table
from roundtrip.present.chapter import RATE
from support.appliance.peaks import GENERATIONS, LOGGED, ONE, PEAKS, PLAIN, TEN
from support.appliance.requester_sweeps import (
    Sweeps,
    reading_accuracy,
    requesters_for,
    response_curves,
    sweep_panels,
    sweeps_of,
)
from support.shared.flows import time_in_round_trip

_COPIES = ("HA", "DR", "HA and DR")
_NEITHER = {"none": "neither"}
_UNPROTECTED = ("figure-05", "figure-07", "figure-06", "figure-08")
_PROTECTED = (
    "figure-06", "figure-15", "figure-17", "figure-19",
    "figure-08", "figure-16", "figure-18", "figure-20",
)  # fmt: skip


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

    def time(protection: str) -> Quantity:
        at = {"managers": TEN, "protection": protection}
        return time_in_round_trip(chapter, found.peak(**at), found.peak("clients", **at))

    return response_curves(
        found, panel="managers", series="protection", names=_NEITHER, caption=caption,
        remark=remark,
        title=f"At their peaks, ten queue managers respond in {chapter.write(time('none'))} with "
        f"neither and in {chapter.write(time('HA'))} with HA",
    )  # fmt: skip


@dataclass(frozen=True)
class CoreTimes:
    """Core time of a round trip on M2003A at a low load and where the rate is highest.

    Attributes
    ----------
    size : str
        The message size.
    few, peak : str
        Requesters.
    few_time, peak_time : Quantity
        Processor time over rate.
    cpu, cpu_b : Quantity
        CPU at the printed peaks of both models.
    """

    size: str
    few: str
    few_time: Quantity
    peak: str
    peak_time: Quantity
    cpu: Quantity
    cpu_b: Quantity


def core_times(found: Sweeps, cores: Quantity) -> CoreTimes:
    """Follow the core time of a round trip along the persistent sweep of one queue manager."""
    chapter = found.chapter
    of = {"model": "M2003A", "managers": ONE, "case": LOGGED}
    curve = chapter.select(found.curves, **of).sort_values("requesters")
    few, peak = curve.iloc[1], curve.iloc[int(curve[RATE].argmax())]

    def time(point: pd.Series) -> Quantity:
        cells = (str(point[f"{RATE}_cell"]), str(point["cpu_cell"]))
        seconds = point["cpu"] / 100 * cores.value / point[RATE]
        return Quantity(float(1e6 * seconds), "µs", cells, 0)

    return CoreTimes(
        found.size, f"{few['requesters']:g}", time(few), f"{peak['requesters']:g}", time(peak),
        *(found.peak("cpu", **(of | {"model": model})) for model in ("M2003A", "M2003B")),
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
    rows, cells = [], []
    for (place, case), curve in curves.groupby(["place", "case"], sort=False):
        line = [str(place), str(case)]
        for share in shares:
            point = requesters_for(curve, share)
            cells.append(str(point[f"{RATE}_cell"]))
            line += [f"{point['requesters']:g}", chapter.numbers.write(point[RATE])]
        rows.append(line)
    rows.sort(key=lambda line: line[0])
    heads = []
    for share in shares:
        percent = chapter.write(Quantity(100 * share, "%", ()))
        heads += [f"Requesters for {percent}", chapter.label(RATE)]
    table = plain_table(
        f"{caption}, {found.size}", ["", "Messages", *heads], rows, group_by_first=True,
        notes=[f"{note}, {reading_accuracy(chapter, found.curves, cpu=False)}."],
        right_columns=tuple(range(2, 2 + len(heads))),
    )  # fmt: skip
    return replace(table, cells=tuple(cells))
