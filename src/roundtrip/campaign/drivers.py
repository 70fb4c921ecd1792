"""Load drivers: the options of a run's requesters and responders, in the harness's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.payloads import payload_options
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.settable import REQUESTERS

REQUEST_QUEUE, REPLY_QUEUE = "REQUEST", "REPLY"


def round_trip_drivers(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoints: Endpoints
) -> dict[str, Launch]:
    """Say how every driver of a run of requesters and responders is started, responders first.

    Parameters
    ----------
    harness : Harness
    plan : Plan
    point : mapping
        All factors of the operating point.
    endpoints : Endpoints
        Where both sides connect to.

    Returns
    -------
    dict of str to Launch
        By name of the process. Requesters are spread over as many processes as the plan says, at
        most one for each requester.
    """
    responders = int(point["responders"])
    launches = {
        "responder-1": drive(
            harness, plan, point, endpoints.responders, "responder-1",
            ["-tc", "responder", "-nt", str(responders), *_queues(point)],
        )
    }  # fmt: skip
    requesters = int(point[REQUESTERS])
    processes = min(plan.driver.processes, requesters)
    if "threads_per_client" in point:
        processes = requesters // int(point["threads_per_client"])
    for number in range(1, processes + 1):
        threads = requesters // processes + (number <= requesters % processes)
        options = ["-tc", "requester", "-nt", str(threads), *_queues(point)]
        options += message_options(harness, plan, point)
        if point["reply_queue"] == "shared":
            options += ["-co"]
        rate = rate_of_each(point)
        if rate:
            options += ["-rt", f"{rate * threads:g}"]
        if point.get("reply_consumer") == "for each reply":
            options += ["-cr"]
        if "round_trips_per_session" in point:
            options += ["-rs", str(point["round_trips_per_session"])]
        name = f"requester-{number}"
        launches[name] = drive(harness, plan, point, endpoints.requesters, name, options)
    return launches


def rate_of_each(point: Mapping[str, Level]) -> float:
    """Give the rate that each requester is to keep, in round trips/s; 0 where it is not rated."""
    if "target_rate" in point:
        return float(point["target_rate"]) / int(point[REQUESTERS])
    return float(point.get("requester_rate", 0)) / 3600


def queue_names(point: Mapping[str, Level], name: str) -> list[str]:
    """Give the names of all request queues, or all shared reply queues, of a point."""
    pairs = int(point["queue_pairs"])
    return [name] if pairs == 1 else [f"{name}{number}" for number in range(1, pairs + 1)]


def _queues(point: Mapping[str, Level]) -> list[str]:
    options = ["-iq", REQUEST_QUEUE, "-oq", REPLY_QUEUE]
    pairs = int(point["queue_pairs"])
    if pairs > 1:
        options += ["-db", "1", "-dx", str(pairs), "-dn", str(pairs)]
    if point["reply_queue"] == "own":
        options += ["-dq"]
    return options


def message_options(harness: Harness, plan: Plan, point: Mapping[str, Level]) -> list[str]:
    """Give the options that say what messages are like: size, content and delivery mode."""
    options = [
        "-ms", str(point["message_bytes"]), "-to", f"{plan.driver.reply_timeout_seconds:g}",
        *payload_options(harness.root, plan, point),
    ]  # fmt: skip
    return [*options, "-pp"] if point["delivery"] == "persistent" else options


def drive(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoint: Endpoint, name: str,
    options: Sequence[str],
) -> Launch:  # fmt: skip
    """Say how one driver process is started.

    Parameters
    ----------
    harness : Harness
    plan : Plan
    point : mapping
        All factors of the operating point.
    endpoint : Endpoint
        Where it connects to.
    name : str
        In the raw file.
    options : sequence of str
        What it does, beside what all drivers share.
    """
    words = [
        "-id", name, "-pc", endpoint.provider, *endpoint.options, *options,
        # Until stopped, without a warm-up of its own: the runner decides what is measured.
        "-rl", "0", "-wt", "0", "-ss", f"{plan.interval_seconds:g}",
    ]  # fmt: skip
    if point["syncpoint"] == "inside":
        words += ["-tx"]
    # Both ends: what one compresses the other decompresses.
    if "compression" in point:
        words += ["-cm", str(point["compression"]).lower()]
    return Launch(
        harness.command("drive", tuple(words), plan.driver.jvm),
        prefix=[*scheduling.prefix(str(point["scheduling_class"])), *endpoint.prefix],
        environment=endpoint.environment,
        host=endpoint.host,
        words=words,
    )
