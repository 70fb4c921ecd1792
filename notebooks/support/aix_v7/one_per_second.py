"""One round trip per requester and second, as published: how the time rises with requesters."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table
from support.aix_v7.capacity import core_times
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import peaks_by
from support.aix_v7.printed import Printed, with_tests
from support.aix_v7.response_lines import response_lines

_TIME = "round_trip_time"
_LIMIT = (1000, "1 s: the test stops")


@dataclass(frozen=True)
class Rated:
    """The rated tests.

    Attributes
    ----------
    points, best : pandas.DataFrame
        All points; V7's highest rate of each test.
    requesters, rate, time : Quantity
        Of clients with non-persistent messages, at their highest rate; the time is core time.
    unpaced_requesters, unpaced_rate, unpaced_time : Quantity
        Of clients that never wait, with V7's default sharing of sockets.
    shorter, pairs : int
        Pairs of points with equal requesters in which V6 has the shorter time; all such pairs.
    rising, tests : int
        Tests of V7 whose time rises with every further load; all tests.
    """

    chapter: Chapter
    points: pd.DataFrame
    best: pd.DataFrame
    requesters: Quantity
    rate: Quantity
    time: Quantity
    unpaced_requesters: Quantity
    unpaced_rate: Quantity
    unpaced_time: Quantity
    shorter: int
    pairs: int
    rising: int
    tests: int


def rated_tests(printed: Printed) -> Rated:
    """Give the rated tests, and what the text says of them."""
    chapter = printed.chapter
    points = with_tests(chapter.points("table-05", "table-08"))
    old, new = (points[points["product_version"] == version] for version in ("V6", "V7"))
    pairs = old.merge(new, on=["test", "clients"], suffixes=("_old", "_new"))
    best = peaks_by(new, ["test"])
    tests = list(dict.fromkeys(points["test"]))
    unpaced = ("RR-CB", "nonpersistent")
    rising = [
        part.sort_values("clients")[_TIME].is_monotonic_increasing
        for _, part in new.groupby("test", sort=False)
    ]
    return Rated(
        chapter,
        points,
        best,
        requesters=chapter.quantity(best, "clients", test=tests[0]),
        rate=chapter.quantity(best, test=tests[0]),
        time=core_times(chapter, chapter.select(best, test=tests[0]))[0],
        unpaced_requesters=printed.v7(*unpaced, "clients", sharing="default"),
        unpaced_rate=printed.v7(*unpaced, sharing="default"),
        unpaced_time=printed.core_time(*unpaced, sharing="default"),
        shorter=int((pairs[f"{_TIME}_old"] < pairs[f"{_TIME}_new"]).sum()),
        pairs=len(pairs),
        rising=sum(rising),
        tests=len(tests),
    )


def rated_figure(found: Rated, *, caption: str) -> Figure:
    """Draw the round-trip time over the rate, V6 beside V7."""
    chapter = found.chapter
    best = found.best.sort_values(_TIME)
    ends = best.iloc[[0, -1]]
    quick, slow = (
        f"{chapter.write(time)} ({name[0].lower()}{name[1:]})"
        for time, name in zip(chapter.quantities(ends, _TIME), ends["test"], strict=True)
    )
    return response_lines(
        chapter,
        found.points,
        series="test",
        beside=("product_version", "V6"),
        limit=_LIMIT,
        varies=[
            "delivery", "syncpoint", "log_storage", "responders", "workload", "topology",
            "queue_managers", "queue_pairs", "channel_pairs", "reply_queue",
        ],
        title=f"At V7's highest rates a round trip takes {quick} to {slow}",
        caption=caption,
    )  # fmt: skip


def rated_table(found: Rated, *, caption: str) -> Table:
    """List all points as printed."""
    return points_table(
        found.chapter,
        found.points,
        caption=caption,
        group="test",
        row=("Version", "product_version"),
        metrics=["clients", "rate_per_client", "round_trip_rate", "round_trip_time", "cpu"],
        notes=["Target rate: round trips of each requester. The source prints it once per test."],
    )
