"""A failover: under a steady load the primary is killed, and the backup serves instead.

Beside the round trips runs a flow of numbered messages, whose account shows what was lost or came
twice. Rates and resources are taken of the steady part before the primary is killed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from roundtrip.campaign.arrangements import PRIMARY
from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.courses import steady
from roundtrip.campaign.drivers import drive, message_options, round_trip_drivers
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.live_run import LiveRun, RunFailedError
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.values.failover import FULL_SHARE, full_from

NUMBERED_QUEUE = "NUMBERED"
NUMBERED_RATE = 100
"""Numbered messages per second."""
RECONNECT_SECONDS = 0.05
"""Longest pause of a driver between two attempts to connect: how finely a gap is resolved."""
LONGEST_SECONDS = 60.0
"""For the backup to serve at the full rate; for the numbered messages to arrive."""
_IDLE_INTERVALS = 5


def drivers(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoints: Endpoints
) -> dict[str, Launch]:
    """Say how the drivers are started: those of the round trips, and the numbered flow's two.

    The sender sends again what may not have arrived, marked so that the broker can drop a second
    copy; the receiver takes messages in transactions. That is how a program gets each message once.
    """
    options = ["-d", NUMBERED_QUEUE, *message_options(harness, plan, point)]
    outside = {**point, "syncpoint": "outside"}
    inside = {**point, "syncpoint": "inside"}
    receiver = drive(
        harness, plan, inside, endpoints.responders, "receiver-1",
        ["-tc", "receiver", "-nt", "1", *options],
    )  # fmt: skip
    sender = drive(
        harness, plan, outside, endpoints.requesters, "sender-1",
        ["-tc", "sender", "-nt", "1", "-rt", str(NUMBERED_RATE), "--once", *options],
    )  # fmt: skip
    launches = {
        "receiver-1": receiver, "sender-1": sender,
        **round_trip_drivers(harness, plan, point, endpoints),
    }  # fmt: skip
    pause = ("--reconnect-pause", f"{RECONNECT_SECONDS:g}")
    return {
        name: replace(launch, command=[*launch.command, *pause])
        for name, launch in launches.items()
    }


def follow(live: LiveRun) -> None:
    """Measure until the primary is killed, then until the backup serves as much as it did.

    Raises
    ------
    RefusedError, RunFailedError
        If a driver ends, or nothing is reported. A backup that does not serve is none of these: it
        is what was to be found out.
    """
    steady.follow(live)
    live.context.say("the primary is killed")
    live.raw.record(
        "runner", event="killed", what=PRIMARY, at_ms=time.time() * 1000, share=FULL_SHARE,
        window=live.plan.warm_up.window,
    )  # fmt: skip
    live.context.broker.kill(PRIMARY)
    after = _After(live, time.time() * 1000)
    live.context.say("the backup takes over")
    after.until_full()
    live.context.say("counting messages")
    _drain(live)


@dataclass
class _After:
    """What comes after the primary was killed."""

    live: LiveRun
    killed_ms: float

    def until_full(self) -> None:
        """Follow until the rate is full again, and as long again as was measured before."""
        live = self.live
        intervals = steady.Intervals(
            [d.source for d in live.drivers if d.source.startswith("requester")]
        )
        deadline = time.monotonic() + LONGEST_SECONDS
        enough: float | None = None
        while time.monotonic() < min(deadline, enough or deadline):
            message = live.next(time.monotonic() + 1)
            if message is None or message.event != "interval":
                continue
            if message.source in intervals.processes:
                intervals.add(message)
            if enough is None and self._is_full(intervals):
                enough = time.monotonic() + live.plan.measure_seconds

    def _is_full(self, intervals: steady.Intervals) -> bool:
        before = self.live.measured_rate
        if before is not None and "target_rate" in self.live.point:
            # A rate above the set one only made up for a slow start.
            before = min(before, float(self.live.point["target_rate"]))
        if before is None or not intervals.count:
            return False
        ends = [intervals.end_of(index) for index in range(intervals.count)]
        window = self.live.plan.warm_up.window
        return full_from(self.killed_ms, ends, intervals.together(), before, window) is not None


def _drain(live: LiveRun) -> None:
    """Stop the sender and wait until its receiver has nothing more to take."""
    for driver in live.drivers:
        if driver.source.startswith("sender"):
            live.leaving.add(driver.source)
            driver.ask_to_stop()
    deadline = time.monotonic() + LONGEST_SECONDS
    sent, idle = False, 0
    while idle < _IDLE_INTERVALS:
        message = live.next(deadline)
        if message is None:
            raise RunFailedError("the numbered messages do not come to an end")
        if message.event == "end" and message.source in live.leaving:
            sent = True
        elif message.event == "interval" and message.source.startswith("receiver") and sent:
            idle = 0 if (message.record or {}).get("received") else idle + 1
