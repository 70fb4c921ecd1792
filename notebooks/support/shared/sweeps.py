"""Sweeps over requesters, published and measured: each in its own panel, on its own scale."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Chapter, Figure, Measured, chart, means_of, size_label, style_of
from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.comparability import refuse_mixed_kinds
from roundtrip.present.measured.means import PERCENTILES

FREE = {"target_rate": None, "requester_rate": None}
"""Of a sweep are the points whose drivers go as fast as replies come; a rerun may add others."""
_MEASURED = "Measured here"
_KEY = {"curve": "read off a chart", "dot": "printed peak"}


def sweeps_beside_published(
    here: Measured, peaks: pd.DataFrame, curves: pd.DataFrame | None, *, title: str, caption: str
) -> Figure | None:
    """Draw rate and CPU over requesters: a panel published, a panel measured here.

    Parameters
    ----------
    here : Measured
        One delivery mode of a campaign.
    peaks : pandas.DataFrame
        Published peaks by message size: ``clients``, a rate and ``cpu``. Drawn as marks.
    curves : pandas.DataFrame or None
        Published sweep of one message size, read from a drawing. Drawn as a line.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured. Means over repetitions carry their confidence interval.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    panel = "Published"
    if curves is not None and not curves.empty:
        # Here, because the legend has room for the sizes only, which both share.
        line = curves["row_label"].iloc[0]
        panel += f" (marks: {chapter.about.short_title}, line: {line})"
    found = [_published(chapter, peaks, "clients", caption).assign(panel=panel, mark="dot")]
    if curves is not None:
        # From one requester straight to the next reading, a line would show a course nobody read.
        curves = curves[curves["requesters"] > 1].sort_values("requesters", kind="stable")
        drawn = _published(chapter, curves, "requesters", caption)
        found.insert(0, drawn.assign(panel=panel, mark="curve"))
    every = ("message_bytes", "requesters")
    shares = means_of(here, *every, metric="machine_cpu").rename(columns={"machine_cpu": "cpu"})
    measured = means_of(here, *every).merge(shares, on=list(every), how="left")
    found.append(measured.assign(panel=_MEASURED, mark="line"))
    rows = pd.concat([part for part in found if not part.empty])
    sizes = sorted(rows["message_bytes"].unique())
    return chart(
        chapter, rows, x="requesters", y=(RATE, "cpu"), mark="mark",
        series="message_bytes", panels="panel", one_scale=False, log={"requesters", RATE},
        styles={size_label(size): style_of(str(size), at) for at, size in enumerate(sizes)},
        key=_KEY, title=title, caption=caption, varied=None,
    )  # fmt: skip


def _published(chapter: Chapter, points: pd.DataFrame, across: str, caption: str) -> pd.DataFrame:
    """Give rate and CPU of published points, as far as known, over one of their columns."""
    refuse_mixed_kinds(points, caption)
    rows = pd.DataFrame(
        {
            "message_bytes": points["message_bytes"].astype(int),
            "requesters": points[across].astype(float),
        }
    )
    for metric in (RATE, "cpu"):
        if metric in points:
            known = points[points[metric].notna()]
            rows[metric] = pd.Series(chapter.quantities(known, metric), known.index, dtype=object)
    return rows


def latency_panels(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw percentiles of the time of a round trip over requesters, a panel for each size.

    Parameters
    ----------
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    every = ("message_bytes", "requesters")
    parts = [
        means_of(here, *every, metric=TIME, statistic=statistic).assign(percentile=label)
        for statistic, label in PERCENTILES.items()
    ]
    parts = [part for part in parts if not part.empty]
    if not parts:
        return None
    return chart(
        here.chapter, pd.concat(parts), x="requesters", y=TIME, mark="line", series="percentile",
        panels="message_bytes", log={"requesters", TIME}, title=title, caption=caption,
    )  # fmt: skip


def sweep_title(here: Measured, peaks: pd.DataFrame, what: str) -> str:
    """Name the finding of a sweep: with how many requesters each side gives most.

    Parameters
    ----------
    peaks : pandas.DataFrame
        Published peaks by message size.
    what : str
        What was sent, such as ``Persistent messages``.
    """
    common = sorted({int(s) for s in peaks["message_bytes"]} & set(here.levels("message_bytes")))
    for size in common:
        rows = peaks[peaks["message_bytes"] == size]
        peak = here.peak(message_bytes=size)
        levels = here.levels("requesters", message_bytes=size)
        if len(rows) == 1 and len(levels) > 1:
            end = ", the most that were run" if peak == levels[-1] else ""
            return (
                f"{what}: at {size_label(size)} the published rate peaks with "
                f"{here.chapter.write(here.chapter.quantities(rows, 'clients')[0])}; the one "
                f"measured here is highest with {peak} requesters{end}"
            )
    return f"{what} over requesters: published, and measured here"


def latency_title(here: Measured, what: str) -> str:
    """Name the finding of the times: how the 99th percentile of the smallest size grows.

    Parameters
    ----------
    what : str
        What is timed, such as ``persistent round trips``.
    """
    for size in here.levels("message_bytes"):
        found = [
            (level, mean)
            for level in here.levels("requesters", message_bytes=size)
            if (mean := here.mean(TIME, "p99", message_bytes=size, requesters=level)) is not None
        ]
        if len(found) > 1:
            (few, first), (many, last) = found[0], found[-1]
            write = here.chapter.write
            return (
                f"At {size_label(size)}, 99 % of {what} take at most "
                f"{write(first.quantity)} with {few} requester{'' if few == 1 else 's'} and "
                f"{write(last.quantity)} with {many}"
            )
    return f"Time that {what} take, from the median to the 99.9th percentile"
