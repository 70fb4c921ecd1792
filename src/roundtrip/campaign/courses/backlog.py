"""Backlog: senders exceed the replication link for a while; then it catches up, and is counted.

The measured part is the time of overload. Afterwards the senders of the overload stop, others go
on if the point says so, until the backlog is gone; then all stop, both brokers are compared, and a
receiver takes everything from the second one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.catch_up import gone_at
from roundtrip.campaign.courses.arrival import account
from roundtrip.campaign.drivers import REQUEST_QUEUE, drive
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.in_hand import RunFailedError, RunInHand
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.settable import REQUESTERS

LONGEST_SECONDS = 120.0
"""Least time to wait for the backlog to go; 20 times the overload where that is more."""
_FIRST_SECONDS = 60.0
_QUIET_SECONDS = 2.0
OVERLOAD, LATER, RECEIVER = "sender-overload", "sender-later", "receiver-copy"


def drivers(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoints: Endpoints
) -> dict[str, Launch]:
    """Say how the senders are started: those that go on, and those of the overload."""
    total, later = float(point["overload_rate"]), float(point.get("later_rate", 0))
    rates = {LATER: later, OVERLOAD: total - later}
    return {
        name: drive(
            harness, plan, point, endpoints.requesters, name,
            ["-tc", "sender", "-d", REQUEST_QUEUE, "-nt", str(point[REQUESTERS]), "-pp",
             "-rt", f"{rate:g}", "-ms", str(point["message_bytes"]), "-mt", plan.driver.payload,
             "-mc", f"{plan.driver.compressibility:g}"],
        )
        for name, rate in rates.items()
        if rate > 0
    }  # fmt: skip


def follow(hand: RunInHand) -> None:
    """Overload, catch up, compare, and count at the second broker.

    Raises
    ------
    RefusedError, RunFailedError
        If a process ends, or the senders have nothing to report.
    """
    _overload(hand)
    _catch_up(hand)
    hand.end("sender")
    account(hand)
    _take_all(hand)


def _overload(hand: RunInHand) -> None:
    hand.context.say("overload")
    deadline = time.monotonic() + _FIRST_SECONDS
    begin: float | None = None
    while True:
        line = hand.next(deadline)
        if line is None:
            raise hand.explained(RunFailedError, "the senders have nothing to report")
        if line.event != "interval" or line.source != OVERLOAD:
            continue
        hand.measuring = True
        deadline = time.monotonic() + max(10.0, 5 * hand.plan.interval_seconds)
        record = line.record or {}
        end = float(record["t_ms"])
        if begin is None:
            begin = end - 1000 * float(record["length_s"])
            hand.raw.record("runner", event="measure", from_ms=begin, steady=True, warm_up_s=0.0)
        if end - begin >= (hand.plan.measure_seconds - 0.05) * 1000:
            break
    hand.raw.record("runner", event="finished", from_ms=begin, to_ms=end)
    hand.end(OVERLOAD)


def _catch_up(hand: RunInHand) -> None:
    """Wait until the mirror has nothing left to send; that it never has is a result."""
    hand.context.say("catching up")
    left = gone_at(hand.point)
    deadline = time.monotonic() + max(LONGEST_SECONDS, 20 * hand.plan.measure_seconds)
    gone = False
    while not gone and time.monotonic() < deadline:
        line = hand.next(deadline)
        if line is not None and line.event == "depths" and line.source == "broker":
            gone = (line.record or {})["mirror"]["messages"] <= left
    hand.raw.record("runner", event="caught-up", gone=gone)


def _take_all(hand: RunInHand) -> None:
    """Let a receiver take what the second broker has; it notices what is missing or double."""
    hand.context.say("counting at the second broker")
    if hand.endpoints is None or hand.endpoints.copy is None:
        raise RunFailedError("there is no second broker at which to count")
    options = [
        "-tc", "receiver", "-d", REQUEST_QUEUE, "-nt", "1", "-ms", str(hand.point["message_bytes"]),
        "-mt", hand.plan.driver.payload, "-mc", f"{hand.plan.driver.compressibility:g}",
    ]  # fmt: skip
    launch = drive(
        hand.context.harness, hand.plan, hand.point, hand.endpoints.copy, RECEIVER, options
    )
    hand.start(RECEIVER, launch)
    deadline = time.monotonic() + LONGEST_SECONDS
    quiet_since: float | None = None
    while (line := hand.next(deadline)) is not None and time.monotonic() < deadline:
        if line.event != "interval" or line.source != RECEIVER:
            continue
        if int((line.record or {})["received"]):
            quiet_since = None
            continue
        quiet_since = quiet_since or time.monotonic()
        if time.monotonic() - quiet_since >= _QUIET_SECONDS:
            break
    hand.end("receiver")
