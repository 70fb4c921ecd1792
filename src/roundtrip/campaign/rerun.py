"""A plan with somebody's levels: on the embedded broker, or as his own broker can run it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtrip.campaign.broker_choice import ExternalBroker, not_settable
from roundtrip.campaign.brokers import Broker
from roundtrip.campaign.plan import Level, Plan, Point, Profile, Setter, System
from roundtrip.campaign.points import Combination, combinations_of, points_of, without_control
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.campaign.settable import ALLOWED, BY_DRIVERS, NONE
from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, ParameterError, again
from roundtrip.params.rerun import Rerun, place
from roundtrip.project import Project

_OWN_QUEUES: Mapping[str, Level] = {"queue_pairs": 1, "reply_queue": "shared"}
"""Levels that two queues are enough for."""
_TLS_OPTIONS = ("-jl", "-ts", "-kr")
SETTABLE = tuple(name for name in ALLOWED if name in BY_DRIVERS and name not in _OWN_QUEUES)
"""Factors that clients set, whichever broker they use."""


@dataclass(frozen=True)
class Adapted:
    """A plan with somebody's levels.

    Attributes
    ----------
    combinations : tuple of Combination
        What can be run of it.
    lacking : tuple of str
        What cannot, each with its reason.
    """

    plan: Plan
    combinations: tuple[Combination, ...]
    lacking: tuple[str, ...]


def refuse_levels(
    wanted: Rerun, path: Path, dictionary: Dictionary, *, own: bool,
    set_by: Mapping[str, Setter] | None = None,
) -> None:  # fmt: skip
    """Refuse levels that nobody can set on the broker of the rerun.

    Parameters
    ----------
    own : bool
        Whether it is a broker that runs already, of which clients set everything.
    set_by : mapping, optional
        How the plans set factors of their own.
    """
    ways = [name for name, way in (set_by or {}).items() if not own or way.broker_setting is None]
    settable = (*(SETTABLE if own else ALLOWED), *ways)
    for name, levels in wanted.factors.items():
        where = place(path, "factors", name)
        if name in dictionary.factors and name not in settable:
            raise ParameterError(
                f"nobody can set {name}{' of a broker that runs already' if own else ''}",
                where=where, allowed=", ".join(settable),
                remedy="leave it out here: arrange it in the broker or its URL, and rerun once for "
                "each arrangement, or run on the embedded broker, without --broker and queues",
            )  # fmt: skip
        for level in levels:
            try:
                dictionary.level(name, level, where)
            except DataError as problem:
                remedy = "correct the level" if name in dictionary.factors else problem.remedy
                raise again(ParameterError, problem, where=where, remedy=remedy) from problem


def adapt(
    project: Project, name: str, profile: Profile, dictionary: Dictionary, wanted: Rerun,
    path: Path, broker: Broker | None,
) -> Adapted:  # fmt: skip
    """Give a plan with somebody's levels, and what of it the broker can run.

    The two points of the plan's positive control belong to it whatever he asks for: without them
    nothing could be concluded. On his own broker, drivers run at normal priority.

    Parameters
    ----------
    wanted : Rerun
        Whose levels `refuse_levels` has let pass.
    broker : Broker or None
        His own; None for the embedded one, which is arranged as each point asks for it.

    Raises
    ------
    ParameterError
        If the levels make an impossible combination, or nothing of the plan can be run.
    """
    whole = resolve_plan(project, name, profile, dictionary)
    if factor := whole.factor_of_brokers:
        raise ParameterError(
            f"the plan names a broker for each level of {factor}, and a rerun uses one",
            where=f"params/campaigns/{name}.yml: set_by.{factor}",
            remedy=f"measure yours with 'roundtrip run {name} -p "
            f"set_by.{factor}.broker_url.{whole.levels_of_brokers[0]} URL -p … -o "
            "data/campaigns/MINE', and have the edition show that: campaigns: [MINE] in "
            "params/report.yml",
        )
    if broker is not None:
        whole = _with_levels(whole, {"scheduling_class": ("normal",)})
    elif whole.system is not None:
        raise ParameterError(
            f"the plan {name} is of a broker that runs already, and nothing says where it is",
            where="--broker", remedy="give its URL with --broker, and the queues in the file",
        )  # fmt: skip
    levels: dict[str, tuple[Any, ...]] = {
        factor: tuple(dictionary.level(factor, level, str(path)) for level in given)
        for factor, given in wanted.factors.items()
        if factor in ALLOWED or factor in whole.set_by  # of another plan
    }
    control = _of_control(whole)
    try:
        own, without = _possible(_with_levels(whole, levels), levels)
        own = _with_points(own, control)
        combinations = combinations_of(own)
    except ParameterError as problem:
        key = [one for one in levels if one in problem.what.split()][:1]
        raise ParameterError(
            f"{problem.what} (in the plan {name})", where=place(path, "factors", *key),
            allowed=problem.allowed, remedy="change the levels",
        ) from problem  # fmt: skip
    if broker is None:
        return Adapted(own, combinations, without)
    if wanted.system is not None:
        own = own.model_copy(update={"system": System(**wanted.system.model_dump())})
    why = {one: _why_not(own, one, broker) for one in combinations}
    runnable = tuple(one for one, reason in why.items() if reason is None)
    told = tuple(
        f"{count} of {len(combinations)} combinations of {name}: {reason}"
        for reason, count in Counter(filter(None, why.values())).items()
    )
    if not runnable:
        raise ParameterError(
            f"no part of the plan can be run on your own broker: {'; '.join(told)}",
            where=f"params/campaigns/{name}.yml",
        )
    return Adapted(own, runnable, (*without, *told, *without_control(own, runnable)))


def refuse_lost(
    wanted: Rerun, path: Path, asked: Sequence[Combination], left: Sequence[Combination],
    lacking: Sequence[str],
) -> None:  # fmt: skip
    """Refuse a rerun of which this machine can run no level of a factor that somebody asked for.

    What is left would be the plan's positive control alone, or levels that nobody asked for.

    Raises
    ------
    ParameterError
        With what the machine lacks.
    """
    before, after = points_of(asked), points_of(left)
    for factor, levels in wanted.factors.items():
        had, has = (any(one.get(factor) in levels for one in some) for some in (before, after))
        if had and not has:
            raise ParameterError(
                f"no level of {factor} can be run on this machine: {'; '.join(lacking)}",
                where=place(path, "factors", factor), remedy="change the levels",
            )  # fmt: skip


_Levels = Mapping[str, tuple[Level, ...]]


def _with_levels(plan: Plan, levels: _Levels) -> Plan:
    """Have levels take the place of a plan's, in each part that has the factor."""
    parts = [
        {**part, **{name: given for name, given in levels.items() if name in part}}
        for part in plan.parts
    ]
    rest = {
        name: given for name, given in levels.items()
        if not any(name in part for part in plan.parts)
    }  # fmt: skip
    once = tuple(part for number, part in enumerate(parts) if part not in parts[:number])
    return plan.model_copy(update={"factors": {**plan.factors, **rest}, "parts": once})


