"""What ``--broker`` names: the embedded broker, or one that runs already, by its URL."""

from __future__ import annotations

import queue
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from roundtrip.campaign.brokers import (
    Broker,
    BrokerError,
    Endpoint,
    Endpoints,
    holds_secret,
    without_secrets,
)
from roundtrip.campaign.embedded import EmbeddedBrokers
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.made import MadeNote
from roundtrip.campaign.plan import BrokerSettings, Level
from roundtrip.campaign.points import Cell
from roundtrip.campaign.processes import Message
from roundtrip.campaign.raw import RawFile
from roundtrip.campaign.settable import arranged
from roundtrip.errors import ParameterError, nearest

EMBEDDED = "artemis"


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
    ) -> Endpoints:
        """Say where it is."""
        del point, raw, inbox
        return Endpoints.same(self.endpoint)

    def effective(self) -> dict[str, Any]:
        """Say nothing: what the drivers learn from it stands in their own start event."""
        return {}

    def processes(self) -> dict[str, int]:
        """Give nothing: its processes are not ours to read."""
        return {}

    def kill(self, name: str) -> None:
        """Refuse: a broker that was not started here is not killed either."""
        raise BrokerError(f"{name} is not the runner's own: it is not killed")

    def log_tail(self) -> list[str]:
        """Give nothing: its log is elsewhere."""
        return []

    def stop(self) -> None:
        """Leave it running."""


_SCHEMES = {
    "tcp": "artemis", "artemis": "artemis", "classic": "classic", "amqp": "amqp", "amqps": "amqp",
    "ibmmq": "ibmmq",
}  # fmt: skip
_MQ_OPTIONS = {"channel": "-jc", "cipher": "-jl"}
_MQ_PORT = 1414


def broker_of(
    wanted: str, harness: Harness, settings: BrokerSettings, folder: Path, made: MadeNote,
    user: str | None,
    password_file: str | None,
) -> Broker:  # fmt: skip
    """Give the broker that ``--broker`` names.

    Parameters
    ----------
    wanted : str
        ``artemis`` for the embedded one, or the URL of another: ``tcp://host:61616``,
        ``classic://host:61616``,
        ``amqp://host:5672``, ``ibmmq://host:1414/QM1?channel=DEV.APP.SVRCONN&cipher=…``.
    harness : Harness
    settings : BrokerSettings
    folder : Path
        For the embedded broker's data.
    made : MadeNote
        Where it notes what it makes.
    user, password_file : str, optional
        User, and the file that holds the password where ``ROUNDTRIP_PASSWORD`` does not.

    Raises
    ------
    ParameterError
        If it is neither, or the URL holds a user or a password.
    """
    if wanted == EMBEDDED:
        return EmbeddedBrokers(harness, settings, folder, made)
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
    if "@" in parts.netloc or holds_secret(parts.query.replace("&", " ")):
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


def refuse_arranged(broker: Broker, cells: Sequence[Cell]) -> None:
    """Refuse a plan that asks of a broker what only the embedded one can be given.

    Parameters
    ----------
    broker : Broker
    cells : sequence of Cell
        Of the plan.

    Raises
    ------
    ParameterError
        If the broker is somebody else's and a factor needs one that is arranged for it.
    """
    if broker.restarts:
        return
    asked = sorted({name for cell in cells for name in arranged(dict(cell.factors))})
    if asked:
        raise ParameterError(
            f"{', '.join(asked)} can be set for the embedded broker only",
            where=f"--broker {broker.name}",
            remedy="leave these factors out with -p, arrange them in the broker itself, and run "
            "the plan once for each arrangement with its own --output",
        )


def _native_url(url: str) -> str:
    scheme, rest = url.split(":", 1)
    return f"tcp:{rest}" if scheme in ("artemis", "classic") else url


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
