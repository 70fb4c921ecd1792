"""What a run with a mirror showed: the link, the backlog over time, and what arrived."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from statistics import linear_regression
from typing import Any

import numpy as np
import numpy.typing as npt

from roundtrip.campaign.names import REPLICATION_LINK, REPLY_QUEUE, REQUEST_QUEUE, SECOND
from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.settable import gone_at
from roundtrip.campaign.values import (
    TOLERANCE_MS,
    Values,
    ending_within,
    growth,
    intervals_of,
    rate_of,
    records_of,
    times_of,
)
from roundtrip.campaign.values.drivers import accounts

Series = list[tuple[float, str, str, float]]
"""Seconds from the beginning of the measured part, metric, statistic, value."""
Numbers = npt.NDArray[np.float64]

SOURCE = "broker"
_MB = 1_000_000
_OF_TIMES = ("mean", "p50", "p99")


def mirror_values(
    run: Mapping[str, Any], lines: Sequence[RawLine], begin: float, end: float
) -> tuple[Values, Series]:
    """Derive the values of a run with a mirror, and the backlog over time if it is about that.

    Both are empty where the run has no mirror. The measured part is in milliseconds since 1970.
    """
    behind = [told for told in records_of(lines, "depths", SOURCE) if "mirror" in told]
    if not behind:
        return {}, []
    values: Values = {}
    at = np.array([float(record["t_ms"]) for record in behind])
    depth = np.array([float(record["mirror"]["messages"]) for record in behind])
    size = np.array([float(record["mirror"]["bytes"]) for record in behind])
    series: Series = []
    if run.get("course") == "backlog":
        _sending(values, lines, begin, end)
        _counted_by_receiver(values, lines)
        # Once the brokers are compared, nobody mirrors the work of the receiver.
        compared = [
            1000 * line.at for line in lines if line.source == "runner" and line.event == "account"
        ]
        within = (at >= begin) & (at <= (compared[0] if compared else at[-1]))
        gone = _catch_up(values, at, depth, end, gone_at(run["factors"]))
        last = gone if gone is not None else float(at[-1])
        series = _over_time(at, depth, size, begin, last)
        # A proxy counts what it takes; only when the backlog is gone has that arrived as well.
        _link(values, lines, begin, last)
    else:
        _counted_by_queue(values, lines)
        _link(values, lines, begin, end)
        within = (at >= begin) & (at <= end)
        if within.any() and np.ptp(at[within]) > 0:
            # From sums that are exact, so that any machine computes the same digits again.
            seconds, messages = (at[within] - begin) / 1000, depth[within]
            values["backlog_growth", "mean"] = linear_regression(seconds, messages).slope
    if within.any():
        values["backlog_messages", "maximum"] = float(depth[within].max())
        values["backlog", "maximum"] = max(0.0, float(size[within].max()))
    return values, series


def _link(values: Values, lines: Sequence[RawLine], begin: float, end: float) -> None:
    """Take what crossed the replication link in a part of the run."""
    counted = [
        line for line in lines if line.source == REPLICATION_LINK and line.event == "counters"
    ]
    if len(counted) < 2 or end <= begin:
        return
    # The proxy says when it counted; the reader of an interface writes at once.
    at = [float(line.record.get("t_ms", 1000 * line.at)) for line in counted]
    sent = [float(line.record["bytes_to_host"]) for line in counted]
    crossed = growth(at, sent, begin, end)
    values["replication_link_rate", "mean"] = crossed / ((end - begin) / 1000) / _MB


def _catch_up(values: Values, at: Numbers, depth: Numbers, end: float, left: float) -> float | None:
    """Give when the backlog was gone, in milliseconds since 1970; None if it never was."""
    gone = np.flatnonzero((at >= end) & (depth <= left))
    if not gone.size:
        return None
    values["catch_up_time", "single"] = (float(at[gone[0]]) - end) / 1000
    return float(at[gone[0]])


def _over_time(at: Numbers, depth: Numbers, size: Numbers, begin: float, last: float) -> Series:
    """Give the backlog at whole steps, so that repetitions can be laid over each other.

    Between two readings it is taken to change evenly; a step is as long as the readings are apart.
    """
    step = max(0.25, round(float(np.median(np.diff(at))) / 250) * 0.25) if at.size > 1 else 0.25
    places = np.arange(0, (last - begin) / 1000 + step / 2, step)
    found: Series = []
    for metric, values in (("backlog_messages", depth), ("backlog", size)):
        taken = np.interp(begin + 1000 * places, at, np.maximum(0, values))
        found += [
            (round(float(place), 3), metric, "single", float(value))
            for place, value in zip(places, taken, strict=True)
        ]
    return found


def _sending(values: Values, lines: Sequence[RawLine], begin: float, end: float) -> None:
    """Take rate and time of sending during the overload, over all senders."""
    every = intervals_of(lines, "sender")
    chosen = ending_within(every, begin + TOLERANCE_MS, end + TOLERANCE_MS).values()
    rate = sum(rate_of(rows, "sent") for rows in chosen)
    if rate > 0:
        values["message_rate", "mean"] = rate
    times = times_of("send_time", itertools.chain.from_iterable(chosen))
    values |= {key: time for key, time in times.items() if key[1] in _OF_TIMES}


def _counted_by_receiver(values: Values, lines: Sequence[RawLine]) -> None:
    """Compare the messages sent with those that a receiver took from the second broker."""
    sent, taken = (accounts(lines, kind).values() for kind in ("sender", "receiver"))
    if not sent or not taken:
        return
    doubled = sum(int(end["duplicates"]) for end in taken)
    told = [record["queues"] for record in records_of(lines, "depths", SECOND)]
    # Where the receiver had no time for all.
    left = int(told[-1].get(REQUEST_QUEUE, {"messages": 0})["messages"]) if told else 0
    arrived = sum(int(end["received"]) for end in taken) - doubled + left
    total, doubt = (sum(int(end[key]) for end in sent) for key in ("sent", "in_doubt"))
    values["messages_sent", "total"] = float(total)
    values["messages_arrived", "total"] = float(arrived)
    values["messages_doubled", "total"] = float(doubled + max(0, arrived - total - doubt))
    values["messages_missing", "total"] = float(max(0, total - arrived))
    values["errors", "total"] = float(
        sum(int(end["errors"]) + int(end["mismatches"]) for end in (*sent, *taken))
    )


def _counted_by_queue(values: Values, lines: Sequence[RawLine]) -> None:
    """Compare requests and replies sent with what the queues of the second broker got."""
    here, there = (records_of(lines, "depths", source) for source in (SOURCE, SECOND))
    if not (here and there and records_of(lines, "account")):
        return
    total = arrived = missing = doubled = apart = 0
    for queue, kind in ((REQUEST_QUEUE, "requester"), (REPLY_QUEUE, "responder")):
        ends = accounts(lines, kind).values()
        sent, doubt = (sum(int(end[key]) for end in ends) for key in ("sent", "in_doubt"))
        ours = here[-1]["queues"].get(queue, {"messages": 0})
        theirs = there[-1]["queues"].get(queue, {"messages": 0, "added": 0})
        got = int(theirs["added"])
        total, arrived = total + sent, arrived + got
        missing += max(0, sent - got)
        doubled += max(0, got - sent - doubt)
        apart += abs(int(theirs["messages"]) - int(ours["messages"]))
    values["messages_sent", "total"] = float(total)
    values["messages_arrived", "total"] = float(arrived)
    values["messages_missing", "total"] = float(missing)
    values["messages_doubled", "total"] = float(doubled)
    values["messages_apart", "total"] = float(apart)
