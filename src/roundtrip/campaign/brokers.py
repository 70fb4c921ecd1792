"""The small interface that the runner needs of a broker, whichever it is."""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtrip.campaign.machine.readings import Noise, read_noise
from roundtrip.campaign.manifest import HostEntry
from roundtrip.campaign.plan import Point
from roundtrip.campaign.processes import BrokerError, Driver, Message, Place, Process
from roundtrip.campaign.raw import RawFile, RawLine


@dataclass(frozen=True)
class Endpoint:
    """Where drivers connect to, in their own options.

    Attributes
    ----------
    provider : str
        ``artemis``, ``classic``, ``amqp`` or ``ibmmq``.
    options : tuple of str
        Options of the driver beside ``-pc``; never a password.
    environment : mapping
        Variables of the driver's process, such as passwords of key stores.
    host : Process or None
        The broker's process, where drivers are to run inside it.
    prefix : tuple of str
        Commands that hand over to the driver's process, such as ``taskset``.
    queues : (str, str) or None
        Names of the queues of requests and replies, where they are not the usual ones.
    places : tuple of Place
        The hosts that drivers run on, dealt out in turn; none for this machine.
    """

    provider: str
    options: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    host: Process | None = field(default=None, repr=False)
    prefix: tuple[str, ...] = ()
    queues: tuple[str, str] | None = None
    places: tuple[Place, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Endpoints:
    """Where both sides connect to: the same place, unless the arrangement has two brokers.

    Attributes
    ----------
    requesters, responders : Endpoint
        Of senders and receivers likewise.
    copy : Endpoint or None
        A second broker that holds a copy, where there is one.
    """

    requesters: Endpoint
    responders: Endpoint
    copy: Endpoint | None = None

    @classmethod
    def same(cls, endpoint: Endpoint) -> Endpoints:
        """Let both sides connect to one place."""
        return cls(endpoint, endpoint)


class Broker(ABC):
    """What the runner asks of a broker; unless it says otherwise, one that somebody else runs.

    Attributes
    ----------
    name : str
        For people.
    restarts : bool
        Whether each run gets it started anew.
    elsewhere : bool
        Whether it is reached over a network.
    has_url : bool
        Whether clients connect to it by a URL, which can have options.
    further_seconds : float
        What each run takes on it beside what all brokers take.
    """

    name: str
    restarts: bool = False
    elsewhere: bool = False
    has_url: bool = True
    further_seconds: float = 0

    def hosts(self) -> tuple[HostEntry, ...]:
        """Give the hosts that broker and drivers run on; none where that is this machine alone."""
        return ()

    def noise(self) -> Noise:
        """Look for a moment how quiet it is where broker and drivers are to run."""
        return read_noise()

    def where(self, point: Point) -> str | None:
        """Say where somebody else runs the broker of a point; None where it is the runner's own."""
        del point
        return None

    def unreachable(self, point: Point) -> str | None:
        """Say why nothing listens where `where` says; None where something does."""
        del point
        return None

    @abstractmethod
    def start(self, point: Point, raw: RawFile, inbox: queue.Queue[Message]) -> Endpoints:
        """Start it with the configuration of a point, wait until it is ready, say where it is.

        A `BrokerError` tells why a part does not start, with the last lines of its log.
        """

    def begin_load(  # noqa: B027 - most have nothing to do
        self, drivers: Sequence[Driver], hear: Callable[[float], RawLine | None], raw: RawFile
    ) -> None:
        """Have drivers begin that wait for it; those of this machine do not.

        Parameters
        ----------
        hear : callable
            Gives what processes say next, as `LiveRun.next` does.
        """

    def effective(self) -> dict[str, Any]:
        """Give what is really in effect, as the broker itself says; empty where it cannot."""
        return {}

    def processes(self) -> dict[str, int]:
        """Give the processes to sample, by name."""
        return {}

    def kill(self, name: str) -> None:
        """End one of its processes at once, without a warning: a failure that a course wants."""
        raise BrokerError(f"{name} is not the runner's own: it is not killed")

    def log_tail(self) -> list[str]:
        """Give the last lines of its log, where that can be read."""
        return []

    def confirm(self, raw: RawFile) -> None:  # noqa: B027 - most have nothing to do
        """See, once drivers have ended, that all that was said of the run has come home.

        Raises `RunFailedError` if something may be missing.
        """

    def stop(self) -> None:  # noqa: B027 - most have nothing to do
        """Stop it and remove what it has made."""

    def close(self) -> None:  # noqa: B027 - most have nothing to do
        """End what lives longer than a run, such as logins at other hosts."""
