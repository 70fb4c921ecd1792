"""The round trip of one requester alone."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from roundtrip.present import Chapter, Table, results_table
from support.appliance.peaks import ONE, TEN, read_peaks
from support.shared.ends import Ends, ends

_TABLES = (
    "table-08", "table-12", "table-15", "table-09", "table-13", "table-16", "table-17",
    "table-18", "table-19", "table-20", "table-21", "table-22", "table-03",
)  # fmt: skip
_WHO = [
    f"{model}, {managers}" for model in ("M2003A", "M2003B", "M2002A") for managers in (ONE, TEN)
]
_PROTECTION = ["none", "HA", "DR", "HA and DR"]


def printed_times(chapter: Chapter) -> pd.DataFrame:
    """Give the printed times, each once although several tables repeat them."""
    points = read_peaks(chapter, *_TABLES).points
    points = points.drop_duplicates(["model", "managers", "protection", "message_bytes"])
    points = points.assign(who=points["model"] + ", " + points["managers"])
    for column, order in (("who", _WHO), ("protection", _PROTECTION)):
        points = points.sort_values(column, key=lambda of: of.map(order.index), kind="stable")
    return points


def added(chapter: Chapter, points: pd.DataFrame, protection: str) -> Ends:
    """Give what a copy adds to the time on M2003A with one queue manager."""
    of, base = (
        chapter.select(points, who=_WHO[0], protection=name).sort_values("message_bytes")
        for name in (protection, "none")
    )
    times = (chapter.quantities(rows, "round_trip_time") for rows in (of, base))
    return ends(
        (size, with_copy.minus(without))
        for size, with_copy, without in zip(of["size_name"], *times, strict=True)
    )


def times_table(chapter: Chapter, points: pd.DataFrame, *, caption: str) -> Table:
    """List the times by protection and message size; the caption says what they are."""
    table = results_table(
        chapter, points, caption=caption, group="protection", row="message_bytes", columns="who",
        names={"none": "neither HA nor DR"}, metrics=("round_trip_time",),
    )  # fmt: skip
    who, (size, *_) = table.header
    return replace(table, header=((size, *(replace(one, align="right") for one in who[1:])),))
