"""The same arrangements measured: connections, large messages, sessions, loads, versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from roundtrip.present import (
    Figure,
    Measured,
    Quantity,
    Table,
    Text,
    measured_lines,
    variants_figure,
)
from roundtrip.present.numbers import size_label
from roundtrip.present.runs import TIME
from support.aix_v7.comparisons import delivery_name
from support.aix_v7.one_per_second import Rated
from support.aix_v7.payload import payload_table
from support.aix_v7.printed import KINDS, Printed
from support.aix_v7.rated import limit_title, rising_loads
from support.aix_v7.sessions import Sessions
from support.shared.cases import Case, cases_table
from support.shared.points import common_requesters

DELIVERIES = ("nonpersistent", "persistent")
_USUAL = 2048
_PUBLISHED_SIZES = (20480, 204800, 2097152)
_KINDS = {
    "RR-BB": "both inside the broker",
    "RR-CB": "requesters as clients",
    "RR-CC": "both as clients",
    "RR-DQ-BB": "two brokers with bridges",
}


def most_requesters(here: Measured) -> int:
    """Give the largest number of requesters that was run; 0 where none was."""
    return max(here.levels("requesters"), default=0) if here.exists else 0


def _requesters(count: int) -> str:
    return f"{count} requester{'s' if count > 1 else ''}"


def _group(delivery: str) -> str:
    return delivery_name(delivery).capitalize()


# --- kinds of connection ---------------------------------------------------------------------


def kind_cases(
    printed: Printed, delivery: str, requesters: int, *, published: bool = True
) -> list[Case]:
    """Give the rate of each kind of connection as a share of the local one.

    Parameters
    ----------
    published : bool
        Whether V7's share stands beside it.
    """
    at = {"requesters": requesters, "message_bytes": _USUAL}
    cases = []
    for kind, name in _KINDS.items():
        is_local = kind == "RR-BB"
        beside = {}
        if published and kind in KINDS and not is_local:
            rate = printed.v7(kind, delivery, sharing="0" if kind == "RR-CB" else None)
            beside = {"WebSphere MQ V7": rate.percent_of(printed.v7("RR-BB", delivery))}
        cases.append(
            Case(
                name,
                {"workload": kind, **at},
                None if is_local else {"workload": "RR-BB", **at},
                beside,
                f"{_group(delivery)}, {_requesters(requesters)}",
            )
        )
    return cases


def kinds_table(
    here: Measured, cases: Sequence[Case], *, caption: str, notes: Sequence[str]
) -> Table | None:
    """List the rate of each kind of connection beside the local one."""
    return cases_table(
        here,
        cases,
        head="Kind of connection",
        share="Of the local rate (%)",
        caption=caption,
        notes=notes,
    )


# --- large messages --------------------------------------------------------------------------


def size_cases(printed: Printed, here: Measured) -> list[Case]:
    """Give the rate of each message size as a share of that of the size before."""
    sizes = here.levels("message_bytes") if here.exists else []
    cases = []
    for delivery in DELIVERIES:
        rates = {size: printed.v7("RR-CB", delivery, size=size) for size in _PUBLISHED_SIZES}
        at = {"delivery": delivery, "requesters": common_requesters(here)}
        for before, size in pairwise(sizes):
            beside = {}
            if {before, size} <= rates.keys():
                share = rates[size].percent_of(rates[before], 1)
                beside = {"WebSphere MQ V7, client channels": share}
            cases.append(
                Case(
                    f"{size_label(size)} of {size_label(before)}",
                    {**at, "message_bytes": size},
                    {**at, "message_bytes": before},
                    beside,
                    _group(delivery),
                )
            )
    return cases


def large_figure(here: Measured, *, caption: str) -> Figure | None:
    """Draw the median time of a round trip by message size."""
    if not here.exists:
        return None
    requesters, write = common_requesters(here), here.chapter.write
    small, *_, large = here.levels("message_bytes") * 2
    parts = []
    for delivery in DELIVERIES:
        at = {"delivery": delivery, "requesters": requesters}
        low, high = (here.mean(TIME, "p50", message_bytes=n, **at) for n in (small, large))
        if low is not None and high is not None:
            times = f"{write(low.quantity)} to {write(high.quantity)}"
            parts.append(f"{times} ({delivery_name(delivery)})")
    title = "Time of a round trip with large messages"
    if parts and small < large:
        sizes = f"From {size_label(small)} to {size_label(large)}"
        title = f"{sizes}, a median round trip takes {', '.join(parts)}"
    return variants_figure(
        here,
        "message_bytes",
        split="delivery",
        title=title,
        metric=TIME,
        statistic="p50",
        caption=caption,
        requesters=requesters,
    )


def large_table(here: Measured, *, caption: str) -> Table | None:
    """List the rate, payload and time by message size."""
    requesters = common_requesters(here)
    return payload_table(here, split="delivery", caption=caption, requesters=requesters)


# --- short sessions --------------------------------------------------------------------------


def session_cases(here: Measured, published: Sessions) -> list[Case]:
    """Give the rate of sessions, the longest first, as a share of that of staying connected."""
    requesters = most_requesters(here)
    kept = published.stay.percent_of(published.own)
    beside = {
        "WebSphere MQ V7, SHARECNV(0), core time when staying connected over that in sessions": kept
    }
    cases = []
    for delivery in DELIVERIES:
        stay: dict[str, Any] = {
            "delivery": delivery, "requesters": requesters, "round_trips_per_session": None,
        }  # fmt: skip
        cases.append(Case("stays connected", stay, group=_group(delivery)))
        lengths = here.levels("round_trips_per_session", delivery=delivery) if here.exists else []
        for trips in reversed(lengths):
            alike = (trips, delivery) == (published.trips, "nonpersistent")
            cases.append(
                Case(
                    f"sessions of {trips}",
                    {**stay, "round_trips_per_session": trips},
                    stay,
                    beside if alike else {},
                    _group(delivery),
                )
            )
    return cases


def sessions_table(
    here: Measured, cases: Sequence[Case], *, caption: str, notes: Sequence[str]
) -> Table | None:
    """List the rate of sessions beside that of staying connected, with processor time."""
    return cases_table(
        here,
        cases,
        head="Round trips per session",
        share="Relative to staying connected (%)",
        caption=caption,
        metrics=[
            ("short_session_rate", "mean"),
            ("round_trip_time", "p50"),
            ("broker_cpu_time", "mean"),
            ("machine_cpu", "mean"),
        ],
        notes=notes,
    )


# --- rated requesters ------------------------------------------------------------------------


def highest_pace(here: Measured) -> float:
    """Give the highest rate of each requester, in round trips per hour; 0 where none was run."""
    return max(here.levels("requester_rate"), default=0) if here.exists else 0


def rated_loads(here: Measured) -> Mapping[str, Mapping[str, Any]]:
    """Give the factors of each series of loads at the highest pace, by its name."""
    pace = highest_pace(here)
    return {
        _group(delivery): {"delivery": delivery, "requester_rate": pace} for delivery in DELIVERIES
    }


def rated_figure(here: Measured, *, caption: str) -> Figure | None:
    """Draw the mean time of a round trip by number of requesters."""
    return measured_lines(
        here,
        "requesters",
        split="delivery",
        metric="round_trip_time",
        statistic="mean",
        logarithmic=True,
        title=limit_title(
            here, rated_loads(here), otherwise="Time of a round trip under a rated load"
        ),
        caption=caption,
        requester_rate=highest_pace(here),
    )


def rated_agreement(here: Measured, published: Rated) -> Text | None:
    """Say in how many series the time rises with every further load, published and measured."""
    rising, series = rising_loads(here, rated_loads(here))
    if not series:
        return None
    return here.chapter.text(
        "The published times rise with every further load in {published} of {tests} tests, those "
        "measured here in {here} of {series} series.",
        published=published.rising,
        tests=published.tests,
        here=rising,
        series=series,
    )


# --- versions --------------------------------------------------------------------------------


def version_cases(here: Measured, versions: Sequence[str], published: Quantity) -> list[Case]:
    """Give the rate of each later version as a share of that of the first.

    Parameters
    ----------
    versions : sequence of str
        In their order; nothing is compared where there is none.
    published : Quantity
        The share that stands beside each.
    """
    if not (here.exists and versions):
        return []
    first = versions[0]
    cases = []
    for size in here.levels("message_bytes"):
        for requesters in here.levels("requesters", message_bytes=size):
            at = {"message_bytes": size, "requesters": requesters}
            group = f"{size_label(size)}, {_requesters(requesters)}"
            cases.append(Case(first, {"product_version": first, **at}, group=group))
            cases += [
                Case(
                    version,
                    {"product_version": version, **at},
                    {"product_version": first, **at},
                    {"WebSphere MQ V7 relative to V6, mean of all tests": published},
                    group,
                )
                for version in versions[1:]
            ]
    return cases


def versions_table(here: Measured, cases: Sequence[Case], *, caption: str) -> Table | None:
    """List the rate of each version beside the first."""
    return cases_table(
        here, cases, head="Version", share="Relative to the first version (%)", caption=caption
    )
