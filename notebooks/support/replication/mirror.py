"""A measured mirror: what it costs, and how often a round trip waits for it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from roundtrip.methodology.rates import KEPT_WITHIN
from roundtrip.outputs import listed
from roundtrip.present import Chapter, Text, measured_limits, variants_agreement
from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.measured.agreement import (
    Verdict,
    factor_words,
    margin_of,
    mark,
    outcome_of,
    resting,
    sides_of,
)
from roundtrip.present.measured.means import Measured, interval_text, share_of
from roundtrip.present.measured.words import RATIOS
from roundtrip.present.numbers import Quantity
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.tables import Table
from support.shared.quantities_at import quantities_at
from support.shared.replication import link_round_trips

DELAY = "replication_link_rtt_ms"
_TOLD_BY = ("replication", "mirroring", "replication_link", DELAY, "later_rate")
_BESIDE = (
    (TIME, "p50"), (TIME, "p99"), ("link_round_trip_time", "p50"),
    ("replication_link_rate", "mean"), ("backlog_messages", "maximum"),
    ("backlog_growth", "mean"),
)  # fmt: skip


@dataclass(frozen=True)
class Arranged:
    """One way in which a campaign arranged brokers and link.

    Attributes
    ----------
    label : str
        Made of what differs between the ways.
    factors : dict
        What selects its points; None for a factor that it does not have.
    """

    label: str
    factors: dict[str, Any]


def arranged(here: Measured) -> list[Arranged]:
    """List the ways in which a campaign arranged brokers and link, without replication first."""
    if not here.exists:
        return []
    chapter = here.chapter
    names = [name for name in _TOLD_BY if name in here.frame]
    rows = here.frame[names].drop_duplicates()
    found: list[tuple[tuple[Any, ...], Arranged]] = []
    varied = [name for name in names if rows[name].nunique(dropna=False) > 1]
    for row in rows.to_dict("records"):
        factors = {name: None if value != value else value for name, value in row.items()}
        told = [
            _words(here, str(name), factors[name])
            for name in varied
            if factors[name] is not None and not (name == "replication" and factors["mirroring"])
        ]
        label = ", ".join(told) or chapter.level("replication", factors["replication"])
        order = tuple(_order(factors[name]) for name in names[1:])
        found.append((order, Arranged(label, {str(k): v for k, v in factors.items()})))
    return [way for _, way in sorted(found, key=lambda pair: pair[0])]


def _order(value: Any) -> tuple[bool, float, str]:
    """Put what is absent first, numbers by size and words by the alphabet."""
    if isinstance(value, str):
        return True, 0.0, value
    return value is not None, float(value or 0), ""


def _words(here: Measured, factor: str, value: Any) -> str:
    level = here.chapter.level(factor, value)
    if factor == "later_rate":
        return f"then {level}" if value else "then no load"
    return level


def divided(here: Measured) -> tuple[Measured, dict[float, Quantity]]:
    """Divide the points into those at which the second broker keeps up, and overload.

    A backlog that grows by more than `KEPT_WITHIN` of the messages sent means overload.

    Returns
    -------
    sustained : Measured
        Without the points at which it falls behind.
    behind : dict of float to Quantity
        Delay at which it falls behind to how fast: the asynchronous mirror over the proxy.
    """
    sustained, behind = copy.copy(here), {}
    for delay in here.levels(DELAY, mirroring="asynchronous"):
        at = {"mirroring": "asynchronous", "replication_link": "proxy", DELAY: delay}
        rate, growth = here.mean(**at), here.mean("backlog_growth", **at)
        if rate is None or growth is None:
            continue
        sent = 2 * rate.quantity.value  # a request and a reply
        if growth.quantity.value > KEPT_WITHIN * sent:
            behind[float(delay)] = growth.quantity
    overload = (here.frame["mirroring"] == "asynchronous") & here.frame[DELAY].isin(list(behind))
    sustained.frame = here.frame[~overload]
    return sustained, behind


def left_out_words(behind: Mapping[float, Quantity]) -> str:
    """Say in a caption that overload is not drawn; empty where there was none."""
    return " Points at which the backlog kept growing are left out." if behind else ""


def overload_words(here: Measured, behind: Mapping[float, Quantity]) -> Text | None:
    """Say at which delays the second broker falls behind, and how fast."""
    if not behind:
        return None
    sentences = [
        f"With {here.chapter.level(DELAY, delay)} on the link, the backlog of the asynchronous "
        f"mirror grew by {here.chapter.inline(growth)}."
        for delay, growth in behind.items()
    ]
    return Text(
        " ".join(sentences) + " That is overload, not a rate that both brokers sustain, and "
        "nothing is compared with it."
    )


def measured_size(here: Measured, otherwise: float) -> float:
    """Give the smallest message size that was measured; another one where none was."""
    return float(here.levels("message_bytes")[0]) if here.exists else otherwise


def delay_agreement(
    here: Measured, published: Mapping[float, Quantity], *, head: str
) -> Text | None:
    """Compare what delays leave of the rate of the asynchronous mirror with what was published."""
    return variants_agreement(
        here, DELAY, head=head, baseline=0.0, published=published, mirroring="asynchronous",
        replication_link="proxy",
    )  # fmt: skip


def limits(chapter: Chapter) -> Text | None:
    """Say what limits the asynchronous mirror over a link without delay."""
    at: dict[str, Any] = {"mirroring": "asynchronous", "replication_link": "proxy", DELAY: 0.0}
    found = measured_limits(Measured(chapter, "replication", **at))
    head = "**The asynchronous mirror through the proxy, without delay.**"
    return None if found is None else Text(f"{head} {found.markdown}")


def mirror_cost_table(
    here: Measured, behind: Mapping[float, Quantity], *, caption: str
) -> Table | None:
    """List every arrangement: rate with its interval, share of that without replication, times.

    Parameters
    ----------
    here : Measured
        One message size and number of requesters.
    behind : mapping
        Delays at which the second broker falls behind, from `divided`; a note tells them.

    Returns
    -------
    Table or None
        None when nothing was measured.
    """
    ways = arranged(here)
    rows: list[Row] = []
    base = next((way for way in ways if way.factors["replication"] == "none"), None)
    for way in ways:
        mean = here.mean(**way.factors)
        if mean is None:
            continue
        overloaded = way.factors["mirroring"] == "asynchronous" and way.factors[DELAY] in behind
        share = None
        if base is not None and way is not base and not overloaded:
            share = share_of(here, way.factors, base.factors)
        line: list[Entry] = [
            mean.quantity, interval_text(here.chapter, mean),
            None if share is None else share.quantity, str(len(mean.values)),
            *quantities_at(here, _BESIDE, **way.factors),
        ]  # fmt: skip
        rows.append(Row(way.label, tuple(line)))
    if not rows:
        return None
    notes = [
        "Means over runs, each with freshly started brokers, link and drivers. Share: of the "
        "rate without a mirror. \u2013 for p99: a run had too few round trips. Link "
        "round trip: that of the link itself, probed before the load; MB/s: what "
        "crossed it towards the second broker. Backlog: highest number of messages not "
        "yet acknowledged by the second broker; growth: its slope over the measured part. " + RATIOS
    ]
    if behind:
        delays = listed([here.chapter.level(DELAY, delay) for delay in behind])
        notes.append(
            f"With {delays} on the link, the asynchronous mirror was overloaded: its backlog kept "
            "growing, so its rate is not compared."
        )
    return quantity_table(
        here.chapter,
        rows,
        header=["Arrangement", here.chapter.label(RATE), "95 % interval",
                "Share (%)", "Runs", "p50 (ms)", "p99 (ms)", "Link round trip (ms)",
                "Link (MB/s)", "Backlog (messages)", "Growth (messages/s)"],
        caption=caption,
        notes=notes,
        by_row=True,
    )  # fmt: skip


def live_side_words(here: Measured, says: str) -> Text | None:
    """Compare the rate with an asynchronous mirror with that without one, delay by delay.

    Parameters
    ----------
    says : str
        What the source says of the live side, as a sentence.

    Returns
    -------
    Text or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    base = {"replication": "none", "mirroring": None, "replication_link": None, DELAY: None}
    margin, slowed = margin_of(here), False
    lines: list[str] = []
    for delay in here.levels(DELAY, mirroring="asynchronous"):
        at = {"mirroring": "asynchronous", "replication_link": "proxy", DELAY: delay}
        share = share_of(here, at, base)
        if share is None:
            continue
        outcome = outcome_of(1.0, share.interval, margin)
        factor = factor_words(margin.factor)
        if not share.interval.known:
            verdict = "With one run each, this is inconclusive."
        elif outcome == "agree":
            verdict = f"This agrees within a factor of {factor}."
        elif outcome == "inconclusive":
            verdict = f"This is inconclusive within a factor of {factor}."
        elif share.interval.estimate < 1:
            verdict, slowed = "Lower.", True
        else:
            verdict = "Higher, which a mirror cannot explain: the runs differ in something else."
        name = here.chapter.level(DELAY, delay)
        sides = sides_of(name, (100, 100), share, margin)
        found = resting(here, share, Verdict(outcome, verdict, sides))
        said = here.concludes(f" {found.words}") + mark(outcome, sides)
        left = here.chapter.inline(share.quantity)
        lines.append(f"- {name}: {left}{share.words(here.chapter)}.{said}")
    if not lines:
        return None
    head = f"{says} Rate here with an asynchronous mirror, relative to that without:\n"
    if slowed:
        why = "\nHere the second broker shares the processors, so the mirror slows the live side."
        lines.append(here.concludes(why))
    return Text("\n".join([head, *lines]))


