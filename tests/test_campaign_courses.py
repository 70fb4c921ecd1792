"""Courses in which something falls silent: a run is given up in time, whoever else talks."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from roundtrip.campaign import live_run, run
from roundtrip.campaign.broker_choice import ExternalBroker
from roundtrip.campaign.brokers import BrokerError, Endpoint
from roundtrip.campaign.courses import failover, steady
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.live_run import LiveRun, RefusedError, RunContext, RunFailedError
from roundtrip.campaign.plan import DriverSettings, Plan
from roundtrip.campaign.processes import Ended, Hearing, Message
from roundtrip.campaign.raw import RawFile, RawLine, read_raw
from roundtrip.campaign.settable import DEFAULTS

POINT = {**DEFAULTS, "requesters": 2}
BROKER = ExternalBroker(Endpoint("artemis", ()), "a broker")
PLAN = Plan(
    name="p", profile="smoke", title="T", question="Q", factors={"requesters": (2,)},
    interval_seconds=0.1, driver=DriverSettings(reply_timeout_seconds=0.01),
)  # fmt: skip


class Talking(queue.Queue[Message]):
    """An inbox in which one process after the other has something to say, without an end."""

    def __init__(self, first: Sequence[Message], then: str) -> None:
        super().__init__()
        self._said, self._then = iter(first), then

    def get(self, block: bool = True, timeout: float | None = None) -> Message:
        del block, timeout
        time.sleep(0.001)
        return next(self._said, interval(self._then))


def interval(source: str) -> RawLine:
    record = {"event": "interval", "rate": 9.0, "t_ms": 1000 * time.time()}
    return RawLine(time.time(), source, record)


@pytest.fixture
def raw(tmp_path: Path) -> Iterator[RawFile]:
    file = RawFile(tmp_path, "run")
    yield file
    if file.path.exists():
        file.finish()


def live(raw: RawFile, inbox: queue.Queue[Message], *drivers: str) -> LiveRun:
    """A run with drivers that are asked for nothing."""
    nothing: Any = None
    context = RunContext(nothing, PLAN, BROKER, lambda _: None)
    asked: list[Any] = [
        SimpleNamespace(source=name, errors=[], ask_to_stop=lambda: None) for name in drivers
    ]
    return LiveRun(context, POINT, raw, inbox, asked, nothing, nothing)


def test_a_deadline_holds_while_others_talk(raw: RawFile) -> None:
    talking = live(raw, Talking([], "responder-1"))
    end = time.monotonic() + 0.1
    heard = 0
    while talking.next(end) is not None:
        heard += 1
    assert heard


@pytest.mark.parametrize(
    ("restarts", "words"),
    [(False, "see that the broker listens there"), (True, "such as driver.jvm in the plan or the")],
)
def test_what_refuses_a_connection_is_looked_for_where_it_can_be(
    raw: RawFile, restarts: bool, words: str
) -> None:
    ending = live(raw, Talking([Ended("requester-1", 1)], ""), "requester-1")
    broker: Any = SimpleNamespace(
        restarts=restarts, log_tail=list, where=lambda _: "level 1, tcp://h:1"
    )
    ending.context = replace(ending.context, broker=broker)
    with pytest.raises(RefusedError) as caught:
        ending.next(time.monotonic() + 60)
    assert words in str(caught.value.remedy)
    assert caught.value.where == (None if restarts else "level 1, tcp://h:1")


def test_a_connection_that_a_running_broker_loses_breaks_the_run_off(raw: RawFile) -> None:
    def error(doing: str) -> RawLine:
        record = {"event": "error", "doing": doing, "reason": "Channel disconnected"}
        return RawLine(time.time(), "requester-1", record)

    first = live(raw, Talking([error("requester")], "requester-1"), "requester-1")
    with pytest.raises(RefusedError, match="requester-1 cannot go on: Channel disconnected"):
        first.next(time.monotonic() + 60)
    later = live(raw, Talking([error("requester")], "requester-1"), "requester-1")
    later.measuring = True
    with pytest.raises(RunFailedError, match="cannot go on: Channel disconnected"):
        later.next(time.monotonic() + 60)
    # Whoever cannot connect at first ends, which is told next, with the status that he ends with.
    unheard = [error("connecting"), Ended("requester-1", 1)]
    with pytest.raises(RefusedError, match="ended with status 1: Channel disconnected"):
        live(raw, Talking(unheard, ""), "requester-1").next(time.monotonic() + 60)
    # The embedded one's end is seen, and a failover is about connections that are lost.
    own = live(raw, Talking([error("requester")], "requester-1"), "requester-1")
    own.context = replace(own.context, broker=cast(Any, SimpleNamespace(restarts=True)))
    assert own.next(time.monotonic() + 60) is not None


def test_a_requester_process_that_falls_silent_breaks_the_run_off(
    raw: RawFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steady, "LEAST_PATIENCE_SECONDS", 0.1)
    names = ("requester-1", "requester-2")
    inbox = Talking([interval(name) for name in names], names[0])
    with pytest.raises(RunFailedError, match="nothing to report"):
        steady.follow(live(raw, inbox, *names))


def test_a_requester_process_that_never_reports_breaks_the_run_off(
    raw: RawFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steady, "FIRST_INTERVAL_SECONDS", 0.1)
    inbox = Talking([], "requester-1")
    with pytest.raises(RunFailedError, match="nothing to report"):
        steady.follow(live(raw, inbox, "requester-1", "requester-2"))


def test_a_sender_that_does_not_end_breaks_the_run_off(
    raw: RawFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_run, "_END_SECONDS", 0.1)
    with pytest.raises(RunFailedError, match="sender-1 did not end"):
        failover._drain(live(raw, Talking([], "requester-1"), "sender-1", "receiver-1"))
    monkeypatch.setattr(failover, "LONGEST_SECONDS", 0.1)
    ended = Talking([Ended("sender-1", 0)], "requester-1")
    with pytest.raises(RunFailedError, match="do not come to an end"):
        failover._drain(live(raw, ended, "sender-1", "receiver-1"))


def test_a_set_rate_is_measured_when_the_drivers_have_caught_up() -> None:
    def seen(*behind: int) -> steady.Intervals:
        found = steady.Intervals(["requester-1"])
        for second, due in enumerate(behind):
            record = {"event": "interval", "rate": 100.0, "t_ms": second, "behind": due}
            found.take(RawLine(second, "requester-1", record))
        return found

    assert seen(90, 60, 30, 10).catches_up(3)
    assert not seen(90, 60, 1, 0, 1).catches_up(3)
    assert not seen(10, 50, 90, 130).catches_up(3)  # overload


def test_numbered_messages_may_pause(raw: RawFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failover, "LONGEST_SECONDS", 5.0)

    def receiver(received: int, threads: int = 1) -> RawLine:
        record = {"event": "interval", "received": received, "threads": threads}
        return RawLine(time.time(), "receiver-1", record)

    ended = Ended("sender-1", 0)
    away = [receiver(0, threads=0)] * 40  # it has not connected to the backup yet
    said = [ended, *away, *[receiver(0)] * 20, receiver(7), *[receiver(0)] * 30, receiver(1)]
    inbox = Talking(said, "requester-1")
    failover._drain(live(raw, inbox, "sender-1", "receiver-1"))
    assert inbox.get() == said[-1]  # it ended before this, and after all others


class Preloader:
    """Stands for the process that preloads: it says what a test has it say."""

    says: tuple[Mapping[str, Any], ...] = ()
    words: tuple[str, ...] = ()
    source, pid, errors = "preloader", 0, ("the queue is full",)

    def __init__(self, source: str, launch: Any, tell: Hearing, raw: Any) -> None:
        del raw
        type(self).words = tuple(launch.words)
        self._stopped = threading.Event()
        if self.says:
            for record in self.says:
                tell(RawLine(0, source, dict(record)))
            tell(Ended(source, 0))
        else:
            threading.Thread(target=self._talk, args=(tell,), daemon=True).start()

    def _talk(self, tell: Hearing) -> None:
        while not self._stopped.wait(0.001):
            tell(interval(self.source))

    def stop(self) -> None:
        """End what it says."""
        self._stopped.set()


def preload(raw: RawFile, plan: Plan) -> None:
    point = {**POINT, "payload": "random", "delivery": "persistent", "preloaded_messages": 3,
             "background_load": "none"}  # fmt: skip
    harness = Harness(Path("java"), Path("jar"), Path(), "")
    context = RunContext(harness, plan, BROKER, lambda _: None)
    run.preload(context, point, Endpoint("artemis", ("-url", "tcp://127.0.0.1:1")), raw)


def test_a_broker_that_takes_no_messages_breaks_the_preloading_off(
    raw: RawFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "Process", Preloader)
    monkeypatch.setattr(run, "SECONDS_AT_MOST", 0.1)
    with pytest.raises(BrokerError, match="preloading DEEP takes too long"):
        preload(raw, PLAN)


@pytest.mark.parametrize("compressibility", [None, 0.25])
def test_preloaded_messages_are_those_of_the_run(
    raw: RawFile, monkeypatch: pytest.MonkeyPatch, compressibility: float | None
) -> None:
    told = {"event": "end", "whole_run": {"sent": 3}}
    monkeypatch.setattr(Preloader, "says", (told,))
    monkeypatch.setattr(run, "Process", Preloader)
    settings = DriverSettings(compressibility=compressibility)
    preload(raw, PLAN.model_copy(update={"driver": settings}))
    given = dict(zip(Preloader.words, Preloader.words[1:], strict=False))
    assert (given["-mt"], given["-mg"], given["-d"]) == ("random", "3", "DEEP")
    assert given.get("-mc") == (None if compressibility is None else "0.25")
    assert "-pp" in Preloader.words
    (record,) = (line.record for line in read_raw(raw.finish()))
    assert record == {"event": "preloaded", "queue": "DEEP", "messages": 3}
