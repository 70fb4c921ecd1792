"""The operating points of a plan, and the runs that visit them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.names import RunName
from roundtrip.campaign.plan import Level, Plan, Point, Setter, heap_bytes, written
from roundtrip.campaign.products import CLASSIC, CLASSIC_SETTINGS, product_of
from roundtrip.campaign.settable import ALLOWED, DEFAULTS, REQUESTERS, impossible, unsuitable
from roundtrip.campaign.tls.cipher_specs import completed
from roundtrip.errors import ParameterError, nearest

_SHORT = {
    "message_bytes": "B", REQUESTERS: "c", "responders": "resp", "queue_pairs": "q",
    "threads_per_client": "t", "preloaded_messages": "left", "page_messages": "page",
    "requester_rate": "each-h", "target_rate": "rate", "round_trips_per_session": "rts",
    "channel_pairs": "ch",
}  # fmt: skip
_ALWAYS = ("delivery", "message_bytes")
"""Factors that every name of a run gives, whether or not they vary."""
_INSIDE = ("RR-CB", "RR-BB", "RR-DQ-BB")
"""Workloads with drivers in the process of a broker."""
_COPIES = 3
"""Of a message, that a requester holds at a time: its payload, the request and the reply."""
_UNSAFE = re.compile(r"[^a-z0-9.]+")


@dataclass(frozen=True)
class Combination:
    """Everything that is set but the number of requesters: what a peak is looked for in.

    Attributes
    ----------
    key : str
        Made of the factors that vary in the campaign; safe as part of a file name.
    factors : tuple of (str, value)
        In the order of the settable factors.
    levels : tuple of int
        Numbers of requesters, ascending.
    """

    key: str
    factors: tuple[tuple[str, Level], ...]
    levels: tuple[int, ...]

    def point(self, requesters: int) -> dict[str, Level]:
        """Give all factors of the operating point with so many requesters."""
        return {**dict(self.factors), REQUESTERS: requesters}


def points_of(combinations: Iterable[Combination]) -> list[dict[str, Level]]:
    """Give every operating point of some combinations."""
    return [one.point(level) for one in combinations for level in one.levels]


def side_without_points(
    plan: Plan, combinations: Iterable[Combination]
) -> Literal["of", "base"] | None:
    """Give the side of a plan's positive control that none of some combinations can show, or None.

    A factor that a point does not set is known only once it is run, as the product of a running
    broker is. From the profile smoke nothing is concluded, so that it needs none.
    """
    if plan.control is None or plan.profile == "smoke":
        return None
    points = points_of(combinations)
    sides: dict[Literal["of", "base"], Point] = {"of": plan.control.of, "base": plan.control.base}
    for side, levels in sides.items():
        if not any(
            all(point.get(name, level) == level for name, level in levels.items())
            for point in points
        ):
            return side
    return None


def without_control(plan: Plan, combinations: Iterable[Combination]) -> tuple[str, ...]:
    """Say that some combinations lack the positive control of their plan; empty where they do not.

    It is one of the parts that are left out, with its reason.
    """
    side = side_without_points(plan, combinations)
    if side is None:
        return ()
    return (
        f"the positive control of {plan.name}: no operating point has "
        f"{written_levels(getattr(plan.control, side))}, and without it the results support no "
        "conclusion",
    )


def written_levels(levels: Point) -> str:
    """Write the levels of some factors as text."""
    return ", ".join(f"{name} {written(level)}" for name, level in levels.items())


@dataclass(frozen=True)
class Run:
    """One run: a point, and the number of its repetition from 1."""

    combination: Combination
    requesters: int
    repetition: int

    @property
    def key(self) -> str:
        """Name of the run, and of its raw file."""
        return str(RunName(self.combination.key, self.requesters, self.repetition))

    @property
    def factors(self) -> dict[str, Level]:
        """All factors of its operating point."""
        return self.combination.point(self.requesters)


def combinations_of(plan: Plan) -> tuple[Combination, ...]:
    """Expand the factors of a plan.

    Where a scheduling class is not permitted, its runs are those of the class that is in effect:
    two combinations that become the same are one.

    Raises
    ------
    ParameterError
        If a factor cannot be set by a campaign, a level cannot be run, a combination is
        impossible, or no number of requesters is given.
    """
    where = f"params/campaigns/{plan.name}.yml"
    asked = [
        point
        for part in plan.parts or ({},)
        for point in _asked({**plan.factors, **part}, plan.set_by, where)
    ]
    grouped: dict[tuple[tuple[str, Level], ...], list[int]] = {}
    for wanted in asked:
        point = completed({**DEFAULTS, **wanted})
        # What the choice of a running broker sets is not the runner's to arrange.
        given = {
            name: level for name, level in point.items()
            if name not in plan.set_by or plan.set_by[name].broker_url is None
        }  # fmt: skip
        problem = (
            impossible(given) or unsuitable(plan.course, given)
            or _unknown_to_product(plan, given) or _not_inside(plan, given)
            or _too_large(plan, given)
        )  # fmt: skip
        point["scheduling_class"] = scheduling.effective(str(point["scheduling_class"]))
        if problem:
            raise ParameterError(
                f"impossible combination: {problem}",
                where=where,
                remedy="take one of the levels out, or split the factors into parts",
            )
        rest = tuple((name, point[name]) for name in factors_in_order(plan)
                     if name in point and name != REQUESTERS)  # fmt: skip
        grouped.setdefault(rest, []).append(int(point[REQUESTERS]))
    varied = named_factors(list(grouped), factors_in_order(plan))
    combinations = tuple(
        Combination(_key(dict(factors), varied), factors, tuple(sorted(set(levels))))
        for factors, levels in grouped.items()
    )
    keys = [one.key for one in combinations]
    if len(set(keys)) < len(keys):
        raise ParameterError("two combinations have the same name in file names", where=where)
    return combinations


def _unknown_to_product(plan: Plan, point: Point) -> str | None:
    """Say which setting of the plan's own the product of a point does not have, or None."""
    if product_of(point) is not CLASSIC:
        return None
    for name, way in plan.set_by.items():
        if name in point and way.broker_setting not in (None, *CLASSIC_SETTINGS):
            return (
                f"{name} is {way.broker_setting} of Apache Artemis; {CLASSIC.name} has "
                f"{', '.join(CLASSIC_SETTINGS)}"
            )
    return None


