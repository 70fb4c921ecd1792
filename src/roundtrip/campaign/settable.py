"""The factors that a campaign can set, and the combinations of them that cannot exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roundtrip.campaign.plan import Level, Point
from roundtrip.campaign.products import CLASSIC, PRODUCTS, product_of
from roundtrip.campaign.tls import cipher_specs

REQUESTERS = "requesters"
NONE = cipher_specs.NONE
REPLICATED, SHARED_STORE = "replicated pair", "shared store"
SAME_QUEUE, OTHER_QUEUE = "same queue", "other queue"
MIRROR = "mirror"
FOUND, GIVEN, TMPFS = "as found", "given path", "tmpfs"
DIRECT, PROXY, NAMESPACES = "direct", "proxy", "namespaces"

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
    "background_load": (NONE, SAME_QUEUE, OTHER_QUEUE),
    "ha": (NONE, REPLICATED, SHARED_STORE),
    "ha_link_rtt_ms": None,
    "link_encrypted": (False, True),
    "overload_rate": None,
    "later_rate": None,
    "replication": (NONE, MIRROR),
    "mirroring": ("asynchronous", "synchronous"),
    "replication_link": (PROXY, NAMESPACES),
    "replication_link_rtt_ms": None,
    "replication_link_gbps": None,
    "compression": (NONE, "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH"),
    "payload": ("json", "random", "file"),
    "link": (DIRECT, PROXY),
    "link_limit_gbps": None,
    "link_rtt_ms": None,
    "tls_protocol": (NONE, cipher_specs.TLS_12, cipher_specs.TLS_13),
    "tls_cipher": (NONE, *cipher_specs.SPECS),
    "tls_key": (NONE, *cipher_specs.KEYS),
    "log_file_system": (FOUND, "ext4", "xfs", "btrfs", TMPFS, GIVEN),
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

MOST: Mapping[str, int] = {
    "message_bytes": 2_147_483_631, REQUESTERS: 64 * 100_000, "responders": 100_000,
    "target_rate": 1_000_000_000, "round_trips_per_session": 2_147_483_647,
}  # fmt: skip
"""What load drivers take at most."""

BY_DRIVERS = frozenset({
    "api", "delivery", "syncpoint", "message_bytes", REQUESTERS, "responders",
    "queue_pairs", "reply_queue", "target_rate", "requester_rate", "round_trips_per_session",
    "threads_per_client", "reply_consumer", "scheduling_class", "compression", "payload",
})  # fmt: skip
"""What drivers alone decide, whichever broker they use; everything else takes brokers, links or
machines that the runner arranges itself."""

OF_RUNNING_BROKERS = (
    "product", "product_version", "ha", "replication", "log_file_system", "log_sync", "model",
)  # fmt: skip
"""What somebody can arrange in brokers of his own, one for each level, instead of the runner."""

_NOTHING: Mapping[str, Level] = {
    "link": DIRECT, "link_limit_gbps": 0, "link_rtt_ms": 0, "tls_protocol": NONE,
    "tls_cipher": NONE, "tls_key": NONE, "ha": NONE, "replication": NONE, "queue_managers": 1,
    "preloaded_messages": 0,
}  # fmt: skip
"""Levels that ask for nothing, so that any broker has them."""

_OF_PAIR_LINK = ("ha_link_rtt_ms", "link_encrypted")
_OF_MIRROR = ("mirroring", "replication_link", "replication_link_rtt_ms", "replication_link_gbps")
PAIR, MIRRORED = "a pair of brokers", "a mirror"
ARRANGEMENTS: Mapping[str, tuple[str, ...]] = {
    PAIR: ("ha", *_OF_PAIR_LINK),
    MIRRORED: (
        "replication", *_OF_MIRROR, "overload_rate", "later_rate",
    ),
    "several queue managers": ("queue_managers",),
    "a product or version": ("product", "product_version"),
    "a link or TLS of the clients": (
        "link", "link_limit_gbps", "link_rtt_ms", "tls_protocol", "tls_cipher", "tls_key",
    ),
}  # fmt: skip
"""Arrangements of brokers, each with the factors that only it knows: a point has one of them."""

_WAITING_SHARE = 0.1


def number_of(point: Point, name: str, otherwise: float = 0) -> float:
    """Give a factor of a point as a number, or what holds where the point does not name it."""
    return float(point.get(name, otherwise))


def is_pair(point: Point) -> bool:
    """Say whether a point asks for a broker that another stands by for."""
    return point.get("ha", NONE) != NONE


def gone_at(point: Point) -> float:
    """Give how many messages still under way to a second broker are no backlog.

    No message where senders stop. Where they go on, what they send during the delay of the link
    and a tenth of a second: so much is under way although the link keeps up.
    """
    delay = number_of(point, "replication_link_rtt_ms") / 1000
    return number_of(point, "later_rate") * (_WAITING_SHARE + delay)


def arranged(point: Point) -> list[str]:
    """Name the factors of a point that only the runner's own broker can have."""
    return [
        name for name, level in point.items()
        if name not in BY_DRIVERS and level != DEFAULTS.get(name, _NOTHING.get(name))
    ]  # fmt: skip


