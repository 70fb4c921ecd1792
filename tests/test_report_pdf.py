"""The PDFs of the whole report, as a reader's program sees them."""

from __future__ import annotations

import re

import pypdf
import pytest

from conftest import Report
from workshop import V94, read_csv, roundtrip

Volumes = dict[str, pypdf.PdfReader]
Pages = dict[str, list[str]]


@pytest.fixture(scope="module")
def volumes(report: Report) -> Volumes:
    return {path.name: pypdf.PdfReader(path) for path in report.folder.glob("*.pdf")}


@pytest.fixture(scope="module")
def pages(volumes: Volumes) -> Pages:
    return {
        name: [" ".join(page.extract_text().split()) for page in reader.pages]
        for name, reader in volumes.items()
    }


def test_there_are_two_volumes_of_which_the_report_is_the_first_to_be_read(pages: Pages) -> None:
    assert set(pages) == {"report.pdf", "annex.pdf"}
    front = " ".join(pages["report.pdf"][:11])
    assert "In the file annex.pdf and on the site" in front
    assert "Source tables" in front
    assert "In the file report.pdf and on the site" in " ".join(pages["annex.pdf"][:11])
    assert "Highlights" in " ".join(pages["annex.pdf"][:11])
    assert re.search(r"(Table|Appendix) [A-Z][.\d]* of the annex", " ".join(pages["report.pdf"]))


def titles(outline: list) -> list[str]:
    found = []
    for item in outline:
        found += titles(item) if isinstance(item, list) else [str(item.title)]
    return found


def test_every_chapter_and_section_is_in_the_outline(report: Report, volumes: Volumes) -> None:
    bookmarks = " ".join(
        re.sub(r"\s+", " ", title)
        for reader in volumes.values()
        for title in titles(reader.outline)
    )
    headings = 0
    for path in report.pages:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"<h[12][^>]*>(.*?)</h[12]>", text, re.DOTALL):
            words = re.sub(r"<a class=\"anchor\".*?</a>|<[^>]+>", "", match[1])
            words = re.sub(r"^(Appendix )?[\dA-F.]+ ", "", " ".join(words.split()))
            if path.stem != "index":
                assert words in bookmarks, f"{path.name}: {words}"
                headings += 1
    assert headings > 30


def test_it_says_what_it_is(report: Report, volumes: Volumes, pages: Pages) -> None:
    title = "Messaging performance, traceable to the cell"
    for name, expected in {"report.pdf": title, "annex.pdf": f"{title}: Annex"}.items():
        metadata = volumes[name].metadata
        assert metadata is not None
        assert metadata.title == expected
        assert metadata.author == "The Roundtrip authors"
        root = volumes[name].trailer["/Root"]
        assert root["/Lang"] == "en"
        assert root["/MarkInfo"]["/Marked"]
        assert "0.1.0" in pages[name][0]
    commit = re.search(r"[0-9a-f]{10}", (report.folder / "manifest.json").read_text())
    assert commit is not None
    for page in pages["report.pdf"][4:]:
        assert "0.1.0" in page


def test_every_printed_number_is_there(report: Report, pages: Pages) -> None:
    cells = read_csv(roundtrip("data", "cells", "--report", V94, project=report.project).stdout)
    text = " ".join(pages["annex.pdf"])
    missing = [cell["value_printed"] for cell in cells if cell["value_printed"] not in text]
    assert missing == []


def test_every_figure_and_table_is_numbered_and_listed(report: Report, pages: Pages) -> None:
    text = " ".join(" ".join(texts) for texts in pages.values())
    front = " ".join(" ".join(texts[:20]) for texts in pages.values())
    numbered = 0
    for path in report.pages:
        for kind, number in re.findall(
            r'<span class="number">(Figure|Table) ([\dA-F.]+)</span>',
            path.read_text(encoding="utf-8"),
        ):
            assert re.search(rf"{kind}\s{re.escape(number)}\b", text), (kind, number)
            # Tables stand where the contents lead.
            assert kind == "Table" or number in front
            numbered += 1
    assert numbered > 40


@pytest.mark.parametrize(
    ("name", "other"), [("report.pdf", "annex.pdf"), ("annex.pdf", "report.pdf")]
)
def test_links_lead_into_the_volumes_or_are_stated(
    report: Report, volumes: Volumes, name: str, other: str
) -> None:
    inside, across, outside = 0, 0, set()
    names = {name: set(reader.named_destinations) for name, reader in volumes.items()}
    for page in volumes[name].pages:
        for reference in page.get("/Annots", []):
            link = reference.get_object()
            if link.get("/Subtype") != "/Link":
                continue
            action = link.get("/A", {})
            if "/URI" in action:
                outside.add(str(action["/URI"]))
                continue
            if action.get("/S") == "/GoToR":
                assert action["/F"] == other
                assert str(action["/D"]) in names[other]
                across += 1
                continue
            target = link.get("/Dest") or action.get("/D")
            assert target is not None
            if isinstance(target, (str, bytes)):
                assert str(target) in names[name]
            inside += 1
    assert inside > 100
    assert across > 100
    of_the_site = {address for address in outside if not address.startswith("https://")}
    assert "html/index.html" in of_the_site
    assert all((report.folder / address).is_file() for address in of_the_site), of_the_site


