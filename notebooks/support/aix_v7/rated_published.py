"""Rated loads, as published: one round trip per requester and second."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from roundtrip.present import Chapter, Figure, Table, chart, style_of
from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.levels import inside
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import core_times, peaks_by
from support.aix_v7.printed import with_tests


def rated_tests(chapter: Chapter) -> SimpleNamespace:
    """Give the rated tests, and what the text says of them.

    Returns
    -------
    namespace
        All ``points``; V7's highest rate of each test, ``best``. Of clients with non-persistent
        messages at their highest rate: ``requesters``, ``rate`` and core ``time``. Of all
        ``pairs`` of points with equal requesters, those in which V6 has the shorter time:
        ``shorter``. Of all ``tests``, those of V7 whose time rises with every further load:
        ``rising``.
    """
    points = with_tests(chapter.points("table-05", "table-08"))
    old, new = (points[points["product_version"] == version] for version in ("V6", "V7"))
    pairs = old.merge(new, on=["test", "clients"], suffixes=("_old", "_new"))
    best = peaks_by(new, "test")
    times = new.sort_values("clients").groupby("test")[TIME]
    first = chapter.select(best, test=points["test"].iloc[0])
    return SimpleNamespace(
        points=points,
        best=best,
        requesters=chapter.quantity(first, "clients"),
        rate=chapter.quantity(first),
        time=core_times(chapter, first).iloc[0],
        shorter=int((pairs[f"{TIME}_old"] < pairs[f"{TIME}_new"]).sum()),
        pairs=len(pairs),
        rising=sum(part.is_monotonic_increasing for _, part in times),
        tests=points["test"].nunique(),
    )


def rated_figure(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Figure:
    """Draw the round-trip time over the rate, V6 beside V7."""
    ends = found.best.sort_values(TIME).iloc[[0, -1]]
    quick, slow = (
        f"{chapter.write(time)} ({inside(name)})"
        for time, name in zip(chapter.quantities(ends, TIME), ends["test"], strict=True)
    )
    points = found.points.sort_values("product_version", ascending=False, kind="stable")
    old = points["product_version"] == "V6"
    styles = {name: style_of(name, at) for at, name in enumerate(points["test"].unique())}
    before = {f"{name}, V6": replace(style, symbol="x") for name, style in styles.items()}
    return chart(
        chapter,
        points.assign(
            series=points["test"].where(~old, points["test"] + ", V6"),
            mark=old.map({True: "dot", False: "line"}),
            load=[chapter.level("requesters", count) for count in points["requesters"]],
        ),
        x=RATE,
        y=TIME,
        mark="mark",
        series="series",
        labels="load",
        styles=styles | before,
        log={TIME},
        reference=(1000, "1 s: the test stops"),
        varied={
            "product_version", "delivery", "syncpoint", "log_storage", "responders", "workload",
            "requesters", "topology", "queue_managers", "queue_pairs", "channel_pairs",
            "reply_queue",
        },
        title=f"At V7's highest rates a round trip takes {quick} to {slow}",
        caption=caption,
    )  # fmt: skip


def rated_table(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Table:
    """List all points as printed."""
    return points_table(
        chapter,
        found.points,
        caption=caption,
        group="test",
        row=("Version", "product_version"),
        metrics=["clients", "rate_per_client", RATE, TIME, "cpu"],
        notes=[
            "Target rate: round trips of each requester. The source prints it once per test; by "
            "their rates, the rows with \u2013 ran at the same."
        ],
    )
