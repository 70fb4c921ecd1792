"""How often the 95 % intervals of this edition cover, by simulation with its campaigns' scatter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from roundtrip.methodology.scatter import blocks_of, scatter_of
from roundtrip.present import Chapter
from roundtrip.present.chapter import RATE
from roundtrip.stats.intervals import CONFIDENCE, ratio_over_blocks, t_quantile

_CASES, _RATIOS = 4000, 1000
_SEED = 20261127
_RUNS = (3, 4, 5, 8)
"""Runs of a point, as campaigns have them."""
_LEAST = 3
"""Runs of a point in a block that skewness can be estimated from."""
_EQUAL = 1e-6
"""Deviation of logarithms, or square of a skewness, that counts as none."""


@dataclass(frozen=True)
class Coverage:
    """In how many of simulated cases, in percent, an interval contains the true value.

    Attributes
    ----------
    measured : tuple of float
        The mean of the hours that were measured, for several numbers of runs.
    other_hours : float
        The mean over many hours; NaN where there is one block.
    ratio : float
        The ratio of two points; NaN where there is one.
    """

    measured: tuple[float, ...]
    other_hours: float
    ratio: float


def coverage_of(
    logs: pd.Series, points: pd.Series, blocks: pd.Series, own: float = 0.0
) -> Coverage | None:
    """Simulate campaigns whose runs scatter, and lean to one side, as those of one do.

    Runs are drawn from a gamma distribution that has the variance and the skewness of the
    campaign's own (Fisher's k-statistics within points and blocks, pooled: what is left over a mean
    of three has lost most of its skewness). Hours deviate normally, by what the means of a point
    differ by from block to block beyond that. Each block has as many runs of a point as the median.

    Parameters
    ----------
    logs : pandas.Series
        Logarithms of the rates of runs.
    points, blocks : pandas.Series
        The operating point and the block of each.
    own : float
        Variance of what an hour changes in the logarithm of one point alone.

    Returns
    -------
    Coverage or None
        None where no point was run three times in a block, or its runs are equal.
    """
    groups = logs.groupby([points, blocks])
    sizes, rest = groups.transform("size"), logs - groups.transform("mean")
    runs, rest = sizes[sizes > _LEAST - 1], rest[sizes > _LEAST - 1]
    freedom = float((1 - 1 / runs).sum())  # of the variance: runs less groups
    variance = float((rest**2).sum()) / freedom if freedom else 0.0
    if variance < _EQUAL**2:
        return None
    third = float((rest**3 / (1 - 1 / runs) / (1 - 2 / runs)).mean())
    skewness = third / variance**1.5
    random = np.random.default_rng(_SEED)

    def drawn(shape: tuple[int, ...]) -> np.ndarray:
        many = 4 / max(skewness**2, _EQUAL)
        runs = (random.gamma(many, size=shape) - many) / np.sqrt(many)
        scaled: np.ndarray = np.sqrt(variance) * np.sign(skewness) * runs
        return scaled

    measured = tuple(_covered(drawn((_CASES, runs))) for runs in _RUNS)
    means, counts = (found.unstack().dropna() for found in (groups.mean(), groups.size()))
    each = [max(1, round(count)) for count in counts.median()]

    def hours(between: float, *shape: int) -> list[np.ndarray]:
        moved = np.sqrt(between) * random.standard_normal((*shape, len(each), 1))
        return [drawn((*shape, count)) + moved[..., at, :] for at, count in enumerate(each)]

    ratio = _ratios_covered(hours(own, _RATIOS, len(means))) if len(means) > 1 else math.nan
    if means.shape[1] < 2 or means.empty:
        return Coverage(measured, math.nan, ratio)
    noise = variance * float((1 / counts).to_numpy().mean())
    between = max(0.0, float(means.var(axis=1).mean()) - noise)
    return Coverage(measured, _covered(np.concatenate(hours(between, _CASES), 1)), ratio)


def _ratios_covered(blocks: Sequence[np.ndarray]) -> float:
    """Say of how many campaigns the interval of the ratio of two points contains 1, in percent.

    What an hour changes in one point alone is estimated in each, as `scatter_of` does.

    Parameters
    ----------
    blocks : sequence of numpy.ndarray
        Logarithms of each block by campaign, point and run; points do not differ.
    """
    runs = [block.shape[-1] for block in blocks]
    points = blocks[0].shape[1]
    squares = sum((block.var(axis=-1) * block.shape[-1]).sum(axis=-1) for block in blocks)
    noise = squares / (points * (sum(runs) - len(runs))) * np.mean([1 / count for count in runs])
    rest = np.stack([block.mean(axis=-1) for block in blocks], axis=-1)
    rest -= rest.mean(axis=-1, keepdims=True)
    rest -= rest.mean(axis=-2, keepdims=True)
    freedom = (points - 1) * (len(runs) - 1) or math.inf
    of_means = (rest**2).sum(axis=(-2, -1)) / freedom
    of_means = np.where(of_means > noise * (len(runs) > 1), of_means, 0.0)
    values = [np.exp(block[:, :2]) for block in blocks]
    covering = [
        not ratio_over_blocks(
            *([list(block[case, point]) for block in values] for point in (0, 1)),
            of_means=float(of_means[case]), freedom=freedom,
        ).is_difference
        for case in range(len(of_means))
    ]  # fmt: skip
    return float(100 * np.mean(covering))


def _covered(cases: np.ndarray) -> float:
    """Say of how many rows the t interval contains 0, in percent."""
    runs = cases.shape[1]
    room = t_quantile(CONFIDENCE, runs - 1) * cases.std(axis=1, ddof=1) / np.sqrt(runs)
    return float(100 * np.mean(np.abs(cases.mean(axis=1)) <= room))


def coverages(chapter: Chapter) -> Mapping[str, Coverage]:
    """Simulate every campaign whose rates were not set, by its id."""
    known, found = chapter.observations, {}
    for name in known.measured_ids:
        rows = known.choose(source=name, metric=RATE, statistic="mean")
        rows = rows[rows["interval"].isna() & (rows["value"] > 0)]
        campaign = known.campaign(name)
        rows = rows[~rows["row_label"].isin(campaign.replaced)]
        if rows.empty or rows[["target_rate", "requester_rate"]].notna().any(axis=None):
            continue
        logs = pd.Series(np.log(rows["value"].to_numpy(dtype=float)), rows.index)
        blocks = blocks_of(campaign, rows["row_label"])
        one = coverage_of(logs, rows["point_id"], blocks, scatter_of(known, (name,)).between)
        if one is not None:
            found[name] = one
    return found


def coverage_words(chapter: Chapter) -> str:
    """Say how often the intervals of means cover; empty where no campaign repeats a point."""
    found = coverages(chapter)
    if not found:
        return ""
    measured = [share for one in found.values() for share in one.measured]
    told = (
        "In simulations with the variance and skewness of the runs of each campaign at free rates, "
        f"such an interval of {_RUNS[0]} to {_RUNS[-1]} runs contains the true mean in "
        f"{_ends(measured)} of cases. That is the mean of the hours that were measured."
    )
    hours = {name: one.other_hours for name, one in found.items() if one.other_hours >= 0}
    if not hours:
        return told
    least = min(hours, key=lambda name: hours[name])
    ratios = [one.ratio for one in found.values() if one.ratio >= 0]
    showing = sum(scatter_of(chapter.observations, (name,)).between > 0 for name in found)
    return (
        f"{told} Hours differ too: as far as so few hours tell, the same intervals contain the "
        f"mean over many hours in {_ends(list(hours.values()))} of cases, least in {least}. The "
        "verdicts rest on ratios, which are formed within blocks: their intervals contain the true "
        f"ratio in {_ends(ratios)} of cases where all points of a campaign scatter alike, as "
        "simulated here, and may do so less often where they do not. Hours can also change one "
        f"point and not another; {showing} of {len(found)} campaigns show this, and their "
        "intervals include it."
    )


def _ends(shares: Sequence[float]) -> str:
    low, high = f"{min(shares):.0f}", f"{max(shares):.0f}"
    return f"{low}\u00a0%" if low == high else f"{low} to {high}\u00a0%"
