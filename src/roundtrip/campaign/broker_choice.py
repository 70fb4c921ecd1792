"""The broker of a campaign: embedded and arranged anew for every run, or one that runs already."""

from __future__ import annotations

import os
import queue
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from roundtrip.campaign.arrangements import arrange
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import Broker, Endpoint, Endpoints
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.leftovers import CLEANUP, CleanupNote
from roundtrip.campaign.machine.network import is_this_machine
from roundtrip.campaign.machine.own_mounts import BROKERS
from roundtrip.campaign.names import MQ_PORT
from roundtrip.campaign.plan import Plan, Point, Setter, written
from roundtrip.campaign.points import Combination
from roundtrip.campaign.processes import Message, Place
from roundtrip.campaign.raw import RawFile
from roundtrip.campaign.settable import arranged
from roundtrip.errors import ParameterError
from roundtrip.secrets import holds_secret, without_secrets


@dataclass
class EmbeddedBrokers(Broker):
    """Brokers in processes of the harness, arranged as a point asks for it.

    Attributes
    ----------
    own : Path
        The project's folder for what campaigns make.
    bench : Bench or None
        Of the run in hand.
    """

    harness: Harness
    plan: Plan
    own: Path
    name: str = "embedded Apache Artemis"
    restarts: bool = True
    bench: Bench | None = None

    def start(self, point: Point, raw: RawFile, inbox: queue.Queue[Message]) -> Endpoints:
        """Start what the point asks for and wait until it is ready."""
        return self.set_up(point, raw, inbox)

    def set_up(
        self, point: Point, raw: RawFile, inbox: queue.Queue[Message],
        station: Place | None = None, second: Place | None = None,
    ) -> Endpoints:  # fmt: skip
        """Put together what the point asks for, on the hosts of a `Bench`."""
        folder = Path(self.plan.broker.journal_path or self.own) / BROKERS
        cleanup = CleanupNote(self.own / CLEANUP)
        self.bench = Bench(
            self.harness, self.plan, folder, point, raw, inbox, cleanup, station=station,
            second=second,
        )  # fmt: skip
        return arrange(self.bench)

    def effective(self) -> dict[str, Any]:
        """Give what the running servers say of themselves."""
        return {} if self.bench is None else self.bench.effective()

    def processes(self) -> dict[str, int]:
        """Give the processes of brokers and links."""
        return {} if self.bench is None else self.bench.processes()

    def kill(self, name: str) -> None:
        """End a broker at once, without a warning."""
        if self.bench is not None:
            self.bench.brokers[name].kill()

    def log_tail(self) -> list[str]:
        """Give the last lines of the brokers' logs."""
        return [] if self.bench is None else self.bench.log_tail()

    def stop(self) -> None:
        """Stop everything and remove its data."""
        if self.bench is not None:
            self.bench.take_down()
            self.bench = None


EMBEDDED = "artemis"
USER_VARIABLE = "ROUNDTRIP_BROKER_USER"
"""Where the load driver looks for the user."""


@dataclass
class ExternalBroker(Broker):
    """A broker that somebody else runs, named by its address: it is neither started nor stopped."""

    endpoint: Endpoint
    name: str
    elsewhere: bool = False

    def __post_init__(self) -> None:
        """Say how clients are told where it is."""
        self.has_url = "-url" in self.endpoint.options

    def start(self, point: Point, raw: RawFile, inbox: queue.Queue[Message]) -> Endpoints:
        """Say where it is."""
        del point, raw, inbox
        return Endpoints.same(self.endpoint)

    def where(self, point: Point) -> str:
        """Give its URL, without what is behind the port."""
        del point
        return self.name.removeprefix(_BROKER_AT)

    def unreachable(self, point: Point) -> str | None:
        """Say why nothing listens at its port; None where something does."""
        parts = urlsplit(self.where(point))
        address = (str(parts.hostname), parts.port or MQ_PORT)
        try:
            socket.create_connection(address, timeout=_PROBE_SECONDS).close()
        except OSError as problem:
            return problem.strerror or str(problem)
        return None


