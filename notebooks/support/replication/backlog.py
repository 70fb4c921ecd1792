"""A measured backlog: how high, how long, and whether the rule for catching up holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roundtrip.outputs import listed
from roundtrip.present.chapter import Text
from roundtrip.present.measured.agreement import Margin, factor_words, margin_of, outcome_of
from roundtrip.present.measured.means import Mean, Measured, interval_text
from roundtrip.present.numbers import Quantity
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.present.tables import Table
from support.replication.mirror import Arranged, arranged

_COLUMNS = (
    ("message_rate", "mean"), ("send_time", "p50"), ("link_throughput", "p50"),
    ("replication_link_rate", "mean"), ("backlog_messages", "maximum"), ("backlog", "maximum"),
    ("catch_up_time", "single"),
)  # fmt: skip

_READ_EVERY_S = 0.25
_SLOWED = 0.9
"""Share of the rate asked for below which senders were held back."""
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
        means = [here.mean(metric, statistic, **way.factors) for metric, statistic in _COLUMNS]
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
    margin = margin_of(here, "catch_up_time", "single")
    for way in arranged(here):
        predicted = _predicted(here, way)
        gone = here.mean("catch_up_time", "single", **way.factors)
        high = here.mean("backlog_messages", "maximum", **way.factors)
        over = _carried(here, way)
        if predicted is None or gone is None or high is None or over is None:
            continue
        verdict = _verdict(predicted, gone, margin)
        stuck = len(never_gone(here, way))
        if stuck:
            verdict += f". In {stuck} of {stuck + len(gone.values)} runs the backlog never cleared"
        lines.append(
            f"- {way.label}: computed {shown(predicted)}, measured {shown(gone.quantity)} "
            f"({interval_text(here.chapter, gone)}){verdict}. {shown(over)} crossed the link "
            f"during the overload, {shown(_drained(way, high, gone))} while the backlog drained."
        )
    if not lines:
        return None
    head = (
        "As in @tbl-drain, the time to catch up is the backlog divided by the link's "
        f"spare capacity, taken from the overload. {margin.rule}\n\n"
    )
    return Text(
        head + "\n".join(lines) + "\n\nThe nearer the later load is to what the link carries, the "
        "more an error in either counts: the rule divides by their difference. What crossed the "
        "link while the backlog drained follows from the measured time and tests nothing. Where it "
        "differs much from that of the overload, the rule's premise fails: the link did not carry "
        "the same in both."
    )


def rule_under_load(here: Measured) -> Text:
    """Say what came of the rule for catching up wherever senders continued after the overload."""
    told: dict[str, str] = {}
    shown = here.chapter.inline
    margin = margin_of(here, "catch_up_time", "single")
    for way, predicted, gone in _under_load(here):
        told[way.label] = (
            f"{shown(predicted)} were computed and {shown(gone.quantity)} measured"
            f"{_verdict(predicted, gone, margin)}"
        )
        high = here.mean("backlog_messages", "maximum", **way.factors)
        over = _carried(here, way)
        if high and over and outcome_of(predicted.value, gone.interval, margin) == "disagree":
            told[way.label] += (
                f" ({shown(over)} crossed the link then, "
                f"{shown(_drained(way, high, gone))} while the backlog drained)"
            )
    if not told:
        return Text("With load after the outage, this rule was not tested here")
    if len(told) == 1:
        head, words = "a test", [*told.values()]
    else:
        head, words = "tests", [f"{found} ({label})" for label, found in told.items()]
    return Text(
        f"In {head} of this rule here, with load after the outage (@tbl-replication-backlog), "
        f"{listed(words)}"
    )


def rule_note(here: Measured) -> str:
    """Say below what the rule computes whether tests with later load confirmed it."""
    margin = margin_of(here, "catch_up_time", "single")
    found = [outcome_of(p.value, gone.interval, margin) for _, p, gone in _under_load(here)]
    if not found:
        return "It was not tested here with load after an outage."
    if "withheld" in found:
        return "Tests here, with load after an outage, support no conclusion about it."
    held = found.count("agree")
    if len(found) == 1:
        verb = "confirmed" if held else "did not confirm"
        return f"The one test here, with load after an outage, {verb} it."
    return f"Of {len(found)} tests here, with load after an outage, {held or 'none'} confirmed it."


def _under_load(here: Measured) -> Iterator[tuple[Arranged, Quantity, Mean]]:
    """Give computed and measured time to catch up wherever senders continued."""
    for way in arranged(here):
        predicted = _predicted(here, way)
        gone = here.mean("catch_up_time", "single", **way.factors)
        if predicted is not None and gone is not None and way.factors.get("later_rate"):
            yield way, predicted, gone


def _drained(way: Arranged, high: Mean, gone: Mean) -> Quantity:
    """Compute what crossed the link in a second while the backlog drained."""
    value = float(way.factors.get("later_rate") or 0) + high.quantity.value / gone.quantity.value
    cells = high.quantity.cells + gone.quantity.cells
    return Quantity(value, "messages/s", cells, 1, "measured")


def _verdict(predicted: Quantity, gone: Mean, margin: Margin) -> str:
    """Say whether a measured time to catch up agrees with the computed one."""
    if not gone.interval.known:
        return ": a single run has no interval"
    found = outcome_of(predicted.value, gone.interval, margin)
    return _FITS[found].format(factor=factor_words(margin.factor))


def _predicted(here: Measured, way: Arranged) -> Quantity | None:
    """Compute the time to catch up, in seconds, from what happened during the overload."""
    high, carried = here.mean("backlog_messages", "maximum", **way.factors), _carried(here, way)
    if high is None or carried is None or way.factors["mirroring"] != "asynchronous":
        return None
    spare = carried.value - float(way.factors.get("later_rate") or 0)
    if spare <= 0:
        return None
    return Quantity(high.quantity.value / spare, "s", carried.cells, 2, "measured")


def _carried(here: Measured, way: Arranged) -> Quantity | None:
    """Compute what crossed the link in a second of overload."""
    sent = here.mean("message_rate", "mean", **way.factors)
    high = here.mean("backlog_messages", "maximum", **way.factors)
    if sent is None or high is None or here.manifest is None:
        return None
    behind = high.quantity.value / here.manifest.plan.measure_seconds
    cells = sent.quantity.cells + high.quantity.cells
    return replace(sent.quantity, value=sent.quantity.value - behind, cells=cells)


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
        high = here.mean("backlog_messages", "maximum", **way.factors)
        sent = here.mean("message_rate", "mean", **way.factors)
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
    if not lines:
        return None
    head = (
        "Highest backlog, averaged over the runs, beside the published cases of @tbl-backlog, "
        "which have no numbers. A mirror never rebases: it keeps uncopied data in a queue.\n"
    )
    return Text("\n".join([head, *lines]))