def waits_words(here: Measured, published: Mapping[float, Quantity]) -> Text | None:
    """Say how many link round trips a round trip through a synchronous mirror takes.

    What a delay adds to the median time of a round trip over the same proxy, divided by what it
    adds to the link's own round-trip time, as probed.

    Parameters
    ----------
    published : mapping
        Added delay in ms to the published time of a round trip in such delays.

    Returns
    -------
    Text or None
        None when it was not measured with and without delay.
    """
    if not here.exists:
        return None
    at = {"mirroring": "synchronous", "replication_link": "proxy"}
    near, link = (here.mean(m, "p50", **at, **{DELAY: 0.0}) for m in (TIME, "link_round_trip_time"))
    shown = here.chapter.inline
    lines: list[str] = []
    for delay in here.levels(DELAY, **at):
        far = here.mean(TIME, "p50", **at, **{DELAY: delay})
        slow = here.mean("link_round_trip_time", "p50", **at, **{DELAY: delay})
        if not delay or far is None or near is None or slow is None or link is None:
            continue
        added = slow.quantity.value - link.quantity.value
        waits = replace(link_round_trips(near.quantity, far.quantity, added), kind="measured")
        lines.append(
            f"- {here.chapter.level(DELAY, delay)}: {shown(waits)} link round trips (a whole "
            f"round trip takes {shown(far.quantity)} at the median)"
        )
    if not lines:
        return None
    said = listed(
        [f"{shown(one)} times a delay of {delay:g}\u00a0ms" for delay, one in published.items()]
    )
    return Text(
        "What delay adds to a round trip through the synchronous mirror, in link round "
        "trips:\n\n" + "\n".join(lines) + "\n\nWhere IRR diverges from Native HA, a whole round "
        f"trip takes {said} (@tbl-irr-part). As that time includes all else, a round trip "
        "waits for the link at most that often."
    )