def _not_inside(plan: Plan, point: Point) -> str | None:
    """Say which property drivers of a point would not have, since they run in a broker, or None."""
    if point["workload"] not in _INSIDE:
        return None
    for name, way in plan.set_by.items():
        if name in point and way.client_property is not None:
            return (
                f"{name} is a client_property, and workload {point['workload']} has drivers in the "
                "broker's process, which is started without it"
            )
    return None


def _too_large(plan: Plan, point: Point) -> str | None:
    """Say that a load driver's memory cannot hold a message of a point, or None."""
    heap = heap_bytes(plan.driver.jvm)
    if heap is None or _COPIES * int(point["message_bytes"]) <= heap:
        return None
    return (
        f"message_bytes is {point['message_bytes']:,}: a requester holds payload, request and "
        f"reply, for which a Java heap of {heap:,} B (driver.jvm) has room up to "
        f"{heap // _COPIES:,} B each"
    )


def _asked(
    factors: Mapping[str, tuple[Level, ...]], set_by: Mapping[str, Setter], where: str
) -> Iterator[dict[str, Level]]:
    if REQUESTERS not in factors:
        raise ParameterError(
            "the factor requesters is missing, or has no level", where=f"{where}: factors",
            remedy="give it at least one, such as requesters: [1, 4, 16]",
        )  # fmt: skip
    for name, levels in factors.items():
        known = None if name in set_by else ALLOWED[name]
        for level in levels:
            if name in set_by and (problem := set_by[name].refusal(level)):
                raise ParameterError(
                    f"{name} cannot be '{level}': it {problem}", where=f"{where}: factors"
                )
            if known is not None and level not in known:
                raise ParameterError(
                    f"a campaign cannot run {name} '{level}'{nearest(str(level), map(str, known))}",
                    where=f"{where}: factors",
                    allowed=", ".join(map(str, known)),
                )
    for levels in itertools.product(*factors.values()):
        yield dict(zip(factors, levels, strict=True))


def factors_in_order(plan: Plan) -> tuple[str, ...]:
    """Give the factors that a plan can set, its own behind those that every campaign knows."""
    return tuple(dict.fromkeys((*ALLOWED, *plan.set_by)))


def named_factors(
    combinations: Sequence[tuple[tuple[str, Level], ...]], order: Sequence[str]
) -> list[str]:
    """Give the factors that names of runs are made of, in the order of the names."""
    values: dict[str, set[Level]] = {}
    for combination in combinations:
        for name, level in combination:
            values.setdefault(name, set()).add(level)
    missing = {name for one in combinations for name in values if name not in dict(one)}
    return [name for name in order if name in (*_ALWAYS, *missing) or len(values.get(name, ())) > 1]


def _key(factors: Mapping[str, Level], varied: list[str]) -> str:
    words = [_word(name, factors[name]) for name in varied if name in factors]
    text = "-".join(words) or "all"
    return _UNSAFE.sub("-", text.lower()).strip("-.")


def _word(name: str, level: Level) -> str:
    """Write a level; a number with its short unit, in full: 10485760, and not 1.04858e+07."""
    if isinstance(level, (str, bool)):
        return str(level)
    return f"{level:{'d' if isinstance(level, int) else 'g'}}{_SHORT.get(name, '')}"
