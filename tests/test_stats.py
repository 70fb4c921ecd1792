"""Intervals, steady state and merged histograms."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from roundtrip.stats.histograms import DIGITS, HIGHEST_NS, merged, summary_of
from roundtrip.stats.intervals import (
    coefficient_of_variation,
    family_differences,
    interval_of,
    mean_interval,
    ratio_apart,
    ratio_interval,
    ratio_over_blocks,
)
from roundtrip.stats.steady import is_steady, mser5

RATES = st.lists(st.floats(1, 1e6, allow_subnormal=False), min_size=2, max_size=12)
WINDOW, LIMIT = 5, 0.05


@given(RATES)
def test_t_interval_holds_its_mean_and_agrees_with_the_t_test(values: list[float]) -> None:
    found = mean_interval(values)
    room = 1e-9 * max(values)
    assert found.low - room <= found.estimate <= found.high + room
    assert found.estimate == pytest.approx(np.mean(values))
    if np.ptp(values) > 1e-3 * max(values):
        test = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((test.low, test.high), rel=1e-6, abs=1e-6)


def test_t_interval_of_known_data() -> None:
    # Mean 5, standard error 1, t(0.975, 3) = 3.182446
    found = mean_interval([3.0, 5.0, 4.0, 8.0])
    error = float(np.std([3, 5, 4, 8], ddof=1) / 2)
    assert found.high - found.estimate == pytest.approx(3.182446 * error, rel=1e-6)
    assert found.method == "t"
    assert found.runs == 4


def test_an_interval_for_another_coverage_is_that_of_the_t_test() -> None:
    values = [3.0, 5.0, 4.0, 8.0]
    found = mean_interval(values).at(0.8)
    test = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.8)
    assert (found.low, found.high) == pytest.approx((test.low, test.high), rel=1e-9)
    assert found.confidence == 0.8


def test_t_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    hits = sum(
        not mean_interval(list(rng.normal(100, 10, size=4))).excludes(100) for _ in range(2000)
    )
    assert 0.93 < hits / 2000 < 0.97


def test_one_run_gives_no_interval_and_no_difference() -> None:
    found = mean_interval([12.0])
    assert (found.estimate, found.known, found.method) == (12.0, False, "none")
    assert not ratio_interval([1.0], [100.0]).is_difference
    assert math.isnan(coefficient_of_variation([3.0]))


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf, 1.0]])
def test_values_that_are_no_measurement_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval(values)
    with pytest.raises(ValueError, match="finite"):
        ratio_interval(values, [1.0, 2.0])


@given(RATES, RATES)
@example([1, 1], [1, 1 + 2e-16])
@example([1, 1], [1 + 2e-16, 1 + 2e-16])
@example([2, 2], [3, 3])
def test_ratio_does_not_depend_on_which_side_is_the_baseline(
    one: list[float], other: list[float]
) -> None:
    forth, back = ratio_interval(one, other), ratio_interval(other, one)
    assert forth.estimate == pytest.approx(1 / back.estimate)
    assert forth.is_difference == back.is_difference
    if forth.known and back.low > 0 and math.isfinite(1 / back.low):
        assert forth.high == pytest.approx(1 / back.low, rel=1e-6)


@given(RATES, st.integers(1, 9))
@example([0.1], 3)
def test_equal_runs_are_no_difference_however_they_were_computed(
    values: list[float], parts: int
) -> None:
    summed = [sum([value / parts] * parts) for value in values]
    for group in (values[:1] * 3, values * 2):
        other = [summed[values.index(value)] for value in group]
        assert not ratio_interval(group, other).is_difference
        assert not ratio_interval(other, group).is_difference


@given(RATES, RATES, st.randoms(use_true_random=False))
def test_nothing_depends_on_which_run_came_first(
    one: list[float], other: list[float], random: random.Random
) -> None:
    mixed = random.sample(one, len(one))
    assert mean_interval(mixed) == mean_interval(one)
    assert ratio_interval(mixed, other) == ratio_interval(one, other)
    assert coefficient_of_variation(mixed) == coefficient_of_variation(one)


def test_runs_of_different_hours_have_a_ratio_without_an_interval() -> None:
    values, baseline = [200.0, 202.0, 199.0], [100.0, 101.0, 99.0]
    found = ratio_apart(values, baseline)
    assert found.estimate == ratio_interval(values, baseline).estimate
    assert (found.known, found.is_difference, found.method) == (False, False, "none")
    assert family_differences([found]) == [False]


def test_the_bootstrap_waits_until_it_covers_as_often_as_students_t() -> None:
    runs = list(np.random.default_rng(4).normal(100, 10, 30))
    assert interval_of(runs[:29]).method == "t"
    assert interval_of(runs).method == "BCa bootstrap"


def test_the_bootstrap_does_not_depend_on_which_run_came_first() -> None:
    runs = list(np.random.default_rng(2).lognormal(5, 0.3, 30))
    assert interval_of(runs) == interval_of(runs[::-1])


@given(RATES, RATES)
def test_ratio_agrees_with_welchs_test(one: list[float], other: list[float]) -> None:
    above, below = np.log(one), np.log(other)
    assume(min(np.ptp(above), np.ptp(below)) > 1e-6)
    found = ratio_interval(one, other)
    test = scipy_stats.ttest_ind(above, below, equal_var=False).confidence_interval(0.95)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx(test, rel=1e-6, abs=1e-6)


@given(RATES, st.floats(0.1, 10))
def test_ratio_of_a_multiple_is_its_factor(values: list[float], factor: float) -> None:
    found = ratio_interval([factor * value for value in values], values)
    assert found.estimate == pytest.approx(factor)
    assert found.low <= factor * (1 + 1e-9)
    assert found.high >= factor * (1 - 1e-9)


def test_a_difference_is_called_one_only_when_the_interval_excludes_1() -> None:
    assert ratio_interval([200.0, 202.0, 199.0], [100.0, 101.0, 99.0]).is_difference
    assert not ratio_interval([105.0, 90.0, 118.0], [100.0, 120.0, 85.0]).is_difference


def test_a_family_of_one_is_judged_by_its_interval() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        group, other = rng.lognormal(5, 0.1, size=(2, 3))
        found = ratio_interval(list(group), list(other))
        assert family_differences([found]) == [found.is_difference]
        assert (found.chance < 0.05) == found.is_difference
        assert found.at(0.5).chance == pytest.approx(found.chance)
    equal, apart = ratio_interval([2.0, 2.0], [2.0, 2.0]), ratio_interval([3.0, 3.0], [2.0, 2.0])
    assert family_differences([equal, apart]) == [False, True]
    assert family_differences([ratio_interval([1.0], [100.0])]) == [False]
    assert family_differences([]) == []


def test_of_many_variants_a_difference_must_be_clearer() -> None:
    base = [100.0, 101.0, 99.0]
    clear = ratio_interval([50.0, 50.5, 49.5], base)
    faint = ratio_interval([96.0, 97.0, 95.0], base)
    none = ratio_interval([100.5, 99.0, 101.0], base)
    assert clear.is_difference
    assert faint.is_difference
    assert family_differences([none, faint, clear]) == [False, True, True]
    assert family_differences([none] * 12 + [faint, clear]) == [False] * 13 + [True]


def test_one_in_twenty_families_of_equal_variants_errs_at_most() -> None:
    rng = np.random.default_rng(11)
    wrong = single = 0
    for _ in range(300):
        base = list(rng.lognormal(5, 0.1, size=4))
        family = [ratio_interval(list(rng.lognormal(5, 0.1, size=4)), base) for _ in range(15)]
        wrong += any(family_differences(family))
        single += any(one.is_difference for one in family)
    assert wrong / 300 < 0.06
    assert single / 300 > 0.2  # which is what the correction is for


def test_equal_groups_are_called_different_as_rarely_as_stated() -> None:
    rng = np.random.default_rng(11)
    wrong = sum(
        ratio_interval(
            list(rng.lognormal(5, 0.1, size=4)), list(rng.lognormal(5, 0.1, size=4))
        ).is_difference
        for _ in range(1500)
    )
    assert wrong / 1500 < 0.06


def test_what_an_hour_changes_in_both_groups_is_no_part_of_their_ratio() -> None:
    values, baseline = [[200.0, 202.0], [100.0, 101.0]], [[100.0, 101.0], [50.0, 50.5]]
    found = ratio_over_blocks(values, baseline)
    flat = ratio_interval([*values[0], *values[1]], [*baseline[0], *baseline[1]])
    assert found.estimate == pytest.approx(2)
    assert found.high / found.low < 1.1
    assert flat.high / flat.low > 3


def test_runs_of_few_hours_do_not_look_surer_than_they_are() -> None:
    rng = np.random.default_rng(7)
    cases, covered, flat_covered = 1500, 0, 0
    for _ in range(cases):
        groups = [
            [list(rng.lognormal(5 + rng.normal(0, 0.05), 0.02, size=runs)) for runs in (3, 2)]
            for _ in range(2)
        ]
        # As estimated from twenty other points: of means of three and of two runs in a block.
        of_means = (0.05**2 + 0.02**2 * (1 / 3 + 1 / 2) / 2) * rng.chisquare(20) / 20
        covered += not ratio_over_blocks(*groups, of_means=of_means, freedom=20).excludes(1)
        flat_covered += not ratio_interval(*([*one, *two] for one, two in groups)).excludes(1)
    assert 0.93 < covered / cases < 0.97
    assert flat_covered / cases < 0.9


def test_a_ratio_over_blocks_needs_runs_of_both_in_each_and_more_runs_than_blocks() -> None:
    assert not ratio_over_blocks([[1.0], [2.0]], [[1.0, 2.0], [1.0]]).known
    with pytest.raises(ValueError, match="zip"):
        ratio_over_blocks([[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="at least one"):
        ratio_over_blocks([[1.0, 2.0], []], [[1.0, 2.0], [1.0]])


def test_ratio_refuses_what_is_not_positive() -> None:
    for values, baseline in (([0.0, 1.0], [1.0, 2.0]), ([1.0, 2.0], [2.0, 0.0])):
        with pytest.raises(ValueError, match="positive"):
            ratio_interval(values, baseline)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.floats(1, 1000), min_size=30, max_size=40))
def test_bootstrap_stays_within_the_data_and_is_the_same_every_time(values: list[float]) -> None:
    found = interval_of(values)
    assert found == interval_of(values)
    if found.known:
        assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


@given(RATES, st.floats(0.5, 50))
def test_variation_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    first = coefficient_of_variation(values)
    assert coefficient_of_variation([factor * v for v in values]) == pytest.approx(first, abs=1e-9)


def test_rule_waits_until_a_rising_rate_is_level() -> None:
    rising = [100.0 * (1 - math.exp(-step / 4)) for step in range(1, 40)]
    begin = next(end for end in range(len(rising)) if is_steady(rising[:end], WINDOW, LIMIT, LIMIT))
    assert rising[begin - 1] > 95
    assert not is_steady(rising[:8], WINDOW, LIMIT, LIMIT)


def test_even_rise_is_not_steady_though_it_scatters_little() -> None:
    rates = [100.0 + 3 * step for step in range(5)]
    assert coefficient_of_variation(rates) < LIMIT
    assert not is_steady(rates, WINDOW, LIMIT, LIMIT)


@pytest.mark.parametrize(
    "rates", [[], [100.0] * 4, [0.0] * 10, [100, 50, 100, 50, 100], [1, 1, 1, 1, math.nan]]
)
def test_rule_does_not_hold(rates: list[float]) -> None:
    assert not is_steady(rates, WINDOW, LIMIT, LIMIT)


@given(st.floats(1, 1e6), st.integers(5, 60))
def test_constant_rate_is_steady_at_once(rate: float, count: int) -> None:
    held = [end for end in range(count + 1) if is_steady([rate] * end, WINDOW, LIMIT, LIMIT)]
    assert held == list(range(WINDOW, count + 1))


def test_drift_and_scatter_are_those_of_the_line_through_the_window() -> None:
    rising = [100.0, 104.0, 108.0]  # 8 from first to last, of 104
    assert is_steady(rising, 3, 0.01, 0.08)
    assert not is_steady(rising, 3, 0.01, 0.075)
    uneven = [100.0, 103.0, 97.0, 100.0, 100.0]
    places = np.arange(5)
    rest = np.array(uneven) - np.polyval(np.polyfit(places, uneven, 1), places)
    scatter = float(np.sqrt((rest**2).sum() / 3)) / 100
    assert is_steady(uneven, 5, scatter * 1.001, 1)
    assert not is_steady(uneven, 5, scatter * 0.999, 1)


def test_mser5_cuts_off_the_transient() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([np.linspace(0, 100, 20), rng.normal(100, 2, 80)])
    cut = mser5(list(values))
    assert cut is not None
    assert 15 <= cut <= 30


@given(st.floats(1e-3, 1e9), st.integers(20, 120))
@example(0.7, 100)
def test_mser5_leaves_nothing_out_of_a_level_series(rate: float, count: int) -> None:
    assert mser5([rate] * count) == 0


def test_mser5_still_tells_where_the_transient_takes_two_fifths() -> None:
    values = [*np.linspace(0, 100, 40), *np.random.default_rng(3).normal(100, 2, 60)]
    cut = mser5(values)
    assert cut is not None
    assert 35 <= cut <= 50


def test_mser5_says_when_a_series_is_too_short_or_never_settles() -> None:
    assert mser5([1.0] * 19) is None
    assert mser5(list(np.linspace(0, 100, 60))) is None


def _encoded(values: list[int]) -> str:
    histogram = HdrHistogram(1, HIGHEST_NS, DIGITS)
    for value in values:
        histogram.record_value(value)
    return histogram.encode().decode()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(1, 10**10), max_size=30), min_size=1, max_size=4))
def test_merged_histograms_say_what_one_histogram_of_all_values_says(
    parts: list[list[int]],
) -> None:
    whole = summary_of(merged([_encoded([value for part in parts for value in part])]))
    assert summary_of(merged(_encoded(part) for part in parts)) == whole


def test_percentiles_are_exact_to_a_thousandth_and_stated_only_where_enough_lies_beyond() -> None:
    values = [1000 * step for step in range(1, 1001)]
    found = summary_of(merged([_encoded(values)]))
    assert set(found) == {"mean", "maximum", "p50", "p90", "p99"}
    assert found["mean"] == pytest.approx(0.5005, rel=2e-3)
    assert found["p99"] == pytest.approx(0.990, rel=2e-3)
    assert found["maximum"] == pytest.approx(1.0, rel=2e-3)
    assert summary_of(merged([])) == {}


def test_a_percentile_is_the_value_that_so_many_values_do_not_exceed() -> None:
    found = summary_of(merged([_encoded([1_000_000] * 1040 + [50_000_000] * 11)]))
    assert found["p99"] == pytest.approx(50, rel=1e-3)  # the 1041st of 1051


@pytest.mark.parametrize(
    ("count", "stated"),
    [(19, ""), (20, "p50"), (99, "p50"), (100, "p50 p90"), (999, "p50 p90"),
     (1000, "p50 p90 p99"), (10_000, "p50 p90 p99 p999")],
)  # fmt: skip
def test_a_percentile_is_stated_from_ten_values_beyond_it(count: int, stated: str) -> None:
    found = summary_of(merged([_encoded([1000] * count)]))
    assert list(found) == ["mean", "maximum", *stated.split()]


@given(st.text(max_size=40))
def test_damaged_histograms_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a latency histogram"):
        merged([text])