@dataclass
class BrokerOfEachLevel(Broker):
    """Brokers that somebody else runs, one for each level of a factor: runs take turns on them.

    Attributes
    ----------
    factor : str
        What tells them apart, such as ``product_version``.
    brokers : mapping
        Level, as `written`, to its broker.
    """

    factor: str
    brokers: Mapping[str, ExternalBroker]

    def __post_init__(self) -> None:
        """Name them after all of them."""
        places = [one.where({}) for one in self.brokers.values()]
        self.name = f"broker{'s' * (len(places) > 1)} at {' and '.join(places)}"
        self.elsewhere = any(one.elsewhere for one in self.brokers.values())
        self.has_url = all(one.has_url for one in self.brokers.values())

    def start(self, point: Point, raw: RawFile, inbox: queue.Queue[Message]) -> Endpoints:
        """Say where the one of a point's level is."""
        return self._of(point).start(point, raw, inbox)

    def where(self, point: Point) -> str:
        """Give a point's level and the URL of its broker."""
        return f"{self.factor} {written(point[self.factor])}, {self._of(point).where(point)}"

    def unreachable(self, point: Point) -> str | None:
        """Say why nothing listens at the port of a point's broker."""
        return self._of(point).unreachable(point)

    def _of(self, point: Point) -> ExternalBroker:
        return self.brokers[written(point[self.factor])]


_SCHEMES = {
    "tcp": "artemis", "artemis": "artemis", "classic": "classic", "amqp": "amqp", "amqps": "amqp",
    "ibmmq": "ibmmq",
}  # fmt: skip
_URLS = tuple(f"{scheme}://HOST:PORT" for scheme in _SCHEMES)
_MQ_OPTIONS = {"channel": "-jc", "cipher": "-jl"}
_HOST = re.compile(r"[\w.:%-]+")
_BROKER_AT = "broker at "
_PROBE_SECONDS = 5.0


def broker_of(wanted: str | None, harness: Harness, plan: Plan, own: Path) -> Broker:
    """Give the broker that ``--broker`` names, or the plan where the command line does not.

    Parameters
    ----------
    wanted : str or None
        ``artemis`` for the embedded one, or the URL of another: ``tcp://host:61616``,
        ``classic://host:61616``, ``amqp://host:5672``,
        ``ibmmq://host:1414/QM1?channel=DEV.APP.SVRCONN&cipher=…``.
    own : Path
        The project's folder for what campaigns make.

    Raises
    ------
    ParameterError
        If it is neither, the URL holds a user or a password, the plan is about a broker of which
        nobody says where it is, or names a broker for each level and the command line another.
    """
    factor = plan.factor_of_brokers
    file = f"params/campaigns/{plan.name}.yml"
    if factor is not None:
        if wanted is not None:
            raise ParameterError(
                f"the plan names a broker for each level of {factor}", where="--broker",
                remedy=f"leave --broker out, or take {factor} out of set_by in {file}",
            )  # fmt: skip
        urls = plan.set_by[factor].broker_url or {}
        brokers: dict[str, ExternalBroker] = {}
        for level, url in urls.items():
            where = f"{file}: set_by.{factor}.broker_url.{level}"
            broker = external_broker(url, where)
            if same := [one for one, other in brokers.items() if other.endpoint == broker.endpoint]:
                raise ParameterError(
                    f"{factor} {same[0]} and {level} have the same URL, {url}", where=where,
                    remedy="give each level the URL of a broker of its own",
                )  # fmt: skip
            brokers[level] = broker
        brokers = {level: brokers[level] for level in plan.levels_of_brokers}
        if len({broker.elsewhere for broker in brokers.values()}) > 1:
            raise ParameterError(
                "some brokers are on this machine and others are reached over a network, so that a "
                "ratio would be that of broker and network together",
                where=f"{file}: set_by.{factor}.broker_url",
                remedy="have all of them on this machine, or none",
            )
        return BrokerOfEachLevel(factor, brokers)
    if wanted is None and plan.system is not None:
        if plan.system.url is None:
            raise ParameterError(
                f"nothing says where {plan.system.product} is", where=f"{file}: system",
                remedy="give its URL as url there or with --broker",
            )  # fmt: skip
        return external_broker(plan.system.url, f"{file}: system.url")
    if wanted in (None, EMBEDDED):
        return EmbeddedBrokers(harness, plan, own)
    return external_broker(wanted, allowed=(EMBEDDED, *_URLS))


