"""Load drivers: the options of a run's requesters and responders, in the harness's terms."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.campaign import scheduling
from roundtrip.campaign.brokers import Endpoint
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.settable import REQUESTERS

REQUEST_QUEUE, REPLY_QUEUE = "REQUEST", "REPLY"


def driver_commands(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoint: Endpoint
) -> dict[str, list[str]]:
    """Give the command line of every driver of a run, responders first.

    Parameters
    ----------
    harness : Harness
    plan : Plan
    point : mapping
        All factors of the operating point.
    endpoint : Endpoint
        Where the broker is.

    Returns
    -------
    dict of str to list of str
        Name of the process to its command line; none holds a password. Requesters are spread
        over as many processes as the plan says, at most one for each requester.
    """
    commands = {"responder-1": _command(harness, plan, point, endpoint, "responder", 1, 1)}
    processes = min(plan.driver.processes, int(point[REQUESTERS]))
    for number in range(1, processes + 1):
        commands[f"requester-{number}"] = _command(
            harness, plan, point, endpoint, "requester", number, processes
        )
    return commands


def _command(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoint: Endpoint, role: str,
    number: int, processes: int,
) -> list[str]:  # fmt: skip
    everyone = int(point[REQUESTERS] if role == "requester" else point["responders"])
    threads = everyone // processes + (number <= everyone % processes)
    options = [
        "-tc", role, "-id", f"{role}-{number}", "-nt", str(threads),
        "-pc", endpoint.provider, *endpoint.options,
        "-iq", REQUEST_QUEUE, "-oq", REPLY_QUEUE,
        # Until stopped, without a warm-up of its own: the runner decides what is measured.
        "-rl", "0", "-wt", "0", "-ss", f"{plan.interval_seconds:g}",
    ]  # fmt: skip
    pairs = int(point["queue_pairs"])
    if pairs > 1:
        options += ["-db", "1", "-dx", str(pairs), "-dn", str(pairs)]
    if point["reply_queue"] == "own":
        options += ["-dq"]
    if point["syncpoint"] == "inside":
        options += ["-tx"]
    if role == "requester":
        options += [
            "-ms", str(point["message_bytes"]), "-to", f"{plan.driver.reply_timeout_seconds:g}",
            "-mt", plan.driver.payload, "-mc", f"{plan.driver.compressibility:g}",
        ]  # fmt: skip
        if point["delivery"] == "persistent":
            options += ["-pp"]
        if point["reply_queue"] == "shared":
            options += ["-co"]
        if "target_rate" in point:
            options += ["-rt", f"{float(point['target_rate']) * threads / everyone:g}"]
    return scheduling.prefix(str(point["scheduling_class"])) + harness.command(
        "drive", tuple(options), plan.driver.jvm
    )
