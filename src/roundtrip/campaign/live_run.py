"""A run whose brokers and drivers are up: what a course of events needs to follow it."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from roundtrip.campaign.brokers import Broker, Endpoints
from roundtrip.campaign.drivers import Load
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.plan import Plan, Point
from roundtrip.campaign.processes import (
    Driver,
    Ended,
    Launch,
    Message,
    broker_error,
    ending,
    hear,
    last_lines,
)
from roundtrip.campaign.raw import RawFile, RawLine
from roundtrip.campaign.tls.encryption import disagreement
from roundtrip.errors import RoundtripError

_END_SECONDS, _END_POLL_SECONDS = 20.0, 0.2


class RunFailedError(RoundtripError):
    """A run broke off: a driver or the broker died, or nothing was measured."""


class RefusedError(RoundtripError):
    """A driver gave up before anything was measured: trying again would change nothing.

    The broker cannot be reached, or it refuses user, password or TLS.
    """


def refused_by(broker: Broker, point: Point, what: str) -> RefusedError:
    """Explain why a broker that runs already is not measured, naming the one of the point."""
    return RefusedError(
        what, where=broker.where(point),
        remedy="see that the broker listens there, and that user, password and TLS settings are "
        "what it expects (ROUNDTRIP_USER, ROUNDTRIP_PASSWORD, the URL's parameters), then run the "
        "command again to resume",
    )  # fmt: skip


@dataclass
class RunContext:
    """What every run of a campaign needs.

    Attributes
    ----------
    say : callable
        Is told what the run is doing.
    """

    harness: Harness
    plan: Plan
    broker: Broker
    say: Callable[[str], None]


@dataclass
class LiveRun:
    """A run whose brokers and drivers are up.

    Attributes
    ----------
    inbox : queue.Queue
        What brokers, links and drivers say.
    start : callable
        Starts one more driver, by name.
    measuring : bool
        Whether a driver has reported anything: before, its end means that it was refused.
    errors : dict
        What each driver complained of.
    measured_rate : float or None
        Round trips per second of the measured part, once it is over.
    """

    context: RunContext
    point: Point
    raw: RawFile
    inbox: queue.Queue[Message]
    drivers: list[Driver]
    endpoints: Endpoints
    start: Callable[[str, Launch], None] = field(repr=False)
    measuring: bool = False
    errors: dict[str, list[str]] = field(default_factory=dict)
    measured_rate: float | None = None
    _leaving: set[str] = field(default_factory=set, repr=False)
    _gone: set[str] = field(default_factory=set, repr=False)

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.context.plan

    @property
    def load(self) -> Load:
        """What its drivers have in common."""
        return Load(self.context.harness, self.plan, self.point)

    @property
    def requesters(self) -> list[str]:
        """Names of the drivers whose round trips are measured."""
        return [one.source for one in self.drivers if one.source.startswith("requester")]

    def next(self, deadline: float) -> RawLine | None:
        """Give the next line of a process; None once the deadline, by `time.monotonic`, has passed.

        It passes also while processes go on talking. Where one has ended unasked, this raises
        `RefusedError` or `RunFailedError`.
        """
        while (message := hear(self.inbox, deadline, self.raw)) is not None:
            if isinstance(message, Ended) and message.source in self._leaving:
                self._gone.add(message.source)
                continue
            if isinstance(message, Ended):
                what = f"{message.source} {ending(message.status)}"
                # What a driver complains of arrives before its end, what it writes may come after.
                reasons = [
                    *self.errors.get(message.source, ()),
                    *last_lines(self.drivers, message.source),
                ]
                refused = message.status > 0 and not self.measuring
                kind = RefusedError if refused else RunFailedError
                raise self.explained(kind, ": ".join([what, *reasons[-1:]]))
            if message.event == "connected":
                other = disagreement(self.point, message.record)
                if other is not None:
                    raise self.explained(RunFailedError, f"{message.source}: {other}")
            if message.event == "begun":
                late_ms = float(message.record["late_ms"])
                if late_ms > 1000 * self.plan.interval_seconds:  # rates are added by interval
                    what = f"{message.source} began {late_ms:g} ms after the agreed time"
                    raise self.explained(RunFailedError, what)
            if message.event == "error":
                record = message.record
                code = f" (reason code {record['mq_reason']})" if record.get("mq_reason") else ""
                reason = f"{record.get('reason', '')}{code}"
                self.errors.setdefault(message.source, []).append(reason)
                if not self.context.broker.restarts and record.get("doing") != "connecting":
                    # Of somebody else's broker only this tells that it has gone.
                    kind = RunFailedError if self.measuring else RefusedError
                    raise self.explained(kind, f"{message.source} cannot go on: {reason}")
                continue  # a lost connection is made again, and counted
            return message
        return None

    def end(self, *kinds: str) -> None:
        """End the drivers whose names begin so, and wait until they have gone."""
        chosen = [driver for driver in self.drivers if driver.source.startswith(kinds)]
        names = {driver.source for driver in chosen}
        self._leaving |= names
        for driver in reversed(chosen):
            driver.ask_to_stop()
        # They wait for overdue replies, then tell what came.
        seconds = _END_SECONDS + 2 * self.plan.driver.reply_timeout_seconds
        deadline = time.monotonic() + seconds
        while not names <= self._gone:
            if time.monotonic() > deadline:
                late = ", ".join(sorted(names - self._gone))
                what = f"{late} did not end within {seconds:.0f} s, so that an account is missing"
                raise self.explained(RunFailedError, what)
            self.next(time.monotonic() + _END_POLL_SECONDS)

    def explained(self, kind: type[RoundtripError], what: str) -> RoundtripError:
        """Explain a failure with what the broker wrote last."""
        broker = self.context.broker
        text = broker_error(what, broker.log_tail()).what
        if kind is not RefusedError:
            return kind(text)
        if not broker.restarts:
            return refused_by(broker, self.point, text)
        return RefusedError(
            text, remedy="mend what it complains of, such as driver.jvm in the plan or the load of "
            "a host in params/hosts.yml, then run the command again",
        )  # fmt: skip
