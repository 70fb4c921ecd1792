"""The same arrangements measured: connections, large messages, sessions, loads, versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from roundtrip.present import (
    Chapter,
    Figure,
    Measured,
    Quantity,
    Table,
    Text,
    measured_lines,
)
from roundtrip.present.chapter import TIME
from roundtrip.present.numbers import size_label
from support.aix_v7.comparisons import delivery_name
from support.aix_v7.one_per_second import Rated
from support.aix_v7.payload import payload_table
from support.aix_v7.printed import KINDS, Printed
from support.aix_v7.rated import limit_title, offered_table, rated_limits, rising_loads
from support.aix_v7.sessions import Sessions
from support.shared.cases import Case, Cases
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


def _most_requesters(here: Measured) -> int:
    return max(here.levels("requesters"), default=0) if here.exists else 0


def _requesters(count: int) -> str:
    return f"{count} requester{'s' if count > 1 else ''}"


def _group(delivery: str) -> str:
    return delivery_name(delivery).capitalize()


# --- kinds of connection ---------------------------------------------------------------------


@dataclass(frozen=True)
class Kinds:
    """Kinds of connection, each beside the local one, with messages of one delivery.

    Attributes
    ----------
    most : int
        The largest number of requesters that was run; 0 where none was.
    busy : Cases
        With that number, and V7's shares beside them.
    """

    here: Measured
    most: int
    busy: Cases

    def figure(self, *, caption: str) -> Figure | None:
        """Draw the shares of the local rate."""
        return self.busy.forest(
            what="Kinds of connection", of="the rate inside the broker", caption=caption
        )

    def table(self, *, caption: str, notes: Sequence[str]) -> Table | None:
        """List the rates; without a log, those of a single requester first."""
        delivery = str(self.here.factors["delivery"])
        counts = (1, self.most) if delivery == "nonpersistent" else (self.most,)
        cases = [
            replace(case, group=f"{case.group}, {_requesters(count)}")
            for count in counts
            for case in (_kind_case(kind, delivery, count) for kind in _KINDS)
        ]
        return Cases(self.here, cases).table(
            head="Kind of connection", share="Of local rate (%)", caption=caption, notes=notes
        )


def kinds(printed: Printed, delivery: str) -> Kinds:
    """Give the kinds of connection that were measured, beside what is printed of V7."""
    here = Measured(printed.chapter, "bindings", delivery=delivery)
    most = _most_requesters(here)
    local = printed.v7("RR-BB", delivery)
    shares = {
        kind: printed.v7(kind, delivery, sharing="0" if kind == "RR-CB" else None).percent_of(local)
        for kind in KINDS
    }
    return Kinds(
        here, most, Cases(here, [_kind_case(k, delivery, most, shares.get(k)) for k in _KINDS])
    )


def _kind_case(
    kind: str, delivery: str, requesters: int, published: Quantity | None = None
) -> Case:
    at = {"requesters": requesters, "message_bytes": _USUAL}
    is_local = kind == "RR-BB"
    return Case(
        _KINDS[kind],
        {"workload": kind, **at},
        None if is_local else {"workload": "RR-BB", **at},
        {} if is_local or published is None else {"WebSphere MQ V7": published},
        _group(delivery),
    )


# --- large messages --------------------------------------------------------------------------


def large_messages(printed: Printed) -> Cases:
    """Give the rate of each message size as a share of that of the size before."""
    here = Measured(printed.chapter, "large-messages")
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
                    f"{size_label(size)} relative to {size_label(before)}",
                    {**at, "message_bytes": size},
                    {**at, "message_bytes": before},
                    beside,
                    _group(delivery),
                )
            )
    return Cases(here, cases)


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
    return measured_lines(
        here,
        "message_bytes",
        split="delivery",
        title=title,
        metric=TIME,
        statistic="p50",
        log={"message_bytes", TIME},
        caption=caption,
        requesters=requesters,
    )


def large_table(here: Measured, *, caption: str) -> Table | None:
    """List the rate, payload and time by message size."""
    requesters = common_requesters(here)
    return payload_table(here, split="delivery", caption=caption, requesters=requesters)


# --- short sessions --------------------------------------------------------------------------


def short_sessions(chapter: Chapter, published: Sessions) -> Cases:
    """Give the rate of sessions, the longest first, as a share of that of staying connected."""
    here = Measured(chapter, "short-sessions")
    requesters = _most_requesters(here)
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
    return Cases(here, cases)


def sessions_table(found: Cases, *, caption: str, notes: Sequence[str]) -> Table | None:
    """List the rate of sessions beside that of staying connected, with processor time."""
    return found.table(
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


def _highest_pace(here: Measured) -> float:
    return max(here.levels("requester_rate"), default=0) if here.exists else 0


def _rated_loads(here: Measured) -> Mapping[str, Mapping[str, Any]]:
    """Give the factors of each series of loads at the highest pace, by its name."""
    pace = _highest_pace(here)
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
        log={"requesters", "round_trip_time"},
        title=limit_title(
            here, _rated_loads(here), otherwise="Time of a round trip under a rated load"
        ),
        caption=caption,
        requester_rate=_highest_pace(here),
    )


def rated_table(here: Measured, *, caption: str) -> Table | None:
    """Lay the offered rate of every load beside the achieved one."""
    return offered_table(here, _rated_loads(here), caption=caption)


def rated_words(here: Measured) -> Text | None:
    """Say for each series between which loads the limit lies."""
    return rated_limits(here, _rated_loads(here))


def rated_agreement(here: Measured, published: Rated) -> Text | None:
    """Say in how many series the time rises with every further load, published and measured."""
    rising, series = rising_loads(here, _rated_loads(here))
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


def releases(chapter: Chapter, delivery: str) -> Cases:
    """Give the rate of each later version as a share of that of the first.

    Nothing published stands beside it: changes of two unrelated products cannot agree.
    """
    here = Measured(chapter, "versions", delivery=delivery)
    versions = here.levels("product_version") if here.exists else []
    if not versions:
        return Cases(here, [])
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
                    group=group,
                )
                for version in versions[1:]
            ]
    return Cases(here, cases)


def releases_table(found: Cases) -> Table | None:
    """List the rate of each version beside the first."""
    messages = f"{delivery_name(str(found.here.factors['delivery']))} messages"
    return found.table(
        head="Version",
        share="Relative to the first version (%)",
        caption=f"Versions of the broker under one client, {messages}",
    )