def impossible(point: Point) -> str | None:
    """Say why a combination of factors cannot be run, or None when it can."""
    problems = (_of_load, _of_arrangement, _of_broker, _of_links)
    found = next((text for look in problems for text in look(point)), None)
    return found or cipher_specs.impossible(point)


def unsuitable(course: str, point: Point) -> str | None:
    """Say why a course of events cannot be followed at a point, or None."""
    sends = point.get("workload") == "send"
    if course == "failover" and not is_pair(point):
        return "a failover without ha: nothing would take over"
    if course == "background" and "background_load" not in point:
        return "the course background without background_load: use none for no background load"
    if course != "background" and "background_load" in point:
        return f"background_load in the course {course}: only background follows it"
    if sends != (course == "backlog"):
        return (
            f"workload {point.get('workload')} in the course {course}: send and backlog go together"
        )
    if sends and point.get("replication", NONE) != MIRROR:
        return f"the course backlog without replication {MIRROR}: there would be no backlog"
    return None


def _of_load(point: Point) -> Iterator[str]:
    requesters, responders = int(point[REQUESTERS]), int(point["responders"])
    pairs, threads = int(point["queue_pairs"]), int(point.get("threads_per_client", 1))
    if requesters < 1:
        yield "requesters is 0: nobody would send"
    if int(point["message_bytes"]) < 1:
        yield "message_bytes is 0: a reply's content could not be verified"
    for name, most in MOST.items():
        if number_of(point, name) > most:
            yield f"{name} is {point[name]:,}: load drivers take {most:,} at most"
    if pairs > requesters:
        yield f"queue_pairs is {pairs} for {requesters} requesters: pairs would stay idle"
    if pairs > responders:
        yield f"queue_pairs is {pairs} for {responders} responders: requests would stay"
    if pairs > 1 and point["reply_queue"] == "own":
        yield "reply_queue own gives every requester its queue: queue_pairs must be 1"
    if point["scheduling_class"] == "real-time" and point["delivery"] == "persistent":
        yield (
            "scheduling_class real-time with persistent messages: real-time threads hold up the "
            "kernel's writing, so that the disk would not be what is measured"
        )
    if threads < 1 or requesters % threads:
        yield f"requesters is {requesters}: no multiple of threads_per_client, {threads}"
    if "target_rate" in point and "requester_rate" in point:
        yield "target_rate and requester_rate both say how often requesters send"
    for name in ("target_rate", "requester_rate"):
        if number_of(point, name, 1) <= 0:
            yield f"{name} is 0: leave it out for an unrated run"
    if (point["workload"] == "send") != ("overload_rate" in point):
        yield "workload send and overload_rate need each other"
    if number_of(point, "later_rate") >= number_of(point, "overload_rate", 1):
        yield "later_rate must be below overload_rate"


def _of_arrangement(point: Point) -> Iterator[str]:
    """Say which two arrangements a point asks for: the second one would be ignored."""
    asked = [
        name
        for name, factors in ARRANGEMENTS.items()
        if any(point[one] != _NOTHING.get(one) for one in factors if one in point)
    ]
    if point["workload"] not in ("RR-CC", "send"):
        asked.append(f"workload {point['workload']}")
    pair = {"a product or version", f"workload {point['workload']}"}
    if len(asked) > 1 and not set(asked) <= pair:
        yield f"{asked[0]} together with {asked[1]}"


