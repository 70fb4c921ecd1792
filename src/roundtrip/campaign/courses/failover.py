"""A failover: under a steady load the primary is killed, and the backup serves instead.

Beside the round trips runs a flow of numbered messages, whose account shows what was lost or came
twice. Rates and resources are taken of the steady part before the primary is killed.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.courses import steady
from roundtrip.campaign.drivers import Load, round_trip_drivers
from roundtrip.campaign.live_run import LiveRun, RunFailedError
from roundtrip.campaign.names import PRIMARY
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.settable import number_of
from roundtrip.campaign.values.failover import FULL_SHARE, full_from

NUMBERED_QUEUE = "NUMBERED"
NUMBERED_RATE = 100
"""Numbered messages per second."""
RECONNECT_SECONDS = 0.05
"""Longest pause of a driver between two attempts to connect: how finely a gap is resolved."""
LONGEST_SECONDS = 60.0
"""For the backup to serve at the full rate; for the numbered messages to arrive."""
_IDLE_INTERVALS = 30
"""So long nothing comes before nothing more is to come; brokers stall for a second at times."""


def drivers(load: Load, endpoints: Endpoints) -> dict[str, Launch]:
    """Say how the drivers are started: those of the round trips, and the numbered flow's two.

    The sender sends again what may not have arrived, marked so that the broker can drop a second
    copy; the receiver takes messages in transactions. That is how a program gets each message once.
    """
    options = ["-nt", "1", "-d", NUMBERED_QUEUE, *load.message_options()]
    receiving = ["-tc", "receiver", *options]
    sending = ["-tc", "sender", "-rt", str(NUMBERED_RATE), "--once", *options]
    load = replace(load, further=("--reconnect-pause", f"{RECONNECT_SECONDS:g}"))
    return {
        "receiver-1": load.within("inside").drive(endpoints.responders, "receiver-1", receiving),
        "sender-1": load.within("outside").drive(endpoints.requesters, "sender-1", sending),
        **round_trip_drivers(load, endpoints),
    }


def follow(live: LiveRun) -> None:
    """Measure until the primary is killed, then until the backup serves as much as it did.

    A backup that does not serve is no failure of the run: it is what was to be found out.
    """
    steady.follow(live)
    live.context.say("the primary is killed")
    killed_ms = time.time() * 1000
    live.raw.record(
        "runner", event="killed", what=PRIMARY, at_ms=killed_ms, share=FULL_SHARE,
        window=live.plan.warm_up.window,
    )  # fmt: skip
    live.context.broker.kill(PRIMARY)
    live.context.say("the backup takes over")
    _until_full(live, killed_ms)
    live.context.say("counting messages")
    _drain(live)


def _until_full(live: LiveRun, killed_ms: float) -> None:
    """Follow until the rate is full again, and as long again as was measured before."""
    # A rate above the set one only made up for a slow start.
    before = min(live.measured_rate or math.inf, number_of(live.point, "target_rate", math.inf))
    seen = steady.Intervals(live.requesters)
    deadline = time.monotonic() + LONGEST_SECONDS
    full = False
    while (message := live.next(deadline)) is not None:
        if not seen.take(message) or full:
            continue
        if full_from(killed_ms, seen.together(), before, live.plan.warm_up.window) is not None:
            full = True
            deadline = min(deadline, time.monotonic() + live.plan.measure_seconds)


def _drain(live: LiveRun) -> None:
    """Stop the sender and wait until its receiver has nothing more to take."""
    live.end("sender")
    deadline = time.monotonic() + LONGEST_SECONDS
    idle = 0
    while idle < _IDLE_INTERVALS:
        message = live.next(deadline)
        if message is None:
            raise RunFailedError("the numbered messages do not come to an end")
        if message.event == "interval" and message.source.startswith("receiver"):
            waits = message.record.get("threads") and not message.record.get("received")
            idle = idle + 1 if waits else 0
