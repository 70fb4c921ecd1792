"""What a raw file says of the queue that held messages before the run."""

from __future__ import annotations

from collections.abc import Iterable

from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.values import Values


def queue_values(lines: Iterable[RawLine]) -> Values:
    """Give the depth of the queue as the broker counted it at the end of the run.

    Parameters
    ----------
    lines : iterable of RawLine
        All of the raw file.

    Returns
    -------
    dict of (metric, statistic) to float
        ``queue_depth``; empty where nobody asked the broker.
    """
    depths = [
        float((line.record or {})["messages"])
        for line in lines
        if line.source == "runner" and line.event == "depth"
    ]
    return {("queue_depth", "single"): depths[-1]} if depths else {}
