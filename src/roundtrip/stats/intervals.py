"""Confidence intervals of means and of ratios over repeated runs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

CONFIDENCE = 0.95
TESTED = 0.9
"""Coverage of the interval that two one-sided tests at one error in twenty come to."""
BOOTSTRAP_FROM = 30
"""Runs from which the bootstrap covers as often as Student's t. Simulated with 10 normal runs, it
covers 90 %, with 30 runs 94 %, and then more than t where one run in ten is off by a step."""
_RESAMPLES = 9999
_SEED = 20261121
_EQUAL = 1e-9
"""What rounding may add to a logarithm: runs or groups this close are equal."""

Method = Literal["t", "BCa bootstrap", "log t", "none"]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, and how that was obtained.

    Attributes
    ----------
    estimate : float
        Mean, or ratio.
    low, high : float
        Ends of the interval; NaN where the runs give none.
    method : {"t", "BCa bootstrap", "log t", "none"}
        ``none``: fewer than two runs, or runs of different hours.
    runs : int
        How many runs it rests on, of the smaller group for a ratio.
    confidence : float
        Coverage that the interval is made for.
    freedom : float or None
        Degrees of freedom of Student's t; None where another method made it.
    """

    estimate: float
    low: float
    high: float
    method: Method
    runs: int
    confidence: float = CONFIDENCE
    freedom: float | None = None

    def at(self, confidence: float) -> Interval:
        """Give the same interval for another coverage; unchanged where Student's t did not make it.

        Parameters
        ----------
        confidence : float
            Between 0 and 1.
        """
        if not self.known or self.freedom is None:
            return self
        shrink = t_quantile(confidence, self.freedom) / t_quantile(self.confidence, self.freedom)
        if self.method == "log t":
            low, high = (
                self.estimate * (end / self.estimate) ** shrink for end in (self.low, self.high)
            )
        else:
            low, high = (
                self.estimate + shrink * (end - self.estimate) for end in (self.low, self.high)
            )
        return replace(self, low=low, high=high, confidence=confidence)

    @property
    def known(self) -> bool:
        """Whether there is an interval at all."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def within(self, share: float) -> bool:
        """Say whether it reaches no further than this share of its estimate to either side."""
        reach = max(self.high - self.estimate, self.estimate - self.low)
        return self.known and reach <= share * abs(self.estimate)

    def excludes(self, value: float) -> bool:
        """Say whether a value lies outside; never so when there is no interval."""
        return self.known and not self.low <= value <= self.high

    @property
    def chance(self) -> float:
        """How probable a ratio as far from 1 is where there is no difference (two-sided p-value).

        1 where there is no interval, or another method than Student's t on logarithms made it.
        """
        if not self.known or self.method != "log t" or self.freedom is None:
            return 0.0 if self.is_difference and self.method == "log t" else 1.0
        error = math.log(self.high / self.estimate) / t_quantile(self.confidence, self.freedom)
        return float(2 * special.stdtr(self.freedom, -abs(math.log(self.estimate)) / error))

    @property
    def is_difference(self) -> bool:
        """Whether a ratio is called a difference: only where its interval excludes 1."""
        return self.excludes(1.0)


def family_differences(family: Sequence[Interval]) -> list[bool]:
    """Say which ratios of a family are called differences, if one in twenty families may err.

    Of fifteen equal variants one is likely to look different by chance. Holm's procedure asks the
    clearest difference to pass a fifteenth of the error, the next a fourteenth, and stops at the
    first that does not: Holm, *A simple sequentially rejective multiple test procedure*,
    Scandinavian Journal of Statistics 6, 1979.

    Parameters
    ----------
    family : sequence of Interval
        Of ratios, from `ratio_interval`.

    Returns
    -------
    list of bool
        One for each; of a family of one, whether its interval excludes 1.
    """
    found = [False] * len(family)
    order = sorted(range(len(family)), key=lambda place: family[place].chance)
    for left, place in zip(range(len(family), 0, -1), order, strict=True):
        if family[place].chance > (1 - CONFIDENCE) / left:
            break
        found[place] = True
    return found


def _checked(values: Sequence[float], name: str) -> np.ndarray:
    """Give the values in order of size: nothing may depend on which run came first."""
    array = np.sort(np.asarray(values, dtype=float))
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a sequence of finite numbers, at least one")
    return array


def t_quantile(confidence: float, freedom: float) -> float:
    """Give how many standard errors Student's t interval reaches to either side."""
    return float(special.stdtrit(freedom, (1 + confidence) / 2))


