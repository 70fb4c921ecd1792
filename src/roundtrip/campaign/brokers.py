"""Brokers behind one small interface: the embedded one, and any that runs already."""

from __future__ import annotations

import json
import queue
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from roundtrip.campaign import scheduling
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.plan import BrokerSettings, Level
from roundtrip.campaign.processes import Ended, Message, Process
from roundtrip.campaign.raw import RawFile, RawLine
from roundtrip.errors import ParameterError, RoundtripError, nearest
from roundtrip.files import disk_errors

START_SECONDS = 60.0
LOG_LINES = 12
EMBEDDED = "artemis"
_SECRET = re.compile(r"(?i)(password|passwd|secret|token)[^=\s]*\s*[=:]\s*\S+")


class BrokerError(RoundtripError):
    """A broker does not start, or has gone."""


@dataclass(frozen=True)
class Endpoint:
    """Where drivers connect to, in their own options.

    Attributes
    ----------
    provider : str
        ``artemis``, ``amqp`` or ``ibmmq``.
    options : tuple of str
        Options of the driver beside ``-pc``; never a password.
    """

    provider: str
    options: tuple[str, ...]


class Broker(Protocol):
    """What the runner asks of a broker.

    Attributes
    ----------
    name : str
        For people.
    restarts : bool
        Whether each run gets it started anew.
    """

    name: str
    restarts: bool

    def start(
        self, point: Mapping[str, Level], raw: RawFile, inbox: queue.Queue[Message]
    ) -> Endpoint:
        """Start it with the configuration of a point and say where it is."""

    def effective(self) -> dict[str, Any]:
        """Give what is really in effect, as the broker itself says."""

    def processes(self) -> dict[str, int]:
        """Give the processes to sample, by name."""

    def log_tail(self) -> list[str]:
        """Give the last lines of its log, where that can be read."""

    def stop(self) -> None:
        """Stop it and remove what it has made."""


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


@dataclass
class ExternalBroker:
    """A broker that somebody else runs: it is neither started nor stopped.

    Parameters
    ----------
    endpoint : Endpoint
    name : str
        Its address without anything secret.
    """

    endpoint: Endpoint
    name: str
    restarts: bool = False

    def start(
        self, point: Mapping[str, Level], raw: RawFile, inbox: queue.Queue[Message]
    ) -> Endpoint:
        """Say where it is."""
        del point, raw, inbox
        return self.endpoint

    def effective(self) -> dict[str, Any]:
        """Say nothing: what the drivers learn from it stands in their own start event."""
        return {}

    def processes(self) -> dict[str, int]:
        """Give nothing: its processes are not ours to read."""
        return {}

    def log_tail(self) -> list[str]:
        """Give nothing: its log is elsewhere."""
        return []

    def stop(self) -> None:
        """Leave it running."""


_SCHEMES = {
    "tcp": "artemis", "artemis": "artemis", "amqp": "amqp", "amqps": "amqp", "ibmmq": "ibmmq",
}  # fmt: skip
_MQ_OPTIONS = {"channel": "-jc", "cipher": "-jl"}
_MQ_PORT = 1414


def broker_of(
    wanted: str, harness: Harness, settings: BrokerSettings, folder: Path, user: str | None,
    password_file: str | None,
) -> Broker:  # fmt: skip
    """Give the broker that ``--broker`` names.

    Parameters
    ----------
    wanted : str
        ``artemis`` for the embedded one, or the URL of another: ``tcp://host:61616``,
        ``amqp://host:5672``, ``ibmmq://host:1414/QM1?channel=DEV.APP.SVRCONN&cipher=…``.
    harness : Harness
    settings : BrokerSettings
    folder : Path
        For the embedded broker's data.
    user, password_file : str, optional
        User, and the file that holds the password where ``ROUNDTRIP_PASSWORD`` does not.

    Raises
    ------
    ParameterError
        If it is neither, or the URL holds a user or a password.
    """
    if wanted == EMBEDDED:
        return EmbeddedArtemis(harness, settings, folder)
    parts = urlsplit(wanted)
    if not parts.scheme or not parts.hostname:
        known = [EMBEDDED, *(f"{scheme}://HOST:PORT" for scheme in _SCHEMES)]
        raise ParameterError(
            f"unknown broker '{without_secrets(wanted)}'{nearest(wanted, [EMBEDDED])}",
            where="--broker", allowed=", ".join(known),
        )  # fmt: skip
    if parts.scheme not in _SCHEMES:
        raise ParameterError(
            f"unknown scheme '{parts.scheme}'{nearest(parts.scheme, _SCHEMES)}",
            where="--broker", allowed=", ".join(_SCHEMES),
        )  # fmt: skip
    if "@" in parts.netloc or _SECRET.search(parts.query.replace("&", " ")):
        raise ParameterError(
            "the URL holds a user or a password, which every user of this machine could read",
            where="--broker",
            remedy="set ROUNDTRIP_USER, and ROUNDTRIP_PASSWORD or ROUNDTRIP_PASSWORD_FILE",
        )
    provider = _SCHEMES[parts.scheme]
    options = _mq_options(wanted) if provider == "ibmmq" else ("-url", _native_url(wanted))
    if user:
        options += ("-us", user)
        if password_file:
            options += ("-pf", password_file)
    return ExternalBroker(Endpoint(provider, options), f"broker at {parts.scheme}://{parts.netloc}")


def _native_url(url: str) -> str:
    return "tcp" + url.removeprefix("artemis") if url.startswith("artemis:") else url


def _mq_options(url: str) -> tuple[str, ...]:
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    unknown = sorted(set(query) - set(_MQ_OPTIONS))
    if unknown:
        raise ParameterError(
            f"unknown part '{unknown[0]}' of an ibmmq URL{nearest(unknown[0], _MQ_OPTIONS)}",
            where="--broker", allowed=", ".join(_MQ_OPTIONS),
        )  # fmt: skip
    manager = parts.path.strip("/")
    if not manager or "channel" not in query:
        raise ParameterError(
            "an ibmmq URL names queue manager and channel",
            where="--broker",
            allowed="ibmmq://HOST:PORT/QUEUE_MANAGER?channel=NAME&cipher=NAME",
        )
    options = ["-jh", str(parts.hostname), "-jp", str(parts.port or _MQ_PORT), "-jb", manager]
    for name, flag in _MQ_OPTIONS.items():
        if name in query:
            options += [flag, query[name]]
    return tuple(options)


def broker_error(what: str, log: Sequence[str]) -> BrokerError:
    """Make an error that shows the last lines of a broker's log."""
    shown = "".join(f"\n    {line}" for line in log)
    return BrokerError(f"{what}; the last lines of its log:{shown}" if log else what)


def without_secrets(text: str) -> str:
    """Blank what looks like a password."""
    text = re.sub(r"//[^/@\s]*@", "//…@", text)
    return _SECRET.sub(lambda found: f"{found[1]}=…", text)


def _forward(source: queue.Queue[Message], target: queue.Queue[Message]) -> None:
    """Let later messages of a process arrive in another queue."""
    import threading

    def move() -> None:
        while True:
            message = source.get()
            target.put(message)
            if isinstance(message, Ended):
                return

    threading.Thread(target=move, daemon=True).start()


__all__ = [
    "EMBEDDED", "Broker", "BrokerError", "EmbeddedArtemis", "Endpoint", "ExternalBroker",
    "RawLine", "broker_error", "broker_of", "without_secrets",
]  # fmt: skip
