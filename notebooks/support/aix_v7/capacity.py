"""Capacity, as published: the most connections, their rates and what a round trip costs."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd

from roundtrip.outputs import NOTHING
from roundtrip.present import Chapter, Quantity, Table
from roundtrip.present.chapter import RATE
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import KINDS, core_times
from support.shared.flows import rate_in_edition

_MOST, _HUB, _FEW = "clnp_cmax (SC0)", "dnpn_q1000", "dqnp"
"""Printed names of tests: most clients, a hub of queue managers, few pairs of channels."""


def capacity(chapter: Chapter) -> SimpleNamespace:
    """Give the tests of capacity, and what the text says of them.

    Returns
    -------
    namespace
        All ``points``. The most ``clients``, their rate in total and the processors in use,
        ``clients_rate`` and ``clients_cpu``. Queue managers connected to a hub, ``hub_pairs``, its
        ``hub_rate`` and the one asked for, ``hub_target``, and the core time of a round trip,
        ``hub_time``. Few ``requesters`` over few pairs of channels, and their core ``time``.
    """
    points = chapter.points("table-34", "table-36")

    def of(test: str, metric: str = RATE) -> Quantity:
        return chapter.quantity(points, metric, row_label=test)

    def core_time(test: str) -> Quantity:
        time: Quantity = core_times(chapter, chapter.select(points, row_label=test)).iloc[0]
        return time

    pairs, each = of(_HUB, "clients"), of(_HUB, "rate_per_client")
    target = rate_in_edition(chapter, each.value * pairs.value / 3600)
    return SimpleNamespace(
        points=points,
        clients=of(_MOST, "clients"),
        clients_rate=of(_MOST),
        clients_cpu=of(_MOST, "cpu"),
        hub_pairs=pairs,
        hub_rate=of(_HUB),
        hub_target=replace(target, cells=each.cells + pairs.cells),
        hub_time=core_time(_HUB),
        requesters=of(_FEW, "clients"),
        time=core_time(_FEW),
    )


def capacity_table(chapter: Chapter, points: pd.DataFrame, *, caption: str) -> Table:
    """List all points as printed."""
    return points_table(
        chapter,
        points.assign(
            kind=points["workload"].map(KINDS),
            messages=points["delivery"].replace("nonpersistent", "non-persistent"),
            replies=(points["reply_queue"] + " queue").fillna(NOTHING),
        ),
        caption=caption,
        group="kind",
        row=("Test", "row_label"),
        texts={"Messages": "messages", "Replies": "replies"},
        metrics=["clients", "rate_per_client", RATE, "round_trip_time", "cpu"],
        notes=[
            "Names of tests are the source's: np non-persistent, r the rate per hour, c and q the "
            "number of clients and queue managers, cmax and qmax the most of them, "
            "no_correllid a reply queue for each. dnpn_q1000, for dqnp_q1000, is the source's "
            "slip. SC0, SC1: SHARECNV(0), SHARECNV(1). Where a "
            "test has two rows, its number of requesters is printed once. Target rate: round "
            "trips of each requester; without one, requesters do not pause."
        ],
    )
