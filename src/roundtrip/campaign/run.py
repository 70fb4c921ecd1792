"""One run: broker and drivers started, warmed up until steady, measured, stopped."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import psutil

from roundtrip.campaign import scheduling
from roundtrip.campaign.brokers import Broker, broker_error
from roundtrip.campaign.drivers import driver_commands
from roundtrip.campaign.guard import Noise
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.points import Run
from roundtrip.campaign.processes import Ended, Message, Process, last_lines
from roundtrip.campaign.raw import RawFile, RawLine
from roundtrip.campaign.sampling import Sampler
from roundtrip.errors import RoundtripError

FIRST_INTERVAL_SECONDS = 60.0


class RunFailedError(RoundtripError):
    """A run broke off: a driver or the broker died, or nothing was measured."""


class RefusedError(RoundtripError):
    """A driver gave up before anything was measured: trying again would change nothing.

    The broker cannot be reached, or it refuses user, password or TLS.
    """


@dataclass
class _Intervals:
    """Intervals of all requester processes, as they arrive."""

    processes: list[str]
    rates: dict[str, list[float]] = field(default_factory=dict)
    ends: dict[str, list[float]] = field(default_factory=dict)

    def add(self, line: RawLine) -> None:
        record = line.record or {}
        self.rates.setdefault(line.source, []).append(float(record["rate"]))
        self.ends.setdefault(line.source, []).append(float(record["t_ms"]))

    @property
    def count(self) -> int:
        """How many intervals every process has reported."""
        return min(len(self.rates.get(name, ())) for name in self.processes)

    def together(self) -> list[float]:
        """Give the rate of all processes together, interval by interval."""
        series = [self.rates[name][: self.count] for name in self.processes]
        return [sum(rates) for rates in zip(*series, strict=True)]

    def end_of(self, index: int) -> float:
        """Give when the last process ended an interval, in milliseconds since 1970."""
        return max(self.ends[name][index] for name in self.processes)


@dataclass
class RunContext:
    """What every run of a campaign needs.

    Attributes
    ----------
    harness : Harness
    plan : Plan
    broker : Broker
    started : callable
        Is told the processes that were started, by name, so that they can be found again.
    say : callable
        Is told what the run is doing.
    """

    harness: Harness
    plan: Plan
    broker: Broker
    started: Callable[[dict[str, int]], None]
    say: Callable[[str], None]


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
    asked = str(run.factors["scheduling_class"])
    raw.record(
        "runner", event="run", key=run.key, factors=run.factors, repetition=run.repetition,
        attempt=attempt, order=order, noise=noise.content(), complaint=complaint,
        processors=psutil.cpu_count() or 1, scheduling_class=scheduling.effective(asked),
        broker=context.broker.name, restarted=context.broker.restarts,
    )  # fmt: skip
    inbox: queue.Queue[Message] = queue.Queue()
    drivers: list[Process] = []
    with scheduling.runner_in_front(asked):
        try:
            endpoint = context.broker.start(run.factors, raw, inbox)
            context.started(context.broker.processes())
            raw.record("runner", event="broker", effective=context.broker.effective())
            commands = driver_commands(context.harness, context.plan, run.factors, endpoint)
            for name, command in commands.items():
                drivers.append(Process(name, command, inbox, raw))
                context.started({**context.broker.processes(), **_pids(drivers)})
            requesters = [name for name in commands if name.startswith("requester")]
            with Sampler(raw, {**context.broker.processes(), **_pids(drivers)}):
                _measure(requesters, context, raw, inbox, drivers)
            # Requesters first: a responder that goes before them would cost them replies.
            for process in reversed(drivers):
                process.ask_to_stop()
        except RoundtripError as problem:
            raw.record("runner", event="failed", reason=problem.what)
            raise
        finally:
            for process in reversed(drivers):
                process.stop()
            context.broker.stop()
            context.started({})
    raw.check()


def _pids(processes: list[Process]) -> dict[str, int]:
    return {process.source: process.pid for process in processes}


def _measure(
    requesters: list[str],
    context: RunContext,
    raw: RawFile,
    inbox: queue.Queue[Message],
    drivers: list[Process],
) -> None:
    """Wait until the run is steady, then for the measured part; say in the raw file which it is."""
    plan, warm_up = context.plan, context.plan.warm_up
    seen = _Intervals(requesters)
    patience = max(10.0, 5 * plan.interval_seconds, 2 * plan.driver.reply_timeout_seconds)
    deadline = time.monotonic() + FIRST_INTERVAL_SECONDS
    begin: float | None = None
    first = 0
    errors: dict[str, list[str]] = {}
    context.say("warming up")
    while True:
        message = _next(inbox, deadline, context, raw, drivers, errors, bool(seen.rates))
        if message.event != "interval" or message.source not in requesters:
            continue
        deadline = time.monotonic() + patience
        before = seen.count
        seen.add(message)
        if seen.count == before:
            continue
        elapsed = seen.count * plan.interval_seconds
        if begin is None:
            steady = elapsed >= warm_up.least_seconds and warm_up.rule.holds(seen.together())
            if steady or elapsed >= warm_up.most_seconds:
                begin, first = seen.end_of(seen.count - 1), seen.count
                raw.record(
                    "runner", event="measure", from_ms=begin, steady=steady, warm_up_s=elapsed
                )
                context.say("measuring")
        elif seen.end_of(seen.count - 1) - begin >= (plan.measure_seconds - 0.05) * 1000:
            end = seen.end_of(seen.count - 1)
            raw.record("runner", event="finished", from_ms=begin, to_ms=end)
            if sum(seen.together()[first:]) <= 0:
                raise RunFailedError("no round trip was completed in the measured part")
            return


def _next(
    inbox: queue.Queue[Message],
    deadline: float,
    context: RunContext,
    raw: RawFile,
    drivers: list[Process],
    errors: dict[str, list[str]],
    measuring: bool,
) -> RawLine:
    """Give the next line of a process, or raise when one has ended or none has anything to say."""
    while True:
        raw.check()
        try:
            message = inbox.get(timeout=0.5)
        except queue.Empty:
            if time.monotonic() > deadline:
                raise _explained(
                    RunFailedError, "the drivers have nothing to report", context
                ) from None
            continue
        if isinstance(message, Ended):
            what = f"{message.source} ended with status {message.status}"
            # What a driver complains of arrives before its end, what it writes may come after.
            reasons = [*errors.get(message.source, ()), *last_lines(drivers, message.source)]
            kind = RefusedError if message.status > 0 and not measuring else RunFailedError
            raise _explained(kind, ": ".join([what, *reasons[-1:]]), context)
        if message.event == "error":
            record = message.record or {}
            code = f" (reason code {record['mq_reason']})" if record.get("mq_reason") else ""
            errors.setdefault(message.source, []).append(f"{record.get('reason', '')}{code}")
            continue  # a lost connection is made again, and counted
        return message


def _explained(kind: type[RoundtripError], what: str, context: RunContext) -> RoundtripError:
    """Explain a failure with what the broker wrote last."""
    text = broker_error(what, context.broker.log_tail()).what
    remedy = (
        "see that the broker listens at this address, and that user, password and TLS settings "
        "are what it expects (ROUNDTRIP_USER, ROUNDTRIP_PASSWORD, the URL's parameters)"
    )
    return kind(text, remedy=remedy if kind is RefusedError else None)
