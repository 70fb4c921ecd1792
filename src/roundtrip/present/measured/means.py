"""Measured campaigns as chapters see them: means over repetitions, and shares of one another."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from statistics import median
from typing import TYPE_CHECKING, Any

import pandas as pd

from roundtrip.campaign.resolve import plan_names
from roundtrip.dictionary import is_percentile
from roundtrip.errors import ChapterError, DataError, nearest, unknown
from roundtrip.methodology.scatter import Scatter, blocks_of, ratio_of_runs, scatter_of
from roundtrip.present.arguments import checked, difference_told, levels_told
from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.levels import ascending
from roundtrip.present.measured.shown import shown_campaigns
from roundtrip.present.numbers import Quantity, alike, shown_decimals
from roundtrip.present.points import fitting
from roundtrip.stats.intervals import (
    Interval,
    coefficient_of_variation,
    interval_of,
    ratio_apart,
)  # fmt: skip

if TYPE_CHECKING:
    from roundtrip.methodology.review import Grade

PERCENTILES = {"p50": "p50", "p99": "p99", "p999": "p99.9"}
"""Statistics of the time of a round trip to what they are called."""


@dataclass(frozen=True)
class Mean:
    """A mean over repetitions.

    Attributes
    ----------
    quantity : Quantity
        The mean, leading to the runs it was computed from.
    interval : Interval
        Of the mean, in the same unit.
    values : tuple of float
        One for each run.
    blocks : tuple of int
        The block of each run, from 1; empty where it is no mean of one campaign.
    scatter : Scatter or None
        How far runs of that campaign differ.
    """

    quantity: Quantity
    interval: Interval
    values: tuple[float, ...]
    blocks: tuple[int, ...] = ()
    scatter: Scatter | None = None

    @property
    def median(self) -> Quantity:
        """The median over the runs."""
        return replace(self.quantity, value=median(self.values))

    @property
    def ends(self) -> tuple[float, float]:
        """Where the interval begins and ends: not below zero, at the mean when it is unknown."""
        if not self.interval.known:
            return self.quantity.value, self.quantity.value
        return max(0.0, self.interval.low), self.interval.high

    @property
    def variation(self) -> float:
        """Standard deviation over the runs as a share of their mean; NaN for one run."""
        return coefficient_of_variation(self.values)

    def without(self, cells: Collection[str]) -> Mean | None:
        """Give the mean of the runs whose value is not one of some cells; None where there is none.

        Parameters
        ----------
        cells : collection of str
            Observation ids.
        """
        kept = [cell not in cells for cell in self.quantity.cells]
        if not any(kept):
            return None
        values = tuple(compress(self.values, kept))
        interval, own = interval_of(values), tuple(compress(self.quantity.cells, kept))
        quantity = replace(self.quantity, value=interval.estimate, cells=own)
        blocks = tuple(compress(self.blocks, kept))
        return replace(self, quantity=quantity, interval=interval, values=values, blocks=blocks)

    def over(self, base: Mean) -> Interval:
        """Give the ratio to another mean, with its interval.

        Runs of one campaign are compared within the blocks that both have: what an hour changes in
        both is no part of their ratio. Runs of two campaigns have no hour in common, and their
        ratio no interval.

        Raises
        ------
        ChapterError
            If the units differ, both are times that span different ways, or a run has zero.
        """
        alike((self.quantity, base.quantity), "ratio")
        if min(*self.values, *base.values) <= 0:
            raise ChapterError("there is no ratio of runs with zero", where="Mean.over")
        if not (self.scatter and base.scatter) or self.scatter.campaigns != base.scatter.campaigns:
            return ratio_apart(self.values, base.values)
        runs, of_base = (list(zip(mean.values, mean.blocks, strict=True)) for mean in (self, base))
        return ratio_of_runs(runs, of_base, self.scatter)


def mean_of_cells(chapter: Chapter, quantity: Quantity) -> Mean:
    """Give a quantity that is the mean of its cells, one of each run, with its interval.

    Such are the values of an ingested campaign whose points have several runs.
    """
    rows = chapter.observations.rows_of(quantity.cells)
    scaled = quantity.metric == RATE and quantity.unit == chapter.rate_unit
    scale = chapter.rate_scale if scaled else 1
    shown = rows["value_corrected"].fillna(rows["value"])
    values = tuple(float(value) * scale for value in shown)
    return Mean(quantity, interval_of(values), values)


class Measured:
    """What a campaign has measured, or that none has.

    Parameters
    ----------
    chapter : Chapter
        Its message sizes and units hold here too.
    plan : str
        Name of the plan. The campaign that the chapter's `campaigns` name represents it, and where
        they name none, that in the plan's own folder, of the largest profile.
    campaigns : sequence of str
        Ids of campaigns of the plan that are to stand side by side instead, such as those of two
        releases. ``campaign`` then tells their points apart, as a factor would.
    **factors
        Values that factors must have. Runs of one scheduling class only are taken: of the one
        with the most points where none is given.

    Raises
    ------
    ChapterError
        If there is no such plan or factor; the nearest one is given.
    DataError
        If there is no such campaign, or it is one of another plan.
    """

    @checked
    def __init__(
        self, chapter: Chapter, plan: str, *, campaigns: Sequence[str] = (), **factors: Any
    ) -> None:
        self.chapter, self.plan, self.factors = chapter, plan, factors
        known = chapter.observations
        if campaigns:
            chosen = [known.campaign(name) for name in campaigns]
            for one in chosen:
                if one.plan.name != plan:
                    raise DataError(
                        f"the campaign '{one.id}' is of the plan '{one.plan.name}'",
                        allowed=f"campaigns of the plan '{plan}'",
                    )
        else:
            plans = {*plan_names(chapter.project)}
            plans |= {known.campaign(name).plan.name for name in known.campaign_ids}
            # One that is gone leaves an empty section; one that is misspelt is told.
            if plan not in plans and nearest(plan, plans):
                raise unknown(ChapterError, "plan", plan, sorted(plans), where="Measured")
            chosen = [one for one in shown_campaigns(chapter) if one.plan.name == plan][:1]
        self.manifest = chosen[0] if chosen else None
        self.campaigns = tuple(manifest.id for manifest in chosen)
        frames = [self._points_of(name) for name in self.campaigns]
        # The observations that count.
        self.frame = (
            pd.concat(frames, ignore_index=True)
            if frames
            else chapter.observations.choose(source=()).assign(campaign="", block=1)
        )

    def only(self, campaign: str) -> Measured:
        """Give one campaign of several that stand side by side."""
        return Measured(self.chapter, self.plan, campaigns=(campaign,), **self.factors)

    def with_every_run(self) -> Measured:
        """Give the same points with the runs that no mean takes: counts of losses hide none."""
        whole = copy.copy(self)
        frames = [self._points_of(name, every=True) for name in self.campaigns]
        if frames:
            rows = pd.concat(frames, ignore_index=True)
            whole.frame = rows[rows["point_id"].isin(self.frame["point_id"].unique())]
        return whole

    def _points_of(self, campaign: str, *, every: bool = False) -> pd.DataFrame:
        chapter = self.chapter
        wanted = {"source_kind": "measured", **self.factors}
        frame = chapter.select(chapter.observations.choose(source=campaign), **wanted)
        if not every:
            replaced = chapter.observations.campaign(campaign).replaced
            frame = frame[~frame["row_label"].isin(replaced)]
        if chapter.message_bytes is not None:
            frame = frame[frame["message_bytes"].isin(list(chapter.message_bytes))]
        if "scheduling_class" not in self.factors and not frame.empty:
            # Of several classes the one with the most points, then values: it was meant for them.
            classes = frame.groupby("scheduling_class")["point_id"].agg(["nunique", "size"])
            most = classes.sort_values(["nunique", "size"], ascending=False).index[0]
            frame = frame[frame["scheduling_class"] == most]
        blocks = blocks_of(chapter.observations.campaign(campaign), frame["row_label"])
        return frame.assign(campaign=campaign, block=blocks)

    @property
    def exists(self) -> bool:
        """Whether there is anything to show."""
        return not self.frame.empty

    @cached_property
    def grades(self) -> tuple[Grade, ...]:
        """What its campaigns come to by the rules of method."""
        from roundtrip.methodology.review import grade_of

        return tuple(grade_of(self.chapter.observations, name) for name in self.campaigns)

    @property
    def withheld(self) -> str:
        """Why nothing may be concluded from it, as a sentence; empty where something may be.

        Numbers are shown all the same; words that conclude from them are not.
        """
        return next((grade.withheld for grade in self.grades if not grade.may_conclude), "")

    def concludes(self, words: str) -> str:
        """Give words that conclude something from it; none where nothing may be concluded."""
        return "" if self.withheld else words

    @checked
    def levels(self, factor: str, **factors: Any) -> list[Any]:
        """Give the values of a factor that were measured, ascending; campaigns in their order.

        Raises
        ------
        ChapterError
            If there is no such factor; the nearest one is given.
        """
        known = [*self.chapter.dictionary.factors, "campaign"]
        if factor not in known:
            raise unknown(ChapterError, "factor", factor, known)
        values = self.rows(factors, [factor])[factor].dropna()
        if factor == "campaign":
            return [name for name in self.campaigns if name in set(values)]
        # A column with gaps holds whole numbers as floats.
        whole = self.chapter.dictionary.factors[factor].type == "integer"
        return ascending({int(value) if whole else value for value in values})

    @checked
    def mean(self, metric: str = RATE, statistic: str = "mean", **factors: Any) -> Mean | None:
        """Give the mean over the repetitions of one operating point.

        Parameters
        ----------
        **factors
            Values that select one operating point; None where the factor is not set.

        Returns
        -------
        Mean or None
            None when the point lacks the metric, or one of its runs the percentile: p99.9 needs
            many round trips, and the runs that have it are the faster ones. `quantity` raises
            instead.

        Raises
        ------
        ChapterError
            If there is no such metric, statistic or factor (the nearest one is given), or the
            factors select more than one operating point.
        """
        for what, name, known in (
            ("metric", metric, self.chapter.dictionary.metrics),
            ("statistic", statistic, self.chapter.dictionary.statistics),
        ):
            if name not in known:
                raise unknown(ChapterError, what, name, known)
        # What a run shows over time is no value of its whole.
        wanted = {"metric": metric, "statistic": statistic, "interval": None, **factors}
        rows = self.rows(wanted, ["point_id", "value", "observation_id", "campaign", "block"])
        if rows.empty:
            return None
        if rows["point_id"].nunique() > 1:
            several = self.frame[self.frame["point_id"].isin(rows["point_id"])]
            raise ChapterError(
                f"{factors} selects {rows['point_id'].nunique()} points, not one",
                allowed=difference_told(several, self.chapter.dictionary),
                remedy="give one of these as split= to the figure or table, or one value of it to "
                f"Measured(chapter, '{self.plan}')",
            )
        if is_percentile(statistic):
            every = self.rows(factors, ["row_label"])["row_label"]
            if len(rows) < every.nunique():
                return None
        scale = self.chapter.rate_scale if metric == RATE else 1
        values = tuple(float(value) * scale for value in rows["value"])
        interval = interval_of(values)
        decimals = shown_decimals(self.chapter.dictionary, metric, interval.estimate)
        quantity = Quantity(
            interval.estimate, self.chapter.unit(metric), tuple(rows["observation_id"]), decimals,
            "measured", metric,
        )  # fmt: skip
        source = (str(rows["campaign"].iloc[0]),)
        scatter = scatter_of(self.chapter.observations, source, metric, statistic)
        return Mean(quantity, interval, values, tuple(rows["block"]), scatter)

    @checked
    def quantity(self, metric: str = RATE, statistic: str = "mean", **factors: Any) -> Quantity:
        """Give the mean of one operating point for a sentence, which cannot do without it.

        Parameters
        ----------
        **factors
            As `mean` takes them.

        Raises
        ------
        ChapterError
            If it was not measured, or the factors select more than one operating point.
        """
        if (mean := self.mean(metric, statistic, **factors)) is not None:
            return mean.quantity
        found = self.frame[self.frame["metric"] == metric]
        raise ChapterError(
            f"the plan '{self.plan}' has no {metric} ({statistic}) in every run with {factors}",
            allowed=levels_told(found, (*factors, "statistic")) if len(found) else None,
            remedy=f"measure it with `roundtrip run {self.plan}`, or name a campaign with the "
            "parameter campaigns",
        )  # fmt: skip

    def peak(self, **factors: Any) -> int | None:
        """Give the number of requesters with the highest mean rate, or None."""
        found = [
            (mean.quantity.value, -level)
            for level in self.levels("requesters", **factors)
            if (mean := self.mean(requesters=level, **factors)) is not None
        ]
        return -max(found)[1] if found else None

    def rows(
        self, factors: Mapping[str, Any], columns: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Give the observations with some values of factors; None: where the factor is not set."""
        chosen = fitting(self.frame, factors, self.chapter.observations)
        # To choose rows of all columns takes as long as they are many.
        return (self.frame if columns is None else self.frame[list(columns)])[chosen]


def interval_text(chapter: Chapter, mean: Mean) -> str:
    """Write the interval of a mean: ``1,020–1,180``, or a dash where one run gives none."""
    if not mean.interval.known:
        return "\u2013"
    low, high = (chapter.numbers.write(end, mean.quantity.decimals) for end in mean.ends)
    return f"{low}\u2013{high}"