def mean_interval(values: Sequence[float]) -> Interval:
    """Give the mean over runs with Student's t interval.

    The t interval keeps its coverage with the few runs that campaigns have, where the bootstrap is
    too narrow (Hesterberg, *What teachers should know about the bootstrap*, The
    American Statistician 69, 2015, https://doi.org/10.1080/00031305.2015.1089789).

    Parameters
    ----------
    values : sequence of float
        One value for each run.

    Returns
    -------
    Interval
        Without ends when there is one run only.

    Raises
    ------
    ValueError
        If there is no value, or one is not finite.
    """
    array = _checked(values, "values")
    mean = float(array.mean())
    if array.size < 2:
        return Interval(mean, math.nan, math.nan, "none", int(array.size))
    error = math.sqrt(float(array.var(ddof=1)) / array.size)
    room = t_quantile(CONFIDENCE, array.size - 1) * error
    return Interval(mean, mean - room, mean + room, "t", int(array.size), freedom=array.size - 1)


def interval_of(values: Sequence[float]) -> Interval:
    """Give the mean over runs with the interval that suits their number.

    Below `BOOTSTRAP_FROM` runs it is Student's t; the result says which. From there on it is the
    bias-corrected and accelerated bootstrap, which needs no normal values: Efron, *Better bootstrap
    confidence intervals*, JASA 82, 1987; computed by `scipy.stats.bootstrap` from a fixed seed.
    What it takes and refuses is as of `mean_interval`.
    """
    if len(values) < BOOTSTRAP_FROM:
        return mean_interval(values)
    array = _checked(values, "values")
    mean = float(array.mean())
    if np.ptp(array) == 0:
        return Interval(mean, mean, mean, "BCa bootstrap", int(array.size))
    from scipy import stats  # takes half a second, and few ask for it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            (array,), np.mean, confidence_level=CONFIDENCE, n_resamples=_RESAMPLES, method="BCa",
            rng=np.random.default_rng(_SEED),
        ).confidence_interval  # fmt: skip
    low, high = float(found.low), float(found.high)
    return Interval(mean, low, high, "BCa bootstrap", int(array.size))


def ratio_interval(values: Sequence[float], baseline: Sequence[float]) -> Interval:
    """Give the ratio of two groups of runs with its interval.

    The ratio is that of the geometric means. Its interval is Welch's t interval for the
    difference of the logarithms, turned back: rates vary in proportion to their size, and the
    result is the same whichever of the groups is the baseline. It is never narrower than what
    rounding adds, and always finite, which Fieller's interval for a ratio of arithmetic means is
    not. The degrees of freedom are those of
    Welch, *The generalization of "Student's" problem when several different population variances
    are involved*, Biometrika 34, 1947.

    Parameters
    ----------
    values, baseline : sequence of float
        One positive value for each run; the groups may differ in size.

    Returns
    -------
    Interval
        Of values over baseline; without ends when either group has one run only.

    Raises
    ------
    ValueError
        If a group is empty, or a value is not finite and positive.
    """
    return ratio_over_blocks([values], [baseline])


def ratio_apart(values: Sequence[float], baseline: Sequence[float]) -> Interval:
    """Give the ratio of two groups of runs that no hour has in common: without an interval.

    What an hour changes in all runs alike is in such a ratio, and no run of either group says how
    much that is.

    Parameters
    ----------
    values, baseline : sequence of float
        As for `ratio_interval`.
    """
    ratio = ratio_interval(values, baseline)
    return replace(ratio, low=math.nan, high=math.nan, method="none", freedom=None)


