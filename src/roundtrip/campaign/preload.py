"""Messages that lie on a queue before a run begins: put there by a sender, verified by count."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Mapping

from roundtrip.campaign.brokers import BrokerError, Endpoint
from roundtrip.campaign.drivers import drive
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.processes import Ended, Message, Process, last_lines
from roundtrip.campaign.raw import RawFile

DEEP_QUEUE = "DEEP"
"""Of messages that nobody takes for the round trips."""
SECONDS_AT_MOST = 600.0
_IN_A_TRANSACTION = 500
"""Messages of a commit: the broker confirms each commit, so that what is counted is there."""


def preload(
    harness: Harness, plan: Plan, point: Mapping[str, Level], endpoint: Endpoint, raw: RawFile, *,
    destination: str, messages: int, started: Callable[[dict[str, int]], None],
) -> None:  # fmt: skip
    """Put messages on a queue and wait until the broker has confirmed every one of them.

    They have size, delivery mode and content of the run's own messages, and no correlation
    identifier, so that no requester selects them.

    Parameters
    ----------
    harness : Harness
    plan : Plan
    point : mapping
        All factors of the operating point.
    endpoint : Endpoint
        Where the sender connects to.
    raw : RawFile
        Gets what the sender says, and the runner's record ``preloaded``.
    destination : str
        Name of the queue.
    messages : int
        How many; for 0 nothing is done.
    started : callable
        Is told the sender's process, so that it can be found again.

    Raises
    ------
    BrokerError
        If fewer or more messages were confirmed than were asked for, or it takes ten minutes.
    """
    if not messages:
        return
    options = [
        "-tc", "sender", "-nt", "1", "-d", destination, "-mg", str(messages),
        "-ms", str(point["message_bytes"]), "-mt", plan.driver.payload,
        "-mc", f"{plan.driver.compressibility:g}", "-tx", "-cc", str(_IN_A_TRANSACTION),
        *(["-pp"] if point["delivery"] == "persistent" else []),
    ]  # fmt: skip
    launch = drive(harness, plan, {**point, "syncpoint": "outside"}, endpoint, "preloader", options)
    inbox: queue.Queue[Message] = queue.Queue()
    deadline = time.monotonic() + SECONDS_AT_MOST
    process = Process("preloader", launch, inbox, raw)
    started({process.source: process.pid})
    sent = 0
    try:
        while True:
            raw.check()
            try:
                message = inbox.get(timeout=1)
            except queue.Empty:
                if time.monotonic() < deadline:
                    continue
                raise BrokerError(f"preloading {destination} takes too long") from None
            if isinstance(message, Ended):
                break
            if message.event == "end":
                whole = (message.record or {}).get("whole_run", {})
                sent = int(whole.get("sent", 0)) if isinstance(whole, dict) else 0
    finally:
        process.stop()
    if sent != messages:
        reasons = last_lines([process])
        said = f": {reasons[-1]}" if reasons else ""
        raise BrokerError(
            f"{destination} was to hold {messages} messages and {sent} were confirmed{said}"
        )
    raw.record("runner", event="preloaded", queue=destination, messages=sent)
