"""One run: broker and drivers started, its course followed, everything stopped."""

from __future__ import annotations

import queue
import time

import psutil

from roundtrip.campaign.courses import course_of
from roundtrip.campaign.drivers import REPLY_QUEUE
from roundtrip.campaign.in_hand import RunContext, RunInHand
from roundtrip.campaign.inside import Driver, own_processes, start_driver
from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.machine.guard import Noise
from roundtrip.campaign.machine.sampling import Sampler
from roundtrip.campaign.points import Run
from roundtrip.campaign.preload import DEEP_QUEUE, preload
from roundtrip.campaign.processes import Launch, Message
from roundtrip.campaign.raw import RawFile
from roundtrip.errors import RoundtripError

_ASKING = ("requester", "sender")
"""What the names of drivers begin with that wait for others to answer or to take."""
_LAST_REPLY_SECONDS = 15.0
"""The load driver waits up to 10 s for an overdue reply, then a moment for what is late."""


def execute(
    run: Run, context: RunContext, raw: RawFile, *, attempt: int, order: int, noise: Noise,
    complaint: str | None,
) -> None:  # fmt: skip
    """Carry out one run; everything it sees goes into the raw file.

    Parameters
    ----------
    run : Run
    context : RunContext
    raw : RawFile
        Stays open: the caller names it after the outcome.
    attempt, order : int
        Which attempt at this run; its place in the campaign.
    noise : Noise
        What the machine was like before.
    complaint : str or None
        What was not quiet about it.

    Raises
    ------
    BrokerError
        If the broker does not start.
    RefusedError
        If the drivers cannot connect to it.
    RunFailedError
        If the run broke off. In every case nothing is left running.
    """
    course = course_of(context.plan)
    asked = str(run.factors["scheduling_class"])
    raw.record(
        "runner", event="run", key=run.key, factors=run.factors, repetition=run.repetition,
        attempt=attempt, order=order, noise=noise.content(), complaint=complaint,
        processors=psutil.cpu_count() or 1, scheduling_class=scheduling.effective(asked),
        course=context.plan.course, broker=context.broker.name, restarted=context.broker.restarts,
    )  # fmt: skip
    inbox: queue.Queue[Message] = queue.Queue()
    drivers: list[Driver] = []
    with scheduling.runner_in_front(asked):
        try:
            endpoints = context.broker.start(run.factors, raw, inbox)
            context.started(context.broker.processes())
            raw.record("runner", event="broker", effective=context.broker.effective())
            preload(
                context.harness, context.plan, run.factors, endpoints.requesters, raw,
                destination=DEEP_QUEUE if "background_load" in run.factors else REPLY_QUEUE,
                messages=int(run.factors.get("preloaded_messages", 0)),
                started=lambda own: context.started({**context.broker.processes(), **own}),
            )  # fmt: skip
            launches = course.drivers(context.harness, context.plan, run.factors, endpoints)

            sampler = Sampler(raw, context.broker.processes())

            def start(name: str, launch: Launch) -> None:
                drivers.append(start_driver(name, launch, inbox, raw))
                for started, pid in own_processes(drivers[-1:]).items():
                    sampler.watch(started, pid)
                context.started({**context.broker.processes(), **own_processes(drivers)})

            for name, launch in launches.items():
                start(name, launch)
            with sampler:
                course.follow(
                    RunInHand(
                        context, run.factors, raw, inbox, drivers, endpoints=endpoints, start=start
                    )
                )
            _end(drivers)
        except RoundtripError as problem:
            raw.record("runner", event="failed", reason=problem.what)
            raise
        finally:
            for process in reversed(drivers):
                process.stop()
            context.broker.stop()
            context.started({})
    raw.check()


def _end(drivers: list[Driver]) -> None:
    """Have all drivers end: what asks before what answers, so that no last request lacks a reply.

    A requester whose responder is gone waits for its reply until it is overdue, and is then killed
    before it has said what it has counted.
    """
    asking = [driver for driver in drivers if driver.source.startswith(_ASKING)]
    for driver in asking:
        driver.ask_to_stop()
    end = time.monotonic() + _LAST_REPLY_SECONDS
    for driver in asking:
        driver.wait(max(0.0, end - time.monotonic()))
    for driver in reversed(drivers):
        driver.ask_to_stop()
