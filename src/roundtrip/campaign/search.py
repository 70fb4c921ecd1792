"""Which runs come next: the search for the peak, repetitions interleaved, an order by the seed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from roundtrip.campaign.method import Search
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.points import Combination, Run
from roundtrip.stats.intervals import interval_of

Results = Mapping[int, float | None]
"""Number of requesters to the rate seen; None for a run that failed, 0 for one that was too slow
for `until_slow`."""


def next_levels(search: Search, levels: Sequence[int], results: Results) -> tuple[int, ...]:
    """Say which of all levels, ascending, to run next; none when the search is over."""
    if search.method == "until_peak":
        return _until_peak(search, levels, results)
    if search.method == "until_slow":
        return _until_slow(levels, results)
    return tuple(level for level in levels if level not in results)


def _until_peak(search: Search, levels: Sequence[int], results: Results) -> tuple[int, ...]:
    """Go upwards until the rate has not risen for `patience` steps, as the reports do."""
    best, flat = 0.0, 0
    for level in levels:
        if level not in results:
            return (level,)
        rate = results[level] or 0.0
        flat = 0 if rate > best * (1 + search.rise) else flat + 1
        best = max(best, rate)
        if flat >= search.patience and best > 0:
            return ()
    return ()


def _until_slow(levels: Sequence[int], results: Results) -> tuple[int, ...]:
    """Go upwards until a load is too much: the last one before is the result."""
    for level in levels:
        if level not in results:
            return (level,)
        if not results[level]:
            return ()
    return ()


def rate_that_counts(search: Search, rate: float | None, time_ms: float | None) -> float | None:
    """Give the rate of a run, in round trips/s, as the search sees it.

    The mean time of a round trip, in ms, says whether it was too slow.
    """
    if search.method == "until_slow" and rate is not None:
        return 0.0 if time_ms is None or time_ms > search.slow_ms else rate
    return rate


LATER_REPETITIONS = 2
"""How often a later block runs each point: the two tell its hour from the scatter within it."""

Rates = Mapping[str, float | None]
"""Key of a run to its rate; None for one that failed for good."""


def next_runs(
    plan: Plan, combinations: Sequence[Combination], rates: Rates, marked: Collection[str] = (),
    blocks: int = 1,
) -> list[Run]:  # fmt: skip
    """Give the runs that may be carried out next, in their order; none when all is done.

    The first repetition looks for the peak in all combinations at a time; the others visit the
    same points again, further ones those that are not precise enough. Blocks after the first, an
    hour later or more, visit all points `LATER_REPETITIONS` times. Within a repetition every run
    stands at random, so that a drift of the machine falls on all variants alike (random
    interleaving, as Google Benchmark and asv do it). The place of a run depends on seed and run
    alone: an interrupted campaign goes on in the same order.

    Parameters
    ----------
    marked : collection of str
        Keys of runs that were not steady or were disturbed: they make no point more precise.
    blocks : int
        How many there are to be.
    """
    looked_for = [
        Run(one, level, 1)
        for one in combinations
        for level in next_levels(plan.search, one.levels, _seen(one, rates))
    ]
    left = looked_for or remaining(plan, combinations, rates, marked, blocks)
    soonest = min((run.repetition for run in left), default=0)
    return sorted(
        (run for run in left if run.repetition == soonest),
        key=lambda run: hashlib.sha256(f"{plan.seed}:{run.key}".encode()).digest(),
    )


def _enough(plan: Plan, run: Run, rates: Rates, marked: Collection[str]) -> bool:
    """Say whether a point needs no such repetition, by its block and the plan's precision."""
    if run.repetition <= plan.repetitions:
        return False
    keys = [replace(run, repetition=earlier).key for earlier in range(1, run.repetition)]
    if not any(rates.get(key) for key in keys):
        # Each that was planned failed for good, or was too slow for the search.
        return all(key in rates for key in keys[: plan.repetitions])
    if plan.block_of(run.repetition) > 1 or plan.precision is None:
        return (run.repetition - 1) % plan.most_repetitions >= LATER_REPETITIONS
    values = [rate for key in keys if key not in marked and (rate := rates.get(key))]
    return len(values) >= plan.repetitions and interval_of(values).within(plan.precision.within)


def remaining(
    plan: Plan, combinations: Sequence[Combination], rates: Rates, marked: Collection[str] = (),
    blocks: int = 1,
) -> list[Run]:  # fmt: skip
    """Give the runs that are left at the most; searches and precision may end sooner."""
    return [
        run
        for one in combinations
        for seen in [_seen(one, rates)]
        for level in (one.levels if next_levels(plan.search, one.levels, seen) else seen)
        for repetition in range(1, blocks * plan.most_repetitions + 1)
        if (run := Run(one, level, repetition)).key not in rates
        and not _enough(plan, run, rates, marked)
    ]


def _seen(combination: Combination, rates: Rates) -> dict[int, float | None]:
    """Give what the first repetition has seen of a combination."""
    keys = {level: Run(combination, level, 1).key for level in combination.levels}
    return {level: rates[key] for level, key in keys.items() if key in rates}
