"""The test bench: what is set up for one run, and taken down after it in reverse order.

Brokers and links are services: processes of the harness that serve until they are stopped.
"""

from __future__ import annotations

import json
import queue
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtrip.campaign.harness import Harness
from roundtrip.campaign.leftovers import CleanupNote
from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.machine.network import HOST
from roundtrip.campaign.plan import Plan, Point
from roundtrip.campaign.processes import (
    BrokerError,
    Ended,
    Launch,
    Message,
    Place,
    Process,
    broker_error,
    ending,
    hear,
    reasons_in,
    start_process,
)
from roundtrip.campaign.products import configuration_of, product_of
from roundtrip.campaign.raw import RawFile, RawLine
from roundtrip.files import disk_errors
from roundtrip.secrets import without_secrets

_START_SECONDS = 60.0
_LOG_LINES = 12


class Service:
    """A process of the harness that says when it is ready, and then serves until it is stopped.

    One that does not become ready is refused, with the reason and the last lines of its log.

    Parameters
    ----------
    what : str
        What people call it.
    inbox : queue.Queue
        Gets what it says after it is ready: from then on its end belongs to the run.
    log : Path, optional
        Where it keeps a log until it says otherwise.

    Attributes
    ----------
    ready : dict
        What it said when it was ready.
    """

    def __init__(
        self, name: str, what: str, launch: Launch, raw: RawFile, inbox: queue.Queue[Message], *,
        log: Path | None = None,
    ) -> None:  # fmt: skip
        self.name, self.what, self._log = name, what, log
        self.ended_by_us = False
        self._of_run = inbox
        self._inbox = starting = queue.Queue[Message]()
        self._process = start_process(name, launch, self._hear, raw)
        try:
            self.ready = self._await_ready(starting, raw)
        except BaseException:
            self._process.stop()
            raise
        if "log" in self.ready and self.here:
            self._log = Path(str(self.ready["log"]))

    def _hear(self, message: Message) -> None:
        """Take what it says; an end that was wanted is no news."""
        if isinstance(message, Ended) and message.source == self.name and self.ended_by_us:
            return
        self._inbox.put(message)
        if isinstance(message, RawLine) and message.event == "ready":
            self._inbox = self._of_run

    def _await_ready(self, starting: queue.Queue[Message], raw: RawFile) -> dict[str, Any]:
        end = time.monotonic() + _START_SECONDS
        while (message := hear(starting, end, raw)) is not None:
            if isinstance(message, Ended):
                raise self._failure(f"{ending(message.status)} while starting")
            if message.event == "ready":
                return dict(message.record)
            if message.event == "failed":
                reason = message.record.get("reason", "no reason given")
                raise self._failure(f"did not start: {reason}")
        raise self._failure(f"is not ready after {_START_SECONDS:g} s")

    def _failure(self, what: str) -> BrokerError:
        remedy = "mend what it complains of, then run the command again"
        return broker_error(f"the {self.what} {what}", self.log_tail(), remedy)

    @property
    def here(self) -> bool:
        """Whether it runs on this machine."""
        return isinstance(self._process, Process)

    @property
    def process(self) -> Process:
        """The process, which drivers can be started inside where it runs on this machine."""
        if not isinstance(self._process, Process):
            raise BrokerError(f"{self.name} runs on another host")
        return self._process

    @property
    def pid(self) -> int:
        """Its process on this machine."""
        return self.process.pid

    @property
    def effective(self) -> Mapping[str, Any]:
        """What it says is in effect."""
        found = self.ready.get("effective")
        return found if isinstance(found, dict) else {}

    def log_tail(self) -> list[str]:
        """Give the last lines of its log and of its error stream that may tell a reason."""
        lines: list[str] = []
        if self._log is not None:
            with suppress(OSError):
                text = self._log.read_bytes()[-16_384:].decode("utf-8", errors="replace")
                lines = reasons_in(text.splitlines())[-_LOG_LINES:]
        lines += reasons_in(list(self._process.errors))[-_LOG_LINES:]
        return [without_secrets(line) for line in lines[-_LOG_LINES:]]

    def kill(self) -> None:
        """End it at once, without any warning to itself: a failure that a course wants."""
        self.ended_by_us = True
        self._process.send(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it in order."""
        self.ended_by_us = True
        self._process.stop()


@dataclass(frozen=True)
class Confined:
    """Limits in the terms of the command that starts a process; none where all are empty.

    Attributes
    ----------
    prefix : tuple of str
        Commands that hand over to it.
    jvm : tuple of str
        Options of its Java machine, after those of the plan, so that they count.
    groups : tuple of Path
        Control groups that it enters once it has started.
    """

    prefix: tuple[str, ...] = ()
    jvm: tuple[str, ...] = ()
    groups: tuple[Path, ...] = ()


@dataclass
class Bench:
    """Brokers, links and whatever else a run needs.

    Attributes
    ----------
    folder : Path
        Everything that is made as a file is made in it; it is removed at the end.
    inbox : queue.Queue
        Gets what the services say.
    confined : Confined
        What every broker that is started may use of the machine.
    also : dict
        What is in effect beside what the brokers say of themselves.
    alike : bool
        Whether all brokers have one configuration: it is then told once, with their number.
    station : Place or None
        The host that brokers and links run on, None for this machine.
    second : Place or None
        The host of the second broker of a pair or a mirror, None for that of all.
    """

    harness: Harness
    plan: Plan
    folder: Path
    point: Point
    raw: RawFile
    inbox: queue.Queue[Message]
    cleanup: CleanupNote
    brokers: dict[str, Service] = field(default_factory=dict)
    links: dict[str, Service] = field(default_factory=dict)
    confined: Confined = field(default_factory=Confined)
    also: dict[str, Any] = field(default_factory=dict)
    alike: bool = False
    station: Place | None = None
    second: Place | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _undo: ExitStack = field(default_factory=ExitStack)

    @property
    def address(self) -> str:
        """Where brokers and links listen."""
        return HOST if self.station is None else self.station.address

    def start_broker(
        self, name: str = "broker", *, prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None, station: Place | None = None, **changes: Any,
    ) -> Service:  # fmt: skip
        """Start an embedded broker and wait until it is ready.

        Parameters
        ----------
        name : str
            In the raw file; samples of names that begin with ``broker`` count as the broker's.
        prefix : sequence of str
            Commands that hand over to it.
        environment : mapping, optional
            Passwords that its configuration names.
        station : Place, optional
            Another host than that of the others.
        **changes
            Keys of its configuration that differ from what the point alone asks for.
        """
        home = self.folder / name
        station = station or self.station
        if station is not None:
            home = Path(station.folder) / name
        else:
            with self._lock:  # brokers may be started beside each other
                self.cleanup.remove("home", str(home))  # of an earlier broker of the same run
                self.make("home", str(home))
                with disk_errors(home):
                    home.mkdir(parents=True, exist_ok=True)
        config: dict[str, Any] = {
            "name": name,
            "host": HOST if station is None else station.address,
            "port": self.plan.broker.port if name == "broker" else 0,
            "data": str(home / "data"),
            "persistent": self.point["delivery"] == "persistent",
            **configuration_of(self.point, self.plan.broker.journal),
            **({"report_depths_s": 1} if "background_load" in self.point else {}),
            **changes,
        }
        for factor, way in self.plan.set_by.items():
            if way.broker_setting and factor in self.point:
                part, _, key = way.broker_setting.partition(".")
                config[part] = {**config.get(part, {}), key: self.point[factor]}
        harness = self.harness.of_version(self.point.get("product_version"))
        launch = Launch(
            harness.command("broker", (), (*self.plan.broker.jvm, *self.confined.jvm)),
            prefix=[
                *scheduling.prefix(str(self.point["scheduling_class"])),
                *self.confined.prefix,
                *prefix,
            ],
            environment=environment or {},
            first_line=json.dumps(config),
            place=station,
        )
        what = f"embedded {product_of(self.point).name}{'' if name == 'broker' else f' ({name})'}"
        log = home / "broker.log" if station is None else None
        service = Service(name, what, launch, self.raw, self.inbox, log=log)
        self.brokers[name] = service
        self.later(service.stop)
        return service

    def start_link(
        self, name: str, port: int, *, delay_ms: float, rate_mbit: float, probe_port: int,
        to: str | None = None,
    ) -> int:  # fmt: skip
        """Start a link that delays or limits what goes to a port; give the port to use instead.

        Parameters
        ----------
        name : str
            In the raw file; begins with ``link``.
        delay_ms, rate_mbit : float
            Of each direction, the rate in 10^6 bit/s; 0: no limit.
        probe_port : int
            Where a second port over the same link leads, `ready["probe_port"]` of the service.
        to : str, optional
            Address of the host of both ports, where it is not that of the link.
        """
        to = to or self.address
        options = ["--host", self.address, "--to", f"{to}:{port}", "--delay-ms", f"{delay_ms:g}"]
        options += ["--rate-mbit", f"{rate_mbit:g}", "-ss", "0.25"]
        options += ["--probe-to", f"{to}:{probe_port}"]
        # Eight times what is on the way: the proxy gives a quarter of its heap to each direction,
        # and buffers are seldom full.
        heap_mb = max(128, round(delay_ms * rate_mbit / 1000))
        launch = Launch(
            self.harness.command("proxy", tuple(options), (f"-Xmx{heap_mb}m",)),
            prefix=scheduling.prefix(str(self.point["scheduling_class"])),
            place=self.station,
        )
        service = Service(name, f"link {name}", launch, self.raw, self.inbox)
        self.links[name] = service
        self.later(service.stop)
        return int(service.ready["port"])

    def make(self, kind: str, name: str) -> None:
        """Note a thing that is about to be made, to be removed when the bench is taken down.

        Its kind is a key of `roundtrip.campaign.leftovers.REMOVERS`.
        """
        with self._lock:
            self.cleanup.add(kind, name)
            self.later(lambda: self.cleanup.remove(kind, name))

    def later(self, undo: Callable[[], object]) -> None:
        """Have something undone when the bench is taken down, last made first."""
        self._undo.callback(undo)

    def processes(self) -> dict[str, int]:
        """Give every process of the bench on this machine by name."""
        services = {**self.brokers, **self.links}
        return {name: service.pid for name, service in services.items() if service.here}

    def effective(self) -> dict[str, Any]:
        """Give what every broker says is in effect; of a single one directly."""
        if list(self.brokers) == ["broker"]:
            return {**self.brokers["broker"].effective, **self.also}
        if self.alike:
            first = self.brokers[min(self.brokers)]
            return {**first.effective, "instances": len(self.brokers), **self.also}
        every = {name: dict(service.effective) for name, service in self.brokers.items()}
        return {**every, **self.also}

    def log_tail(self) -> list[str]:
        """Give the last lines of every broker's log."""
        lines = []
        for name, service in self.brokers.items():
            head = "" if name == "broker" else f"{name}: "
            lines += [head + line for line in service.log_tail()]
        return lines

    def take_down(self) -> None:
        """Stop and remove everything."""
        self._undo.close()
