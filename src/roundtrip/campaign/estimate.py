"""How long a plan will take, told before anything starts."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.campaign.plan import Plan
from roundtrip.campaign.points import Combination
from roundtrip.campaign.settable import NONE
from roundtrip.errors import ParameterError

OVERHEAD_SECONDS = 4.0
"""Waiting for quiet, and start and end of broker and drivers in one run, on a small machine."""
_FURTHER_SECONDS = {"ha": 4.0, "link": 2.0, "log_file_system": 1.5}
"""For a backup to catch up, a link to be probed, a file system to be made."""
_MANAGER_SECONDS = 0.5
"""For each further queue manager."""
_COURSE_SECONDS = {"mirrored": 4.0, "backlog": 9.0, "failover": 5.0, "background": 2.5}
"""What a course takes beside the usual one. Mirrored: a second broker, and the comparison of both;
backlog: the same with more drivers and a receiver. Failover: the takeover, and the account of all
messages. Background: filling a deep queue and counting it."""
_AFTER = {"backlog": 1.5}
"""How long the course goes on after the measured part, as a share of that."""


@dataclass(frozen=True)
class Size:
    """Size of a plan.

    Attributes
    ----------
    combinations, points : int
        Combinations without the requesters, and with them.
    least_runs, most_runs : int
        Restarts, when each point is precise at once and when none ever is; searches aside.
    least_seconds, most_seconds : float
        Likewise, when every run is steady at once and when none ever is.
    """

    combinations: int
    points: int
    least_runs: int
    most_runs: int
    least_seconds: float
    most_seconds: float

    def __str__(self) -> str:
        more = f" to {self.most_runs}" if self.most_runs != self.least_runs else ""
        return (
            f"combinations: {self.combinations}, operating points: {self.points}, "
            f"runs: {self.least_runs}{more}, "
            f"time: {duration(self.least_seconds)} to {duration(self.most_seconds)}"
        )


def size_of(plan: Plan, combinations: tuple[Combination, ...], further_seconds: float = 0) -> Size:
    """Compute the size of a plan; searches count as if they ran every point.

    Parameters
    ----------
    combinations : tuple of Combination
        From `roundtrip.campaign.points.combinations_of`.
    further_seconds : float
        What each run takes beside.
    """
    points = sum(len(one.levels) for one in combinations)
    window = max(plan.warm_up.least_seconds, plan.warm_up.window * plan.interval_seconds)
    longest = max(plan.warm_up.most_seconds, window)
    once = points * further_seconds
    once += sum(_fixed(plan, one) * len(one.levels) for one in combinations)
    least, most = plan.repetitions, plan.most_repetitions
    return Size(
        len(combinations), points, least * points, most * points,
        least * (once + points * window), most * (once + points * longest),
    )  # fmt: skip


def _fixed(plan: Plan, combination: Combination) -> float:
    """Give the seconds of a run without its warm-up, by its course and what is arranged for it."""
    factors = dict(combination.factors)
    seconds = OVERHEAD_SECONDS + plan.measure_seconds * (1 + _AFTER.get(plan.course, 0))
    seconds += _COURSE_SECONDS.get(plan.course, 0)
    seconds += _MANAGER_SECONDS * (int(factors.get("queue_managers", 1)) - 1)
    for name, further in _FURTHER_SECONDS.items():
        seconds += further if factors.get(name, NONE) != NONE else 0
    return seconds + plan.broker.log_test_seconds * ("log_file_system" in factors)


def run_seconds(plan: Plan) -> float:
    """Estimate one run: half way between a warm-up that is short and one that is long."""
    size = size_of(plan, (Combination("", (), (1,)),))
    return (size.least_seconds / size.least_runs + size.most_seconds / size.most_runs) / 2


def refuse_beyond_budget(plan: Plan, size: Size) -> None:
    """Refuse a plan that cannot be run in its time."""
    if size.least_seconds > plan.budget_minutes * 60:
        raise ParameterError(
            f"the plan needs more than its budget of {duration(plan.budget_minutes * 60)}: {size}",
            where=f"params/campaigns/{plan.name}.yml: profile {plan.profile}",
            remedy="take fewer levels or repetitions, measure for a shorter time, or raise "
            "budget_minutes",
        )


def duration(seconds: float) -> str:
    """Write a duration as people say it: ``45 s``, ``7 min 30 s``, ``3 h 05 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
