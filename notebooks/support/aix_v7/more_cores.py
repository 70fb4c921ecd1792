"""V7 on eight cores beside four, and what the source advises for tuning."""

from __future__ import annotations

from types import SimpleNamespace

from roundtrip.present import Chapter, Table, largest, plain_table, size_label
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
        largest share of the eight cores in use.
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


def advised_settings(chapter: Chapter, sections: tuple[str, ...], *, caption: str) -> Table:
    """List the settings that some sections of the source advise."""
    rows = []
    for s in chapter.about.tuning:
        if s.section.startswith(sections):
            why = [s.applies_to, (s.note or "").removeprefix("Advice. ")]
            rows.append([s.place, s.name, s.value, ". ".join(filter(None, why)), s.section])
    header = ["Place", "Setting", "Value", "For", "Section"]
    return plain_table(caption, header, rows, group_by_first=True, code_columns=(1,))


def advice(chapter: Chapter, section: str, *, caption: str) -> Table:
    """List what a section of the source advises in words."""
    rows = []
    for fact in chapter.about.facts:
        if fact.section.startswith(section):
            topic = fact.topic[0].upper() + fact.topic[1:]
            when = f", when {fact.when}" if fact.when else ""
            rows.append([topic + when, fact.says, fact.section])
    return plain_table(caption, ["On", "Advice", "Section"], rows)
