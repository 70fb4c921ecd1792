"""A measured mirror: what it costs, and how often a round trip waits for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from roundtrip.checks.laws import KEPT_WITHIN
from roundtrip.outputs import listed
from roundtrip.present import Chapter, Measured, Quantity, Table, Text, measured_limits
from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.measured.shares import share_of
from roundtrip.present.measured.words import RATIOS
from roundtrip.present.quantities import quantity_table
from roundtrip.present.suspect_cells import doubted_cells
from support.shared.cases import Case, Cases, beside, is_known
from support.shared.flows import SATURATED
from support.shared.lists import listed_under
from support.shared.points import with_rows
from support.shared.quantities_at import row_at
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
    rows = here.frame[list(_TOLD_BY)].drop_duplicates()
    varied = [name for name in _TOLD_BY if rows[name].nunique(dropna=False) > 1]
    found = []
    for row in rows.to_dict("records"):
        factors = {str(name): None if pd.isna(value) else value for name, value in row.items()}
        told = [
            _words(here, name, factors[name])
            for name in varied
            if factors[name] is not None and not (name == "replication" and factors["mirroring"])
        ]
        label = ", ".join(told) or here.chapter.level("replication", factors["replication"])
        found.append(Arranged(label, factors))
    return sorted(found, key=lambda way: [_order(way.factors[name]) for name in _TOLD_BY[1:]])


def _order(value: Any) -> tuple[bool, float, str]:
    """Put what is absent first, numbers by size and words by the alphabet."""
    if isinstance(value, str):
        return True, 0.0, value
    return value is not None, float(value or 0), ""


def _words(here: Measured, factor: str, value: Any) -> str:
    if factor == "later_rate":
        return f"then {here.chapter.level(factor, value) if value else 'no load'}"
    return here.chapter.level(factor, value)


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
    behind = {}
    for delay in here.levels(DELAY, mirroring="asynchronous"):
        at = {"mirroring": "asynchronous", "replication_link": "proxy", DELAY: delay}
        rate, growth = here.mean(**at), here.mean("backlog_growth", **at)
        if rate is None or growth is None:
            continue
        sent = 2 * rate.quantity.value  # a request and a reply
        if growth.quantity.value > KEPT_WITHIN * sent:
            behind[float(delay)] = growth.quantity
    overload = (here.frame["mirroring"] == "asynchronous") & here.frame[DELAY].isin(list(behind))
    return with_rows(here, here.frame[~overload]), behind


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
    rows = []
    base = next((way for way in ways if way.factors["replication"] == "none"), None)
    for way in ways:
        overloaded = way.factors["mirroring"] == "asynchronous" and way.factors[DELAY] in behind
        compared = base is not None and way is not base and not overloaded
        row = row_at(
            here, way.label, way.factors, base.factors if base and compared else None, _BESIDE
        )
        rows += [row] if row else []
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


def delay_words(here: Measured, published: Mapping[float, Quantity], *, head: str) -> Text | None:
    """List what each delay leaves of the asynchronous mirror's rate, beside the published shares.

    Without a verdict: where drivers and both brokers share processors that are nearly saturated
    without delay, these hide some of its cost.
    """
    at = {"mirroring": "asynchronous", "replication_link": "proxy"}
    cases = [
        Case(
            here.chapter.level(DELAY, delay), {**at, DELAY: delay}, {**at, DELAY: 0.0},
            {"published": published[delay]} if delay in published else {},
        )
        for delay in here.levels(DELAY, **at)
        if delay
    ]  # fmt: skip
    return beside(Cases(here, cases), head=head)


def live_side_words(here: Measured, *, head: str) -> Text | None:
    """List what an asynchronous mirror leaves of the rate without one, by delay.

    Without a verdict: the second broker takes processor time from the first here.
    """
    base = {"replication": "none", "mirroring": None, "replication_link": None, DELAY: None}
    at = {"mirroring": "asynchronous", "replication_link": "proxy"}
    cases = [
        Case(here.chapter.level(DELAY, delay), {**at, DELAY: delay}, base)
        for delay in here.levels(DELAY, **at)
    ]
    return beside(Cases(here, cases), head=head)


def waits_words(here: Measured, published: Mapping[float, Quantity]) -> Text | None:
    """Say how many link round trips a round trip through a synchronous mirror takes.

    What a delay adds to the median time of a round trip over the same proxy, divided by what it
    adds to the link's own round-trip time, as probed. Where processors are saturated without
    delay, round trips wait for them too; as a delay shortens that wait, this is a lower bound.

    Parameters
    ----------
    published : mapping
        Added delay in ms to the published time of a round trip in such delays.

    Returns
    -------
    Text or None
        None when it was not measured with and without delay.
    """
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
    said = listed(
        [f"{shown(one)} times a delay of {delay:g}\u00a0ms" for delay, one in published.items()]
    )
    busy, least, why = here.mean("machine_cpu", "mean", **at, **{DELAY: 0.0}), "", ""
    if busy is not None and busy.quantity.value >= SATURATED:
        least = ", at least"
        why = (
            f"Without delay, the processors are at {shown(busy.quantity)}, and round trips wait "
            "for them too; a delay shortens that wait, which hides part of what it adds. "
        )
    return listed_under(
        "What delay adds to a round trip through the synchronous mirror, in link round "
        f"trips{least}:",
        lines,
        f"{why}Where IRR diverges from Native HA, a whole round trip takes {said} (@tbl-irr-part). "
        "That time includes all else, so these are upper bounds on the number of link round trips.",
    )


def mirror_title(here: Measured) -> str:
    """Name the finding: what each mode leaves of the rate without a mirror at a long delay."""
    delay, shares = _longest(here, _common_delays(here), {"replication": "none"})
    if not shares or here.withheld:
        return "Rate with a mirror by link delay"
    longest = here.chapter.level(DELAY, delay)
    told = [
        f"the {mode} mirror {share}{marked and f' ({marked})'}"
        for mode, (share, marked) in shares.items()
    ]
    told[0] = told[0].replace(" mirror ", " mirror leaves ")
    return f"With {longest} on the link, {listed(told)} of the rate without a mirror"


def mirror_delay_title(here: Measured, published: Mapping[float, Quantity]) -> str:
    """Name the finding: what the longest delay of both sides leaves here."""
    delay, shares = _longest(here, [one for one in _common_delays(here) if one in published])
    if not shares or here.withheld:
        return "Share of the rate left, by link delay"
    told = " and ".join(
        f"{share} ({', '.join(filter(None, (f'{mode} mirror', marked)))})"
        for mode, (share, marked) in shares.items()
    )
    longest = here.chapter.level(DELAY, delay)
    return f"Here, {longest} of delay leaves {told} of the rate without delay"


def _common_delays(here: Measured) -> list[float]:
    """Give the delays at which every mode was measured and sustained its rate, ascending."""
    each = [
        {float(delay) for delay in here.levels(DELAY, mirroring=mode, replication_link="proxy")}
        for mode in here.levels("mirroring")
    ]
    return sorted(set.intersection(*each)) if each else []


def _longest(
    here: Measured, delays: Sequence[float], base: Mapping[str, object] | None = None
) -> tuple[float, dict[str, tuple[str, str]]]:
    """Give the longest delay at which each mode's share is known, and those shares in words.

    Each with words for shares that are no significant difference or rest on marked runs, empty
    for others.

    A title says no number of which its interval leaves the size open. Shares are of a base, or of
    each mode without delay.
    """
    for delay in reversed(delays):
        shares = {}
        for mode in here.levels("mirroring"):
            at = {"mirroring": mode, "replication_link": "proxy"}
            shares[str(mode)] = share_of(here, {**at, DELAY: delay}, base or {**at, DELAY: 0.0})
        known = {
            mode: (
                here.chapter.write(share.quantity),
                ", ".join(
                    words
                    for words, holds in (
                        ("no significant difference", not share.interval.is_difference),
                        ("from marked runs", doubted_cells(here.chapter, share.quantity.cells)),
                    )
                    if holds
                ),
            )
            for mode, share in shares.items()
            if share is not None and is_known(share)
        }
        if known and len(known) == len(shares):
            return delay, known
    return 0.0, {}
