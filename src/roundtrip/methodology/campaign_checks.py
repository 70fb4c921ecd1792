"""Checks of campaigns: manifest and points, against one rule each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

from roundtrip.campaign.derive import HELD_UP, NOT_QUIET, TAKERS
from roundtrip.campaign.names import RunName
from roundtrip.checks.laws import FEW, is_kept, offered
from roundtrip.dictionary import RATES, TIME
from roundtrip.methodology.control_check import control
from roundtrip.methodology.generic_checks import few, held, observed, stated
from roundtrip.methodology.place_checks import hosts_apart, processors_apart
from roundtrip.methodology.raw_checks import accounted, derived, effective, raw_unchanged
from roundtrip.methodology.scatter import blocks_of
from roundtrip.methodology.subject import (
    Campaign,
    Finding,
    Lacking,
    fails,
    not_applicable,
    not_assessable,
    passes,
)

_STATISTICS = ("p50", "p99", "maximum")
"""How times are to be given."""
_BEGAN = "met the rule of steady state when measurement began"
OWN_STATE = ("connections", "backlog")
"""Courses that measure a change itself: a rise of connections, a backlog that grows and falls."""


def _rates(campaign: Campaign) -> pd.DataFrame:
    """Give the mean rate of every run that no further one has replaced."""
    values = campaign.values
    rates = values[values["metric"].isin(RATES)]
    if campaign.ingested:  # where there is a steady part, it is shown
        rates = rates[rates["statistic"].isin(["mean", "steady"])].sort_values("statistic")
        rates = rates.drop_duplicates(["row_label", "metric"], keep="last")
    else:
        rates = rates[~rates["row_label"].isin(campaign.manifest.replaced)]
        rates = rates[rates["statistic"] == "mean"]
    if rates.empty:
        raise Lacking("holds no mean rate of a run", f"data/campaigns/{campaign.id}")
    return rates


def _points(campaign: Campaign) -> Iterator[tuple[str, pd.DataFrame, float | None]]:
    """Yield the name of every point, its rows of `_rates`, and the rate that was offered."""
    for name, runs in _rates(campaign).groupby("point_id"):
        yield _point(str(name)), runs, offered(runs.iloc[0].to_dict())


def _point(point_id: str) -> str:
    return point_id.rpartition("/")[2]


def _measures_a_change(campaign: Campaign, where: str) -> Finding | None:
    """Say that a rule about steady state does not apply to a course of `OWN_STATE`."""
    course = campaign.manifest.plan.course
    if course not in OWN_STATE:
        return None
    return not_applicable(f"the course '{course}' measures a change itself", where)


def repetitions(campaign: Campaign, *, least: float) -> Finding:
    """Check that every operating point has so many whole runs."""
    counts = _rates(campaign).groupby("point_id")["row_label"].nunique()
    short = [_point(str(name)) for name in counts[counts < least].index]
    told = f"{len(short)} of {len(counts)} points have fewer than {least:g} runs"
    enough = f"each of {len(counts)} points has at least {counts.min()} runs"
    return held(short, told, enough, campaign.points)


def blocks(campaign: Campaign, *, least: float, hours: float) -> Finding:
    """Check that the mean of every point is over runs of so many blocks, so many hours apart."""
    manifest, where = campaign.manifest, f"{campaign.place}: sessions"
    if manifest.blocks < least:
        told = "in one block" if manifest.blocks == 1 else f"in {manifest.blocks} blocks"
        return fails(f"all points were measured {told} (`roundtrip run --again` adds one)", where)
    if manifest.hours_apart < hours:
        told = f"two blocks are {60 * manifest.hours_apart:.1f} minutes apart"
        return fails(f"{told}, less than {hours:g} h", where)
    replaced = manifest.replaced
    places = {place for run, place in manifest.places.items() if run not in replaced}
    counts = Counter(point for point, _ in places)
    short = {point for point, count in counts.items() if count < least}
    short -= _too_slow(campaign)  # no later block runs them
    told = f"{len(short)} of {len(counts)} points have runs of fewer than {least:g} blocks"
    apart = f"at least {manifest.hours_apart:.1f} hours apart"
    return held(sorted(short), told, f"measured in {manifest.blocks} blocks, {apart}", where)


def _too_slow(campaign: Campaign) -> set[str]:
    """Name the points at which a search for the limit found the load too much, in every run."""
    manifest, values = campaign.manifest, campaign.values
    if manifest.plan.search.method != "until_slow":
        return set()
    times = values[(values["metric"] == TIME) & (values["statistic"] == "mean")]
    swift = set(times.loc[times["value"] <= manifest.plan.search.slow_ms, "row_label"])
    points = {run: point for run, (point, _) in manifest.places.items()}
    return {*points.values()} - {points[run] for run in swift}


def steady(campaign: Campaign, *, share: float) -> Finding:
    """Check that so great a share of the runs was steady when its measurement began."""
    where = f"{campaign.place}: runs"
    if (change := _measures_a_change(campaign, where)) is not None:
        return change
    calm, every = sum(run.steady for run in campaign.runs), len(campaign.runs)
    judge = fails if calm < share * every else passes
    return judge(f"{calm} of {every} runs {_BEGAN}", where)


def steady_everywhere(campaign: Campaign) -> Finding:
    """Check that every operating point has a run that was steady when its measurement began."""
    where = f"{campaign.place}: runs"
    if (change := _measures_a_change(campaign, where)) is not None:
        return change
    points = {RunName.parse(run.run).point for run in campaign.runs}
    never = sorted(points - {RunName.parse(run.run).point for run in campaign.runs if run.steady})
    told = f"points without a run that {_BEGAN}: {len(never)} of {len(points)}"
    return held(never, told, f"each of {len(points)} points has a run that {_BEGAN}", where)


def restarted(campaign: Campaign, *, without: tuple[str, ...]) -> Finding:
    """Check that the broker was started anew for each run, where more than some factors vary.

    A factor whose levels are brokers of their own is no setting of any of them.
    """
    manifest, where = campaign.manifest, f"{campaign.place}: broker_restarted"
    if manifest.broker_restarted:
        return passes("the broker was restarted for each run", where)
    values = campaign.values
    own = manifest.plan.factor_of_brokers
    names = [
        name for name in campaign.observations.dictionary.factors if name not in (*without, own)
    ]
    varied = [name for name in names if values[name].nunique(dropna=False) > 1]
    if varied:
        return fails(f"the broker was not restarted while {few(varied, 'settings varied')}", where)
    told = f"each {own} has its own broker" if own else "the broker was not restarted"
    return passes(f"{told}, and only its load varied", where)


def keeps_rate(campaign: Campaign) -> Finding:
    """Check that rated loads reach the offered rate; of a search for the limit, the lowest load."""
    manifest, where = campaign.manifest, campaign.points
    if manifest.plan.course == "connections":
        return not_applicable("it measures how requesters connect, not a load", campaign.place)
    if manifest.plan.course == "backlog":
        return not_applicable("it offers more than its link can carry on purpose", campaign.place)
    seconds = manifest.plan.measure_seconds
    loads: dict[str, list[tuple[float, str, bool]]] = {}
    for name, runs, rate in _points(campaign):
        if rate is not None:
            combination = RunName.parse(str(runs["row_label"].iloc[0])).combination
            kept = is_kept(list(runs["value"]), rate, seconds)
            loads.setdefault(combination, []).append((rate, name, kept))
    if not loads:
        return not_applicable("its drivers had no target rate", f"{campaign.place}: plan.factors")
    searched = manifest.plan.search.method == "until_slow"
    judged = [one for each in loads.values() for one in sorted(each)[: 1 if searched else None]]
    missed = [name for _, name, kept in judged if not kept]
    total = len(judged)
    of = "lowest loads" if searched else "rated loads"
    if missed:
        return fails(few(missed, f"{len(missed)} of {total} {of} miss the offered rate"), where)
    coarse = [name for rate, name, _ in judged if rate * seconds < FEW]
    if coarse:
        told = f"{len(coarse)} of {total} {of} make fewer than {FEW} round trips in a run"
        return not_assessable(few(coarse, told), where)
    within = "to within 5 %, give or take a round trip at each end"
    return passes(f"all {total} {of} achieve the offered rate {within}", where)


def random_order(campaign: Campaign) -> Finding:
    """Check that no more than half of the repetitions follow the run that they repeat."""
    where = f"{campaign.place}: runs.order"
    runs = sorted(campaign.manifest.runs, key=lambda run: run.order)
    points = [RunName.parse(run.run).point for run in runs]
    if len(set(points)) < 2:
        return not_applicable("there is only one operating point", where)
    again = sum(one == other for one, other in pairwise(points))
    most = len(points) - len(set(points))
    if not most:
        return not_applicable("no point was measured twice", where)
    told = f"{again} of {most} repetitions follow the run that they repeat"
    return (fails if again > most / 2 else passes)(told, where)


def same_speed(campaign: Campaign, *, least: float, chance: float) -> Finding:
    """Check that runs next to each other in a block are no more alike than others.

    What sets each rate apart from the mean of its point and block is compared with that of the run
    before in the block (Spearman's rank correlation). A machine that its neighbours slow down for
    minutes shows in this, and in no reading of noise.
    """
    from scipy.stats import spearmanr

    where = campaign.points
    order = {run.run: run.order for run in campaign.manifest.runs}
    runs = _rates(campaign)
    runs = runs[runs["value"] > 0].sort_values("row_label", key=lambda names: names.map(order))
    runs = runs[[offered(factors) is None for factors in runs.to_dict("records")]]
    if runs.empty:
        return not_applicable("the rates were set, and do not show the speed of the machine", where)
    logs = pd.Series(np.log(runs["value"].to_numpy(dtype=float)), runs.index)
    block = blocks_of(campaign.manifest, runs["row_label"])
    groups = logs.groupby([runs["point_id"], block])
    repeated = groups.transform("size") > 1
    rest = (logs - groups.transform("mean"))[repeated].to_numpy()
    if len(rest) < least:
        raise Lacking(f"{len(rest)} runs that were repeated, at least {least:g} needed", where)
    if np.ptp(rest) == 0:
        return passes(f"the rates of {len(rest)} runs are the same", where)
    together = np.diff(block[repeated]) == 0
    alike = spearmanr(rest[:-1][together], rest[1:][together], alternative="greater")
    told = (
        f"the rates of {len(rest)} runs resemble those of the runs before them in their block with "
        f"a rank correlation of {alike.statistic:.2f} (p = {alike.pvalue:.2g})"
    )
    if alike.pvalue < chance:
        return fails(f"the machine was faster at some times than at others: {told}", where)
    return passes(told, where)


def narrow(campaign: Campaign, *, within: float) -> Finding:
    """Check that the 95 % interval of every rate that was not set is within a share of it."""
    from roundtrip.stats.intervals import interval_of

    where = campaign.points
    free = {name: runs["value"] for name, runs, rate in _points(campaign) if rate is None}
    if not free:
        return not_applicable(
            "the rates were set, and their intervals say nothing of the broker", where
        )
    wide = [name for name, values in free.items() if not interval_of(tuple(values)).within(within)]
    share = f"{100 * within:g} % of the mean"
    told = f"the interval of {len(wide)} of {len(free)} points is wider than ±{share}"
    return held(wide, told, f"the intervals of {len(free)} points are within ±{share}", where)


def undisturbed(campaign: Campaign) -> Finding:
    """Check that no run is marked because others used the machine, or a disk held it up."""
    where = f"{campaign.place}: runs.doubt"
    runs = campaign.runs
    marks = (NOT_QUIET, HELD_UP, *(f"{taker} took" for taker in TAKERS.values()))
    wrong = [run.run for run in runs if any(mark in (run.doubt or "") for mark in marks)]
    if wrong:
        who = "other work, the kernel's threads included, the hypervisor or waits for a disk"
        told = f"{who} disturbed {len(wrong)} of {len(runs)} runs"
        return fails(few(wrong, told), where)
    values = campaign.values
    for metric, taker in TAKERS.items():
        stating = set(values.loc[values["metric"] == metric, "row_label"])
        lacking = [run.run for run in runs if run.run not in stating]
        if lacking:
            told = f"{len(lacking)} of {len(runs)} runs do not state what {taker} took ({metric})"
            return not_assessable(few(lacking, told), campaign.points)
    most = f"more than {campaign.manifest.plan.guard.other:g} % of the processors"
    who = "neither other work, the kernel's threads included, nor the hypervisor"
    return passes(f"{who} took {most} in any of {len(runs)} runs", where)


def complete(campaign: Campaign) -> Finding:
    """Check that every run of the plan was carried out, and that none has gone since.

    All attempts are counted as they are made: what was taken out leaves a gap, unless none came
    after it.
    """
    manifest, where = campaign.manifest, f"{campaign.place}: state"
    if manifest.state != "complete" or manifest.left_out:
        return fails(f"it is {manifest.state}, runs left out: {len(manifest.left_out)}", where)
    places: list[int | None] = [run.order for run in manifest.runs]
    places += [attempt.order for attempt in manifest.failed]
    known = {place for place in places if place is not None}
    made = max(known, default=0)
    gone = made - len(known) - places.count(None)
    if gone > 0:
        told = f"{gone} of {made} attempts that were made are not listed"
        return fails(told, f"{campaign.place}: runs.order")
    done = {run.run for run in manifest.runs}
    never = sorted({entry.run for entry in manifest.failed} - done)
    if never:
        told = f"{len(never)} of {len(done) + len(never)} runs failed at every attempt"
        return fails(few(never, told), f"{campaign.place}: failed")
    broke_off = len(manifest.failed)
    told = f"; attempts that broke off and were repeated: {broke_off}" if broke_off else ""
    return passes(f"{len(done)} runs, as planned{told}", where)


def peak_inside(campaign: Campaign) -> Finding:
    """Check that the rate falls beyond the load that is called the peak."""
    where = campaign.points
    if campaign.manifest.plan.course != "steady":
        return not_applicable("it looks for no peak", campaign.place)
    means: dict[str, list[tuple[int, float]]] = {}
    for _, runs, rate in _points(campaign):
        if rate is None:
            run = RunName.parse(str(runs["row_label"].iloc[0]))
            mean = float(runs["value"].mean())
            means.setdefault(run.combination, []).append((run.requesters, mean))
    swept = {name: sorted(loads) for name, loads in means.items() if len(loads) > 1}
    if not swept:
        return not_applicable("it looks for no peak", campaign.place)
    rising = [name for name, loads in swept.items() if loads[-1][1] == max(r for _, r in loads)]
    told = f"{len(rising)} of {len(swept)} sweeps are highest at their last load"
    return held(rising, told, f"all {len(swept)} sweeps fall beyond their peak", where)


def open_load(campaign: Campaign) -> Finding:
    """Check that percentiles of times come from drivers that do not wait for replies."""
    where = f"{campaign.place}: plan.factors"
    values = campaign.values
    if not ((values["metric"] == TIME) & values["statistic"].str.fullmatch(r"p\d+")).any():
        return not_applicable("it gives no percentiles of round-trip times", where)
    rates = [rate for *_, rate in _points(campaign)]
    if closed := rates.count(None):
        told = f"at {closed} of {len(rates)} points requesters wait for replies, which hides queues"
        return fails(told, where)
    return passes(f"all {len(rates)} points are rated, timed from the intended start", where)


def percentiles(campaign: Campaign) -> Finding:
    """Check that times of each point are given as median, p99 and maximum, in all of its runs."""
    where = campaign.points
    values = campaign.values
    times = values[values["metric"] == TIME]
    if times.empty:
        return not_applicable("it gives no times of round trips", where)
    runs = values[values["point_id"].isin(times["point_id"])].groupby("row_label")["point_id"]
    given = times.groupby("row_label")["statistic"].agg(set).to_dict()
    count = times["point_id"].nunique()
    lacking = {
        (_point(str(point)), name) for run, point in runs.first().items()
        for name in _STATISTICS if name not in given.get(run, ())
    }  # fmt: skip
    short = sorted({point for point, _ in lacking})
    named = ", ".join(name for name in _STATISTICS if name in {one for _, one in lacking})
    told = f"{len(short)} of {count} points lack {named} in some run"
    whole = f"all runs of {count} points give times as {', '.join(_STATISTICS)}"
    return held(short, told, whole, where)


def long_enough(campaign: Campaign, *, seconds: float) -> Finding:
    """Check that the measured part lasts so many seconds."""
    found, where = campaign.manifest.plan.measure_seconds, f"{campaign.place}: plan.measure_seconds"
    if found < seconds:
        return fails(f"each run was measured for {found:g} s, less than {seconds:g} s", where)
    return passes(f"each run was measured for {found:g} s", where)


def settled(campaign: Campaign, *, within: float) -> Finding:
    """Check by a second rule that no run was measured before it had settled.

    Of a run it is MSER-5, over its whole series of rates, where it could find a cut in the measured
    part: it finds none in the second half of a series. As it finds cuts in series that are level,
    too, the second half of the measured part must differ from the first by more than a share of the
    rate as well. Where runs are too short for it, all of them together have to be level: by two
    one-sided tests, the second half of the measured part differs from the first by no more than a
    share of the rate. That says nothing of a single run, but a warm-up that is not over raises them
    all.
    """
    from roundtrip.stats.intervals import TESTED, mean_interval
    from roundtrip.stats.steady import latest_cut

    manifest, where = campaign.manifest, f"{campaign.place}: runs.settled_s"
    if (change := _measures_a_change(campaign, where)) is not None:
        return change
    runs = manifest.runs
    plan = manifest.plan
    told = [
        run for run in runs if run.settled_s is not None
        and run.warm_up_s < latest_cut(run.warm_up_s + plan.measure_seconds, plan.interval_seconds)
    ]  # fmt: skip
    late = [
        run.run for run in told
        if (run.settled_s or 0) > run.warm_up_s and (run.drift is None or abs(run.drift) > within)
    ]  # fmt: skip
    if late:
        many = f"{len(late)} of {len(told)} runs settled only after the measurement had begun"
        return fails(few(late, many), where)
    if told and len(told) == len(runs):
        return passes(f"all {len(told)} runs were level when they were measured", where)
    where = f"{campaign.place}: runs.drift"
    drifts = [math.log1p(run.drift) for run in runs if run.drift is not None]
    short = f"MSER-5 cannot tell of {len(runs) - len(told)} of {len(runs)} runs"
    if len(drifts) < 2:
        raise Lacking(f"{short}, and too few have two halves to compare: measure longer", where)
    found = mean_interval(drifts).at(TESTED)
    low, mean, high = (100 * math.expm1(end) for end in (found.low, found.estimate, found.high))
    seen = (
        f"{short}; over {len(drifts)} runs the second half of the measured part differs from the "
        f"first by {mean:+.1f} % (90 % interval {low:+.1f} to {high:+.1f} %)"
    )
    reach = math.log1p(within)
    if -reach <= found.low and found.high <= reach:
        return passes(seen, where)
    if found.low > reach or found.high < -reach:
        return fails(seen, where)
    seen += f", which is not surely within {100 * within:g} %: measure longer"
    return not_assessable(seen, where)


CAMPAIGN_CHECKS: Mapping[str, Callable[..., Finding]] = {
    check.__name__: check
    for check in (
        accounted, blocks, complete, control, derived, effective, hosts_apart, keeps_rate,
        long_enough, narrow, observed, open_load, peak_inside, percentiles, processors_apart,
        random_order, raw_unchanged, repetitions, restarted, same_speed, settled, stated, steady,
        steady_everywhere, undisturbed,
    )
}  # fmt: skip
"""By the name that rules give them."""
