"""How often the 95 % intervals of this edition cover, by simulation with its campaigns' scatter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from roundtrip.methodology.scatter import blocks_of
from roundtrip.present import Chapter
from roundtrip.present.chapter import RATE
from roundtrip.stats.intervals import CONFIDENCE, t_quantile

_CASES = 4000
_SEED = 20261127
_RUNS = (3, 4, 5, 8)
"""Runs of a point, as campaigns have them."""
_LEAST = 3
"""Runs of a point in a block that skewness can be estimated from."""
_EQUAL = 1e-6
"""Deviation of logarithms, or square of a skewness, that counts as none."""


@dataclass(frozen=True)
class Coverage:
    """In how many of simulated cases, in percent, an interval of a mean contains the true mean.

    Attributes
    ----------
    measured : tuple of float
        That of the hours that were measured, for several numbers of runs.
    other_hours : float
        That over many hours; NaN where there is one block.
    """

    measured: tuple[float, ...]
    other_hours: float


def coverage_of(logs: pd.Series, points: pd.Series, blocks: pd.Series) -> Coverage | None:
    """Simulate campaigns whose runs scatter, and lean to one side, as those of one do.

    Runs are drawn from a gamma distribution that has the variance and the skewness of the
    campaign's own (Fisher's k-statistics within points and blocks, pooled: what is left over a mean
    of three has lost most of its skewness). Hours deviate normally, by what the means of a point
    differ by from block to block beyond that.

    Parameters
    ----------
    logs : pandas.Series
        Logarithms of the rates of runs.
    points, blocks : pandas.Series
        The operating point and the block of each.

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
    if means.shape[1] < 2 or means.empty:
        return Coverage(measured, float("nan"))
    noise = variance * float((1 / counts).to_numpy().mean())
    between = max(0.0, float(means.var(axis=1).mean()) - noise)
    shape = (_CASES, means.shape[1], max(2, round(float(counts.to_numpy().mean()))))
    hours = np.sqrt(between) * random.standard_normal((*shape[:2], 1))
    return Coverage(measured, _covered((hours + drawn(shape)).reshape(_CASES, -1)))


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
        one = coverage_of(logs, rows["point_id"], blocks_of(campaign, rows["row_label"]))
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
    return (
        f"{told} Hours differ too: the same intervals contain the mean over many hours in "
        f"{_ends(list(hours.values()))} of cases, least in {least}. Ratios are formed within "
        "blocks, and their intervals include what an hour changes in one of two points."
    )


def _ends(shares: Sequence[float]) -> str:
    low, high = f"{min(shares):.0f}", f"{max(shares):.0f}"
    return f"{low}\u00a0%" if low == high else f"{low} to {high}\u00a0%"
