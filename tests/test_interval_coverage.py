"""How often the intervals of this edition cover, as the chapter on method says it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from support.methodology.coverage import Coverage, coverage_of


def simulated(
    within: float, between: float, *, tail: bool = False, runs: tuple[int, int] = (3, 3)
) -> Coverage:
    """Give the coverage of a made campaign: 500 points, with runs in each of two blocks."""
    random = np.random.default_rng(3)
    shape = (500, 2, max(runs))
    noise = 1 - random.exponential(1, shape) if tail else random.standard_normal(shape)
    logs = within * noise + between * random.standard_normal((500, 2, 1))
    points, blocks, run = np.indices(shape)
    made = run < np.array(runs)[blocks]
    parts = (pd.Series(part[made]) for part in (logs, points, blocks))
    found = coverage_of(*parts, own=between**2)
    assert found is not None
    return found


def test_intervals_of_normal_runs_of_one_level_cover_as_stated() -> None:
    found = simulated(0.05, 0)
    assert found.measured == pytest.approx([95] * 4, abs=1.5)
    assert found.other_hours == pytest.approx(95, abs=1.5)


def test_runs_with_a_long_tail_are_covered_less_often() -> None:
    assert simulated(0.05, 0, tail=True).measured == pytest.approx([88.5] * 4, abs=2)


def test_hours_that_differ_are_not_covered_by_the_runs_of_two() -> None:
    found = simulated(0.05, 0.1)
    assert found.measured == pytest.approx([95] * 4, abs=1.5)  # of the hours that were measured
    assert found.other_hours < 80
    assert found.ratio == pytest.approx(95, abs=2)  # it includes what an hour changes in one point


def test_a_block_with_few_runs_makes_the_mean_of_many_hours_less_sure() -> None:
    even, uneven = (simulated(0.05, 0.1, runs=runs).other_hours for runs in ((5, 5), (8, 2)))
    assert uneven < even - 5


def test_nothing_is_said_where_too_little_was_repeated() -> None:
    for logs in ([1.0, 2.0], [1.0, 1.0, 1.0]):
        same = pd.Series([1] * len(logs))
        assert coverage_of(pd.Series(logs), same, same) is None
    same = pd.Series([1] * 3)
    one_block = coverage_of(pd.Series([1.0, 1.2, 1.1]), same, same)
    assert one_block is not None
    assert np.isnan(one_block.other_hours)
