"""Which part of a book goes into which PDF."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pdf_sample import blocks_of, sample_book
from roundtrip.publish.book import Book
from roundtrip.publish.pandoc import Element, plain
from roundtrip.publish.volumes import Volume, volumes_of


def numbered(markdown: str) -> list[Element]:
    """Read Markdown whose headings end in their number, as the book gives it."""
    blocks = blocks_of(markdown)
    for block in blocks:
        if block["t"] == "Header":
            *_, number = plain(block["c"][2]).split()
            block["c"][1][2].append(["number", number])
    return blocks


def book_of(markdown: str, annex: tuple[str, ...] = ("90-provenance",)) -> Book:
    book = sample_book()
    front, chapter, appendix = book.chapters
    chapters = (front, replace(chapter, blocks=numbered(markdown)), appendix)
    edition = book.edition.model_copy(update={"annex": annex})
    return replace(book, edition=edition, chapters=chapters)


def lines(volume: Volume, name: str) -> list[str]:
    chapter = next(chapter for chapter in volume.chapters if chapter.name == name)
    return [
        block["c"][1] if block["t"] == "RawBlock"
        else plain(block["c"][2] if block["t"] == "Header" else block["c"])
        for block in chapter.blocks
    ]  # fmt: skip


TEXT = """
## Peaks 1.1 {#sec-peaks}

Seen.

### Every point 1.1.1 {#sec-every .annex}

```{=roundtrip}
figure:fig-ha-peaks
```

#### Of them 1.1.1.1 {#sec-of-them}

Deep.

### Curves 1.1.2 {#sec-curves .annex}

Far.

### Seen again 1.1.3 {#sec-seen}

```{=roundtrip}
figure:fig-ha-delay
```

## Delay 1.2 {#sec-delay .annex}

Apart.

## Last 1.3 {#sec-last}
"""


def test_marked_sections_go_to_the_annex_under_their_headings() -> None:
    report, annex = volumes_of(book_of(TEXT))
    assert lines(report, "60-ha") == [
        "Peaks 1.1",
        "Seen.",
        "In the annex: 1.1.1 Every point 1.1.1; 1.1.2 Curves 1.1.2.",
        "Seen again 1.1.3",
        "figure:fig-ha-delay",
        "In the annex: 1.2 Delay 1.2.",
        "Last 1.3",
    ]
    assert lines(annex, "60-ha.annex") == [
        "Peaks 1.1",
        "Every point 1.1.1",
        "figure:fig-ha-peaks",
        "Of them 1.1.1.1",
        "Deep.",
        "Curves 1.1.2",
        "Far.",
        "Delay 1.2",
        "Apart.",
    ]
    assert [chapter.name for chapter in annex.chapters] == ["60-ha.annex", "90-provenance"]
    assert [list(chapter.figures) for chapter in (report.chapters[1], annex.chapters[0])] == [
        ["fig-ha-delay"],
        ["fig-ha-peaks"],
    ]


def test_an_anchor_is_in_one_volume() -> None:
    book = book_of(TEXT)
    report, annex = volumes_of(book)
    assert not report.anchors & annex.anchors
    assert {"sec-ha", "sec-peaks", "sec-seen", "fig-ha-delay"} <= report.anchors
    assert {"sec-ha.annex", "sec-every", "sec-of-them", "fig-ha-peaks"} <= annex.anchors
    chapter = book.chapters[1]
    assert [volume.place_of(chapter) for volume in (report, annex)] == ["sec-ha", "sec-ha.annex"]
    assert annex.place_of(book.chapters[0]) == ""


def test_sections_that_end_a_chapter_are_named_at_its_end() -> None:
    report, _ = volumes_of(book_of("## Peaks 1.1 {#sec-peaks}\n\n### All 1.1.1 {#sec-all .annex}"))
    assert lines(report, "60-ha")[-1] == "In the annex: 1.1.1 All 1.1.1."


def test_a_section_is_named_with_its_quotation_marks_and_without_its_footnotes() -> None:
    heading = '## What "ready"^[In which sense.] means 1.1 {#sec-ready .annex}'
    report, _ = volumes_of(book_of(heading))
    assert lines(report, "60-ha")[-1] == "In the annex: 1.1 What “ready” means 1.1."


@pytest.mark.parametrize("annex", [(), ("99-none",)])
def test_a_book_without_an_annex_is_one_volume(annex: tuple[str, ...]) -> None:
    book = book_of(TEXT, annex)
    assert volumes_of(book) == (Volume("Report", book.chapters),)
