"""Which factors of replication to a second broker go together."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.campaign.plan import Level

MIRROR = "mirror"
PROXY, NAMESPACES = "proxy", "namespaces"
_OF_MIRROR = ("mirroring", "replication_link", "replication_link_rtt_ms", "replication_link_gbps")


def refusal(point: Mapping[str, Level]) -> str | None:
    """Say why the factors of replication cannot be run together, or None.

    Parameters
    ----------
    point : mapping
        Every factor of one operating point.
    """
    if point.get("replication", "none") != MIRROR:
        without = [name for name in _OF_MIRROR if name in point]
        return f"{without[0]} without replication {MIRROR}" if without else None
    for name in ("mirroring", "replication_link"):
        if name not in point:
            return f"replication {MIRROR} without {name}"
    if point["delivery"] != "persistent":
        return f"replication {MIRROR} with messages that are not persistent: none must be lost"
    if point["reply_queue"] == "own":
        return f"replication {MIRROR} with reply_queue own: what arrives is counted by queue"
    delay = float(point.get("replication_link_rtt_ms", 0))
    if point["replication_link"] == NAMESPACES and delay:
        return "replication_link namespaces with replication_link_rtt_ms: it cannot delay"
    return None


def course_refusal(course: str, point: Mapping[str, Level]) -> str | None:
    """Say why a point cannot be run in a course, or None.

    Parameters
    ----------
    course : str
        Of the plan.
    point : mapping
        Every factor of one operating point.
    """
    sends = point["workload"] == "send"
    if sends != (course == "backlog"):
        return f"workload {point['workload']} in the course {course}: send and backlog go together"
    if sends and point.get("replication", "none") != MIRROR:
        return f"the course backlog without replication {MIRROR}: there would be no backlog"
    return None


def delay_ms(point: Mapping[str, Level]) -> float:
    """Give the round-trip delay that a point adds to its replication link."""
    return float(point.get("replication_link_rtt_ms", 0))


def gbps(point: Mapping[str, Level]) -> float:
    """Give the bandwidth of a point's replication link in 10^9 bit/s; 0: not limited."""
    return float(point.get("replication_link_gbps", 0))
