"""Application bindings with V7: rates, and core time for each round trip."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, largest, smallest, style_of
from support.aix_v7.capacity import core_times
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import peaks_by
from support.aix_v7.printed import KINDS, Printed, with_tests

_LOCAL = f"{KINDS['RR-BB']}, non-persistent"


@dataclass(frozen=True)
class Bindings:
    """The tests of the bindings.

    Attributes
    ----------
    points, best : pandas.DataFrame
        All points with their core time; the highest rate of each test and binding.
    rate, cpu, requesters, share : Quantity
        Of trusted applications at both ends, local and non-persistent; the share is that of the
        usual mix.
    usual_requesters, usual_share : Quantity
        Requesters of the usual mix, and what trusted applications reach of its rate with as many.
    least, most : Quantity
        Such shares of all other tests.
    """

    chapter: Chapter
    points: pd.DataFrame
    best: pd.DataFrame
    rate: Quantity
    cpu: Quantity
    requesters: Quantity
    share: Quantity
    usual_requesters: Quantity
    usual_share: Quantity
    least: Quantity
    most: Quantity


def bindings(printed: Printed) -> Bindings:
    """Give the tests of the bindings, and what the text says of them."""
    chapter = printed.chapter
    points = with_tests(
        chapter.points("table-27", "table-28", "table-29", "table-30", "table-31", "table-32")
    )
    points = points.assign(core_time=pd.Series(core_times(chapter, points)))
    best = peaks_by(points, ["test", "row_label"])
    trusted = {
        test: chapter.quantity(best, test=test, row_label="Trusted")
        for test in dict.fromkeys(points["test"])
    }
    shares = {
        test: rate.percent_of(chapter.quantity(best, test=test, row_label="Normal"))
        for test, rate in trusted.items()
    }
    usual_requesters = chapter.quantity(best, "clients", test=_LOCAL, row_label="Normal")
    crowd = points[points["clients"] == usual_requesters.value]
    as_many, usual = (
        chapter.quantity(crowd, test=_LOCAL, row_label=name) for name in ("Trusted", "Normal")
    )
    elsewhere = [share for test, share in shares.items() if test != _LOCAL]
    return Bindings(
        chapter,
        points,
        best,
        rate=trusted[_LOCAL],
        cpu=chapter.quantity(best, "cpu", test=_LOCAL, row_label="Trusted"),
        requesters=chapter.quantity(best, "clients", test=_LOCAL, row_label="Trusted"),
        share=shares[_LOCAL],
        usual_requesters=usual_requesters,
        usual_share=as_many.percent_of(usual),
        least=smallest(elsewhere),
        most=largest(elsewhere),
    )


def bindings_figure(found: Bindings, *, caption: str) -> Figure:
    """Draw the core time of non-persistent round trips."""
    chapter = found.chapter
    best = found.best[found.best["delivery"] == "nonpersistent"]
    costs = {
        (str(binding), KINDS[kind]): cost
        for binding, kind, cost in zip(
            best["row_label"], best["workload"], best["core_time"], strict=True
        )
    }
    names = dict.fromkeys(binding for binding, _ in costs)
    local = KINDS["RR-BB"]
    return chart(
        chapter,
        [(binding, kind, cost) for (binding, kind), cost in costs.items()],
        horizontal=True,
        y_title="Core time per round trip (µs)",
        styles={name: style_of(name, position) for position, name in enumerate(names)},
        title=(
            "Trusted applications at both ends cut a local round trip from "
            f"{chapter.write(costs['Normal', local])} to "
            f"{chapter.write(costs['Trusted', local])} of core time"
        ),
        varied={"workload", "application_binding"},
        caption=caption,
    )


def bindings_table(found: Bindings, *, caption: str) -> Table:
    """List all points, with the share of the usual mix at the highest rate of each."""
    chapter, points = found.chapter, found.points
    is_best = points["point_id"].isin(found.best["point_id"])
    to_normal = [
        chapter.quantity(found.best, test=test, row_label=binding).percent_of(
            chapter.quantity(found.best, test=test, row_label="Normal"), 1
        )
        if best_one
        else None
        for test, binding, best_one in zip(
            points["test"], points["row_label"], is_best, strict=True
        )
    ]
    return points_table(
        chapter,
        points,
        caption=caption,
        group="test",
        row=("Bindings", "row_label"),
        metrics=["clients", "round_trip_rate", "round_trip_time", "cpu"],
        computed={"Core time (µs)": list(points["core_time"]), "Rate vs normal (%)": to_normal},
        notes=[
            "Normal: trusted requesters, shared responders. Isolated, trusted, shared: the "
            "same at both ends. The source does not say how the channels were bound in each "
            "case."
        ],
    )
