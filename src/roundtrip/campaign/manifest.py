"""``manifest.yml`` of a campaign: its plan, what it ran on, what was in effect, how it went."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, Field, model_validator

from roundtrip.campaign.names import RawName, RunName
from roundtrip.campaign.plan import PROFILES, Plan, Settings
from roundtrip.errors import DataError
from roundtrip.files import write_atomically
from roundtrip.project import MANIFEST
from roundtrip.yamlfile import Strict, load_model

State = Literal["running", "complete", "stopped"]


_OF_MACHINE: Mapping[str, type] = {
    "processor": str, "architecture": str, "logical_processors": int, "memory_mb": int,
    "operating_system": str,
}  # fmt: skip
"""What a report says of every machine; more may be known of it."""
BROKER_ROLES = frozenset({"broker", "standby", "recovery"})
DRIVER_ROLES = frozenset({"requesters", "responders"})


def _time(text: str) -> str:
    with suppress(ValueError):
        if datetime.fromisoformat(text).utcoffset() == timedelta():
            return text
    raise ValueError("must be a time in UTC such as 2026-11-21T10:00:00+00:00")


def _run(text: str) -> str:
    RunName.parse(text)
    return text


def _raw(text: str) -> str:
    if RawName.parse(text).broke_off is None:
        raise ValueError(f"'{text}' is not the name of the raw file of an attempt that broke off")
    return text


def _machine(about: dict[str, Any]) -> dict[str, Any]:
    for name, kind in _OF_MACHINE.items():
        if not isinstance(about.get(name), kind):
            raise ValueError(f"{name} is missing, or no {'text' if kind is str else 'number'}")
    return about


_OFTEN_EMPTY: Any = Field(default=(), exclude_if=operator.not_)  # written only where it is not
Time = Annotated[str, AfterValidator(_time)]
Run = Annotated[str, AfterValidator(_run)]
Machine = Annotated[dict[str, Any], AfterValidator(_machine)]


class Session(Strict):
    """One call of the runner: a campaign that was interrupted has several.

    Attributes
    ----------
    started, ended : str
        UTC, ISO 8601; a session that was killed has no end.
    block : int
        Which measurement of the points its runs belong to: a later one repeats them in another
        hour.
    """

    started: Time
    ended: Time | None = None
    block: int = 1

    def holds(self, began: float, ended: float) -> bool:
        """Say whether a run lies in it, by seconds since 1970; its own times are whole seconds."""
        until = datetime.fromisoformat(self.ended).timestamp() + 1 if self.ended else math.inf
        return datetime.fromisoformat(self.started).timestamp() <= began and ended < until


class Move(Strict):
    """A role that another host than the first had in a run, since that one was lost."""

    role: str
    lost: str
    host: str


class RunEntry(Strict):
    """One finished run.

    Attributes
    ----------
    settled_s : float or None
        When the whole series of rates says that the run was settled (MSER-5); None where it is
        too short to tell.
    drift : float or None
        By what share the second half of the measured part was faster than the first; None where
        it cannot be told.
    noise : dict
        Readings before it.
    raw_sha256 : str or None
        Hash of its raw file; None in campaigns measured before hashes were kept.
    moved : tuple of Move
        Roles that another host than the first had in it.
    """

    run: Run
    order: int
    attempt: int
    steady: bool
    warm_up_s: float
    settled_s: float | None = None
    drift: float | None = None
    noise: dict[str, float | None]
    doubt: str | None = None
    raw_sha256: str | None = None
    moved: tuple[Move, ...] = _OFTEN_EMPTY

    @property
    def raw(self) -> str:
        """Name of its raw file."""
        return str(RawName(self.run))


class FailedEntry(Strict):
    """One attempt that broke off: it failed, or was interrupted with the runner.

    Attributes
    ----------
    raw : str
        Name of its raw file, which is kept.
    order : int or None
        Its place among all attempts; None where the raw file does not say it.
    """

    run: Run
    raw: Annotated[str, AfterValidator(_raw)]
    reason: str
    order: int | None = None

    @property
    def interrupted(self) -> bool:
        """Whether the runner ended in it: that tells nothing of the broker or the drivers."""
        return RawName.parse(self.raw).broke_off == "interrupted"


class Configuration(Strict):
    """What the broker said was in effect, and in which combinations of factors."""

    cells: tuple[str, ...]
    effective: dict[str, Any]


class HostEntry(Strict):
    """One of the hosts that broker and drivers ran on, where the inventory placed them.

    Attributes
    ----------
    name : str
        As the inventory calls it.
    roles : tuple of str
        What ran there: ``broker``, ``standby``, ``recovery``, ``requesters``, ``responders``.
    spare : tuple of str
        Roles that it takes over where their host is lost; `RunEntry.moved` says where it did.
    machine : int
        Hosts with one number are one machine: they run under one start of a kernel.
    processors : tuple of int
        Those that its processes may use, by the machine's numbers.
    about : dict
        What it is, as `Manifest.host` says of a single one.
    """

    name: str
    roles: tuple[str, ...]
    machine: int
    processors: tuple[int, ...]
    about: Machine
    spare: tuple[str, ...] = _OFTEN_EMPTY


def on_one_machine(hosts: Sequence[HostEntry]) -> list[tuple[HostEntry, HostEntry]]:
    """Give the hosts of brokers and of drivers that are one machine, in pairs."""
    brokers = [host for host in hosts if BROKER_ROLES & {*host.roles}]
    drivers = [host for host in hosts if DRIVER_ROLES & {*host.roles}]
    return [(one, other) for one in brokers for other in drivers if one.machine == other.machine]


def share_processors(hosts: Sequence[HostEntry]) -> bool:
    """Say whether brokers and drivers may use the same processors of one machine."""
    return any({*one.processors} & {*other.processors} for one, other in on_one_machine(hosts))


def where_they_ran(hosts: Sequence[HostEntry]) -> str:
    """Say how broker and drivers were placed on hosts, as the end of a sentence."""
    beside = on_one_machine(hosts)
    if not beside:
        return "broker and drivers on different machines"
    if any(one is other for one, other in beside):
        return "broker and drivers on one host"
    if share_processors(hosts):
        return "broker and drivers on one machine, with separate addresses"
    return "broker and drivers on one machine, with separate addresses and processors"


class Manifest(Strict):
    """Everything about a campaign that is not a result.

    Attributes
    ----------
    id, state
        ``complete`` when every run of the plan was carried out; ``stopped`` when the budget or an
        error ended it before.
    broker_restarted, broker_elsewhere : bool
        Whether each run got it started anew; whether drivers reached it over a network. What a
        plan says of it is `plan.system`.
    product, product_version : str or None
        What the broker says it is, or the plan of one that somebody else runs; None where
        neither does.
    scheduling_class : dict
        Asked to effective.
    seconds : float
        Time spent on runs, over all sessions.
    left_out : tuple of str
        Runs that were not carried out; a search, or enough precision, might have ended before
        some of them.
    left_out_parts : tuple of str
        What this machine cannot run of the plan, each with its reason.
    hosts : tuple of HostEntry
        Where broker and drivers ran on hosts of the inventory; `host` is then that of the broker.
    demonstration : bool
        Whether the machine is too small for its results to stand for the product.
    """

    id: str
    state: State
    plan: Plan
    broker: str
    broker_restarted: bool
    broker_elsewhere: bool = False
    product: str | None = None
    product_version: str | None = None
    host: Machine
    hosts: tuple[HostEntry, ...] = _OFTEN_EMPTY
    software: dict[str, Any]
    scheduling_class: dict[str, str]
    demonstration: bool
    sessions: tuple[Session, ...] = Field(min_length=1)
    seconds: float = 0
    why_stopped: str | None = None
    configurations: tuple[Configuration, ...] = ()
    runs: tuple[RunEntry, ...] = ()
    failed: tuple[FailedEntry, ...] = ()
    left_out: tuple[str, ...] = ()
    left_out_parts: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _broker_is_placed(self) -> Manifest:
        if self.hosts and not any("broker" in host.roles for host in self.hosts):
            raise ValueError("none of the hosts has the role broker")
        return self

    @model_validator(mode="after")
    def _has_ended(self) -> Manifest:
        if self.state == "complete" and self.sessions[-1].ended is None:
            raise ValueError("the campaign is complete, and its last session has no end")
        return self

    @property
    def placements(self) -> tuple[tuple[HostEntry, ...], ...]:
        """Hosts with what ran there, once for each way in which runs were placed on them."""
        found = [self.hosts]
        for moved in (run.moved for run in self.runs if run.moved):
            given = {(move.role, move.lost) for move in moved}
            taken = {(move.role, move.host) for move in moved}
            roles = {
                host.name: tuple(
                    [role for role in host.roles if (role, host.name) not in given]
                    + [role for role in host.spare if (role, host.name) in taken]
                )
                for host in self.hosts
            }
            way = tuple(host.model_copy(update={"roles": roles[host.name]}) for host in self.hosts)
            if way not in found:
                found.append(way)
        return tuple(found)

    @property
    def blocks(self) -> int:
        """How often the points were measured, each time in another hour."""
        return self.sessions[-1].block

    @property
    def hours_apart(self) -> float:
        """Shortest time from the end of one block to the start of the next; 0 if there is one."""
        gaps = [
            datetime.fromisoformat(later.started) - datetime.fromisoformat(sooner.ended)
            for sooner, later in pairwise(self.sessions)
            if later.block > sooner.block and sooner.ended
        ]
        return min(gaps).total_seconds() / 3600 if gaps else 0.0

    @property
    def places(self) -> dict[str, tuple[str, int]]:
        """The operating point and the block of each run, by its name."""
        names = {entry.run: RunName.parse(entry.run) for entry in self.runs}
        return {
            run: (name.point, self.plan.block_of(name.repetition)) for run, name in names.items()
        }

    @property
    def replaced(self) -> frozenset[str]:
        """Marked runs that stand in no mean: their points have as many without a mark as planned.

        Only where the plan has a precision: its further runs take their place. A point whose block
        has marked runs alone keeps them, so that no hour is lost.
        """
        if self.plan.precision is None:
            return frozenset()
        places = self.places
        calm = [places[entry.run] for entry in self.runs if not entry.doubt]
        counts = Counter(point for point, _ in calm)
        return frozenset(
            entry.run
            for entry in self.runs
            if entry.doubt
            and counts[places[entry.run][0]] >= self.plan.repetitions
            and places[entry.run] in calm
        )

    def write(self, folder: Path) -> None:
        """Write it into the campaign's folder."""
        content = self.model_dump(mode="json")
        # What the plan is about comes before how it measures.
        plan = content["plan"]
        content["plan"] = {
            key: plan[key] for key in plan if key not in Settings.model_fields
        } | plan
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
        write_atomically(folder / MANIFEST, text)


def load_manifest(folder: Path) -> Manifest:
    """Read the manifest of a campaign.

    Raises
    ------
    DataError
        If it is missing or breaks its schema, or its id is not the folder's name.
    """
    manifest = load_model(folder / MANIFEST, Manifest, DataError)
    if manifest.id != folder.name.lstrip(".").removesuffix(".new"):
        raise DataError(
            f"id is '{manifest.id}', but the folder is '{folder.name}'", where=folder / MANIFEST
        )
    return manifest


def representing(manifests: Iterable[Manifest]) -> dict[str, Manifest]:
    """Give the campaign that represents each plan where an edition names none, by plan.

    It lies in the plan's own folder, into which neither a rerun nor ``roundtrip run --output``
    measures, and has a finished run. Of several profiles one on a single host counts before one
    over hosts, which a chapter about its own machine would misread; then the larger one.
    """
    own = [one for one in manifests if one.runs and one.id == one.plan.own_campaign]
    own.sort(key=lambda one: (not one.hosts, PROFILES.index(one.plan.profile)))
    return {one.plan.name: one for one in own}
