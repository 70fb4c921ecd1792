"""Short sessions, as published: what connecting and disconnecting cost."""

from __future__ import annotations

from types import SimpleNamespace

from roundtrip.outputs import NOTHING
from roundtrip.present import Chapter, Quantity, Table
from roundtrip.present.chapter import RATE
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import core_times
from support.shared.values import in_unit

_STAY, _OWN, _SHARED = "clnp_r3600", "clnp_ss(SC0)", "clnp_ss(SC1)"
"""Printed names of tests: clients that stay; sessions with SHARECNV(0), and with SHARECNV(1)."""


def sessions(chapter: Chapter) -> SimpleNamespace:
    """Give the tests of sessions, and what the text says of them.

    Returns
    -------
    namespace
        All ``points`` with their core time; the round ``trips`` of a session. Core time of a round
        trip: of clients that ``stay`` connected, and in sessions with SHARECNV(0), ``own``, and
        with SHARECNV(1), ``shared``. The core time that a session takes beyond its round trips,
        ``session_own`` and ``session_shared``; sessions per second, ``rate_own`` and
        ``rate_shared``; the ``clients`` that stayed connected.
    """
    points = chapter.points("table-33")
    points = points.assign(core_time=core_times(chapter, points))
    costs = points.set_index("row_label")["core_time"]
    trips = int(points["round_trips_per_session"].max())

    def beyond(inside: Quantity) -> Quantity:
        # CPU in whole percent carries no more digits.
        return in_unit(inside.minus(costs[_STAY]).times(trips), "ms", 1e-3, 1)

    return SimpleNamespace(
        points=points,
        trips=trips,
        stay=costs[_STAY],
        own=costs[_OWN],
        shared=costs[_SHARED],
        session_own=beyond(costs[_OWN]),
        session_shared=beyond(costs[_SHARED]),
        rate_own=chapter.quantity(points, "short_session_rate", row_label=_OWN),
        rate_shared=chapter.quantity(points, "short_session_rate", row_label=_SHARED),
        clients=chapter.quantity(points, "clients", row_label=_STAY),
    )


def sessions_table(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Table:
    """List all points as printed, with the core time of a round trip."""
    sharing = ("SHARECNV(" + found.points["sharecnv"] + ")").fillna(NOTHING)
    return points_table(
        chapter,
        found.points.assign(sharing=sharing),
        caption=caption,
        row=("Test", "row_label"),
        texts={"Sharing": "sharing"},
        metrics=["clients", RATE, "short_session_rate", "round_trip_time", "cpu"],
        computed={"Core time (µs)": list(found.points["core_time"])},
        notes=[
            "np: non-persistent, pm: persistent, ss: short sessions. Core time is per round trip. "
            "How clients that stay connected shared sockets is not stated; with non-persistent "
            "messages they had fewer responders than sessions."
        ],
    )
