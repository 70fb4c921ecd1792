"""The factors that a campaign can set, and the combinations of them that cannot exist."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.campaign import pairs as of_pairs
from roundtrip.campaign import replication_rules
from roundtrip.campaign.links import clients as links
from roundtrip.campaign.machine import storage
from roundtrip.campaign.plan import Level
from roundtrip.campaign.products import CLASSIC, PRODUCTS, product_of
from roundtrip.campaign.tls import cipher_specs

REQUESTERS = "requesters"

ALLOWED: Mapping[str, tuple[Level, ...] | None] = {
    "product": tuple(product.name for product in PRODUCTS),
    "product_version": None,
    "workload": ("RR-CC", "RR-CB", "RR-BB", "RR-DQ-BB", "send"),
    "api": ("JMS",),
    "delivery": ("nonpersistent", "persistent"),
    "syncpoint": ("inside", "outside"),
    "message_bytes": None,
    REQUESTERS: None,
    "threads_per_client": None,
    "responders": None,
    "channel_pairs": None,
    "queue_pairs": None,
    "queue_managers": None,
    "reply_queue": ("shared", "own"),
    "reply_consumer": ("standing", "for each reply"),
    "target_rate": None,
    "requester_rate": None,
    "round_trips_per_session": None,
    "page_messages": None,
    "preloaded_messages": None,
    "background_load": of_pairs.BACKGROUND,
    "ha": of_pairs.VARIANTS,
    "ha_link_rtt_ms": None,
    "link_encrypted": (False, True),
    "overload_rate": None,
    "later_rate": None,
    "replication": ("none", "mirror"),
    "mirroring": ("asynchronous", "synchronous"),
    "replication_link": ("proxy", "namespaces"),
    "replication_link_rtt_ms": None,
    "replication_link_gbps": None,
    "compression": ("none", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH"),
    "payload": ("json", "random", "file"),
    "link": (links.DIRECT, links.PROXY),
    "link_limit_gbps": None,
    "link_rtt_ms": None,
    "tls_protocol": (cipher_specs.NONE, cipher_specs.TLS_12, cipher_specs.TLS_13),
    "tls_cipher": (cipher_specs.NONE, *cipher_specs.SPECS),
    "tls_key": (cipher_specs.NONE, *cipher_specs.KEYS),
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
    "api", "delivery", "syncpoint", "message_bytes", REQUESTERS, "responders",
    "queue_pairs", "reply_queue", "target_rate", "requester_rate", "round_trips_per_session",
    "threads_per_client", "reply_consumer", "scheduling_class", "compression", "payload",
})  # fmt: skip
"""What drivers alone decide, whichever broker they use; everything else takes brokers, links or
machines that the runner arranges itself."""


_NOTHING: Mapping[str, Level] = {
    "link": links.DIRECT, "link_limit_gbps": 0, "link_rtt_ms": 0, "tls_protocol": cipher_specs.NONE,
    "tls_cipher": cipher_specs.NONE, "tls_key": cipher_specs.NONE, "ha": "none",
    "replication": "none", "queue_managers": 1,
}  # fmt: skip
"""Levels that ask for nothing, so that any broker has them."""


_ARRANGEMENTS: Mapping[str, tuple[str, ...]] = {
    "a pair of brokers": ("ha", "ha_link_rtt_ms", "link_encrypted"),
    "a mirror": (
        "replication", "mirroring", "replication_link", "replication_link_rtt_ms",
        "replication_link_gbps", "overload_rate", "later_rate",
    ),
    "several queue managers": ("queue_managers",),
    "a product or version": ("product", "product_version"),
    "a link or TLS of the clients": (
        "link", "link_limit_gbps", "link_rtt_ms", "tls_protocol", "tls_cipher", "tls_key",
    ),
}  # fmt: skip
"""Arrangements of brokers, each with the factors that only it knows: a point has one of them."""


def _two_arrangements(point: Mapping[str, Level]) -> str | None:
    """Say which two arrangements a point asks for: the second one would be ignored."""
    asked = [
        name
        for name, factors in _ARRANGEMENTS.items()
        if any(point[one] != _NOTHING.get(one) for one in factors if one in point)
    ]
    if point["workload"] not in ("RR-CC", "send"):
        asked.append(f"workload {point['workload']}")
    pair = {"a product or version", f"workload {point['workload']}"}
    if len(asked) > 1 and not set(asked) <= pair:
        return f"{asked[0]} together with {asked[1]}"
    return None


def arranged(point: Mapping[str, Level]) -> list[str]:
    """Name the factors of a point that only the runner's own broker can have.

    Parameters
    ----------
    point : mapping
        Every factor of one operating point.
    """
    return [
        name for name, level in point.items()
        if name not in BY_DRIVERS and level != DEFAULTS.get(name, _NOTHING.get(name))
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
    threads = int(point.get("threads_per_client", 1))
    if threads < 1 or requesters % threads:
        return f"requesters is {requesters}: no multiple of threads_per_client, {threads}"
    if "target_rate" in point and "requester_rate" in point:
        return "target_rate and requester_rate both say how often requesters send"
    if "target_rate" in point and float(point["target_rate"]) <= 0:
        return "target_rate is 0: leave it out for an unrated run"
    if "requester_rate" in point and float(point["requester_rate"]) <= 0:
        return "requester_rate is 0: leave it out for an unrated run"
    if (point["workload"] == "send") != ("overload_rate" in point):
        return "workload send and overload_rate need each other"
    if float(point.get("later_rate", 0)) >= float(point.get("overload_rate", 1)):
        return "later_rate must be below overload_rate"
    return (
        _two_arrangements(point)
        or _impossible_arrangement(point)
        or links.impossible(point)
        or cipher_specs.impossible(point)
        or of_pairs.impossible(point)
        or replication_rules.refusal(point)
    )


def _impossible_arrangement(point: Mapping[str, Level]) -> str | None:
    """Say why no broker can be arranged as a point asks for it."""
    pairs, workload = int(point["queue_pairs"]), point["workload"]
    if workload == "RR-DQ-BB" and point["reply_queue"] == "own":
        return "reply_queue own in RR-DQ-BB: bridges carry the replies of one shared queue"
    if workload == "RR-DQ-BB" and product_of(point) is CLASSIC:
        return f"RR-DQ-BB with {CLASSIC.name}: the bridges are those of Apache Artemis"
    if "channel_pairs" in point and workload != "RR-DQ-BB":
        return f"channel_pairs in {workload}: only RR-DQ-BB has channels between brokers"
    if "product_version" in point and product_of(point) is CLASSIC:
        return f"product_version of {CLASSIC.name}: versions are those of Apache Artemis"
    if workload != "RR-CC" and int(point.get("preloaded_messages", 0)) > 0:
        return "preloaded_messages are put there by a client: workload must be RR-CC"
    if pairs > 1 and int(point.get("preloaded_messages", 0)) > 0:
        return "preloaded_messages lie on one reply queue: queue_pairs must be 1"
    for name in (storage.FACTOR, storage.SYNC):
        if name in point and point["delivery"] == "nonpersistent":
            return f"{name} with non-persistent messages: they have no recovery log"
    managers = int(point.get("queue_managers", 1))
    for name in (REQUESTERS, "responders"):
        if int(point[name]) % managers:
            return f"{name} is {point[name]}: no multiple of queue_managers, {managers}"
    return None