def ratio_over_blocks(
    values: Sequence[Sequence[float]], baseline: Sequence[Sequence[float]], *,
    of_means: float = 0.0, freedom: float = math.nan,
) -> Interval:  # fmt: skip
    """Give the ratio of two groups of runs that were made in the same blocks, hours apart.

    As `ratio_interval`, but the ratio is formed in each block, so that what an hour changes in both
    groups alike cancels, and the result is the mean over blocks. Where blocks change one group
    only, runs of a block are not independent, and many runs of few blocks would look surer than
    they are: the error is then that of means over blocks (randomised blocks: Montgomery, *Design
    and Analysis of Experiments*, chapter 4), else the scatter within blocks, pooled over them.

    Parameters
    ----------
    values, baseline : sequence of sequence of float
        Positive values, one for each run, by block; the same blocks in both, in the same order.
    of_means : float
        Variance of the mean logarithm of one group in one block, less what an hour changes in all
        groups alike, where blocks change one group only; else 0.
    freedom : float
        Degrees of freedom that it rests on.

    Returns
    -------
    Interval
        Without ends where a group has no more runs than blocks.

    Raises
    ------
    ValueError
        If the blocks differ in number, one is empty, or a value is not finite and positive.
    """
    groups = [
        [_logarithms(block, name) for block in blocks]
        for blocks, name in ((values, "values"), (baseline, "baseline"))
    ]
    blocks = len(values)
    differences = [above.mean() - below.mean() for above, below in zip(*groups, strict=True)]
    difference = float(np.mean(differences))
    ratio = _ratio_of(difference)
    runs = min(sum(logs.size for logs in group) for group in groups)
    own = [sum(logs.size for logs in group) - blocks for group in groups]
    if min(own) < 1:
        return Interval(ratio, math.nan, math.nan, "none", runs)
    room: float = _EQUAL
    found: float | None = None
    if of_means > 0:
        found = freedom
        room = max(room, t_quantile(CONFIDENCE, found) * math.sqrt(2 * of_means / blocks))
    elif max(np.ptp(logs) for group in groups for logs in group) >= _EQUAL:
        # One group without any spread is no error: the other one's decides.
        parts = [_error_within(*both) for both in zip(groups, own, strict=True)]
        error_squared = sum(parts)
        found = error_squared**2 / sum(
            part**2 / each for part, each in zip(parts, own, strict=True)
        )
        room = max(room, t_quantile(CONFIDENCE, found) * math.sqrt(error_squared))
    low, high = _ratio_of(difference - room), _ratio_of(difference + room)
    return Interval(ratio, low, high, "log t", runs, freedom=found)


def _logarithms(values: Sequence[float], name: str) -> np.ndarray:
    array = _checked(values, name)
    if (array <= 0).any():
        raise ValueError("a ratio needs positive values")
    logs: np.ndarray = np.log(array)
    return logs


def _error_within(blocks: Sequence[np.ndarray], freedom: int) -> float:
    """Give the squared error of the mean over blocks, by the variance pooled within them."""
    variance = sum(float(logs.var()) * logs.size for logs in blocks) / freedom
    return variance * sum(1 / logs.size for logs in blocks) / len(blocks) ** 2


def _ratio_of(logarithm: float) -> float:
    """Turn a logarithm back, so that its negative gives exactly the reciprocal."""
    size = float(np.exp(abs(logarithm)))
    return size if logarithm >= 0 else 1 / size


def coefficient_of_variation(values: Sequence[float]) -> float:
    """Give the standard deviation (n - 1) as a share of the mean; NaN for one value.

    Raises
    ------
    ValueError
        If there is no value, one is not finite, or the mean is zero.
    """
    array = _checked(values, "values")
    if array.mean() == 0:
        raise ValueError("a coefficient of variation needs a mean other than zero")
    if array.size < 2:
        return math.nan
    return float(array.std(ddof=1) / array.mean())
