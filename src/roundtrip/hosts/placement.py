"""Which hosts of the inventory the parts of a campaign run on, and what cannot be run there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from roundtrip.campaign.feasible import possible_combinations
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.points import Combination, points_of
from roundtrip.campaign.settable import (
    ARRANGEMENTS,
    MIRROR,
    MIRRORED,
    NAMESPACES,
    NONE,
    PAIR,
    PROXY,
    REQUESTERS,
    SHARED_STORE,
    arranged,
    is_pair,
)
from roundtrip.errors import ParameterError, SetupError
from roundtrip.hosts.check import check
from roundtrip.hosts.inventory import Inventory, Role, Spread

DRIVERS: tuple[Role, ...] = ("requesters", "responders")
PLACED: tuple[Role, ...] = ("broker", *DRIVERS)
STANDBY: Role = "standby"
RECOVERY: Role = "recovery"
"""What the second broker of a pair or of a mirror needs beside `PLACED`."""
COURSES = ("steady", "mirrored", "backlog")
"""Those that can be followed on several hosts."""
SECOND: Mapping[Role, frozenset[str]] = {
    STANDBY: frozenset(ARRANGEMENTS[PAIR]),
    RECOVERY: frozenset({"workload", *ARRANGEMENTS[MIRRORED]}),
}
"""Roles of a second broker, and the factors that ask for it or say how it is reached."""
_WHERE = "params/hosts.yml"


def _second_of(point: Mapping[str, Level]) -> Role | None:
    """Name the role of a point's second broker."""
    mirrored = point.get("replication", NONE) != NONE
    return STANDBY if is_pair(point) else RECOVERY if mirrored else None


def hosts_at(point: Mapping[str, Level], spread: Spread) -> dict[Role, int]:
    """Give the roles of a point, and how many hosts share each: drivers are not cut in pieces."""
    clients = int(point[REQUESTERS]) // int(point.get("threads_per_client", 1))
    hosts: dict[Role, int] = {
        "broker": 1,
        "requesters": min(spread.requesters, clients),
        "responders": min(spread.responders, int(point["responders"])),
    }
    second = _second_of(point)
    return hosts if second is None else {**hosts, second: 1}


def hosts_of(combinations: Sequence[Combination], spread: Spread) -> dict[Role, int]:
    """Give the roles that some points need hosts for, and how many share each at most."""
    hosts: dict[Role, int] = dict.fromkeys(PLACED, 1)
    for point in points_of(combinations):
        for role, count in hosts_at(point, spread).items():
            hosts[role] = max(count, hosts.get(role, 1))
    return hosts


def candidates_of(
    inventory: Inventory, roles: Iterable[Role] = PLACED
) -> dict[Role, tuple[str, ...]]:
    """Give the hosts of each role: the first have it, the next take it over where one is lost.

    Raises
    ------
    ParameterError
        If a role has no host, or a host cannot be used so.
    """
    found: dict[Role, tuple[str, ...]] = {}
    for role in roles:
        found[role] = tuple(
            name for name, host in inventory.hosts.items()
            if role in host.roles and (role not in SECOND or name != found["broker"][0])
        )  # fmt: skip
        if not found[role]:
            raise ParameterError(
                f"no host has the role '{role}'", where=_WHERE,
                allowed="a host for each of broker, requesters and responders; one host may have "
                "several roles, and further hosts of a role take it over if its host is lost",
            )  # fmt: skip
    # A second broker has another host than the first, also after one has moved.
    first, *reserve = found["broker"]
    seconds = {name for role in SECOND for name in found.get(role, ())}
    found["broker"] = (first, *(name for name in reserve if name not in seconds))
    for name in names_of(found):
        host = inventory.hosts[name]
        if host.load is None:
            raise ParameterError(
                f"'{name}' has no address for the load", where=_WHERE,
                remedy="set load to the address that broker and drivers use there",
            )  # fmt: skip
    return found


def names_of(candidates: Mapping[Role, tuple[str, ...]]) -> list[str]:
    """Name each host once: first those that have a role, then those that may take one over."""
    first = [names[0] for names in candidates.values()]
    return list(dict.fromkeys([*first, *(name for names in candidates.values() for name in names)]))


def runnable_there(
    inventory: Inventory, plan: Plan, combinations: tuple[Combination, ...]
) -> tuple[tuple[Combination, ...], tuple[str, ...]]:
    """Leave out what cannot be run on several hosts.

    Parameters
    ----------
    combinations : tuple of Combination
        Of the plan.

    Returns
    -------
    combinations : tuple of Combination
        What can be run of them.
    reasons : tuple of str
        What the rest lacks, each once.

    Raises
    ------
    SetupError
        If nothing is left.
    """
    candidates = candidates_of(inventory)
    slow = [name for name in names_of(candidates) if "real-time" not in inventory.hosts[name].may]
    beside = {
        role for name, host in inventory.hosts.items() for role in host.roles
        if name != candidates["broker"][0]
    }  # fmt: skip

    def lacking(point: Mapping[str, Level]) -> str | None:
        if plan.course not in COURSES:
            return f"the course {plan.course}: on several hosts there are {', '.join(COURSES)}"
        names = arranged(point)
        second = _second_of(point)
        if second is not None:
            what = f"ha {point['ha']}" if second == STANDBY else f"replication {MIRROR}"
            if point.get("ha") == SHARED_STORE:
                return f"{what}: it needs a file system that both hosts share, and none is made"
            if point.get("link_encrypted"):
                return "link_encrypted: its keys are not brought to other hosts"
            if point.get("replication_link") == NAMESPACES:
                return f"replication_link {NAMESPACES}: they are on one machine; use {PROXY}"
            if second not in beside:
                return f"{what}: no host beside the broker's has the role '{second}'"
            names = [name for name in names if name not in SECOND[second]]
        if "link" in point:  # direct, too: it is one over the loopback interface
            names = ["link", *(name for name in names if name != "link")]
        if names:
            return f"{', '.join(names)}: arranged on one machine only"
        if point.get("payload", plan.driver.payload) == "file":
            return "payload file: the file is not brought to other hosts"
        if point["scheduling_class"] == "real-time" and slow:
            return f"scheduling_class real-time: the inventory does not permit it on {min(slow)}"
        return None

    return possible_combinations(combinations, lambda point: [lacking(point)], "several hosts")


def refuse_unfit(inventory: Inventory, roles: Iterable[Role]) -> None:
    """Look at the hosts of some roles, as ``roundtrip hosts check`` does."""
    used = names_of(candidates_of(inventory, roles))
    hosts = {name: host for name, host in inventory.hosts.items() if name in used}
    unfit = [found for found in check(inventory.model_copy(update={"hosts": hosts}))
             if found.problem]  # fmt: skip
    if unfit:
        raise SetupError(
            "; ".join(f"{found.host}: {found.about}: {found.problem}" for found in unfit),
            where=_WHERE,
            remedy=f"{unfit[0].remedy}; roundtrip hosts check says more",
        )
