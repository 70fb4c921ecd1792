"""Round trips beside a queue that holds many messages, and beside other work on queues.

The deep queue was filled before the drivers start. The other work puts and gets at a fixed rate: on
the deep queue itself, whose depth stays, or on another one that stays all but empty.
"""

from __future__ import annotations

import time

from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.courses import steady
from roundtrip.campaign.drivers import Load, round_trip_drivers
from roundtrip.campaign.live_run import LiveRun, RunFailedError
from roundtrip.campaign.names import DEEP_QUEUE
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.settable import NONE, SAME_QUEUE

OTHER = "BESIDE"
BACKGROUND_RATE = 500
"""Puts per second, and gets per second."""
_SECONDS = 10.0
_SLACK_SECONDS = 3.0
"""Of the background's rate, by which the depth may differ: putter and getter start apart."""


def drivers(load: Load, endpoints: Endpoints) -> dict[str, Launch]:
    """Say how the drivers are started: those of the round trips, then the background's two."""
    launches = round_trip_drivers(load, endpoints)
    beside = load.point["background_load"]
    if beside == NONE:
        return launches
    queue = DEEP_QUEUE if beside == SAME_QUEUE else OTHER
    options = ["-nt", "1", "-rt", str(BACKGROUND_RATE), "-d", queue]
    options += load.message_options()
    background = {
        f"{role}-1": load.drive(endpoints.requesters, f"{role}-1", ["-tc", role, *options])
        for role in ("sender", "receiver")
    }
    return {**background, **launches}


def follow(live: LiveRun) -> None:
    """Follow the run as usual, then have the broker say how deep the queue is."""
    steady.follow(live)
    expected = int(live.point["preloaded_messages"])
    busy = live.point["background_load"] == SAME_QUEUE
    slack = BACKGROUND_RATE * _SLACK_SECONDS if busy else 0
    deadline = time.monotonic() + _SECONDS
    while (message := live.next(deadline)) is not None:
        if message.event != "depths":
            continue
        depths = message.record["queues"]
        if not depths:
            continue  # a backup has none
        depth = int(depths.get(DEEP_QUEUE, {"messages": 0})["messages"])
        live.raw.record("runner", event="depth", queue=DEEP_QUEUE, messages=depth)
        if abs(depth - expected) > slack:
            raise RunFailedError(
                f"{DEEP_QUEUE} was to hold {expected} messages, and the broker counts {depth}"
            )
        return
    raise RunFailedError("the broker does not say how many messages its queues hold")
