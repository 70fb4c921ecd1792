"""What stops a measured rate: processors, the disk, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from roundtrip.campaign.manifest import BROKER_ROLES, DRIVER_ROLES
from roundtrip.checks.laws import is_kept, offered
from roundtrip.present.arguments import checked
from roundtrip.present.chapter import RATE, Text
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.words import said_with_level
from roundtrip.present.numbers import size_label

_USED_UP = 85.0
"""Use of the processors, in percent, from which they are likely to be the limit."""
_FULL = 95.0
"""Use of the processors, in percent, from which they are, even where messages are logged."""
_WAITING = 20.0
"""Percent of the time that tasks wait for the disk, from which it may be the limit."""

_LIMITING = ("model", "link_limit_gbps", "replication_link_gbps")
"""Factors that limit processors, disk or a link of a point; 0, or not set, where they do not."""


def _by_rate(here: Measured, size: int) -> pd.DataFrame:
    """Give a row for each point of a size that has a rate, the highest mean first."""
    wanted = {"message_bytes": size, "metric": RATE, "statistic": "mean", "interval": None}
    rates = here.rows(wanted).dropna(subset="requesters")
    means = rates.groupby("point_id", sort=False)["value"].mean()
    order = means.sort_values(ascending=False, kind="stable").index
    return rates.drop_duplicates("point_id").set_index("point_id", drop=False).loc[order]


def _load(here: Measured, point: pd.Series[Any]) -> str:
    """Name the load of a point and what varies beside it: ``4 requesters, consumer window 0 B``."""
    chapter, plan = here.chapter, here.manifest.plan if here.manifest else None
    named = {name for each in (plan.factors, *plan.parts) for name in each} if plan else set()
    rows = here.rows({"message_bytes": point["message_bytes"]})
    told = [
        f", {said_with_level(chapter, name, point[name])}"
        for name in (*sorted(named - {"message_bytes", "requesters"}), "campaign")
        if name in rows and rows[name].nunique(dropna=False) > 1 and pd.notna(point[name])
    ]
    return here.chapter.level_named("requesters", int(point["requesters"])) + "".join(told)


@checked
def measured_limits(here: Measured) -> Text | None:
    """Say what stops the rate at the peak of the smallest and the largest size, or None.

    Where a mandatory rule of method fails, the reason stands first, and no rate is called highest.
    """
    if not here.exists:
        return None
    sentences: list[str] = []
    shown, sizes = here.chapter.inline, here.levels("message_bytes")
    elsewhere = here.manifest is not None and here.manifest.broker_elsewhere
    whose = "drivers' " if elsewhere else ""
    for size in dict.fromkeys((sizes[0], sizes[-1])):
        points = _by_rate(here, size)
        if points.empty:
            continue
        point = points.iloc[0]
        at = {"point_id": point["point_id"]}
        rate, machine = here.mean(**at), here.mean("machine_cpu", **at)
        # Of a broker that somebody else runs, processor time is not counted.
        broker, wait = here.mean("broker_cpu", **at), here.mean("disk_wait", **at)
        if rate is None or machine is None:
            continue
        most = "highest " * (len(points) > 1 and not here.withheld)
        sentences.append(
            f"At {shown(size_label(size))} the {most}rate was {shown(rate.quantity)} with "
            f"{shown(_load(here, point))}, at {shown(machine.quantity)} CPU on the {whose}machine"
        )
        if broker is not None:
            of_broker = shown(broker.quantity, unit=False)
            sentences[-1] += f"; {of_broker} percentage points of that are the broker's"
        sentences[-1] += "."
        busy = machine.quantity.value
        waited = 0.0 if wait is None else wait.quantity.value
        if wait is not None and waited >= _WAITING and not elsewhere:
            sentences[-1] += f" Tasks waited for the disk {shown(wait.quantity)} of the time."
        rates = [value / here.chapter.rate_scale for value in rate.values]
        limit = _limit_words(here, point, rates, busy, waited)
        sentences[-1] += here.concludes(limit)
    if not sentences:
        return None
    return Text(" ".join(filter(None, [shown(here.withheld), *sentences])))


def _limit_words(
    here: Measured, point: pd.Series[Any], rates: Sequence[float], busy: float, waited: float
) -> str:
    """Say what limits a rate, by how much processors are used and the disk is waited for.

    A rate that was set and kept shows no limit. Where it was not kept, or the plan limited what
    the rate may be limited by, nothing is said below saturation.
    """
    rate = offered(point.to_dict())
    limited = rate is not None or any(
        pd.notna(point[name]) and point[name] != 0 for name in _LIMITING if name in point
    )
    if rate and here.manifest and is_kept(rates, rate, here.manifest.plan.measure_seconds):
        return " The rate was set by the plan, so it shows no limit."
    hosts = here.manifest.hosts if here.manifest else ()

    def processors(roles: frozenset[str]) -> set[tuple[int, int]]:
        placed = (one for one in hosts if roles & {*one.roles})
        return {(one.machine, processor) for one in placed for processor in one.processors}

    if here.manifest and here.manifest.broker_elsewhere:
        if busy >= _USED_UP:
            return " The drivers' processors may be the limit."
        return " What limits the broker was not measured."
    used = "The broker's processors"
    if not hosts or processors(BROKER_ROLES) & processors(DRIVER_ROLES):
        used = "The processors, which broker and drivers share,"
    if busy >= _USED_UP and waited >= _WAITING:
        return f" {used} or the disk may be the limit."
    if _USED_UP <= busy < _FULL and point.get("delivery") == "persistent":
        return f" {used} or the log may be the limit."
    if busy >= _USED_UP:
        return f" {used} are likely to be the limit."
    if limited:
        return ""
    if waited >= _WAITING:
        return " The processors are not saturated: the disk may be the limit."
    return (
        " Neither processors nor disk are saturated: the processes wait for each other, or more "
        "requesters are needed."
    )
