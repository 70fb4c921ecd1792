"""A plan as somebody's own broker can run it: with his levels, and nothing that he cannot set."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundtrip.campaign.broker_choice import ExternalBroker, not_settable
from roundtrip.campaign.brokers import Broker
from roundtrip.campaign.control import control_in
from roundtrip.campaign.plan import Level, Plan, Profile, System
from roundtrip.campaign.points import Cell, cells_of
from roundtrip.campaign.resolve import plan_path, resolve_plan
from roundtrip.campaign.settable import ALLOWED, BY_DRIVERS, NONE
from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, ParameterError, nearest
from roundtrip.params.rerun import Rerun, place
from roundtrip.project import Project

_OWN_QUEUES: Mapping[str, Level] = {"queue_pairs": 1, "reply_queue": "shared"}
"""Levels that two queues are enough for."""
_TLS_OPTIONS = ("-jl", "-ts", "-kr")
_RATES = ("target_rate", "requester_rate")
SETTABLE = tuple(name for name in ALLOWED if name in BY_DRIVERS and name not in _OWN_QUEUES)
"""Factors that clients set, whichever broker they use."""


@dataclass(frozen=True)
class Adapted:
    """A plan for somebody's own broker.

    Attributes
    ----------
    plan : Plan
    cells : tuple of Cell
        What can be run of it.
    lacking : tuple of str
        What cannot, each with its reason.
    """

    plan: Plan
    cells: tuple[Cell, ...]
    lacking: tuple[str, ...]


def refuse_levels(wanted: Rerun, path: Path, dictionary: Dictionary) -> None:
    """Refuse levels that no client can set on a broker that runs already.

    Parameters
    ----------
    wanted : Rerun
    path : Path
        The file that it is from.
    dictionary : Dictionary

    Raises
    ------
    ParameterError
        With file, line and key.
    """
    for name, levels in wanted.factors.items():
        where = place(path, "factors", name)
        if name not in dictionary.factors:
            raise ParameterError(
                f"unknown factor '{name}'{nearest(name, SETTABLE)}", where=where,
                allowed=", ".join(SETTABLE),
            )  # fmt: skip
        if name not in SETTABLE:
            raise ParameterError(
                f"nobody can set {name} of a broker that runs already", where=where,
                allowed=", ".join(SETTABLE),
                remedy="arrange it in the broker or its URL, leave it out here, and rerun once for "
                "each arrangement",
            )  # fmt: skip
        for level in levels:
            try:
                dictionary.factor_value(name, level, where)
            except DataError as problem:
                raise ParameterError(
                    problem.what, where=where, allowed=problem.allowed, remedy=problem.remedy
                ) from problem
            known = ALLOWED[name]
            if known is not None and level not in known:
                raise ParameterError(
                    f"a rerun cannot set {name} to '{level}'"
                    f"{nearest(str(level), map(str, known))}",
                    where=where, allowed=", ".join(map(str, known)),
                )  # fmt: skip
            if name in _RATES and not float(level) > 0:
                raise ParameterError(f"{name} must be above 0", where=where)


def adapt(
    project: Project, name: str, profile: Profile, dictionary: Dictionary, wanted: Rerun,
    path: Path, broker: Broker,
) -> Adapted:  # fmt: skip
    """Give a plan with somebody's levels, and what of it his broker can run.

    The two points of the plan's positive control belong to it whatever he asks for: without them
    nothing could be concluded. Drivers run at normal priority.

    Parameters
    ----------
    project : Project
    name : str
        Of the plan.
    profile : {"smoke", "quick", "full"}
    dictionary : Dictionary
    wanted : Rerun
        Whose levels `refuse_levels` has let pass.
    path : Path
        The file that it is from.
    broker : Broker

    Raises
    ------
    ParameterError
        If the levels make an impossible combination, or nothing of the plan can be run.
    """
    whole = _at_normal_priority(resolve_plan(project, name, profile, dictionary))
    pairs = [(factor, json.dumps(levels)) for factor, levels in wanted.factors.items()]
    own = _at_normal_priority(resolve_plan(project, name, profile, dictionary, pairs))
    own = _with_points(own, _of_control(project, whole, dictionary))
    if wanted.system is not None:
        own = own.model_copy(update={"system": System(**wanted.system.model_dump())})
    try:
        cells = cells_of(own)
    except ParameterError as problem:
        raise ParameterError(
            f"{problem.what} (in the plan {name})", where=place(path, "factors"),
            allowed=problem.allowed, remedy="change the levels",
        ) from problem  # fmt: skip
    lacking: Counter[str] = Counter()
    kept = []
    for cell in cells:
        reason = _why_not(own, cell, broker)
        if reason is None:
            kept.append(cell)
        else:
            lacking[reason] += 1
    told = tuple(
        f"{count} of {len(cells)} combinations of {name}: {reason}"
        for reason, count in lacking.items()
    )
    if not kept:
        raise ParameterError(
            f"no part of the plan can be run on your own broker: {'; '.join(told)}",
            where=f"params/campaigns/{name}.yml",
        )
    return Adapted(own, tuple(kept), told)


def _why_not(plan: Plan, cell: Cell, broker: Broker) -> str | None:
    """Say why a combination cannot be run on somebody's own broker, or None."""
    if plan.course != "steady":
        return f"the course {plan.course} is for brokers that the runner starts itself"
    factors = dict(cell.factors)
    asked = not_settable(broker, cell, plan.set_by)
    if asked:
        return f"{', '.join(asked)} can be set for the embedded broker only"
    if factors.get("tls_cipher") == NONE and _encrypts(broker):
        return "the broker's URL asks for TLS, and they are to run without"
    more = [name for name, level in _OWN_QUEUES.items() if factors.get(name) != level]
    return f"{', '.join(more)} would need further queues" if more else None


def _encrypts(broker: Broker) -> bool:
    """Say whether drivers are told to encrypt."""
    options = broker.endpoint.options if isinstance(broker, ExternalBroker) else ()
    return any(
        option in _TLS_OPTIONS or option.startswith("amqps:") or "sslEnabled=true" in option
        for option in options
    )


def _at_normal_priority(plan: Plan) -> Plan:
    def normal(factors: Mapping[str, tuple[Level, ...]]) -> dict[str, tuple[Level, ...]]:
        return {
            name: ("normal",) if name == "scheduling_class" else levels
            for name, levels in factors.items()
        }

    parts = tuple(normal(part) for part in plan.parts)
    return plan.model_copy(update={"factors": normal(plan.factors), "parts": parts})


def _of_control(project: Project, plan: Plan, dictionary: Dictionary) -> list[dict[str, Level]]:
    """Give the points of a plan's positive control; none where the plan does not have them."""
    control = control_in(plan_path(project, plan.name), dictionary)
    if control is None:
        return []
    points = [cell.point(level) for cell in cells_of(plan) for level in cell.levels]
    found = []
    for factors in (control.of, control.base):
        found += [point for point in points if factors.items() <= point.items()][:1]
    return found if len(found) == 2 else []


def _with_points(plan: Plan, points: Sequence[Mapping[str, Level]]) -> Plan:
    """Add operating points to a plan, each as a part of its own."""
    common = {
        name: levels
        for name, levels in plan.factors.items()
        if all(levels == (point.get(name),) for point in points)
    }
    rest = {name: levels for name, levels in plan.factors.items() if name not in common}
    parts = [{**rest, **part} for part in plan.parts or ({},)]
    parts += [
        {name: (level,) for name, level in point.items() if name not in common}
        for point in points
    ]  # fmt: skip
    return plan.model_copy(update={"factors": common, "parts": tuple(parts)})
