"""Check of a campaign's positive control: the effect that it had to show."""

from __future__ import annotations

from roundtrip.methodology.scatter import Runs, blocks_of, ratio_of_runs, scatter_of
from roundtrip.methodology.subject import Campaign, Finding, Lacking, fails, passes


def control(campaign: Campaign) -> Finding:
    """Check that what the plan said would have to be seen was seen: its positive control.

    The control is the one that the manifest recorded when the campaign began; a plan that was
    edited since changes no grade of what was measured before.

    Where it leaves a factor open of which several levels were run, points that differ in nothing
    else are paired, and one pair has to show it, at the error divided by their number (Bonferroni).
    """
    from roundtrip.stats.intervals import TESTED

    observations = campaign.observations
    where = f"{campaign.place}: plan.control"
    stated = campaign.manifest.plan.control
    if stated is None:
        raise Lacking(
            "no positive control was recorded before the measurement: state one in the plan, "
            "then measure again",
            where,
        )
    places = (where, campaign.points)
    named = {*stated.of, *stated.base}
    factors_known = observations.dictionary.factors
    if strange := sorted(named - {*factors_known}):
        raise Lacking(f"the recorded control names {strange[0]}, which is no factor", *places)
    others = [name for name in factors_known if name not in named]
    sides: list[dict[str, Runs]] = []
    for factors in (stated.of, stated.base):
        rows = campaign.values
        rows = rows[~rows["row_label"].isin(campaign.manifest.replaced)]  # they stand in no mean
        rows = rows[(rows["metric"] == stated.metric) & (rows["statistic"] == stated.statistic)]
        for factor, level in factors.items():
            rows = rows[(rows[factor] == level).to_numpy(dtype=bool, na_value=False)]
        points = [runs for _, runs in rows.groupby("point_id") if (runs["value"] > 0).all()]
        sides.append({
            str(list(runs[others].iloc[0])): list(
                zip(runs["value"], blocks_of(campaign.manifest, runs["row_label"]), strict=True)
            )
            for runs in points
        })  # fmt: skip
        if not 0 < len(points) == len(sides[-1]):
            of = ", ".join(f"{factor} {level}" for factor, level in factors.items())
            raise Lacking(
                f"the control cannot be checked against the measurements: {of} selects "
                f"{len(points)} points with a {stated.statistic} {stated.metric} above zero",
                *places,
            )
    upper, lower = sides
    if len(upper) == len(lower) == 1:
        pairs = [(*upper.values(), *lower.values())]
    else:
        pairs = [(upper[levels], lower[levels]) for levels in upper if levels in lower]
    if not pairs:
        raise Lacking(
            "the control cannot be checked against the measurements: no two of its points differ "
            "only in what it names", *places,
        )  # fmt: skip
    level = 1 - (1 - TESTED) / len(pairs)
    scatter = scatter_of(observations, (campaign.id,), stated.metric, stated.statistic)
    shown = [ratio_of_runs(one, other, scatter).at(level) for one, other in pairs]
    if not any(one.known for one in shown):
        raise Lacking("no block holds two runs of the control: run it twice in a block", *places)
    found = max((one for one in shown if one.known), key=lambda one: one.low)
    # An end just beside the least ratio is not told as that: it decides.
    apart = (n for n in range(2, 6) if round(found.low, n) != round(stated.least_ratio, n))
    digits = next(apart, 2)
    low, high = (f"{end:.{digits}f}" for end in (found.low, found.high))
    seen = (
        f"“{stated.says}” had to show as a factor of at least {stated.least_ratio:g}; the "
        f"measured {100 * level:.3g} % interval is {low} to {high}"
        + (f" at the clearest of {len(pairs)} pairs of points" if pairs[1:] else "")
    )
    if found.low >= stated.least_ratio:
        return passes(f"the control was confirmed: {seen}", *places)
    return fails(f"the control was not confirmed: {seen}", *places)
