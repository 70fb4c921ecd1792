"""The usual course, then an account: whether everything is at the second broker, and once."""

from __future__ import annotations

import time
from typing import Any

from roundtrip.campaign.arrangements import SECOND
from roundtrip.campaign.courses import steady
from roundtrip.campaign.drivers import round_trip_drivers
from roundtrip.campaign.live_run import LiveRun

LONGEST_SECONDS = 60.0
_AGREEMENTS = 3


def account(live: LiveRun) -> None:
    """Wait until both brokers say several times in a row that their queues hold the same.

    No driver sends or takes any more. The runner's record ``account`` says whether they did, and
    how long it took; what they said last is in the raw file. That they never agree is a result, no
    failure of the run.
    """
    live.context.say("comparing both brokers")
    began = time.monotonic()
    deadline = began + LONGEST_SECONDS
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


drivers = round_trip_drivers


def follow(live: LiveRun) -> None:
    """Measure as usual; then end the drivers and wait until both brokers hold the same."""
    steady.follow(live)
    # Requesters first: a responder that goes before them would cost them replies.
    live.end("requester")
    live.end("responder")
    if live.point.get("replication", "none") != "none":
        account(live)
