"""Short sessions, as published: what connecting and disconnecting cost."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Quantity, Table
from support.aix_v7.capacity import core_times
from support.aix_v7.compared import points_table
from support.aix_v7.printed import Printed
from support.shared.values import in_unit

_NONE = "\u2013"
_STAY, _OWN, _SHARED = "clnp_r3600", "clnp_ss(SC0)", "clnp_ss(SC1)"
"""Printed names of tests: clients that stay; sessions with SHARECNV(0), and with SHARECNV(1)."""


@dataclass(frozen=True)
class Sessions:
    """The tests of sessions; `own` has SHARECNV(0), `shared` SHARECNV(1).

    Attributes
    ----------
    trips : int
        Round trips of a session.
    stay, own, shared : Quantity
        Core time of a round trip: of clients that stay connected, and in sessions.
    session_own, session_shared : Quantity
        Core time that a session takes beyond its round trips.
    rate_own, rate_shared : Quantity
        Sessions per second.
    clients : Quantity
        Clients that stayed connected.
    """

    chapter: Chapter
    points: pd.DataFrame
    trips: int
    stay: Quantity
    own: Quantity
    shared: Quantity
    session_own: Quantity
    session_shared: Quantity
    rate_own: Quantity
    rate_shared: Quantity
    clients: Quantity


def sessions(printed: Printed) -> Sessions:
    """Give the tests of sessions, and what the text says of them."""
    chapter = printed.chapter
    points = chapter.points("table-33")
    points["sharing"] = [
        _NONE if pd.isna(level) else f"SHARECNV({level})" for level in points["sharecnv"]
    ]
    points = points.assign(core_time=pd.Series(core_times(chapter, points)))
    costs = dict(zip(points["row_label"], points["core_time"], strict=True))
    trips = int(points["round_trips_per_session"].max())
    return Sessions(
        chapter,
        points,
        trips,
        stay=costs[_STAY],
        own=costs[_OWN],
        shared=costs[_SHARED],
        session_own=_beyond(costs[_OWN], costs[_STAY], trips),
        session_shared=_beyond(costs[_SHARED], costs[_STAY], trips),
        rate_own=chapter.quantity(points, "short_session_rate", row_label=_OWN),
        rate_shared=chapter.quantity(points, "short_session_rate", row_label=_SHARED),
        clients=chapter.quantity(points, "clients", row_label=_STAY),
    )


def _beyond(inside: Quantity, stay: Quantity, trips: int) -> Quantity:
    """Give what a session takes beyond its round trips; CPU in whole percent carries no more."""
    return in_unit(inside.minus(stay).times(trips), "ms", 1e-3, 1)


def sessions_table(found: Sessions, *, caption: str) -> Table:
    """List all points as printed, with the core time of a round trip."""
    return points_table(
        found.chapter,
        found.points,
        caption=caption,
        row=("Test", "row_label"),
        texts={"Sharing": "sharing"},
        metrics=["clients", "round_trip_rate", "short_session_rate", "round_trip_time", "cpu"],
        computed={"Core time (µs)": list(found.points["core_time"])},
        notes=[
            "np: non-persistent, pm: persistent, ss: short sessions. Core time is per round trip. "
            "How clients that stay connected shared sockets is not stated; with non-persistent "
            "messages they had fewer responders than sessions."
        ],
    )
