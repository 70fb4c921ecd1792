"""Titles of measured figures: the finding, computed so that it stays true with other data."""

from __future__ import annotations

import pandas as pd

from roundtrip.present.chapter import TIME
from roundtrip.present.measured.means import Measured
from roundtrip.present.numbers import size_label


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
        if len(rows) == 1 and peak is not None:
            most = here.levels("requesters", message_bytes=size)[-1]
            end = ", the most that were run" if peak == most else ""
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
