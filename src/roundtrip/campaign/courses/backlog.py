"""Backlog: senders exceed the replication link for a while; then it catches up, and is counted.

Senders below what the link carries warm everything up. Then others come on top: the measured part
is the time of this overload. When it is over, the first senders go on if the point says so, until
the backlog is gone; then all stop, both brokers are compared, and a receiver takes everything from
the second one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from roundtrip.campaign.arrangements import SECOND
from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.courses.mirrored import account
from roundtrip.campaign.courses.steady import Intervals
from roundtrip.campaign.drivers import REQUEST_QUEUE, drive, message_options
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.live_run import RunFailedError, RunInHand
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.settable import REQUESTERS, gone_at

LONGEST_SECONDS = 120.0
"""Least time to wait for the backlog to go; 20 times the overload where that is more."""
STUCK_SECONDS = 20.0
"""A backlog that has not fallen for so long will not go: a mirror can stop for good."""
_FIRST_SECONDS = 60.0
_WARM_SHARE = 0.1
"""Of the overload: the rate of the warm-up where nobody goes on afterwards."""
FIRST, OVERLOAD, RECEIVER = "sender-first", "sender-overload", "receiver-copy"


def drivers(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoints: Endpoints
) -> dict[str, Launch]:
    """Say how the senders of the warm-up are started; those of the overload come later."""
    rate = _later(point) or _WARM_SHARE * float(point["overload_rate"])
    return {FIRST: _sender(harness, plan, point, endpoints.requesters, FIRST, rate)}


def follow(hand: RunInHand) -> None:
    """Warm up, overload, catch up, compare, and count at the second broker.

    Raises
    ------
    RefusedError, RunFailedError
        If a process ends, or the senders have nothing to report.
    """
    steady, warm_up_s = _warm_up(hand)
    _overload(hand, steady, warm_up_s)
    _catch_up(hand)
    hand.end("sender")
    account(hand)
    _take_all(hand)


def _later(point: Mapping[str, Level]) -> float:
    return float(point.get("later_rate", 0))


def _sender(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoint: Endpoint, name: str,
    rate: float,
) -> Launch:  # fmt: skip
    return drive(
        harness, plan, point, endpoint, name,
        ["-tc", "sender", "-d", REQUEST_QUEUE, "-nt", str(point[REQUESTERS]),
         "-rt", f"{rate:g}", *message_options(harness, plan, point)],
    )  # fmt: skip


def _next_interval(hand: RunInHand, source: str, deadline: float) -> RawLine:
    """Wait for a driver's next interval."""
    while (line := hand.next(deadline)) is not None:
        if line.event == "interval" and line.source == source:
            hand.measuring = True
            return line
    raise hand.explained(RunFailedError, f"{source} has nothing to report")


def _warm_up(hand: RunInHand) -> tuple[bool, float]:
    """Wait until the first senders are steady, within the plan's limits."""
    hand.context.say("warming up")
    rule, seen = hand.plan.warm_up, Intervals([FIRST])
    while True:
        seen.add(_next_interval(hand, FIRST, time.monotonic() + _FIRST_SECONDS))
        elapsed = seen.count * hand.plan.interval_seconds
        steady = elapsed >= rule.least_seconds and rule.rule.holds(seen.together())
        if steady or elapsed >= rule.most_seconds:
            return steady, elapsed


def _overload(hand: RunInHand, steady: bool, warm_up_s: float) -> None:
    """Let the others send, for as long as the plan measures."""
    if hand.endpoints is None:
        raise RunFailedError("nobody said where the senders of the overload connect to")
    hand.context.say("overload")
    if not _later(hand.point):
        hand.end(FIRST)
    rate = float(hand.point["overload_rate"]) - _later(hand.point)
    launch = _sender(
        hand.context.harness, hand.plan, hand.point, hand.endpoints.requesters, OVERLOAD, rate
    )
    hand.start(OVERLOAD, launch)
    begin: float | None = None
    while True:
        line = _next_interval(hand, OVERLOAD, time.monotonic() + _FIRST_SECONDS)
        record = line.record or {}
        end = float(record["t_ms"])
        if begin is None:
            begin = end - 1000 * float(record["length_s"])
            hand.raw.record(
                "runner", event="measure", from_ms=begin, steady=steady, warm_up_s=warm_up_s
            )
        if end - begin >= (hand.plan.measure_seconds - 0.05) * 1000:
            break
    hand.raw.record("runner", event="finished", from_ms=begin, to_ms=end)
    hand.end(OVERLOAD)


def _catch_up(hand: RunInHand) -> None:
    """Wait until the mirror has nothing left to send; that it never has is a result."""
    hand.context.say("catching up")
    left = gone_at(hand.point)
    longest = time.monotonic() + max(LONGEST_SECONDS, 20 * hand.plan.measure_seconds)
    least, deadline = math.inf, longest
    while least > left and (line := hand.next(deadline)) is not None:
        if line.event == "depths" and line.source == "broker":
            depth = (line.record or {})["mirror"]["messages"]
            if depth < least:
                least, deadline = depth, min(longest, time.monotonic() + STUCK_SECONDS)
        if time.monotonic() > deadline:
            break
    hand.raw.record("runner", event="caught-up", gone=least <= left)


def _take_all(hand: RunInHand) -> None:
    """Let a receiver take what the second broker has; it notices what is missing or double."""
    hand.context.say("counting at the second broker")
    if hand.endpoints is None or hand.endpoints.copy is None:
        raise RunFailedError("there is no second broker at which to count")
    harness = hand.context.harness
    options = [
        "-tc", "receiver", "-d", REQUEST_QUEUE, "-nt", "1",
        *message_options(harness, hand.plan, hand.point),
    ]  # fmt: skip
    launch = drive(harness, hand.plan, hand.point, hand.endpoints.copy, RECEIVER, options)
    hand.start(RECEIVER, launch)
    deadline = time.monotonic() + LONGEST_SECONDS
    empty = False
    while (line := hand.next(deadline)) is not None and time.monotonic() < deadline:
        if line.event == "depths" and line.source == SECOND:
            queues = (line.record or {})["queues"]
            empty = queues.get(REQUEST_QUEUE, {"messages": 0})["messages"] == 0
        elif line.event == "interval" and line.source == RECEIVER:
            taken = int((line.record or {})["received"])
            if empty and not taken:
                break
    hand.end("receiver")
