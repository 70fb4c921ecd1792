"""V7 on eight cores beside four, and what the source advises for tuning."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.present import Chapter, Quantity, Table, largest, plain_table, size_label
from support.aix_v7.compared import compared_table
from support.aix_v7.comparisons import Comparison, matching, sharing_name, test_name
from support.aix_v7.printed import KINDS, Printed
from support.aix_v7.versions import TEST


@dataclass(frozen=True)
class Doubled:
    """Tests on eight cores beside the same ones on four.

    Attributes
    ----------
    least, most : Quantity
        Rates on eight cores in percent of those on four.
    least_test, most_test : str
        Name the tests of these.
    cpu : Quantity
        The largest share of the eight cores in use.
    """

    chapter: Chapter
    tests: list[Comparison]
    least: Quantity
    most: Quantity
    least_test: str
    most_test: str
    cpu: Quantity


def doubled(printed: Printed) -> Doubled:
    """Give the tests on eight cores, each beside its like on four."""
    chapter = printed.chapter
    points = chapter.points("sec-6.3")
    # One row names the section of the non-trusted channels, and its own name says nothing of them.
    points["application_binding"] = points["application_binding"].fillna("non-trusted")
    tests = []
    for position, (_, point) in enumerate(points.iterrows()):
        like = matching(printed.everything, point, TEST)
        if like is None:
            raise ValueError(f"no test on four cores is like {point['row_label']}")
        name = test_name(point).removeprefix(f"{size_label(2048)} ")
        side = points.iloc[[position]]
        kind = KINDS[str(point["workload"])]
        tests.append(Comparison(name, sharing_name(point), kind, like.other, side))
    ordered = sorted(tests, key=lambda item: item.share(chapter).value)
    least, most = ordered[0], ordered[-1]
    return Doubled(
        chapter,
        tests,
        least=least.share(chapter, 0),
        most=most.share(chapter, 0),
        least_test=f"{least.group}, {least.name}",
        most_test=f"{most.group}, {most.name}",
        cpu=largest(chapter.quantities(points, "cpu")),
    )


def cores_table(found: Doubled, *, caption: str) -> Table:
    """Lay out each test on four and on eight cores."""
    return compared_table(
        found.chapter,
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
    return plain_table(
        caption,
        ["Place", "Setting", "Value", "For", "Section"],
        [
            [
                s.place,
                s.name,
                s.value,
                ". ".join(filter(None, [s.applies_to, (s.note or "").removeprefix("Advice. ")])),
                s.section,
            ]
            for s in chapter.about.tuning
            if s.section.startswith(sections)
        ],
        group_by_first=True,
        code_columns=(1,),
    )


def advice(chapter: Chapter, section: str, *, caption: str) -> Table:
    """List what a section of the source advises in words."""
    rows = []
    for fact in chapter.about.facts:
        if fact.section.startswith(section):
            topic = fact.topic[0].upper() + fact.topic[1:]
            when = f", when {fact.when}" if fact.when else ""
            rows.append([topic + when, fact.says, fact.section])
    return plain_table(caption, ["On", "Advice", "Section"], rows)
