"""Drivers of a run: in processes of their own, here or on other hosts, or inside a broker's."""

from __future__ import annotations

import json
import queue
import threading
from collections import deque
from collections.abc import Sequence

from roundtrip.campaign.processes import Away, Launch, Message, Process, start_process
from roundtrip.campaign.raw import RawFile


class DriverInside:
    """A driver that a broker's process runs in threads of its own; it is used like a `Process`.

    What it takes of the processors is that of the broker's process: the two cannot be told apart.
    """

    def __init__(self, source: str, host: Process, words: Sequence[str]) -> None:
        self.source = source
        self.errors: deque[str] = deque(maxlen=1)
        self._host = host
        self._ended = threading.Event()
        self._host.guests[source] = self._ended
        self._host.say(json.dumps({"drive": list(words)}))

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._ended.is_set() and self._host.running

    def ask_to_stop(self) -> None:
        """Have it end its work; do not wait."""
        if self.running:
            self._host.say(json.dumps({"stop": self.source}))

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, at most so long."""
        if self._host.running:
            self._ended.wait(seconds)

    def stop(self, seconds: float = 15) -> None:
        """End it."""
        self.ask_to_stop()
        self.wait(seconds)


Driver = Process | DriverInside | Away
"""A driver in a process of its own, here or on another host, or in a broker's."""


def start_driver(source: str, launch: Launch, inbox: queue.Queue[Message], raw: RawFile) -> Driver:
    """Start a driver where its launch says.

    A broker's process passes on what its drivers say with its own lines.
    """
    if launch.host is not None:
        return DriverInside(source, launch.host, launch.words)
    return start_process(source, launch, inbox, raw)


def own_processes(drivers: list[Driver]) -> dict[str, int]:
    """Give the processes on this machine of drivers that have one of their own, by name."""
    return {driver.source: driver.pid for driver in drivers if isinstance(driver, Process)}


def last_lines(drivers: Sequence[Driver], source: str | None = None) -> list[str]:
    """Give what drivers, or one of them, last wrote to their error streams."""
    return [
        line
        for driver in drivers
        if source in (None, driver.source)
        for line in list(driver.errors)[-5:]
    ]
