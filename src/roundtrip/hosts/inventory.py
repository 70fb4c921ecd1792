"""``params/hosts.yml``: which hosts there are, what each is for, and how it is reached."""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, model_validator

from roundtrip.campaign.method import Quiet
from roundtrip.errors import ParameterError
from roundtrip.project import Project
from roundtrip.secrets import holds_secret
from roundtrip.yamlfile import Strict, load_model, matching

INVENTORY = "hosts.yml"
Role = Literal["broker", "standby", "recovery", "requesters", "responders", "build"]
Right = Literal["real-time"]
LOADED = {"broker", "standby", "recovery", "requesters", "responders"}
"""Roles that take part in a measurement, and so need the load driver and Java."""
_HostName = Annotated[
    str, matching("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,252}", "the name or the address of a host")
]
_UserName = Annotated[str, matching("[A-Za-z_][A-Za-z0-9_.-]{0,63}", "the name of a user")]
_Absolute = Annotated[str, matching("/[^\n]*", "an absolute path, such as /opt/roundtrip")]
_Positive = Annotated[float, Field(gt=0)]
_Count = Annotated[int, Field(ge=1, strict=True)]


class Host(Strict):
    """One host.

    Attributes
    ----------
    roles : tuple of str
        What it is for.
    reach : {"local", "ssh"}
        This machine, or a login by SSH.
    address : str or None
        Its name for SSH.
    user, port, key, known_hosts
        As for ``ssh``; keys are files, and passwords are not read.
    python : str or None
        The interpreter there that has Roundtrip, as an absolute path.
    java : str
        The Java there.
    load : address or None
        Its address for the load.
    folder : str
        Where it has room for what is measured.
    may : tuple of str
        What may be done there.
    """

    roles: tuple[Role, ...] = Field(min_length=1)
    reach: Literal["local", "ssh"] = "local"
    address: _HostName | None = None
    user: _UserName | None = None
    port: Annotated[int, Field(ge=1, le=65535)] = 22
    key: Path | None = None
    known_hosts: Path | None = None
    python: _Absolute | None = None
    java: Annotated[str, matching("java|/[^\n]*", "'java' or its absolute path")] = "java"
    load: IPv4Address | None = None
    folder: _Absolute = "/var/tmp"  # noqa: S108 - a place that most hosts have
    may: tuple[Right, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _no_secrets(cls, given: Any) -> Any:
        """Refuse what should never have been written down, without repeating it."""
        if isinstance(given, dict):
            told = any(holds_secret(f"{name}: …") for name in given)
            if told or "@" in str(given.get("address")) or "PRIVATE KEY" in str(given.get("key")):
                raise ValueError(
                    "holds a secret or a user in an address; passwords are not read: give 'user', "
                    "and 'key' as the path of a file"
                )
        return given

    @model_validator(mode="after")
    def _can_be_reached(self) -> Host:
        if self.reach == "ssh" and self.address is None:
            raise ValueError("needs an address to be reached by ssh")
        if self.reach == "ssh" and self.python is None:
            raise ValueError("needs 'python', the interpreter there that has Roundtrip")
        return self


class Limits(Quiet):
    """What a host must keep to, beside being quiet.

    Attributes
    ----------
    clock_ms : float
        Most that its clock may differ from that of this machine, as far as can be shown.
    free_gb : float
        Least room in its folder, in 10^9 bytes.
    """

    clock_ms: _Positive = 20
    free_gb: _Positive = 5


class Spread(Strict):
    """Over how many hosts a side of the drivers is spread at a time."""

    requesters: _Count = 1
    responders: _Count = 1


class Inventory(Strict):
    """All hosts.

    Attributes
    ----------
    spread : Spread
        Further hosts of a role are in reserve.
    hosts : dict
        By name.
    """

    limits: Limits = Limits()
    spread: Spread = Spread()
    hosts: dict[_HostName, Host] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_complete(self) -> Inventory:
        roles = {role for host in self.hosts.values() for role in host.roles}
        for needed in ("broker", "requesters", "responders"):
            if roles & LOADED and needed not in roles:
                others = ", ".join(sorted(roles & LOADED))
                raise ValueError(f"no host has the role '{needed}', which {others} need")
        for role, hosts in self.spread:
            if hosts > 1 and hosts > sum(role in host.roles for host in self.hosts.values()):
                raise ValueError(f"spread.{role} is {hosts}, and fewer hosts have this role")
        load = Counter(str(host.load) for host in self.hosts.values() if host.load)
        for place, count in load.items():
            if count > 1:
                raise ValueError(f"two hosts have the address {place} for the load")
        return self


def load_inventory(project: Project, path: Path | None = None) -> Inventory:
    """Read the inventory; this machine has all roles where there is none.

    Parameters
    ----------
    path : Path, optional
        Another file than ``params/hosts.yml``.

    Raises
    ------
    ParameterError
        If it breaks a rule; it names file, line and key.
    """
    place = path or project.params / INVENTORY
    if path is None and not place.is_file():
        return Inventory(hosts={"local": Host(roles=get_args(Role))})
    return load_model(place, Inventory, ParameterError)