def _possible(plan: Plan, levels: _Levels) -> tuple[Plan, tuple[str, ...]]:
    """Leave out what new levels make impossible in one part, and another part has.

    The second result gives the reasons. A level that is possible in no part is refused.
    """
    if not plan.parts:
        return plan, ()
    possible: list[Mapping[str, tuple[Level, ...]]] = []
    refused: dict[str, ParameterError] = {}
    for part in plan.parts:
        own = [name for name in levels if name in part]
        singles = [
            {**part, **{name: (level,) for name, level in zip(own, chosen, strict=True)}}
            for chosen in itertools.product(*(part[name] for name in own))
        ]
        for one in singles if _refusal(plan, part) else [part]:
            if problem := _refusal(plan, one):
                refused[problem.what] = problem
            else:
                possible.append(one)
    run = {(name, level) for part in possible for name, given in part.items() for level in given}
    wanted = {
        (name, level) for part in plan.parts for name in levels if name in part
        for level in levels[name]
    }  # fmt: skip
    if refused and (not possible or not wanted <= run):
        raise next(iter(refused.values()))
    return plan.model_copy(update={"parts": tuple(possible)}), tuple(refused)


def _refusal(plan: Plan, part: Mapping[str, tuple[Level, ...]]) -> ParameterError | None:
    try:
        combinations_of(plan.model_copy(update={"parts": (part,)}))
    except ParameterError as problem:
        return problem
    return None


def _why_not(plan: Plan, combination: Combination, broker: Broker) -> str | None:
    """Say why a combination cannot be run on somebody's own broker, or None."""
    if plan.course != "steady":
        return f"the course {plan.course} is for brokers that the runner starts itself"
    factors = dict(combination.factors)
    asked = not_settable(broker, combination, plan.set_by)
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


def _of_control(plan: Plan) -> list[dict[str, Level]]:
    """Give the points of a plan's positive control; none where the plan does not have them."""
    control = plan.control
    if control is None:
        return []
    points = points_of(combinations_of(plan))
    found = []
    for factors in (control.of, control.base):
        found += [point for point in points if factors.items() <= point.items()][:1]
    return found if len(found) == 2 else []


def _with_points(plan: Plan, points: Sequence[Point]) -> Plan:
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
