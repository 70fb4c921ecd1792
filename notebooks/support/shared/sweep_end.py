"""Peaks at the end of a sweep: the rate may have gone on rising with more requesters."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Chapter

BUSY = 97.0
"""Percent of the processors from which on a rate can hardly rise."""
_SATURATED = 99.0


def end_notes(chapter: Chapter, points: pd.DataFrame) -> tuple[str, ...]:
    """Give a note on peaks with the most requesters that are printed for their workload and hosts.

    Returns
    -------
    tuple of str
        Empty where there is no such peak, or all of them saturate the processors.
    """
    frame = chapter.observations.frame
    peaks = frame[(frame["source"] == chapter.about.id) & (frame["metric"] == "clients")]
    for factor in ("workload", "host_set"):
        peaks = peaks[peaks[factor].isin(points[factor])]
    most = peaks["value"].max()
    if not (points["clients"].eq(most) & ~points["cpu"].ge(_SATURATED)).any():
        return ()
    return (
        f"No peak of these tests is printed with more than {most:g} requesters: at {most:g}, the "
        "sweep may have ended before the rate stopped rising.",
    )
