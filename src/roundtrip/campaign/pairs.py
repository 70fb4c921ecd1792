"""What a campaign can vary of a pair of brokers, and what it varies beside deep queues."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.campaign.plan import CourseName, Level

NONE, REPLICATED, SHARED_STORE = "none", "replicated pair", "shared store"
VARIANTS = (NONE, REPLICATED, SHARED_STORE)
SAME_QUEUE, OTHER_QUEUE = "same queue", "other queue"
BACKGROUND = (NONE, SAME_QUEUE, OTHER_QUEUE)
_OF_THE_LINK = ("ha_link_rtt_ms", "link_encrypted")


def is_pair(point: Mapping[str, Level]) -> bool:
    """Say whether a point asks for a broker that another stands by for."""
    return point.get("ha", NONE) != NONE


def impossible(point: Mapping[str, Level]) -> str | None:
    """Say why the factors of a pair, or of deep queues, do not go together, or None.

    Parameters
    ----------
    point : mapping
        Every factor of one operating point.
    """
    variant = point.get("ha", NONE)
    if is_pair(point) and point["delivery"] != "persistent":
        return f"ha {variant} with {point['delivery']} messages: only a recovery log is protected"
    if is_pair(point) and point["workload"] != "RR-CC":
        return f"ha {variant} in {point['workload']}: clients must be able to reach both brokers"
    if variant == REPLICATED and "ha_link_rtt_ms" not in point:
        return f"ha {REPLICATED} without ha_link_rtt_ms: say 0 for the control"
    for name in _OF_THE_LINK:
        if name in point and variant != REPLICATED:
            return f"{name} with ha {variant}: only a {REPLICATED} sends data over a link"
    if float(point.get("ha_link_rtt_ms", 0)) < 0:
        return "ha_link_rtt_ms is below 0"
    if "background_load" in point and "preloaded_messages" not in point:
        return "background_load without preloaded_messages: say 0 for an empty queue"
    return None


def unsuitable(course: CourseName, point: Mapping[str, Level]) -> str | None:
    """Say why a course of events cannot be followed at a point, or None."""
    if course == "failover" and not is_pair(point):
        return "a failover without ha: nothing would take over"
    if course == "background" and "background_load" not in point:
        return "the course background without background_load: say none for no load beside it"
    return None
