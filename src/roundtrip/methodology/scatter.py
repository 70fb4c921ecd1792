"""How far whole runs of one operating point differ, within an hour and from one to another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.names import RunName
from roundtrip.dictionary import RATE
from roundtrip.observations import Observations

if TYPE_CHECKING:
    from roundtrip.stats.intervals import Interval

_REPEATABILITY = 1.96 * math.sqrt(2)
"""Standard deviations that two single results differ by at most, in 95 % of cases."""
Runs = Sequence[tuple[float, int]]
"""Values of runs of one operating point, each with its block."""


@dataclass(frozen=True)
class Scatter:
    """How far whole runs of one point differ, pooled over all points of a campaign."""

    campaigns: tuple[str, ...]  # their ids
    # Variance of the logarithm of a run within a block; NaN where no point was run twice.
    within: float
    within_freedom: int  # degrees of freedom that it rests on
    between: float  # variance of what a block changes in the logarithm of one point alone
    of_means: float  # variance of the means of a point in a block: what runs and blocks make of it
    between_freedom: int  # degrees of freedom that it rests on; 0 where there is one block
    points: int  # those with several runs

    @property
    def known(self) -> bool:
        """Whether any point was run twice."""
        return math.isfinite(self.within)

    @property
    def deviation(self) -> float:
        """Standard deviation of the logarithm of a run, of any block; NaN where it is unknown."""
        return math.sqrt(self.within + self.between)

    @property
    def factor(self) -> float:
        """Factor that two runs differ by at most in 95 % of cases (ISO 5725-6)."""
        return math.exp(_REPEATABILITY * self.deviation)

    def error_of_mean(self, blocks: Iterable[int]) -> tuple[float, float]:
        """Give the standard error of the logarithm of a mean over blocks, by the block of each run.

        Returns
        -------
        (float, float)
            The error, and the degrees of freedom that it rests on.
        """
        counts = Counter(blocks)
        if self.between:
            return math.sqrt(self.of_means / len(counts)), self.between_freedom
        of_runs = sum(1 / count for count in counts.values()) / len(counts) ** 2
        return math.sqrt(self.within * of_runs), self.within_freedom


@lru_cache(maxsize=64)
def scatter_of(
    observations: Observations, campaigns: tuple[str, ...], metric: str = RATE,
    statistic: str = "mean", *, common: bool = False,
) -> Scatter:  # fmt: skip
    """Pool how far the runs of each point differ, without marked runs where two others are left.

    Between blocks, what all points of a campaign have in common is left out: it is no part of a
    share. What is left is estimated from the means of each point in each block, unweighted (Searle,
    Casella, McCulloch, *Variance components*, Wiley 1992, section 4.6).

    Parameters
    ----------
    campaigns : tuple of str
        Their ids.
    common : bool
        Whether to count between blocks what all points have in common, too.
    """
    frame = observations.choose(source=campaigns, metric=metric, statistic=statistic)
    return scatter_in(frame, observations, campaigns, common=common)


def scatter_in(
    frame: pd.DataFrame, observations: Observations, campaigns: tuple[str, ...], *,
    common: bool = False,
) -> Scatter:  # fmt: skip
    """Pool how far the runs of each point differ in rows of one metric, as `scatter_of` does.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows of the tidy table, all of one metric and statistic.
    campaigns, common
        As for `scatter_of`.
    """
    frame = frame[frame["interval"].isna() & (frame["value"] > 0)]
    calm = frame["status"] == "as_printed"
    frame = frame[calm | (calm.groupby(frame["point_id"]).transform("sum") < 2)]
    points = int((frame.groupby("point_id").size() > 1).sum())
    squares = between = imbalance = 0.0
    freedom = further = 0
    for source, runs in frame.groupby("source"):
        blocks = blocks_of(observations.campaign(str(source)), runs["row_label"])
        logs = pd.Series(np.log(runs["value"].to_numpy(dtype=float)), index=runs.index)
        groups = logs.groupby([runs["point_id"], blocks])
        squares += float(((logs - groups.transform("mean")) ** 2).sum())
        freedom += len(runs) - groups.ngroups
        means, counts = (found.unstack().dropna() for found in (groups.mean(), groups.size()))
        rest = means.sub(means.mean(axis=1), axis=0)
        if not common:
            rest -= rest.mean()
        own = max(0, len(rest) - (not common)) * max(0, rest.shape[1] - 1)
        further += own
        if own:
            between += float((rest**2).to_numpy().sum())
            imbalance += own * float((1 / counts).to_numpy().mean())
    within = squares / freedom if freedom else 0.0 if further else math.nan
    of_means = between / further if further else 0.0
    between = max(0.0, of_means - within * imbalance / further) if further else 0.0
    return Scatter(campaigns, within, freedom, between, of_means, further, points)


def blocks_of(campaign: Manifest, runs: pd.Series) -> pd.Series:
    """Give the block of each run, from 1.

    Parameters
    ----------
    runs : pandas.Series
        Names of runs of the campaign.
    """
    plan = campaign.plan
    return runs.map({name: plan.block_of(RunName.parse(name).repetition) for name in runs.unique()})


def ratio_of_runs(values: Runs, baseline: Runs, scatter: Scatter) -> Interval:
    """Give the ratio of two operating points of one campaign, with its interval.

    It is formed within the blocks that both have: what an hour changes in both is no part of it.
    Where they have none, there is no interval.

    Parameters
    ----------
    values, baseline : sequence of (float, int)
        Positive values, with their blocks.
    scatter : Scatter
        Of the campaign, for the same metric.
    """
    from roundtrip.stats.intervals import ratio_apart, ratio_over_blocks

    shared = sorted({block for _, block in values} & {block for _, block in baseline})
    if not shared:
        return ratio_apart([value for value, _ in values], [value for value, _ in baseline])
    upper, lower = (
        [[value for value, block in runs if block == one] for one in shared]
        for runs in (values, baseline)
    )
    if not scatter.between:
        return ratio_over_blocks(upper, lower)
    return ratio_over_blocks(
        upper, lower, of_means=scatter.of_means, freedom=scatter.between_freedom
    )