Captions = dict[str, tuple[str, str, int]]


@pytest.fixture(scope="module")
def captions(report: Report) -> Captions:
    """Label of each figure and table: kind, chapter, number in the chapter."""
    site = " ".join(path.read_text(encoding="utf-8") for path in report.pages)
    found = re.findall(
        r'href="#([^"]+)" aria-label="Link to (Figure|Table) (?:([\dA-Z]+)\.)?(\d+)"', site
    )
    return {label: (kind, chapter, int(number)) for label, kind, chapter, number in found}


def test_each_item_is_in_one_volume_and_no_number_is_left_out(
    captions: Captions, volumes: Volumes
) -> None:
    held = [set(reader.named_destinations) & captions.keys() for reader in volumes.values()]
    assert sum(map(len, held)) == len(captions)
    assert set.union(*held) == captions.keys()
    numbers: dict[tuple[str, str], list[int]] = {}
    for kind, chapter, number in captions.values():
        numbers.setdefault((kind, chapter), []).append(number)
    for place, found in numbers.items():
        assert sorted(found) == list(range(1, len(found) + 1)), place


@pytest.mark.parametrize("name", ["report.pdf", "annex.pdf"])
def test_captions_rise_and_a_table_that_goes_on_says_so(
    captions: Captions, volumes: Volumes, pages: Pages, name: str
) -> None:
    reader, places = volumes[name], volumes[name].named_destinations
    found = sorted(
        (reader.get_destination_page_number(places[label]), -float(places[label]["/Top"]), label)
        for label in captions.keys() & places.keys()
    )
    assert len(found) > 80
    last: dict[tuple[str, str], int] = {}
    holders: dict[str, int] = {}
    for page, _, label in found:
        kind, chapter, number = captions[label]
        assert number > last.get((kind, chapter), 0), label
        last[kind, chapter] = number
        holders[f"{kind} {chapter}.{number}" if chapter else f"{kind} {number}"] = page
    continued = [
        (number, table)
        for number, text in enumerate(pages[name])
        for table in re.findall(r"(Table [\dA-Z.]+) \(continued\)", text)
    ]
    assert len(continued) > 5
    for number, table in continued:
        assert number - 1 in (holders[table], *(page for page, its in continued if its == table))


@pytest.mark.parametrize("name", ["report.pdf", "annex.pdf"])
def test_a_figure_or_table_is_near_the_text_that_mentions_it(
    captions: Captions, volumes: Volumes, pages: Pages, name: str
) -> None:
    reader, places = volumes[name], volumes[name].named_destinations
    far, checked = {}, 0
    for label in captions.keys() & places.keys():
        kind, chapter, number = captions[label]
        if not chapter.isdigit() or label.startswith("tbl-claims-"):
            continue
        checked += 1
        page = reader.get_destination_page_number(places[label])
        named = rf"{kind}\s{chapter}\.{number}(?!\.?\d)"
        # Drawings that are large stand on pages of their own, after one sentence on all.
        before = re.search(named, " ".join(pages[name][max(page - 2, 0) : page]))
        if not before and len(re.findall(named, pages[name][page])) < 2:
            far[label] = page + 1
    assert checked > 60
    assert set(far) <= {"fig-methodology-verdicts-second", "fig-methodology-verdicts-third"}


def test_only_the_shipped_fonts_are_used_and_all_are_embedded(volumes: Volumes) -> None:
    fonts: dict[str, bool] = {}

    def collect(resources: pypdf.generic.DictionaryObject, depth: int = 0) -> None:
        for font in (resources.get("/Font") or {}).values():
            entry = font.get_object()
            for part in [d.get_object() for d in entry.get("/DescendantFonts", [])] or [entry]:
                descriptor = part.get("/FontDescriptor", {})
                embedded = {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor)
                fonts[str(part["/BaseFont"])] = bool(embedded) or entry["/Subtype"] == "/Type3"
        for item in (resources.get("/XObject") or {}).values():
            inner = item.get_object().get("/Resources")
            if inner is not None and depth < 4:
                collect(inner.get_object(), depth + 1)

    for page in [page for reader in volumes.values() for page in reader.pages]:
        collect(page["/Resources"].get_object())
    assert fonts
    assert all(fonts.values())
    assert {re.sub(r"^/[A-Z]{6}\+", "", name).split("-")[0] for name in fonts} <= {
        "IBMPlexSans", "IBMPlexMono",
    }  # fmt: skip


def test_no_page_is_empty_and_no_reference_is_open(pages: Pages) -> None:
    for number, text in enumerate(pages["report.pdf"] + pages["annex.pdf"], start=1):
        if number != 2:
            assert len(text) > 60, f"page {number} is nearly empty"
        for mark in ("??", "@sec-", "@fig-", "@tbl-", "{#", " nan "):
            assert mark not in text, f"page {number} shows {mark}"


def test_pages_are_a4(volumes: Volumes) -> None:
    sizes = {
        (round(float(p.mediabox.width)), round(float(p.mediabox.height)))
        for reader in volumes.values() for p in reader.pages
    }  # fmt: skip
    assert {tuple(sorted(size)) for size in sizes} == {(595, 842)}
