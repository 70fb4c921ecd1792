"""The same arrangements measured: connections, large messages, sessions, versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Figure, Measured, Quantity, Table, measured_lines, size_label
from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.derived import round_trips
from roundtrip.present.measured.means import interval_text
from roundtrip.present.quantities import Entry, Row, quantity_table
from support.aix_v7.comparisons import DELIVERIES, KINDS, peak_row
from support.aix_v7.printed import Printed
from support.shared.cases import Case, Cases
from support.shared.flows import LIMITED_BY_LINK, is_limited_by_link
from support.shared.points import common_requesters
from support.shared.quantities_at import quantities_at

_USUAL = 2048
_PUBLISHED_SIZES = (20480, 204800, 2097152)
_BESIDE_PAYLOAD = (
    (TIME, "p50"), (TIME, "p99"), ("machine_cpu", "mean"), ("broker_memory", "mean"),
)  # fmt: skip
_REMOTE = {
    "RR-CB": "requesters as clients",
    "RR-CC": "both as clients",
    "RR-DQ-BB": "two brokers with bridges",
}


def most_requesters(here: Measured) -> int:
    """Give the largest number of requesters that was run; 0 where none was."""
    return max(here.levels("requesters"), default=0)


def _requesters(count: int) -> str:
    return f"{count} requester{'s' if count > 1 else ''}"


# --- kinds of connection ---------------------------------------------------------------------


def kinds(printed: Printed, delivery: str, requesters: int | None = None) -> Cases:
    """Give the rate of each kind of connection as a share of the local one, beside V7's.

    Parameters
    ----------
    requesters : int, optional
        The largest number that was run when left out.
    """
    here = Measured(printed.chapter, "bindings", delivery=delivery)
    at = {"requesters": requesters or most_requesters(here), "message_bytes": _USUAL}
    local, group = {"workload": "RR-BB", **at}, DELIVERIES[delivery]
    cases = [Case("both inside the broker", local, group=group)]
    for kind, name in _REMOTE.items():
        beside = {}
        if kind in KINDS:
            share = printed.test(kind, delivery).rate.percent_of(
                printed.test("RR-BB", delivery).rate
            )
            beside = {"WebSphere MQ V7": share}
        cases.append(Case(name, {"workload": kind, **at}, local, beside, group))
    return Cases(here, cases)


def kinds_table(*found: Cases, caption: str, notes: Sequence[str]) -> Table | None:
    """List the rates by kind of connection, for each number of requesters."""
    cases = [
        replace(case, group=f"{case.group}, {_requesters(case.of['requesters'])}")
        for one in found
        for case in one.all
    ]
    return Cases(found[0].here, cases).table(
        head="Kind of connection", share="Of local rate (%)", caption=caption, notes=notes
    )


# --- large messages --------------------------------------------------------------------------


def large_messages(printed: Printed) -> Cases:
    """Give the rate of each message size as a share of that of the size before."""
    here = Measured(printed.chapter, "large-messages")
    peaks = {
        (delivery, size): peak_row(printed.test("RR-CB", delivery, size).other)
        for delivery in DELIVERIES
        for size in _PUBLISHED_SIZES
    }
    cases = []
    for delivery, group in DELIVERIES.items():
        at = {"delivery": delivery, "requesters": common_requesters(here)}
        for before, size in pairwise(here.levels("message_bytes")):
            beside, limited = {}, False
            if {before, size} <= {*_PUBLISHED_SIZES}:
                pair = pd.concat([peaks[delivery, size], peaks[delivery, before]])
                rate, rate_before = printed.chapter.quantities(pair)
                beside = {"WebSphere MQ V7, client channels": rate.percent_of(rate_before, 1)}
                limited = is_limited_by_link(printed.chapter, pair, pd.concat(peaks.values()))
            cases.append(
                Case(
                    f"{size_label(size)} relative to {size_label(before)}",
                    {**at, "message_bytes": size},
                    {**at, "message_bytes": before},
                    beside,
                    group,
                    LIMITED_BY_LINK * limited,
                )
            )
    return Cases(here, cases)


def large_figure(here: Measured, *, caption: str) -> Figure | None:
    """Draw the median time of a round trip by message size."""
    requesters, sizes = common_requesters(here), here.levels("message_bytes")
    parts = []
    for delivery in DELIVERIES if len(sizes) > 1 else ():
        at = {"delivery": delivery, "requesters": requesters}
        low, high = (here.mean(TIME, "p50", message_bytes=sizes[end], **at) for end in (0, -1))
        if low is not None and high is not None:
            times = " to ".join(here.chapter.write(mean.quantity) for mean in (low, high))
            parts.append(f"{times} ({here.chapter.level('delivery', delivery)})")
    title = "Time of a round trip with large messages"
    if parts:
        span = f"From {size_label(sizes[0])} to {size_label(sizes[-1])}"
        title = f"{span}, a median round trip takes {', '.join(parts)}"
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
    """List by delivery and message size the rate, the payload carried and the time."""
    if not here.exists:
        return None
    chapter, requesters = here.chapter, common_requesters(here)
    rows: list[Row] = []
    for delivery, group in DELIVERIES.items():
        rows.append(Row(group))
        for size in here.levels("message_bytes", delivery=delivery, requesters=requesters):
            at = {"delivery": delivery, "message_bytes": size, "requesters": requesters}
            mean = here.mean(**at)
            if mean is None:
                continue
            # A message counts once in each direction.
            carried = round_trips(chapter, mean.quantity) * size / 1e6
            line: list[Entry] = [
                mean.quantity, interval_text(chapter, mean),
                Quantity(carried, "MB/s", mean.quantity.cells, 1, "measured"),
                str(len(mean.values)), *quantities_at(here, _BESIDE_PAYLOAD, **at),
            ]  # fmt: skip
            rows.append(Row(size_label(size), tuple(line)))
    return quantity_table(
        chapter,
        rows,
        header=["Message size", chapter.label(RATE), "95 % interval", "MB/s each way", "Runs",
                "p50 (ms)", "p99 (ms)", "Machine's CPU (%)", "Broker's memory (MB)"],
        caption=caption,
        notes=(
            "Message sizes: 1\u00a0MB is 1,048,576 bytes; MB/s: 1\u00a0MB is 1,000,000 bytes. A "
            "message counts once in each direction.",
        ),
        by_row=True,
    )  # fmt: skip


# --- short sessions --------------------------------------------------------------------------


def short_sessions(chapter: Chapter, published: SimpleNamespace) -> Cases:
    """Give the rate of sessions, the longest first, as a share of that of staying connected.

    Parameters
    ----------
    published : namespace
        From `support.aix_v7.sessions.sessions`.
    """
    here = Measured(chapter, "short-sessions")
    kept = published.stay.percent_of(published.own)
    beside = {
        "WebSphere MQ V7, SHARECNV(0), core time when staying connected over that in sessions": kept
    }
    cases = []
    for delivery, group in DELIVERIES.items():
        own: dict[str, Any] = {"delivery": delivery, "requesters": most_requesters(here)}
        stay = {**own, "round_trips_per_session": None}
        cases.append(Case("stays connected", stay, group=group))
        for trips in reversed(here.levels("round_trips_per_session", delivery=delivery)):
            alike = (trips, delivery) == (published.trips, "nonpersistent")
            of = {**own, "round_trips_per_session": trips}
            cases.append(Case(f"sessions of {trips}", of, stay, beside if alike else {}, group))
    return Cases(here, cases)


def sessions_table(found: Cases, *, caption: str, notes: Sequence[str]) -> Table | None:
    """List the rates of sessions beside those of requesters that stay connected."""
    return found.table(
        head="Round trips per session",
        share="Relative to staying connected (%)",
        metrics=[
            ("short_session_rate", "mean"), (TIME, "p50"),
            ("broker_cpu_time", "mean"), ("machine_cpu", "mean"),
        ],
        caption=caption,
        notes=notes,
    )  # fmt: skip


# --- versions --------------------------------------------------------------------------------


def releases(chapter: Chapter, delivery: str) -> Cases:
    """Give the rate of each later version as a share of that of the first.

    Nothing published stands beside it: changes of two unrelated products cannot agree.
    """
    here = Measured(chapter, "versions", delivery=delivery)
    versions = here.levels("product_version")
    cases = []
    for size in here.levels("message_bytes"):
        for requesters in here.levels("requesters", message_bytes=size):
            at = {"message_bytes": size, "requesters": requesters}
            group = f"{size_label(size)}, {_requesters(requesters)}"
            for version in versions:
                base = None if version == versions[0] else {"product_version": versions[0], **at}
                cases.append(Case(version, {"product_version": version, **at}, base, group=group))
    return Cases(here, cases)


def releases_table(found: Cases) -> Table | None:
    """List the rate of each version beside the first."""
    delivery = found.here.chapter.level("delivery", found.here.factors["delivery"])
    return found.table(
        head="Version",
        share="Relative to the first version (%)",
        caption=f"Versions of the broker under one client, {delivery} messages",
    )