def external_broker(
    wanted: str, where: str = "--broker", allowed: Sequence[str] = _URLS
) -> ExternalBroker:
    """Give the broker that a URL names; see `broker_of`.

    The environment gives the user, and the file that holds the password where
    ``ROUNDTRIP_PASSWORD`` does not.

    Raises
    ------
    ParameterError
        If it is no URL of a broker, or holds a user or a password.
    """
    try:
        parts = urlsplit(wanted)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # such as brackets of an IPv6 address that do not close, or a port 70000
        parts, host, port = urlsplit(""), "", None
    # Clients read options in parameters of the path and in the fragment, too, and decode them.
    behind = unquote(parts._replace(scheme="", netloc="").geturl()).replace("&", " ")
    if "@" in wanted or holds_secret(behind):
        raise ParameterError(
            "the URL holds a user or a password, which every user of this machine could read",
            where=where,
            remedy="set ROUNDTRIP_USER, and ROUNDTRIP_PASSWORD or ROUNDTRIP_PASSWORD_FILE",
        )
    provider = _SCHEMES.get(parts.scheme)
    port = MQ_PORT if port is None and provider == "ibmmq" else port
    if provider is None or not port or not _HOST.fullmatch(host):
        raise ParameterError(
            f"'{without_secrets(wanted)}' is not the URL of a broker", where=where,
            allowed=", ".join(allowed),
        )  # fmt: skip
    # Artemis and Classic call themselves tcp; clients know schemes in lower case.
    scheme = re.sub("artemis|classic", "tcp", parts.scheme)
    url = f"{scheme}:{wanted.partition(':')[2]}"
    options = _mq_options(parts, where) if provider == "ibmmq" else ("-url", url)
    user, password_file = map(os.environ.get, ("ROUNDTRIP_USER", "ROUNDTRIP_PASSWORD_FILE"))
    if user and password_file:
        refuse_unreadable("ROUNDTRIP_PASSWORD_FILE", password_file)
        options += ("-pf", password_file)
    # Every user of the machine can read a command line.
    environment = {USER_VARIABLE: user} if user else {}
    return ExternalBroker(
        Endpoint(provider, options, environment), f"{_BROKER_AT}{parts.scheme}://{parts.netloc}",
        elsewhere=not is_this_machine(host),
    )  # fmt: skip


def refuse_unreadable(variable: str, file: str) -> None:
    """Refuse a file of the environment that cannot be read, before a broker is asked."""
    try:
        Path(file).open("rb").close()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no path"
        raise ParameterError(
            f"the file {file} cannot be read: {reason}", where=variable,
            remedy=f"name a file in {variable} that you may read",
        ) from problem  # fmt: skip


def refuse_arranged(
    broker: Broker, combinations: Sequence[Combination], set_by: Mapping[str, Setter]
) -> None:
    """Refuse a plan that asks of a broker what only the embedded one can be given.

    Parameters
    ----------
    set_by : mapping
        How the plan's own factors are set.

    Raises
    ------
    ParameterError
        If the broker is somebody else's and a factor needs one that is arranged for it.
    """
    if broker.restarts:
        return
    asked = sorted({name for one in combinations for name in not_settable(broker, one, set_by)})
    if asked:
        raise ParameterError(
            f"{', '.join(asked)} can be set for the embedded broker only",
            where=broker.name,
            remedy="leave these factors out with -p, arrange them in the broker itself, and run "
            "the plan once for each arrangement with its own --output",
        )


def not_settable(broker: Broker, combination: Combination, ways: Mapping[str, Setter]) -> list[str]:
    """Name the factors of a combination that a broker which runs already cannot be given."""
    by_drivers = {name for name, way in ways.items() if way.broker_setting is None}
    if not broker.has_url:
        by_drivers = {name for name in by_drivers if ways[name].url_option is None}
    return [name for name in arranged(dict(combination.factors)) if name not in by_drivers]


def _mq_options(parts: SplitResult, where: str) -> tuple[str, ...]:
    query = dict(parse_qsl(parts.query))
    manager = parts.path.strip("/")
    if not manager or "channel" not in query or not query.keys() <= _MQ_OPTIONS.keys():
        raise ParameterError(
            "an ibmmq URL names queue manager and channel, and at most a cipher beside them",
            where=where,
            allowed="ibmmq://HOST:PORT/QUEUE_MANAGER?channel=NAME&cipher=NAME",
        )
    options = ["-jh", str(parts.hostname), "-jp", str(parts.port or MQ_PORT), "-jb", manager]
    for name, flag in _MQ_OPTIONS.items():
        if name in query:
            options += [flag, query[name]]
    return tuple(options)
