"""The embedded broker: Apache Artemis in a process of the harness, started for every run."""

from __future__ import annotations

import json
import queue
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtrip.campaign import scheduling
from roundtrip.campaign.brokers import BrokerError, Endpoint, broker_error, without_secrets
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.plan import BrokerSettings, Level
from roundtrip.campaign.processes import Ended, Message, Process
from roundtrip.campaign.raw import RawFile
from roundtrip.files import disk_errors

START_SECONDS = 60.0
LOG_LINES = 12


@dataclass
class EmbeddedArtemis:
    """Apache Artemis in a process of the harness, started anew for every run.

    Parameters
    ----------
    harness : Harness
    settings : BrokerSettings
    folder : Path
        Made for the broker's data, and removed after each run.
    """

    harness: Harness
    settings: BrokerSettings
    folder: Path
    name: str = "embedded Apache Artemis"
    restarts: bool = True
    _process: Process | None = None
    _ready: dict[str, Any] = field(default_factory=dict)
    _log: Path | None = None

    def start(
        self, point: Mapping[str, Level], raw: RawFile, inbox: queue.Queue[Message]
    ) -> Endpoint:
        """Start the broker and wait until it is ready.

        Raises
        ------
        BrokerError
            If it does not start; with the reason and the last lines of its log.
        """
        self._ready = {}
        self._clear()
        with disk_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        config = self.configuration(point)
        command = scheduling.prefix(str(point["scheduling_class"])) + self.harness.command(
            "broker", (), self.settings.jvm
        )
        own: queue.Queue[Message] = queue.Queue()
        self._log = self.folder / "broker.log"
        self._process = Process("broker", command, own, raw, first_line=json.dumps(config))
        self._ready = self._await_ready(own, raw)
        self._log = Path(str(self._ready.get("log", self._log)))
        # From here on its end belongs to the run.
        _forward(own, inbox)
        return Endpoint("artemis", ("-url", str(self._ready["url"])))

    def configuration(self, point: Mapping[str, Level]) -> dict[str, Any]:
        """Give the configuration of a point as the harness wants it."""
        return {
            "name": "roundtrip",
            "host": "127.0.0.1",
            "port": self.settings.port,
            "data": str(self.folder / "data"),
            "persistent": point["delivery"] == "persistent",
            "journal": self.settings.journal.model_dump(),
        }

    def _await_ready(self, own: queue.Queue[Message], raw: RawFile) -> dict[str, Any]:
        end = time.monotonic() + START_SECONDS
        while True:
            raw.check()
            try:
                message = own.get(timeout=max(0.0, min(1.0, end - time.monotonic())))
            except queue.Empty:
                if time.monotonic() < end:
                    continue
                raise self._failure(f"is not ready after {START_SECONDS:g} s") from None
            if isinstance(message, Ended):
                raise self._failure(f"ended with status {message.status} while starting")
            if message.event == "ready":
                return dict(message.record or {})
            if message.event == "failed":
                reason = (message.record or {}).get("reason", "no reason given")
                raise self._failure(f"did not start: {reason}")

    def _failure(self, what: str) -> BrokerError:
        return broker_error(f"the {self.name} {what}", self.log_tail())

    def effective(self) -> dict[str, Any]:
        """Give what the running server says of itself."""
        found = self._ready.get("effective")
        return dict(found) if isinstance(found, dict) else {}

    def processes(self) -> dict[str, int]:
        """Give the broker's process."""
        return {} if self._process is None else {"broker": self._process.pid}

    def log_tail(self) -> list[str]:
        """Give the last lines of the log, or of standard error when there is no log."""
        lines: list[str] = []
        if self._log is not None:
            with suppress(OSError):
                text = self._log.read_bytes()[-16_384:].decode("utf-8", errors="replace")
                lines = text.splitlines()[-LOG_LINES:]
        if self._process is not None:
            lines += list(self._process.errors)[-LOG_LINES:]
        return [without_secrets(line) for line in lines[-LOG_LINES:]]

    def stop(self) -> None:
        """Stop the broker and remove its data."""
        if self._process is not None:
            self._process.stop()
            self._process = None
        self._clear()

    def _clear(self) -> None:
        """Remove what the broker has made, and nothing else that may be there."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        with suppress(OSError):
            (self.folder / "broker.log").unlink()
        with suppress(OSError):
            self.folder.rmdir()


def _forward(source: queue.Queue[Message], target: queue.Queue[Message]) -> None:
    """Let later messages of a process arrive in another queue."""

    def move() -> None:
        while True:
            message = source.get()
            target.put(message)
            if isinstance(message, Ended):
                return

    threading.Thread(target=move, daemon=True).start()
