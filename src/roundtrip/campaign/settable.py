"""The factors that a campaign can set, and the combinations of them that cannot exist."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.campaign import storage
from roundtrip.campaign.plan import Level

REQUESTERS = "requesters"

ALLOWED: Mapping[str, tuple[Level, ...] | None] = {
    "workload": ("RR-CC",),
    "api": ("JMS",),
    "delivery": ("nonpersistent", "persistent"),
    "syncpoint": ("inside", "outside"),
    "message_bytes": None,
    REQUESTERS: None,
    "responders": None,
    "queue_pairs": None,
    "queue_managers": None,
    "reply_queue": ("shared", "own"),
    "target_rate": None,
    "requester_rate": None,
    "log_file_system": storage.LEVELS,
    "log_sync": (True, False),
    "model": ("A", "B"),
    "scheduling_class": ("normal", "real-time"),
}
"""Factors that a campaign can set, with the levels that it can run (None: any the dictionary
allows)."""

DEFAULTS: Mapping[str, Level] = {
    "workload": "RR-CC",
    "api": "JMS",
    "delivery": "nonpersistent",
    "syncpoint": "outside",
    "message_bytes": 2048,
    "responders": 4,
    "queue_pairs": 1,
    "reply_queue": "shared",
    "scheduling_class": "normal",
}
"""What holds where a plan is silent: it is recorded as if the plan had said it."""

BY_DRIVERS = frozenset({
    "workload", "api", "delivery", "syncpoint", "message_bytes", REQUESTERS, "responders",
    "queue_pairs", "reply_queue", "target_rate", "requester_rate", "scheduling_class",
})  # fmt: skip
"""What drivers alone decide, whichever broker they use; everything else takes brokers, links or
machines that the runner arranges itself."""


def arranged(point: Mapping[str, Level]) -> list[str]:
    """Name the factors of a point that only the runner's own broker can have.

    Parameters
    ----------
    point : mapping
        Every factor of one operating point.
    """
    return [
        name for name, level in point.items()
        if name not in BY_DRIVERS and level != DEFAULTS.get(name)
    ]  # fmt: skip


def impossible(point: Mapping[str, Level]) -> str | None:
    """Say why a combination of factors cannot be run, or None when it can.

    Parameters
    ----------
    point : mapping
        Every factor of one operating point.
    """
    requesters, pairs = int(point[REQUESTERS]), int(point["queue_pairs"])
    if requesters < 1:
        return "requesters is 0: nobody would send"
    if int(point["message_bytes"]) < 1:
        return "message_bytes is 0: a reply's content could not be verified"
    if pairs > requesters:
        return f"queue_pairs is {pairs} for {requesters} requesters: pairs would stay idle"
    if pairs > int(point["responders"]):
        return f"queue_pairs is {pairs} for {point['responders']} responders: requests would stay"
    if pairs > 1 and point["reply_queue"] == "own":
        return "reply_queue own gives every requester its queue: queue_pairs must be 1"
    if point["scheduling_class"] == "real-time" and point["delivery"] == "persistent":
        return (
            "scheduling_class real-time with persistent messages: real-time threads hold up the "
            "kernel's writing, so that the disk would not be what is measured"
        )
    if "target_rate" in point and float(point["target_rate"]) <= 0:
        return "target_rate is 0: leave it out for an unrated run"
    if "target_rate" in point and "requester_rate" in point:
        return "target_rate and requester_rate both say how often requesters send"
    if "requester_rate" in point and float(point["requester_rate"]) <= 0:
        return "requester_rate is 0: leave it out for an unrated run"
    return _impossible_arrangement(point)


def _impossible_arrangement(point: Mapping[str, Level]) -> str | None:
    """Say why no broker can be arranged as a point asks for it."""
    for name in (storage.FACTOR, storage.SYNC):
        if name in point and point["delivery"] == "nonpersistent":
            return f"{name} with non-persistent messages: they have no recovery log"
    managers = int(point.get("queue_managers", 1))
    for name in (REQUESTERS, "responders"):
        if int(point[name]) % managers:
            return f"{name} is {point[name]}: no multiple of queue_managers, {managers}"
    return None
