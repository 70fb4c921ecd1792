"""Which runs come next: repetitions interleaved, in an order that only the seed decides."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from roundtrip.campaign.plan import Plan
from roundtrip.campaign.points import Cell, Run
from roundtrip.campaign.search import next_levels

Rates = Mapping[str, float | None]
"""Key of a run to its rate; None for one that failed for good."""


def next_runs(plan: Plan, cells: Sequence[Cell], rates: Rates) -> list[Run]:
    """Give the runs that may be carried out next, in their order.

    The first repetition looks for the peak in all combinations at a time; the others visit the
    same points again. Within a block every run stands at random, so that a drift of the machine
    falls on all variants alike (random interleaving, as Google Benchmark and asv do it). The
    place of a run depends on seed and run alone: an interrupted campaign goes on in the same
    order.

    Parameters
    ----------
    plan : Plan
    cells : sequence of Cell
    rates : mapping
        What was seen so far.

    Returns
    -------
    list of Run
        Empty when the campaign is complete.
    """
    first = [
        Run(cell, level, 1)
        for cell in cells
        for level in next_levels(plan.search, cell.levels, _seen(cell, rates))
    ]
    if first:
        return _shuffled(first, plan.seed)
    for repetition in range(2, plan.repetitions + 1):
        block = [
            run
            for cell in cells
            for level in _seen(cell, rates)
            if (run := Run(cell, level, repetition)).key not in rates
        ]
        if block:
            return _shuffled(block, plan.seed)
    return []


def remaining(plan: Plan, cells: Sequence[Cell], rates: Rates) -> int:
    """Count the runs that are left at the most; searches may end sooner."""
    points = sum(
        len(cell.levels) if next_levels(plan.search, cell.levels, seen) else len(seen)
        for cell in cells
        for seen in [_seen(cell, rates)]
    )
    return points * plan.repetitions - len(rates)


def _seen(cell: Cell, rates: Rates) -> dict[int, float | None]:
    """Give what the first repetition has seen of a combination."""
    found = {}
    for level in cell.levels:
        key = Run(cell, level, 1).key
        if key in rates:
            found[level] = rates[key]
    return found


def _shuffled(runs: list[Run], seed: int) -> list[Run]:
    return sorted(runs, key=lambda run: hashlib.sha256(f"{seed}:{run.key}".encode()).digest())
