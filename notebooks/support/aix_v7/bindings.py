"""Application bindings with V7: rates, and core time for each round trip."""

from __future__ import annotations

from types import SimpleNamespace

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, style_of
from roundtrip.present.chapter import RATE
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import KINDS, core_times, peaks_by
from support.aix_v7.printed import with_tests
from support.shared.ends import ends

_LOCAL = f"{KINDS['RR-BB']}, non-persistent"


def bindings(chapter: Chapter) -> SimpleNamespace:
    """Give the tests of the bindings, and what the text says of them.

    Returns
    -------
    namespace
        All ``points`` with their core time, and the ``best`` of each test and binding. Of trusted
        applications at both ends, local and non-persistent: ``rate``, ``cpu``, ``requesters`` and
        the ``share`` of the usual mix. ``usual_requesters`` of the usual mix, and the
        ``usual_share`` that trusted applications reach of its rate with as many. The ends of such
        shares of all ``others``; of the ``lowest`` its test, the requesters at both peaks, and the
        share at the ``same`` number of requesters.
    """
    points = with_tests(chapter.points(*(f"table-{number}" for number in range(27, 33))))
    points = points.assign(core_time=core_times(chapter, points))
    best = peaks_by(points, "test", "row_label")

    def peak(binding: str, metric: str = RATE, test: str = _LOCAL) -> Quantity:
        return chapter.quantity(best, metric, test=test, row_label=binding)

    shares = {
        test: peak("Trusted", test=test).percent_of(peak("Normal", test=test))
        for test in best["test"].unique()
    }
    usual_requesters = peak("Normal", "clients")
    crowd = chapter.select(points, test=_LOCAL, clients=usual_requesters.value)
    trusted, usual = (chapter.quantity(crowd, row_label=name) for name in ("Trusted", "Normal"))
    share = shares.pop(_LOCAL)
    least = min(shares, key=lambda test: shares[test].value)
    few = peak("Trusted", "clients", least)
    alike = chapter.quantity(points, test=least, clients=few.value, row_label="Normal")
    lowest = SimpleNamespace(
        test=f"{least[0].lower()}{least[1:]}",
        requesters=few, usual_requesters=peak("Normal", "clients", least),
        same=peak("Trusted", test=least).percent_of(alike),
    )  # fmt: skip
    return SimpleNamespace(
        points=points,
        best=best,
        rate=peak("Trusted"),
        cpu=peak("Trusted", "cpu"),
        requesters=peak("Trusted", "clients"),
        share=share,
        usual_requesters=usual_requesters,
        usual_share=trusted.percent_of(usual),
        others=ends(shares.values()),
        lowest=lowest,
    )


def bindings_figure(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Figure:
    """Draw the core time of non-persistent round trips."""
    best = found.best[found.best["delivery"] == "nonpersistent"]
    kinds = best["workload"].map(KINDS)
    costs = best.set_index(["row_label", "test"])["core_time"]
    return chart(
        chapter,
        list(zip(best["row_label"], kinds, best["core_time"], strict=True)),
        horizontal=True,
        y_title="Core time per round trip (µs)",
        styles={name: style_of(name, at) for at, name in enumerate(best["row_label"].unique())},
        title=(
            "Trusted applications at both ends cut a local round trip from "
            f"{chapter.write(costs['Normal', _LOCAL])} to "
            f"{chapter.write(costs['Trusted', _LOCAL])} of core time"
        ),
        varied={"workload", "application_binding"},
        caption=caption,
    )


def bindings_table(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Table:
    """List all points, with the share of the usual mix at the highest rate of each."""
    best, points = found.best, found.points
    normal = best[best["row_label"] == "Normal"]
    usual = dict(zip(normal["test"], chapter.quantities(normal), strict=True))
    to_normal = [
        rate.percent_of(usual[test], 1) if is_best else None
        for rate, test, is_best in zip(
            chapter.quantities(points),
            points["test"],
            points["point_id"].isin(best["point_id"]),
            strict=True,
        )
    ]
    return points_table(
        chapter,
        points,
        caption=caption,
        group="test",
        row=("Bindings", "row_label"),
        metrics=["clients", RATE, "round_trip_time", "cpu"],
        computed={"Core time (µs)": list(points["core_time"]), "Rate vs normal (%)": to_normal},
        notes=[
            "Normal: trusted requesters, shared responders. Isolated, trusted, shared: the "
            "same at both ends. The source does not say how the channels were bound in each "
            "case."
        ],
    )
