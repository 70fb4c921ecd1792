"""Ratios of the peaks, V7 to V6 and eight cores to four, and what the text states of the change."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pandas as pd

from roundtrip.claims import load_ledger
from roundtrip.present import Chapter, Figure, Quantity, Table, chart, largest, size_label, style_of
from support.aix_v7.compared import compared_table
from support.aix_v7.comparisons import (
    FEW_PERCENT,
    KINDS,
    Comparison,
    matching,
    mean_share,
    repeats,
    sharing_name,
    test_name,
)
from support.aix_v7.printed import Printed
from support.aix_v7.text_statements import stated_quantities

TEST = ("workload", "delivery", "message_bytes", "application_binding", "sharecnv")
"""Factors that tell one test from another."""

_DEFAULT = "default sharing"


def ratios(printed: Printed) -> SimpleNamespace:
    """Sum up how the versions compare, over the tests that are shown.

    Returns
    -------
    namespace
        The ``count`` of all tests, in how many V7 is ``lower``, ``equal`` or ``higher`` as printed;
        ``below`` and ``above``, those that differ by more than
        ``threshold``; the ``others``; ``repeats``, by how much rates differ that sources print
        twice, at most; the ``lowest`` and ``highest`` of V7's peaks in percent of V6's and their
        geometric ``mean``, of all; ``lowest_test`` names the test of the lowest.
    """
    tests = sorted(printed.complete, key=lambda item: item.share().value)
    lowest = tests[0]
    different = [item.share().value for item in tests if item.differs()]
    below = sum(share < 100 for share in different)
    return SimpleNamespace(
        count=len(tests),
        lower=sum(item.share().value < 100 for item in tests),
        equal=sum(item.share().value == 100 for item in tests),
        higher=sum(item.share().value > 100 for item in tests),
        below=below,
        above=str(len(different) - below or "none"),
        others=len(tests) - len(different),
        threshold=f"{FEW_PERCENT}\u00a0%",
        repeats=repeats(printed.chapter),
        lowest=lowest.share(),
        highest=tests[-1].share(),
        mean=mean_share(tests),
        lowest_test=f"{lowest.group.lower()}, {lowest.name}",
    )


def ratios_figure(printed: Printed, found: SimpleNamespace, *, caption: str) -> Figure:
    """Draw the ratio of every test, with what rounding and repeats leave open."""
    write = printed.chapter.write
    rows = [
        (
            item.group,
            item.test,
            f"V7, {item.variant}" if item.variant else "V7",
            item.share(),
            *item.band(),
        )
        for item in printed.complete
    ]
    return chart(
        printed.chapter,
        pd.DataFrame(rows, columns=["group", "test", "version", "share", "low", "high"]),
        x="test",
        y="share",
        mark="dot",
        series="version",
        panels="group",
        columns=3,
        horizontal=True,
        ends=("low", "high"),
        reference=(100, "V6"),
        y_title="Peak rate (% of V6)",
        styles={
            "V7": style_of("V7"),
            "V7, SHARECNV(0)": style_of("SHARECNV(0)", 2),
            f"V7, {_DEFAULT}": style_of(_DEFAULT, 1),
        },
        varied=None,
        title=(
            f"V7's peaks lie between {write(found.lowest)} and {write(found.highest)} of V6's; the "
            f"mean is {write(found.mean)}"
        ),
        caption=caption,
    )


def versions_table(printed: Printed, workload: str, *, notes: Sequence[str] = ()) -> Table:
    """Lay out both versions for one kind of connection."""
    kind = KINDS[workload]
    return compared_table(
        printed.chapter,
        [item for item in printed.shown if item.group == kind],
        caption=f"{kind}, V6 and V7: highest rates and points of comparison",
        base="V6",
        other="V7",
        notes=["Ratio: V7 over V6, highest printed rates, whether or not marked as peaks.", *notes],
    )


def changes(printed: Printed) -> SimpleNamespace:
    """Hold what the text states of the change from V6 to V7 to the printed peaks.

    Returns
    -------
    namespace
        The ``rows`` of the statements; ``from_peaks``, what the peaks give for each, negative
        where it states a gain and they give a loss, or the other way round; whether it ``follows``
        from them as rounded, empty for an average; the ``count`` of
        statements on one test, and of those that the peaks contradict, ``contradicted``;
        ``sharing``, what sharing sockets by default takes on average; ``least_gain``, what
        rounding leaves at least of V7's gain in distributed queuing of 200 KB.
    """
    chapter, rows = printed.chapter, printed.changes
    complete = [item for item in printed.everything if item.complete]
    of_all = mean_share([item for item in complete if item.variant != _DEFAULT])
    of_sharing = mean_share(_default_against_own_sockets(printed))
    from_peaks, agree, follows = [], [], []
    for (_, row), change in zip(rows.iterrows(), stated_quantities(chapter, rows), strict=True):
        pair = matching(printed.everything, row, TEST)
        mean = of_sharing if row["workload"] == "RR-CB" else of_all
        share = mean if pair is None else pair.share()
        grew = pd.notna(row.get("rate_increase"))
        computed = share.complement().times(-1) if grew else share.complement()
        from_peaks.append(computed)
        follows.append("")
        if pair is not None:
            agree.append(pair.allows(change if grew else change.times(-1)))
            follows[-1] = "yes" if agree[-1] else "no"
    large = printed.test("RR-DQ-BB", "nonpersistent", 204800)
    return SimpleNamespace(
        rows=rows,
        from_peaks=from_peaks,
        follows=follows,
        count=len(agree),
        contradicted=agree.count(False),
        sharing=of_sharing.complement(),
        least_gain=Quantity(large.bounds()[0] - 100, "%", large.share().cells, 1),
    )


def charted(chapter: Chapter) -> int:
    """Count the contradicted statements of the source that may be about points of its charts."""
    found = load_ledger(chapter.observations, chapter.word_limits).charted
    return sum(row.report == chapter.about.id for row in found)


def _default_against_own_sockets(printed: Printed) -> list[Comparison]:
    """Pair the tests of shared sockets with those of SHARECNV(0), both of V7."""
    pairs = []
    for item in printed.everything:
        if item.variant == _DEFAULT:
            alike = {name: item.factors[name] for name in TEST[:-1]}
            own = printed.test(**alike, sharecnv="0")
            pairs.append(Comparison(item.chapter, item.test, "", item.group, own.other, item.other))
    return pairs


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
