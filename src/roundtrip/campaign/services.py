"""Brokers and links: processes of the harness that serve a run until they are stopped."""

from __future__ import annotations

import queue
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtrip.campaign.processes import (
    BrokerError,
    Ended,
    Launch,
    Message,
    Process,
    broker_error,
    hear,
    start_process,
)
from roundtrip.campaign.raw import RawFile
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
        own: queue.Queue[Message] = queue.Queue()
        self._process = start_process(name, launch, own, raw)
        self.ended_by_us = False
        try:
            self.ready = self._await_ready(own, raw)
        except BaseException:
            self._process.stop()
            raise
        if "log" in self.ready and self.here:
            self._log = Path(str(self.ready["log"]))
        self._forward(own, inbox)

    def _await_ready(self, own: queue.Queue[Message], raw: RawFile) -> dict[str, Any]:
        end = time.monotonic() + _START_SECONDS
        while (message := hear(own, end, raw)) is not None:
            if isinstance(message, Ended):
                raise self._failure(f"ended with status {message.status} while starting")
            if message.event == "ready":
                return dict(message.record)
            if message.event == "failed":
                reason = message.record.get("reason", "no reason given")
                raise self._failure(f"did not start: {reason}")
        raise self._failure(f"is not ready after {_START_SECONDS:g} s")

    def _failure(self, what: str) -> BrokerError:
        return broker_error(f"the {self.what} {what}", self.log_tail())

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
        """Give the last lines of its log and of its error stream."""
        lines: list[str] = []
        if self._log is not None:
            with suppress(OSError):
                text = self._log.read_bytes()[-16_384:].decode("utf-8", errors="replace")
                lines = text.splitlines()[-_LOG_LINES:]
        lines += list(self._process.errors)[-_LOG_LINES:]
        return [without_secrets(line) for line in lines[-_LOG_LINES:]]

    def kill(self) -> None:
        """End it at once, without any warning to itself: a failure that a course wants."""
        self.ended_by_us = True
        self._process.send(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it in order."""
        self.ended_by_us = True
        self._process.stop()

    def _forward(self, source: queue.Queue[Message], target: queue.Queue[Message]) -> None:
        """Let later messages arrive in the run's queue; an end that was wanted is no news."""

        def move() -> None:
            while True:
                message = source.get()
                if isinstance(message, Ended) and message.source == self.name:
                    if not self.ended_by_us:
                        target.put(message)
                    return
                target.put(message)

        threading.Thread(target=move, daemon=True).start()
