"""A measured backlog: how high, how long, and whether the rule for catching up holds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from roundtrip.methodology.scatter import scatter_in
from roundtrip.outputs import listed
from roundtrip.present import Measured, Quantity, Table, Text
from roundtrip.present.measured.agreement import Margin, factor_words, margin_of, outcome_of
from roundtrip.present.measured.means import Mean, interval_text
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.stats.intervals import Interval, mean_interval
from support.replication.mirror import Arranged, arranged
from support.shared.lists import listed_under

_SENT, _HIGH = ("message_rate", "mean"), ("backlog_messages", "maximum")
_GONE = ("catch_up_time", "single")
_COLUMNS = (
    _SENT, ("send_time", "p50"), ("link_throughput", "p50"), ("replication_link_rate", "mean"),
    _HIGH, ("backlog", "maximum"), _GONE,
)  # fmt: skip
_READ_EVERY_S = 0.25
_SLOWED = 0.9
"""Share of the rate asked for below which senders were held back."""
_JUDGED = "; run by run, the measured time is {} to {} of the computed one (95 % interval)"
_FITS = {
    "agree": ": the rule holds within a factor of {factor}",
    "inconclusive": ": inconclusive, the interval reaches past the margin",
    "disagree": "; with the capacity seen during the overload, the rule does not hold",
    "withheld": "",
}


def never_gone(here: Measured, way: Arranged) -> tuple[int, ...]:
    """Give the repetitions of an arrangement in which a backlog was left until the end.

    Parameters
    ----------
    here : Measured
        A campaign of the course ``backlog``.

    Returns
    -------
    tuple of int
        They have no time to catch up, and no mean may hide them.
    """
    rows = here.rows(way.factors)
    had, gone = (set(rows.loc[rows["metric"] == metric, "repetition"])
                 for metric in ("backlog_messages", "catch_up_time"))  # fmt: skip
    return tuple(sorted(int(repetition) for repetition in had - gone))


def backlog_table(here: Measured, *, caption: str) -> Table | None:
    """List for every arrangement how fast was sent, how far the second broker fell behind.

    Parameters
    ----------
    here : Measured
        A campaign of the course ``backlog``.

    Returns
    -------
    Table or None
        None when nothing was measured.
    """
    rows = []
    for way in arranged(here):
        means = [here.mean(*of, **way.factors) for of in _COLUMNS]
        if means[0] is None:
            continue
        cells = [None if mean is None else _shown(here, mean) for mean in means]
        gone = means[-1]
        interval = None if gone is None else interval_text(here.chapter, gone)
        runs = len(means[0].values)
        rows.append(
            Row(way.label, (*cells, interval, f"{runs - len(never_gone(here, way))} of {runs}"))
        )
    if not rows:
        return None
    return quantity_table(
        here.chapter,
        rows,
        header=["Arrangement", "Sent (messages/s)", "Send p50 (ms)", "Link alone (MB/s)",
                "Link used (MB/s)", "Highest (messages)", "Highest (MB)", "Time to catch up (s)",
                "95 % interval", "Cleared in runs"],
        caption=caption,
        notes=(
            "Sent: during the overload; send times count from when a message was due, so senders "
            "that are held back fall ever further behind. Link alone: its throughput, probed "
            "before the load; "
            "used: from the start of the overload until the backlog cleared. Highest: the "
            "largest backlog of each run, averaged over the runs, in messages and as the "
            "first broker stores them. Time to catch up: for the runs in which the backlog "
            "cleared.",
        ),
        by_row=True,
    )  # fmt: skip


def _shown(here: Measured, mean: Mean) -> Quantity:
    q = mean.quantity
    if q.unit == here.chapter.unit("backlog"):
        return Quantity(q.value / 1e6, "MB", q.cells, 2, q.kind)
    if q.unit == here.chapter.unit("link_throughput"):  # beside what is used of it
        return Quantity(q.value * 125, "MB/s", q.cells, 2, q.kind)
    return q


@dataclass(frozen=True)
class CatchUp:
    """How an asynchronous mirror caught up after an overload.

    Attributes
    ----------
    carried, drained : Quantity
        What crossed the link in a second of overload; while the backlog drained.
    predicted : Quantity
        Time to catch up, computed from what happened during the overload.
    gone : Mean
        The same, measured.
    outcome, verdict : str
        Whether both agree, and that in words.
    """

    way: Arranged
    carried: Quantity
    drained: Quantity
    predicted: Quantity
    gone: Mean
    outcome: str
    verdict: str


def catch_ups(here: Measured, margin: Margin, *, under_load: bool = False) -> list[CatchUp]:
    """Compute the time to catch up of every asynchronous mirror that had one.

    Parameters
    ----------
    here : Measured
        A campaign of the course ``backlog``.
    under_load : bool
        Only where senders continued after the overload.
    """
    found = []
    for way in arranged(here):
        sent, high, gone = (here.mean(*of, **way.factors) for of in (_SENT, _HIGH, _GONE))
        later = float(way.factors.get("later_rate") or 0)
        if sent is None or high is None or gone is None or here.manifest is None:
            continue
        behind = high.quantity.value / here.manifest.plan.measure_seconds
        cells = sent.quantity.cells + high.quantity.cells
        carried = replace(sent.quantity, value=sent.quantity.value - behind, cells=cells)
        spare = carried.value - later
        if way.factors["mirroring"] != "asynchronous" or spare <= 0 or (under_load and not later):
            continue
        predicted = Quantity(high.quantity.value / spare, "s", cells, 2, "measured")
        drained = later + high.quantity.value / gone.quantity.value
        over_rule = _over_the_rule(here, way, later, here.manifest.plan.measure_seconds)
        outcome = outcome_of(1.0, 1.0, over_rule, margin)
        verdict = ": a single run has no interval"
        if over_rule.known:
            ends = (
                here.chapter.inline(Quantity(100 * end, "%", ()))
                for end in (over_rule.low, over_rule.high)
            )
            verdict = _JUDGED.format(*ends)
            verdict += _FITS[outcome].format(factor=factor_words(margin.factor, margin.numbers))
        elif over_rule.runs > 1:
            verdict = ": in one run, the rule gives no time"
        cells = high.quantity.cells + gone.quantity.cells
        drain = Quantity(drained, "messages/s", cells, 1, "measured")
        found.append(CatchUp(way, carried, drain, predicted, gone, outcome, verdict))
    return found


def _over_the_rule(here: Measured, way: Arranged, later: float, overload_s: float) -> Interval:
    """Give the measured time to catch up over that of the rule, as a mean over the runs.

    The rule divides by a small difference of what was measured, so it is computed for each run: its
    own error is part of how the ratios scatter. Without ends where it cannot be computed for one.
    """
    rows = here.rows(way.factors)
    sent, high, gone = (
        rows[(rows["metric"] == metric) & (rows["statistic"] == statistic)]
        .set_index("repetition")["value"].astype(float)
        for metric, statistic in (_SENT, _HIGH, _GONE)
    )  # fmt: skip
    spare = sent - high / overload_s - later
    ratios = (gone * spare / high).dropna()
    if ratios.empty or ratios.min() <= 0:
        return Interval(math.nan, math.nan, math.nan, "none", len(ratios))
    found = mean_interval([math.log(ratio) for ratio in ratios])
    estimate, low, high_end = map(math.exp, (found.estimate, found.low, found.high))
    return replace(found, estimate=estimate, low=low, high=high_end, method="log t")


def _margin(here: Measured) -> Margin:
    """Give the margin of the times that are judged, which are those of asynchronous mirrors."""
    judged = here.rows({"metric": _GONE[0], "statistic": _GONE[1], "mirroring": "asynchronous"})
    known = here.chapter.observations
    return margin_of(here, scatter=scatter_in(judged, known, here.campaigns))


def catch_up_words(here: Measured) -> Text | None:
    """Hold the measured time to catch up to the rule: backlog over what the link has to spare.

    What the link carries is taken from the overload alone (what was sent less what was left
    behind), so that the time that follows it is not used to predict itself.

    Parameters
    ----------
    here : Measured
        A campaign of the course ``backlog``.

    Returns
    -------
    Text or None
        None when no asynchronous mirror was measured.
    """
    shown = here.chapter.inline
    lines: list[str] = []
    margin = _margin(here)
    for one in catch_ups(here, margin):
        verdict, stuck = one.verdict, len(never_gone(here, one.way))
        if stuck:
            runs = stuck + len(one.gone.values)
            verdict += f". In {stuck} of {runs} runs the backlog never cleared"
        lines.append(
            f"- {one.way.label}: computed {shown(one.predicted)}, measured "
            f"{shown(one.gone.quantity)} ({interval_text(here.chapter, one.gone)}){verdict}. "
            f"{shown(one.carried)} crossed the link during the overload, {shown(one.drained)} "
            "while the backlog drained."
        )
    head = (
        "As in @sec-drain, the time to catch up is the backlog divided by the link's "
        f"spare capacity, taken from the overload. {margin.rule}"
    )
    return listed_under(
        head,
        lines,
        "The nearer the later load is to what the link carries, the "
        "more an error in either counts: the rule divides by their difference. What crossed the "
        "link while the backlog drained follows from the measured time and tests nothing. Where it "
        "differs much from that of the overload, the rule's premise fails: the link did not carry "
        "the same in both.",
    )


def rule_under_load(here: Measured) -> Text:
    """Say what came of the rule for catching up wherever senders continued after the overload."""
    told: dict[str, str] = {}
    shown = here.chapter.inline
    for one in catch_ups(here, _margin(here), under_load=True):
        words = (
            f"{shown(one.predicted)} were computed and {shown(one.gone.quantity)} measured"
            f"{one.verdict}"
        )
        if one.outcome == "disagree":
            words += (
                f" ({shown(one.carried)} crossed the link then, {shown(one.drained)} while the "
                "backlog drained)"
            )
        told[one.way.label] = words
    if not told:
        return Text("With load after the outage, this rule was not tested here")
    if len(told) == 1:
        head, tests = "a test", [*told.values()]
    else:
        head, tests = "tests", [f"{found} ({label})" for label, found in told.items()]
    return Text(
        f"In {head} of this rule here, with load after the outage (@tbl-replication-backlog), "
        f"{listed(tests)}"
    )


def backlog_title(here: Measured) -> str:
    """Name the finding: how high the backlog of the first arrangement that has one became."""
    for way in arranged(here):
        high, gone = (here.mean(*of, **way.factors) for of in (_HIGH, _GONE))
        if way.factors["mirroring"] != "asynchronous" or high is None or here.manifest is None:
            continue
        seconds = f"{here.manifest.plan.measure_seconds:g}\u00a0s of overload"
        runs, stuck = len(high.values), len(never_gone(here, way))
        end = f"which clears in {runs - stuck} of {runs} runs"
        if gone is not None and not stuck:
            end = f"which takes {here.chapter.write(gone.quantity)} to clear"
        left = here.chapter.write(high.quantity)
        return f"{seconds} leave a backlog of {left}, {end} ({way.label})"
    return "The backlog of the mirror over time"


def backlog_cases(here: Measured) -> Text | None:
    """Say which of the published cases each arrangement fell into.

    A backlog counts as grown when it exceeds what is sent in a quarter of a second of overload, as
    often as it is read.

    Parameters
    ----------
    here : Measured
        A campaign of the course ``backlog``.

    Returns
    -------
    Text or None
        None when nothing was measured, or nothing may be concluded.
    """
    if here.withheld:
        return None
    lines: list[str] = []
    for way in arranged(here):
        high, sent = (here.mean(*of, **way.factors) for of in (_HIGH, _SENT))
        stuck = len(never_gone(here, way))
        asked = here.levels("overload_rate", **way.factors)
        if high is None or sent is None or len(asked) != 1:
            continue
        most = here.chapter.inline(high.quantity)
        if max(high.values) <= _READ_EVERY_S * float(asked[0]):
            case = f"the backlog stays at {most}, as in the first case"
            if sent.quantity.value < _SLOWED * float(asked[0]):
                offered = here.chapter.level("overload_rate", asked[0])
                case += f", but senders reached only {here.chapter.inline(sent.quantity)} of "
                case += offered
        elif not stuck:
            case = f"the backlog grows to {most} and clears, as in the second case"
        else:
            case = (
                f"the backlog grows to {most}, and in {stuck} of {len(high.values)} runs it "
                "never clears, as in the last case"
            )
        lines.append(f"- {way.label}: {case}.")
    head = (
        "Highest backlog, averaged over the runs, beside the published cases of @tbl-backlog, "
        "which have no numbers. A mirror never rebases: it keeps uncopied data in a queue."
    )
    return listed_under(head, lines)
