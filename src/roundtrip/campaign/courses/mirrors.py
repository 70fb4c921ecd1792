"""Courses with a second broker: round trips as usual, or a backlog; then both are compared.

In a backlog, senders exceed the replication link for a while. Senders below what the link carries
warm everything up. Then others come on top: the measured part is the time of this overload. When it
is over, the first senders go on if the point says so, until the backlog is gone; then all stop,
both brokers are compared, and a receiver takes everything from the second one.
"""

from __future__ import annotations

import math
import time
from typing import Any

from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.courses import steady
from roundtrip.campaign.drivers import Load
from roundtrip.campaign.live_run import LiveRun, RunFailedError
from roundtrip.campaign.names import REQUEST_QUEUE, SECOND
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.settable import NONE, REQUESTERS, gone_at, number_of

COMPARE_SECONDS = 60.0
"""For both brokers to agree."""
_AGREEMENTS = 3
LONGEST_SECONDS = 120.0
"""Least time to wait for the backlog to go; 20 times the overload where that is more."""
STUCK_SECONDS = 20.0
"""A backlog that has not fallen for so long will not go: a mirror can stop for good."""
_WARM_SHARE = 0.1
"""Of the overload: the rate of the warm-up where nobody goes on afterwards."""
FIRST, OVERLOAD, RECEIVER = "sender-first", "sender-overload", "receiver-copy"


def follow_round_trips(live: LiveRun) -> None:
    """Measure as usual; then end the drivers and wait until both brokers hold the same."""
    steady.follow(live)
    # Requesters first: a responder that goes before them would cost them replies.
    live.end("requester")
    live.end("responder")
    if live.point.get("replication", NONE) != NONE:
        account(live)


def account(live: LiveRun) -> None:
    """Wait until both brokers say several times in a row that their queues hold the same.

    No driver sends or takes any more. The runner's record ``account`` says whether they did, and
    how long it took; what they said last is in the raw file. That they never agree is a result, no
    failure of the run.
    """
    live.context.say("comparing both brokers")
    began = time.monotonic()
    deadline = began + COMPARE_SECONDS
    said: dict[str, Any] = {}
    agreed = 0
    while agreed < _AGREEMENTS and (line := live.next(deadline)) is not None:
        if line.event == "depths":
            said[line.source] = line.record
            if line.source == SECOND:
                agreed = agreed + 1 if same(said.get("broker"), said[SECOND]) else 0
    live.raw.record(
        "runner", event="account", agreed=agreed >= _AGREEMENTS,
        seconds=round(time.monotonic() - began, 3),
    )  # fmt: skip


def same(first: dict[str, Any] | None, second: dict[str, Any] | None) -> bool:
    """Say whether nothing is on its way and all queues hold and have got the same number."""
    if not first or not second or first.get("mirror", {}).get("messages") != 0:
        return False
    ours, theirs = (event["queues"] for event in (first, second))
    keys = ("messages", "added")
    return all(
        name in theirs and all(theirs[name][key] == depth[key] for key in keys)
        for name, depth in ours.items()
        if depth["added"]
    )


def backlog_drivers(load: Load, endpoints: Endpoints) -> dict[str, Launch]:
    """Say how the senders of the warm-up are started; those of the overload come later."""
    point = load.point
    rate = number_of(point, "later_rate") or _WARM_SHARE * float(point["overload_rate"])
    return {FIRST: _sender(load, endpoints.requesters, FIRST, rate)}


def follow_backlog(live: LiveRun) -> None:
    """Warm up, overload, catch up, compare, and count at the second broker."""
    _overload(live, *steady.warm_up(live, steady.Intervals([FIRST])))
    _catch_up(live)
    live.end("sender")
    account(live)
    _take_all(live)


def _sender(load: Load, endpoint: Endpoint, name: str, rate: float) -> Launch:
    options = [
        "-tc", "sender", "-d", REQUEST_QUEUE, "-nt", str(load.point[REQUESTERS]),
        "-rt", f"{rate:g}", *load.message_options(),
    ]  # fmt: skip
    return load.drive(endpoint, name, options)


def _overload(live: LiveRun, is_steady: bool, warm_up_s: float) -> None:
    """Start the further senders, and let them send for as long as the plan measures."""
    live.context.say("overload")
    if not number_of(live.point, "later_rate"):
        live.end(FIRST)
    rate = float(live.point["overload_rate"]) - number_of(live.point, "later_rate")
    live.start(OVERLOAD, _sender(live.load, live.endpoints.requesters, OVERLOAD, rate))
    seen = steady.Intervals([OVERLOAD])
    seen.await_next(live)
    (first,) = seen.records[OVERLOAD]
    begin = float(first["t_ms"]) - 1000 * float(first["length_s"])
    live.raw.record("runner", event="measure", from_ms=begin, steady=is_steady, warm_up_s=warm_up_s)
    end = seen.await_end(live, begin)
    live.raw.record("runner", event="finished", from_ms=begin, to_ms=end)
    live.end(OVERLOAD)


def _catch_up(live: LiveRun) -> None:
    """Wait until the mirror has nothing left to send; that it never has is a result."""
    live.context.say("catching up")
    left = gone_at(live.point)
    longest = time.monotonic() + max(LONGEST_SECONDS, 20 * live.plan.measure_seconds)
    least, deadline = math.inf, longest
    while least > left and (line := live.next(deadline)) is not None:
        if line.event == "depths" and line.source == "broker":
            depth = line.record["mirror"]["messages"]
            if depth < least:
                least, deadline = depth, min(longest, time.monotonic() + STUCK_SECONDS)
    live.raw.record("runner", event="caught-up", gone=least <= left)


def _take_all(live: LiveRun) -> None:
    """Let a receiver empty the second broker; it notices messages that are missing or double."""
    live.context.say("counting at the second broker")
    if live.endpoints.copy is None:
        raise RunFailedError("there is no second broker at which to count")
    options = [
        "-tc", "receiver", "-d", REQUEST_QUEUE, "-nt", "1", *live.load.message_options(),
    ]  # fmt: skip
    live.start(RECEIVER, live.load.drive(live.endpoints.copy, RECEIVER, options))
    deadline = time.monotonic() + LONGEST_SECONDS
    empty = False
    while (line := live.next(deadline)) is not None:
        if line.event == "depths" and line.source == SECOND:
            queues = line.record["queues"]
            empty = queues.get(REQUEST_QUEUE, {"messages": 0})["messages"] == 0
        elif line.event == "interval" and line.source == RECEIVER:
            taken = int(line.record["received"])
            if empty and not taken:
                break
    live.end("receiver")
