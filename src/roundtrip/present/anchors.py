"""Anchors of observations: which have one of their own, and where the others are shown."""

from __future__ import annotations

from roundtrip.campaign.names import RunName, ValueName
from roundtrip.dictionary import RATE, TIME

SHOWN: tuple[tuple[str, str], ...] = (
    (RATE, "mean"), (TIME, "p50"), (TIME, "p99"), (TIME, "p999"), ("broker_cpu", "mean"),
    ("driver_cpu", "mean"), ("machine_cpu", "mean"), ("disk_wait", "mean"),
    ("broker_memory", "mean"),
)  # fmt: skip
"""What the appendix lists of every run, beside what only some campaigns measure."""
OF_EVERY_RUN = frozenset({
    RATE, TIME, "broker_cpu", "driver_cpu", "machine_cpu", "other_cpu", "cpu_steal", "cpu_wait",
    "disk_wait", "broker_memory", "broker_cpu_time", "driver_cpu_time", "disk_write_rate",
    "network_rate", "errors", "reconnects", "lost_replies",
})  # fmt: skip
"""Metrics that every run has; all others are a campaign's own."""


def is_listed(metric: str, statistic: str) -> bool:
    """Say whether the appendix has a column for a value of a run."""
    return (metric, statistic) in SHOWN or metric not in OF_EVERY_RUN


def linked_place(observation_id: str) -> str:
    """Give the place that a link to an observation leads to: its own, or that of its run.

    Of the runs of a point, the listed values of the first have anchors of their own: means over
    the runs lead there. All others share that of their run: an anchor for each would be most of
    the page.
    """
    name = ValueName.parse(observation_id)
    if name is None:
        return observation_id
    own = is_listed(name.metric, name.statistic) and name.interval is None
    return observation_id if own and RunName.parse(name.run).repetition == 1 else name.of_run


def cell_anchor(observation_id: str) -> str:
    """Give the permanent anchor of a printed cell: ``cell-<report>-<table>-r1c1``.

    A value of a run that has no anchor in the appendix leads to its run.
    """
    return anchor_of(linked_place(observation_id))


def anchor_of(place: str) -> str:
    """Give the permanent anchor of a place: a printed cell, or ``<campaign>/runs/<run>``."""
    return "cell-" + place.replace("/", "-")
