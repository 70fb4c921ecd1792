"""What a user wants to run: a workload file, checked before anything is computed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, field_validator

from roundtrip.dictionary import RATE
from roundtrip.errors import ParameterError, unknown
from roundtrip.observations import Observations
from roundtrip.params.edition import Line
from roundtrip.project import Project
from roundtrip.secrets import refuse_secrets
from roundtrip.yamlfile import Strict, load_model, place_in

WORKLOAD_NAME = re.compile(r"^[a-z0-9]+(?:-[a-z0-9]+)*$")
OFF = "none"
ANY = "any"
CROSSINGS = {"RR-CC": 2, "RR-CB": 1, "RR-BB": 0, "RR-DQ-BB": 1, "client/server": 1}
"""Workloads of round trips, and how often the messages of one cross a link in each direction.

A client sends its message to the queue manager, which sends on what another client takes. With
distributed queuing request and reply cross between queue managers, in opposite directions.
"""
_LARGEST = 100 * 1024 * 1024

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(gt=0, le=1)]


class _Exact(Strict):
    """A part of a workload: no text is taken for a number."""

    model_config = ConfigDict(strict=True)


class Messages(_Exact):
    """Messages of one size."""

    bytes: int = Field(ge=1, le=_LARGEST)  # of the payload, of request and reply alike
    share: Share = 1.0  # part of all round trips that have it


class Link(_Exact):
    """A link to a replica."""

    rtt_ms: NotNegative = 0.0  # round-trip time of the link, in milliseconds
    gbps: Positive | None = None  # bandwidth of each direction in Gb/s; None where it is no limit


class Log(_Exact):
    """The storage of the recovery log."""

    write_ms: NotNegative = 0.0  # what a write takes longer than in the sources, in milliseconds
    mb_per_second: Positive | None = None  # at most, 1 MB = 1000000 B; None where it is no limit
    writes: Positive = 4.0  # that a round trip waits for, one after the other


WITHOUT: Mapping[str, str] = {
    "rate_in_two_years": "the same as now", "syncpoint": "as in each source",
    "cores": "as in each source", "client_gbps": "no limit", "gbps": "no limit",
    "mb_per_second": "no limit", "response_ms": "none required",
}  # fmt: skip
"""What holds where a key has no value, in words."""


class Workload(_Exact):
    """A workload, and the machine that it is to run on.

    Attributes
    ----------
    title : str
        What it is, in a few words.
    messages : tuple of Messages
        Sizes and their shares, which add up to 1.
    rate, rate_in_two_years : float
        Round trips/s; later the same as now unless it is given.
    workload : str
        Where requesters and responders run, by the names of `CROSSINGS`.
    delivery : str
        Delivery mode.
    syncpoint : str or None
        Whether puts and gets belong to a unit of work.
    tls : str
        CipherSpec of the channels, or ``none``.
    compression : str
        Compression of the channels, or ``none``.
    ha, replication : str
        Technique of high availability, and of replication to another site: its name, ``any``, or
        ``none``.
    ha_link, replication_link : Link
        The links that they need.
    client_gbps : float or None
        Bandwidth of each direction between applications and queue manager; None for no limit.
    log : Log
        The storage of the recovery log.
    cores : int or None
        Processor cores; None for those of each machine that was measured.
    core_speed : float
        What one of them does, in cores of the machine that was measured.
    connections : int
        Requesters at work at a time.
    target_utilisation : float
        Share of the highest rate that is to be used at most.
    response_ms : float or None
        Response time that is asked for, in milliseconds.
    """

    title: Line = "Unnamed workload"
    # A list of YAML becomes a tuple; its entries stay strict.
    messages: tuple[Messages, ...] = Field(min_length=1, strict=False)
    rate: Positive
    rate_in_two_years: Positive | None = None
    workload: Line = "RR-CC"
    delivery: Line = "persistent"
    syncpoint: Line | None = None
    tls: Line = OFF
    compression: Line = OFF
    ha: Line = OFF
    replication: Line = OFF
    ha_link: Link = Link()
    replication_link: Link = Link()
    client_gbps: Positive | None = None
    log: Log = Log()
    cores: Annotated[int, Field(ge=1, le=4096)] | None = None
    core_speed: Annotated[float, Field(gt=0.01, le=100)] = 1.0
    connections: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    target_utilisation: Share = 0.7
    response_ms: Positive | None = None

    @field_validator("messages")
    @classmethod
    def _adds_up(cls, messages: tuple[Messages, ...]) -> tuple[Messages, ...]:
        total = sum(message.share for message in messages)
        if not math.isclose(total, 1, abs_tol=0.001):
            raise ValueError(f"the shares add up to {total:g}, not to 1")
        sizes = [message.bytes for message in messages]
        if len(set(sizes)) < len(sizes):
            raise ValueError("a size is given twice")
        return messages

    @property
    def later(self) -> float:
        """Rate in two years, in round trips/s."""
        return self.rate_in_two_years or self.rate

    @property
    def size(self) -> float:
        """Mean message size in bytes: demands grow in proportion to it."""
        total = sum(message.share for message in self.messages)
        return sum(message.share * message.bytes for message in self.messages) / total

    @property
    def delay(self) -> float:
        """Round-trip time of the links to replicas that it has, in milliseconds."""
        return self.ha_link.rtt_ms + self.replication_link.rtt_ms

    @property
    def assumed(self) -> dict[str, Any]:
        """What the file leaves out, with the default that takes its place."""
        left = self.model_dump(exclude=self.model_fields_set)
        asked = {"ha_link": self.ha, "replication_link": self.replication, "log": self.delivery}
        return {
            name: value
            for name, value in left.items()
            if asked.get(name) not in (OFF, "nonpersistent") and name != "title"
        }


def find_workload(project: Project, name: str) -> Path:
    """Find a workload file by its name, or by its path.

    Parameters
    ----------
    name : str
        A stem below ``params/workloads``, or the path of a file.

    Raises
    ------
    ParameterError
        If there is no such file; the nearest name is given.
    """
    folder = project.params / "workloads"
    path = folder / f"{name}.yml" if WORKLOAD_NAME.match(name) else Path(name)
    if not name or not path.exists():
        known = sorted(found.stem for found in folder.glob("*.yml"))
        raise unknown(
            ParameterError, "workload", name, known,
            remedy="name one of these, give the path of a file, or make one with 'roundtrip new "
            "workload NAME'",
        )  # fmt: skip
    return path


def load_workload(path: Path, observations: Observations) -> Workload:
    """Read a workload file, and hold its names and its rate to the data.

    Parameters
    ----------
    observations : Observations
        What names exist, and which rates were measured.

    Raises
    ------
    ParameterError
        If a key is unknown, a value cannot be, or a line looks like a secret, with file and line.
    """
    refuse_secrets(path.read_text(encoding="utf-8"), str(path))
    workload = load_model(path, Workload, ParameterError)

    def refuse(key: str, problem: str, allowed: str) -> ParameterError:
        return ParameterError(f"{key}: {problem}", where=place_in(path, key), allowed=allowed)

    for kind in ("ha", "replication"):
        if getattr(workload, kind) == OFF and f"{kind}_link" in workload.model_fields_set:
            raise refuse(f"{kind}_link", f"is given, but {kind} is '{OFF}'", f"with {kind} only")
    if workload.delivery == "nonpersistent" and "log" in workload.model_fields_set:
        raise refuse("log", "is given, but nonpersistent messages are not logged", "without it")
    if "client_gbps" in workload.model_fields_set and not CROSSINGS.get(workload.workload, 1):
        problem = f"is given, but in {workload.workload} no application is a client"
        raise refuse("client_gbps", problem, "without it")
    for key, names in names_of(observations).items():
        value = getattr(workload, key)
        if value is not None and value not in names:
            raise unknown(ParameterError, key, value, names, where=place_in(path, key))
    most = highest_rate(observations)
    for key in ("rate", "rate_in_two_years"):
        rate = getattr(workload, key)
        if rate is not None and rate > most:
            problem = f"{rate:,.10g} round trips/s are above every rate that was measured"
            raise refuse(key, problem, f"up to {most:,.0f}")
    if workload.later < workload.rate:
        raise refuse(
            "rate_in_two_years",
            f"{workload.later:,.10g} round trips/s are below the present rate, "
            f"{workload.rate:,.10g}: what suffices in two years would not suffice until then",
            "at least the rate; leave it out where the load falls, to size for the present rate",
        )
    return workload


def names_of(observations: Observations) -> dict[str, list[str]]:
    """Give the names that a workload may use, by the key that takes them."""
    factors = observations.dictionary.factors
    names = {"workload": [*CROSSINGS]}
    for key in ("delivery", "syncpoint", "compression"):
        names[key] = [*(factors[key].allowed or ())]
    for key in ("ha", "replication"):
        names[key] = [*dict.fromkeys([OFF, ANY, *(factors[key].allowed or ())])]
    names["tls"] = [*dict.fromkeys([OFF, *observations.levels["tls_cipher"]])]
    return names


def highest_rate(observations: Observations) -> float:
    """Give the highest rate of all that was measured, in round trips/s; infinite without any."""
    frame = observations.choose(metric=RATE)
    frame = frame[frame["status"] != "suspect"]
    rates = frame["value_corrected"].fillna(frame["value"])
    return float(rates.max()) if len(rates) else math.inf
