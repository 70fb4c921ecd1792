"""Connecting: all requesters connect as fast as they can, then send now and then."""

from __future__ import annotations

import time
from dataclasses import replace

from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.drivers import Load, round_trip_drivers
from roundtrip.campaign.live_run import LiveRun, RunFailedError
from roundtrip.campaign.processes import Launch

CONNECT_SECONDS = 600.0
_PATIENCE_SECONDS = 120
"""For the next connection: where thousands come at once, the first try of some is not heard, and
TCP doubles its pause before each further one."""


def drivers(load: Load, endpoints: Endpoints) -> dict[str, Launch]:
    """Say how the drivers are started: as usual, but more patient while they connect."""
    patient = replace(load, further=("--connect-timeout", str(_PATIENCE_SECONDS)))
    return round_trip_drivers(patient, endpoints)


def follow(live: LiveRun) -> None:
    """Wait until every requester is connected, then let them stay for the measured part.

    The run counts as steady when all of them were connected. The interval before the measured
    part is left out: connecting ends within it.
    """
    plan = live.plan
    waited = set(live.requesters)
    connected: dict[str, float] = {}
    deadline = time.monotonic() + CONNECT_SECONDS
    live.context.say("connecting")
    while len(connected) < len(waited):
        message = live.next(deadline)
        if message is None:
            raise live.explained(
                RunFailedError, f"not connected after {CONNECT_SECONDS:g} s: "
                f"{', '.join(sorted(waited - set(connected)))}",
            )  # fmt: skip
        if message.event == "connected" and message.source in waited:
            connected[message.source] = float(message.record["t_ms"])
    live.measuring = True
    begin = max(connected.values()) + plan.interval_seconds * 1000
    live.raw.record("runner", event="measure", from_ms=begin, steady=True, warm_up_s=0.0)
    live.context.say("staying connected")
    end = begin + plan.measure_seconds * 1000
    while (left := end / 1000 - time.time()) > 0:
        live.next(time.monotonic() + left)
    live.raw.record("runner", event="finished", from_ms=begin, to_ms=end)
