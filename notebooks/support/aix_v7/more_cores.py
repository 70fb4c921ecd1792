"""V7 on eight cores beside four."""

from __future__ import annotations

from types import SimpleNamespace

from roundtrip.present import Chapter, Table, largest, size_label
from support.aix_v7.compared import compared_table
from support.aix_v7.comparisons import KINDS, Comparison, matching, sharing_name, test_name
from support.aix_v7.printed import Printed
from support.aix_v7.versions import TEST


def doubled(printed: Printed) -> SimpleNamespace:
    """Give the tests on eight cores, each beside its like on four.

    Returns
    -------
    namespace
        All ``tests``; the ``least`` and the ``most`` of their rates in percent of those on four
        cores, and the names of these tests, ``least_test`` and ``most_test``; ``cpu``, the
        largest share of the eight cores in use; the rates of distributed queuing with trusted
        ``channels`` and with ``standard`` ones.
    """
    chapter = printed.chapter
    points = chapter.points("sec-6.3")
    # One row names the section of the non-trusted channels, and its own name says nothing of them.
    points["application_binding"] = points["application_binding"].fillna("non-trusted")
    tests = []
    for at, point in points.iterrows():
        like = matching(printed.everything, point, TEST)
        if like is None:
            raise ValueError(f"no test on four cores is like {point['row_label']}")
        name = test_name(chapter, point).removeprefix(f"{size_label(2048)} ")
        names = (name, sharing_name(point), KINDS[point["workload"]])
        tests.append(Comparison(chapter, *names, like.other, points.loc[[at]]))
    ordered = sorted(tests, key=lambda item: item.share().value)
    least, most = ordered[0], ordered[-1]
    return SimpleNamespace(
        tests=tests,
        least=least.share(0),
        most=most.share(0),
        least_test=f"{least.group}, {least.name}",
        most_test=f"{most.group}, {most.name}",
        cpu=largest(chapter.quantities(points, "cpu")),
        channels=chapter.quantity(points, row_label="DQ-Non_Persist (2.3.1)"),
        standard=chapter.quantity(points, row_label="DQ-Non_Persist Non_Trusted (2.3.2)"),
    )


def cores_table(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Table:
    """Lay out each test on four and on eight cores."""
    return compared_table(
        chapter,
        found.tests,
        caption=caption,
        base="4 cores",
        other="8 cores",
        paired=False,
        notes=[
            "The source lists the row for non-persistent clients with SHARECNV(0) under "
            "non-trusted channels; it does not say whether its channels were non-trusted."
        ],
    )