def _of_broker(point: Point) -> Iterator[str]:
    """Say why no broker can be arranged as a point asks for it."""
    workload, persistent = point["workload"], point["delivery"] == "persistent"
    classic = product_of(point) is CLASSIC
    preloaded = number_of(point, "preloaded_messages") > 0
    managers = int(point.get("queue_managers", 1))
    if workload == "RR-DQ-BB" and point["reply_queue"] == "own":
        yield "reply_queue own in RR-DQ-BB: bridges carry the replies of one shared queue"
    if workload == "RR-DQ-BB" and classic:
        yield f"RR-DQ-BB with {CLASSIC.name}: the bridges are those of Apache Artemis"
    if "channel_pairs" in point and workload != "RR-DQ-BB":
        yield f"channel_pairs in {workload}: only RR-DQ-BB has channels between brokers"
    if "product_version" in point and classic:
        yield f"product_version of {CLASSIC.name}: versions are those of Apache Artemis"
    if workload != "RR-CC" and preloaded:
        yield "preloaded_messages are put there by a client: workload must be RR-CC"
    if int(point["queue_pairs"]) > 1 and preloaded:
        yield "preloaded_messages lie on one reply queue: queue_pairs must be 1"
    if "background_load" in point and "preloaded_messages" not in point:
        yield "background_load without preloaded_messages: say 0 for an empty queue"
    for name in ("log_file_system", "log_sync"):
        if name in point and not persistent:
            yield f"{name} with non-persistent messages: they have no recovery log"
    if int(point["queue_pairs"]) > 1 and managers > 1:
        yield "queue_pairs with several queue_managers: each client must find its queue on its own"
    for name in (REQUESTERS, "responders", "threads_per_client"):
        if int(point.get(name, managers)) % managers:
            yield f"{name} is {point[name]}: no multiple of queue_managers, {managers}"
    if is_pair(point) and not persistent:
        yield f"ha {point['ha']} without persistent messages: only a recovery log is protected"
    if is_pair(point) and workload != "RR-CC":
        yield f"ha {point['ha']} in {workload}: clients must be able to reach both brokers"
    if "model" in point and (
        workload != "RR-CC" or is_pair(point) or point.get("replication", NONE) != NONE
    ):
        yield f"model in {workload}: only RR-CC without ha and replication is confined to one"
    if point.get("replication", NONE) == MIRROR and not persistent:
        yield f"replication {MIRROR} with messages that are not persistent: none must be lost"
    if point.get("replication", NONE) == MIRROR:
        # What arrives is counted by queue, and must come from the drivers alone.
        if point["reply_queue"] == "own":
            yield f"replication {MIRROR} with reply_queue own: what arrives is counted by queue"
        if int(point["queue_pairs"]) > 1:
            yield f"replication {MIRROR} with queue_pairs: what arrives is counted on one pair"
        if preloaded:
            yield f"replication {MIRROR} with preloaded_messages: they would count as doubled"


def _of_links(point: Point) -> Iterator[str]:
    if point.get("link", DIRECT) == DIRECT:
        for name in ("link_limit_gbps", "link_rtt_ms"):
            if number_of(point, name):
                yield f"{name} without a link that could do it: link must be {PROXY}"
    variant = point.get("ha", NONE)
    if variant == REPLICATED and "ha_link_rtt_ms" not in point:
        yield f"ha {REPLICATED} without ha_link_rtt_ms: say 0 for the control"
    for name in _OF_PAIR_LINK:
        if name in point and variant != REPLICATED:
            yield f"{name} with ha {variant}: only a {REPLICATED} sends data over a link"
    mirrored = point.get("replication", NONE) == MIRROR
    for name in _OF_MIRROR:
        if name in point and not mirrored:
            yield f"{name} without replication {MIRROR}"
        if name in ("mirroring", "replication_link") and name not in point and mirrored:
            yield f"replication {MIRROR} without {name}"
    if point.get("replication_link") == NAMESPACES and number_of(point, "replication_link_rtt_ms"):
        yield "replication_link namespaces with replication_link_rtt_ms: it cannot delay"
