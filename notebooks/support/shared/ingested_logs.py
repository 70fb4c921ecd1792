"""Error logs and publications of queue managers over time: log extents, replication."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, chart
from roundtrip.present.chapter import with_unit
from roundtrip.present.points import ingested
from roundtrip.sources.ingested import read_series

_EXTENTS = {
    "created": ("log_extents_created", "Created"), "reused": ("log_extents_reused", "Reused"),
    "deleted": ("log_extents_deleted", "Deleted"),
}  # fmt: skip
_REPLICATION = (
    ("Backlog bytes", "Backlog", "MB", 1e-6),
    ("Synchronous log bytes sent per second", "Log sent", "MB/s", 1e-6),
    ("Log bytes sent per second", "Log sent", "MB/s", 1e-6),
    ("Average network round trip time", "Round-trip time", "ms", 1e-3),
    ("Rebase count", "Rebases", "", 1.0),
)


def ingested_extents(chapter: Chapter, campaign: str) -> Figure | None:
    """Draw log extents created, reused and deleted over time, with media images.

    Parameters
    ----------
    campaign : str
        Id; empty for none.

    Returns
    -------
    Figure or None
        None when no campaign is shown, or its error logs report fewer than two statistics of
        extents.
    """
    if not campaign:
        return None
    points = ingested(chapter.observations, campaign)
    folder = chapter.project.campaigns / campaign
    frame = read_series(folder, "amqerr", "interval")
    if len(frame) < 2 or not set(_EXTENTS) <= set(frame):
        return None
    frame, axis = _placed(frame)
    events = read_series(folder, "amqerr", "event")
    images = _media_images(events) if axis == "Time" and not events.empty else []
    metrics = [metric for metric, _ in _EXTENTS.values()]
    cells = tuple(points.loc[points["metric"].isin(metrics), "observation_id"].astype(str))
    rows = [
        ("Extents", label, place, Quantity(float(value), "extents", cells, 0, "measured"))
        for name, (_, label) in _EXTENTS.items()
        for place, value in zip(frame["place"], frame[name], strict=True)
    ]
    created, reused, deleted = (chapter.numbers.write(frame[name].sum()) for name in _EXTENTS)
    title = f"{created} log extents were created, {reused} reused and {deleted} deleted"
    return _over_time(
        chapter, rows, axis, title=title, moments=images,
        caption="Log extents reported in the queue manager's error log, over time (AMQ7490I)."
        + (" Vertical lines: a media image moved the oldest extent needed." if images else ""),
    )  # fmt: skip


def _media_images(events: pd.DataFrame) -> list[datetime]:
    """Give the times at which the oldest extent that media recovery needs moved forward."""
    if "media_extent" not in events:
        return []
    rows = events[events["media_extent"].notna() & events["time"].notna()].sort_values("time")
    moved = rows["media_extent"].diff() > 0
    return [datetime.fromtimestamp(time, UTC) for time in rows.loc[moved, "time"]]


def ingested_replication(chapter: Chapter, campaign: str) -> Figure | None:
    """Draw backlog, log sent, round-trip time and rebases of replicas over time.

    Parameters
    ----------
    campaign : str
        Id; empty for none.

    Returns
    -------
    Figure or None
        None when no campaign is shown, or it holds no publication of a replica.
    """
    if not campaign:
        return None
    points = ingested(chapter.observations, campaign)
    frame = read_series(chapter.project.campaigns / campaign, "amqsrua", "interval")
    if frame.empty or "Backlog bytes" not in frame:
        return None
    frame, axis = _placed(frame[frame["Backlog bytes"].notna()])
    if len(frame) < 2:
        return None
    cells = tuple(points.loc[points["metric"] == "backlog", "observation_id"].astype(str))
    found: list[tuple[str, str, Any, Quantity]] = []
    for column, name, unit, factor in _REPLICATION:
        if column not in frame:
            continue
        for stream, rows in frame[frame[column].notna()].groupby("stream", sort=True):
            found += [
                (with_unit(name, unit), str(stream) or "replica", place,
                 Quantity(float(value) * factor, unit, cells, 2, "measured"))
                for place, value in zip(rows["place"], rows[column], strict=True)
            ]  # fmt: skip
    most = float(frame["Backlog bytes"].max())
    return _over_time(
        chapter, found, axis,
        title=f"The backlog of a replica reached {chapter.numbers.write(most * 1e-6, 1)} MB",
        caption="What the queue manager published for each replica (NHAREPLICA), by interval.",
    )  # fmt: skip


def _over_time(
    chapter: Chapter, rows: list[tuple[str, str, Any, Quantity]], axis: str, *, title: str,
    caption: str, moments: Sequence[Any] = (),
) -> Figure:  # fmt: skip
    """Draw series over time, a panel for each unit."""
    return chart(
        chapter, rows, mark="line", x_title=axis, columns=1, one_scale=False,
        moments=moments, title=title, caption=caption, varied=None,
    )  # fmt: skip


def _placed(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Give each row its place: its time, or its number where a row has none."""
    timed = frame["time"].notna()
    if timed.sum() >= 2:  # the few without a time have no place among the others
        frame = frame[timed].sort_values("time", kind="stable")
        place = [datetime.fromtimestamp(time, UTC) for time in frame["time"]]
        return frame.assign(place=place), "Time"
    return frame.assign(place=range(1, len(frame) + 1)), "Record (no time is known)"
