"""One run: broker and drivers started, its course followed, everything stopped."""

from __future__ import annotations

import os
import queue
import time
from dataclasses import asdict

import psutil

from roundtrip.campaign.brokers import Endpoint
from roundtrip.campaign.courses import COURSES
from roundtrip.campaign.drivers import Load
from roundtrip.campaign.live_run import LiveRun, RunContext
from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.machine.readings import Noise, Sampler
from roundtrip.campaign.names import DEEP_QUEUE, REPLY_QUEUE
from roundtrip.campaign.plan import Point
from roundtrip.campaign.points import Run
from roundtrip.campaign.processes import (
    BrokerError,
    Driver,
    Ended,
    Launch,
    Message,
    Process,
    hear,
    last_lines,
    start_driver,
)
from roundtrip.campaign.raw import RawFile
from roundtrip.errors import RoundtripError

SECONDS_AT_MOST = 600.0
_IN_A_TRANSACTION = 500
"""Messages of a commit: the broker confirms each commit, so that what is counted is there."""


def preload(context: RunContext, point: Point, endpoint: Endpoint, raw: RawFile) -> None:
    """Put the messages of a point on a queue and wait until the broker has confirmed all of them.

    They have size, delivery mode and content of the run's own messages, and no correlation
    identifier, so that no requester selects them. What the sender says goes into the raw file, with
    the runner's record ``preloaded``.
    """
    messages = int(point.get("preloaded_messages", 0))
    if not messages:
        return
    destination = DEEP_QUEUE if "background_load" in point else REPLY_QUEUE
    load = Load(context.harness, context.plan, point).within("outside")
    options = [
        "-tc", "sender", "-nt", "1", "-d", destination, "-mg", str(messages),
        "-tx", "-cc", str(_IN_A_TRANSACTION), *load.message_options(),
    ]  # fmt: skip
    launch = load.drive(endpoint, "preloader", options)
    inbox: queue.Queue[Message] = queue.Queue()
    process = Process("preloader", launch, inbox.put, raw)
    deadline = time.monotonic() + SECONDS_AT_MOST
    sent = 0
    try:
        while not isinstance(message := hear(inbox, deadline, raw), Ended):
            if message is None:
                raise BrokerError(f"preloading {destination} takes too long")
            if message.event == "end":
                sent = int(message.record["whole_run"]["sent"])
    finally:
        process.stop()
    if sent != messages:
        reasons = last_lines([process])
        said = f": {reasons[-1]}" if reasons else ""
        raise BrokerError(
            f"{destination} was to hold {messages} messages and {sent} were confirmed{said}"
        )
    raw.record("runner", event="preloaded", queue=destination, messages=sent)


def execute(
    run: Run, context: RunContext, raw: RawFile, *, attempt: int, order: int, noise: Noise,
    complaint: str | None,
) -> None:  # fmt: skip
    """Carry out one run; everything it sees goes into the raw file.

    Whatever it raises because the run broke off, nothing is left running.

    Parameters
    ----------
    raw : RawFile
        Stays open: the caller names it after the outcome.
    attempt, order : int
        Which attempt at this run; its place in the campaign.
    complaint : str or None
        What was not quiet about it.
    """
    course = COURSES[context.plan.course]
    asked = str(run.factors["scheduling_class"])
    raw.record(
        "runner", event="run", key=run.key, factors=run.factors, repetition=run.repetition,
        attempt=attempt, order=order, noise=asdict(noise), complaint=complaint,
        processors=psutil.cpu_count() or 1, scheduling_class=scheduling.effective(asked),
        course=context.plan.course, broker=context.broker.name, restarted=context.broker.restarts,
    )  # fmt: skip
    inbox: queue.Queue[Message] = queue.Queue()
    drivers: list[Driver] = []
    with scheduling.runner_in_front(asked):
        try:
            endpoints = context.broker.start(run.factors, raw, inbox)
            raw.record("runner", event="broker", effective=context.broker.effective())
            preload(context, run.factors, endpoints.requesters, raw)
            launches = course.drivers(Load(context.harness, context.plan, run.factors), endpoints)
            # From before the first driver, with which connecting is compared, to after the last
            # interval, whose resources are all counted only then.
            own = {"runner": os.getpid(), **context.broker.processes()}
            with Sampler(raw, own) as sampler:

                def start(name: str, launch: Launch) -> None:
                    drivers.append(start_driver(name, launch, inbox.put, raw))
                    if isinstance(drivers[-1], Process):
                        sampler.watch(name, drivers[-1].pid)

                for name, launch in launches.items():
                    start(name, launch)
                live = LiveRun(context, run.factors, raw, inbox, drivers, endpoints, start)
                context.broker.begin_load(drivers, live.next, raw)
                course.follow(live)
            # What asks before what answers, so that no last request lacks a reply: a requester
            # whose responder is gone waits for its reply until it is overdue.
            live.end("requester", "sender")
            live.end("")
            context.broker.confirm(raw)
        except RoundtripError as problem:
            raw.record("runner", event="failed", reason=problem.what)
            raise
        finally:
            for process in drivers:  # all at once: one whose broker has gone takes its time
                process.ask_to_stop()
            for process in reversed(drivers):
                process.stop()
            context.broker.stop()
    raw.check()
