"""The PDF: what it shows, what it refuses, and that it is the same every time."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdf
import pytest

from pdf_sample import HA, SOURCES, sample_book, wide_table, with_chapter
from roundtrip.build.book import BodyCell, Book, HeaderCell, TableItem, TableModel
from roundtrip.build.pdf import render_pdf, typst_sources
from roundtrip.build.pdf_memory import LISTS, PLACES, LastPdf
from roundtrip.build.pdf_placement import Arrangement, Layout, Placement, improved, lay_out
from roundtrip.build.pdf_settling import fonts_of
from roundtrip.build.pdf_typesetter import Typesetter
from roundtrip.build.typst_svg import with_heavy_family
from roundtrip.build.typst_text import quoted
from roundtrip.build.typst_writer import chapter_to_typst
from roundtrip.errors import RenderError
from roundtrip.files import sha256_of_json
from roundtrip.project import Project

ROOT = Path(__file__).parent.parent
PROJECT = Project(ROOT)


def reader_of(book: Book) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(render_pdf(book, PROJECT)))


@pytest.fixture(scope="module")
def reader() -> pypdf.PdfReader:
    return reader_of(sample_book())


@pytest.fixture(scope="module")
def pages(reader) -> list[str]:
    return [page.extract_text() for page in reader.pages]


def titles(outline) -> list:
    return [titles(entry) if isinstance(entry, list) else entry.title for entry in outline]


def spoiled(tmp_path: Path) -> Project:
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    return Project(tmp_path)


def item(place: str, book: Book, **changes) -> Book:
    """Add a chapter that holds one table of the given model."""
    return with_chapter(book, f"```{{=roundtrip}}\n{place}\n```", **changes)


# ---- What it shows --------------------------------------------------------------------------


def test_bookmarks_follow_the_book(reader):
    assert titles(reader.outline) == [
        "Notices",
        "Contents",
        "Tables",
        "Figures",
        "About this report",
        ["How to read it"],
        "1 High availability",
        ["1.1 Peaks", ["1.1.1 Reading the effective configuration"], "1.2 Link delay"],
        "A Printed cells",
        ["A.1 A section of an appendix"],
    ]


def test_it_is_tagged_and_says_what_it_is(reader):
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"].startswith("en")
    assert reader.metadata.title == sample_book().edition.title
    assert "pdfuaid" in reader.xmp_metadata.stream.get_data().decode()


def test_page_labels_are_the_printed_numbers(reader, pages):
    total = len(pages)
    assert reader.page_labels == [str(number) for number in range(1, total + 1)]
    for number, text in enumerate(pages[1:], 2):
        assert f"Page {number} of {total}" in text
        assert "Version 0.1.0 · commit a1b2c3d" in text


def test_cover_names_the_edition(pages):
    for part in ("IBM MQ V9.4 on Linux", "0.1.0", "21 November 2026", "a1b2c3d", "Roundtrip"):
        assert part in pages[0]


def test_only_the_shipped_fonts_set_the_text(reader):
    names = {
        str(font["/BaseFont"]).partition("+")[2]
        for page in reader.pages
        for font in page["/Resources"]["/Font"].values()
    }
    assert names == {"IBMPlexSans", "IBMPlexSans-Italic", "IBMPlexSans-SmBld", "IBMPlexMono"}


def test_contents_and_lists_point_to_the_right_pages(reader, pages):
    contents = next(text for text in pages if text.find("Contents") in range(200))
    assert "High availability" in contents
    assert "Printed cells" in contents
    lists = next(text for text in pages if "Tables" in text and "Figures" in text)
    at = 1 + next(n for n, text in enumerate(pages) if "Table 1.2 " in text and "Variant" in text)
    assert any(line.endswith(str(at)) for line in lists.splitlines() if "Every run" in line)
    assert "1 ms of link delay costs 61% of the peak" in lists, "figures are listed by finding"


def test_every_internal_link_has_a_target(reader):
    links = [
        note.get_object()
        for page in reader.pages
        for note in page.get("/Annots", [])
        if note.get_object()["/Subtype"] == "/Link"
    ]
    inside = [link for link in links if "/A" not in link or link["/A"]["/S"] == "/GoTo"]
    outside = [link["/A"]["/URI"] for link in links if "/A" in link and "/URI" in link["/A"]]
    assert len(inside) > 40
    assert outside == ["https://example.org/mq?a=1&b=%222%22"]


def test_links_of_tables_lead_where_their_anchors_stand(tmp_path):
    last = LastPdf(tmp_path / "last", PROJECT.fonts)
    reader = pypdf.PdfReader(io.BytesIO(render_pdf(sample_book(), PROJECT, last=last)))
    places = last.places()
    assert "cell-ibm-mq-v9.4-linux-table-13" in places
    height = float(reader.pages[0].mediabox.height)
    led = set()
    for page in reader.pages:
        for note in page.get("/Annots", []):
            target = note.get_object().get("/Dest", pypdf.generic.NullObject()).get_object()
            if isinstance(target, list):
                number = 1 + reader.get_page_number(target[0].get_object())
                led.add((number, round(float(target[2])), round(height - float(target[3]))))
    for name, (number, x, y) in places.items():
        # Ten points higher, so that what is led to is not cut off by the window's edge.
        assert (number, round(x), round(y - 10)) in led, name


def test_anchors_that_nothing_leads_to_are_left_out_and_change_nothing(tmp_path):
    said = ',"anchor":"said"'
    cells = [
        BodyCell(said, anchor="linked-to"), BodyCell("7", link="linked-to", anchor="idle"),
        BodyCell("8", anchor="in-prose"), BodyCell("9", links=(("Table 1", "linked-to"),)),
    ]  # fmt: skip
    model = TableModel((tuple(HeaderCell(name) for name in "ABCD"),), (tuple(cells),))
    table = TableItem("tbl-x", "9.1", "Anchors", model, "", ())
    text = "See [it](#in-prose).\n\n```{=roundtrip}\ntable:tbl-x\n```"
    book = with_chapter(sample_book(), text, tables={"tbl-x": table})
    names = dict.fromkeys(("linked-to", "idle", "in-prose"), book.chapters[-1].name)
    book = replace(book, anchors={**book.anchors, **names})
    sources = typst_sources(book, PROJECT)
    folders = tmp_path / "without", tmp_path / "with"
    contents = []
    for folder in folders:
        folder.mkdir()
        typesetter = Typesetter(book, sources, PROJECT, folder)
        if folder.name == "with":
            typesetter._linked |= book.anchors.keys()
        contents.append(typesetter.pdf())
    assert contents[0] == contents[1]
    name = f"chapters/{book.chapters[-1].name}.typ"
    without, all_of_them = ((folder / name).read_text("utf-8") for folder in folders)
    assert r",\"anchor\":\"idle\"" in all_of_them
    assert without == all_of_them.replace(r",\"anchor\":\"idle\"", "")


def test_what_is_remembered_of_a_layout_is_never_believed(tmp_path):
    book, last = sample_book(), LastPdf(tmp_path / "last", PROJECT.fonts)
    content = render_pdf(book, PROJECT, last=last)
    places, list_pages = last.places(), last.list_pages()
    assert list_pages > 0
    moved = {name: [page + 1, x, y] for name, (page, x, y) in places.items()}
    for remembered in (places, moved, {"cell-gone": [1, 0, 0]}):
        (tmp_path / "last" / PLACES).write_text(json.dumps(remembered))
        assert render_pdf(book, PROJECT, last=last) == content
        assert last.places() == places
    for pages in (list_pages, 0, list_pages + 3, -2, 10**9, float("inf"), "two"):
        (tmp_path / "last" / LISTS).write_text(json.dumps(pages))
        assert render_pdf(book, PROJECT, last=last) == content
        assert last.list_pages() == list_pages


REMEMBERING = """
import sys
from pathlib import Path
from pdf_sample import sample_book
from roundtrip.build.pdf import render_pdf
from roundtrip.build.pdf_memory import LastPdf
from roundtrip.project import Project

project = Project(Path(sys.argv[1]))
last = LastPdf(Path(sys.argv[2]), project.fonts)
last.recall()
sys.stdout.buffer.write(render_pdf(sample_book(), project, last=last))
"""


@pytest.mark.parametrize("spoilt", [None, "report.typ", "book.json", "places.json"])
def test_a_process_that_recalls_the_last_pdf_writes_the_same_one(tmp_path, spoilt):
    book, folder = sample_book(), tmp_path / "last"
    content = render_pdf(book, PROJECT, last=LastPdf(folder, PROJECT.fonts))
    if spoilt:
        (folder / spoilt).write_text("#spoilt(")
    found = subprocess.run(
        [sys.executable, "-c", REMEMBERING, str(ROOT), str(folder)], check=True,
        capture_output=True, env={**os.environ, "PYTHONPATH": f"{ROOT}/src:{ROOT}/tests"},
    )  # fmt: skip
    assert found.stdout == content
    assert not found.stderr


def test_a_pdf_that_cannot_be_made_leaves_the_last_one_s_sources(tmp_path):
    last = LastPdf(tmp_path / "last", PROJECT.fonts)
    render_pdf(sample_book(), PROJECT, last=last)
    before = {path.name: path.read_bytes() for path in (tmp_path / "last").glob("*.*")}
    sources = typst_sources(sample_book(), PROJECT)
    with pytest.raises(RenderError):
        render_pdf(sample_book(), PROJECT, dict.fromkeys(sources, "#unknown"), last=last)
    assert {path.name: path.read_bytes() for path in (tmp_path / "last").glob("*.*")} == before


def test_long_tables_repeat_their_head(pages):
    carrying = [text for text in pages if "TLS_AES_256_GCM_SHA384" in text]
    assert len(carrying) == 2
    assert all("CipherSpec" in text and "Round trips/s" in text for text in carrying)


def test_every_cell_is_printed(pages):
    text = " ".join(pages)
    for _, values in HA:
        assert all(value in text for value in values.split())


def test_figures_are_real_text(pages):
    assert any("RDQM is the fastest HA technique at every size" in text for text in pages[4:])


def test_code_cells_are_not_printed(pages):
    assert "x = 1" not in " ".join(pages)


def test_text_stays_text(pages):
    text = " ".join(" ".join(pages).split())
    assert "#let" in text
    assert "_under_score, `tick`, [bracket], <angle>, @mention, // comment" in text
    assert "Table 1.1.here" in text, "a call must end before the text after it"


def test_same_bytes_twice():
    book = sample_book()
    assert render_pdf(book, PROJECT) == render_pdf(book, PROJECT)


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_paper(paper, size):
    box = reader_of(sample_book(paper=paper)).pages[0].mediabox
    assert (round(box.width), round(box.height)) == size


def test_banner_is_on_every_page():
    banner = "Built although 2 checks failed"
    found = [page.extract_text() for page in reader_of(sample_book(banner=banner)).pages]
    assert all(banner in text for text in found)
    assert found[0].count(banner) == 2, "on the cover it is part of the text as well"


# ---- Bad input ------------------------------------------------------------------------------

NASTY = '"]#panic("no")\\u{41}\\" $x$ <b> */ // @x\n\tend'


def test_data_cannot_inject_markup():
    model = TableModel(
        ((HeaderCell(NASTY, 1, "left"), HeaderCell(NASTY, 1, "right")),),
        ((BodyCell(NASTY, "group", kind="group"),), (BodyCell(NASTY, "left"), BodyCell(NASTY))),
        (NASTY,),
    )
    table = TableItem("tbl-x", "9.1", NASTY, model, "", ())
    edition = sample_book().edition.model_copy(update={"subtitle": NASTY, "authors": (NASTY,)})
    book = replace(sample_book(), edition=edition)
    text = reader_of(item("table:tbl-x", book, tables={"tbl-x": table})).pages[-1].extract_text()
    assert text.count('"]#panic("no")') == 7
    assert "A" not in text.replace("Page", "").replace("AES", ""), "no escape was interpreted"


@pytest.mark.parametrize("text", ["", "plain", 'a "b"', "a\\", "\\u{41}", "line\nbreak\ttab", "é→"])
def test_quoted_text_comes_back(text):
    literal = quoted(text)
    assert literal[0] == literal[-1] == '"'
    assert "\n" not in literal


@pytest.mark.parametrize(
    ("markdown", "message"),
    [
        ("[x](#nowhere)", "leads to 'nowhere'"),
        ("see @fig-unknown", "@fig-unknown"),
        ("![a](b.png)", "picture"),
        ("# again", "second heading"),
        ("## a\n\n#### b", "“b” of level 4"),
        ("日", "日"),
        ("```{=roundtrip}\nfigure:fig-none\n```", "no figure 'fig-none'"),
    ],
)
def test_what_cannot_be_printed_is_named(markdown, message):
    with pytest.raises(RenderError, match=message) as caught:
        render_pdf(with_chapter(sample_book(), markdown), PROJECT)
    assert "99-extra" in (caught.value.where or "")


def test_character_without_a_glyph_is_found_in_a_caption():
    table = replace(wide_table("9.1", "tbl-x"), caption="日")
    with pytest.raises(RenderError, match="日") as caught:
        render_pdf(item("table:tbl-x", sample_book(), tables={"tbl-x": table}), PROJECT)
    assert caught.value.where == "chapter 99-extra"


def test_figure_without_alt_text_is_refused():
    figure = sample_book().chapters[1].figures["fig-ha-peaks"]
    chapter = {"fig-x": replace(figure, label="fig-x", alt=" ")}
    with pytest.raises(RenderError, match="'fig-x' has no text for readers"):
        render_pdf(item("figure:fig-x", sample_book(), figures=chapter), PROJECT)


def test_broken_picture_is_named():
    figure = sample_book().chapters[1].figures["fig-ha-peaks"]
    chapter = {"fig-x": replace(figure, label="fig-x", svg="<svg><oops")}
    with pytest.raises(RenderError, match="SVG") as caught:
        render_pdf(item("figure:fig-x", sample_book(), figures=chapter), PROJECT)
    assert caught.value.where == "figure fig-x, line 1"


def test_ragged_table_is_refused():
    model = TableModel(((HeaderCell("a"), HeaderCell("b")),), ((BodyCell("1"),),))
    table = TableItem("tbl-x", "9.1", "Ragged", model, "", ())
    with pytest.raises(RenderError, match="row 1 of table 'tbl-x' has 1 cells"):
        render_pdf(item("table:tbl-x", sample_book(), tables={"tbl-x": table}), PROJECT)


def test_label_given_twice_is_refused():
    table = {"tbl-runs": wide_table("9.1", "tbl-runs")}
    with pytest.raises(RenderError, match="'tbl-runs' is given 2 times"):
        render_pdf(item("table:tbl-runs", sample_book(), tables=table), PROJECT)


@pytest.mark.parametrize("name", ["typst/report.typ", "fonts/IBMPlexSans-Regular.ttf"])
def test_missing_template_is_named(tmp_path, name):
    project = spoiled(tmp_path)
    (project.templates / name).unlink()
    with pytest.raises(RenderError, match="missing") as caught:
        render_pdf(sample_book(), project)
    assert caught.value.where == f"templates/{name}"


def test_typst_warning_stops_the_build(tmp_path):
    project = spoiled(tmp_path)
    look = project.templates / "typst" / "look.typ"
    look.write_text(look.read_text().replace('"IBM Plex Mono"', '"No Such Font"'))
    with pytest.raises(RenderError, match="warning: unknown font family: no such font") as caught:
        render_pdf(sample_book(), project)
    assert caught.value.where.startswith("templates/typst/")


# ---- Parts ----------------------------------------------------------------------------------


def test_chapter_source_depends_on_the_chapter_only():
    chapter = sample_book().chapters[1]
    source = chapter_to_typst(chapter, PROJECT.fonts)
    assert source == chapter_to_typst(sample_book(banner="x").chapters[1], PROJECT.fonts)
    assert SOURCES[0].anchor in source


def test_first_item_that_leaves_a_gap_floats():
    placements = (
        Placement("fits", True, 120.0),
        Placement("small gap", False, 20.0),
        Placement("first", False, 90.0),
        Placement("later", False, 90.0),
    )
    few_lines = Layout(placements, last_page_mm=3.0)
    assert improved(Arrangement(("x",)), few_lines) == Arrangement(("x", "first"))
    assert improved(Arrangement(("x",)), few_lines, in_order=True) == Arrangement(("x",), True)
    settled = Layout(placements[:2], last_page_mm=100.0)
    assert improved(Arrangement(("x",)), settled) == Arrangement(("x",))


def test_an_item_that_another_has_come_to_stand_before_floats_too():
    layout = Layout(
        (
            Placement("a", True, 120.0, 3, 40.0),
            Placement("b", True, 120.0, 4, 40.0),
            Placement("c", True, 120.0, 3, 200.0),
        ),
        None,
    )
    assert improved(Arrangement(("c",)), layout) == Arrangement(("c", "b"))
    assert improved(Arrangement(("c", "b")), layout) == Arrangement(("c", "b"))


def test_figures_leave_their_place_rather_than_half_a_page_empty(tmp_path):
    text = "The queue manager reaches its peak with 270 requesters. " * 8
    figure = sample_book().chapters[1].figures["fig-ha-delay"]
    figures = {
        f"fig-x{n}": replace(figure, label=f"fig-x{n}", number=f"9.{n}") for n in range(1, 7)
    }
    places = [f"{text}\n\n```{{=roundtrip}}\nfigure:{label}\n```" for label in figures]
    book = with_chapter(sample_book(), "\n\n".join([*places, text, text]), figures=figures)
    bodies = {chapter.name: chapter_to_typst(chapter, PROJECT.fonts) for chapter in book.chapters}
    kept: dict[str, Arrangement] = {}

    def keep(content: Any, make: Callable[[], Arrangement]) -> Arrangement:
        return kept.setdefault(sha256_of_json(content), make())

    def again(content: Any, _: Callable[[], Arrangement]) -> Arrangement:
        return kept[sha256_of_json(content)]

    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    typesetter = Typesetter(book, bodies, PROJECT, first, keep)
    content = typesetter.pdf()
    floated = {label for arrangement in kept.values() for label in arrangement.floated}
    assert 0 < len(floated & set(figures)) < 6
    name = book.chapters[-1].name
    layout = lay_out(first, name, sorted(book.anchors), fonts_of(PROJECT.templates / "fonts"))
    settled = Arrangement(tuple(floated), tight=True)
    assert improved(settled, layout) == settled
    order = [item.place for item in layout.placements]
    assert order == sorted(order)
    assert Typesetter(book, bodies, PROJECT, second, again).pdf() == content


SAID = "What was found is told at some length. "


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"- {SAID * times}" for times in (6, 6, 6, 40, 6, 6)),
        "\n".join(f"1. {SAID * 6}\n    - {SAID * 6}" for _ in range(4)),
        "\n>\n".join(f"> {SAID * 10}" for _ in range(6)),
        "::: {.aside}\n" + "\n\n".join(SAID * 6 for _ in range(6)) + "\n:::",
    ],
    ids=["items", "nested items", "a quotation", "a division"],
)
def test_text_may_go_on_behind_a_page_of_floating_figures(tmp_path, text):
    # For some of these lengths the page ends in an item, which Typst cannot tag.
    figure = sample_book().chapters[1].figures["fig-ha-delay"]
    figures = {label: replace(figure, label=label, number="9.1") for label in ("fig-x1", "fig-x2")}
    places = [f"```{{=roundtrip}}\nfigure:{label}\n```" for label in figures]
    ends = set()
    for lines in range(17, 33, 2):
        parted = [f"Line {number}." for number in range(lines)]
        book = with_chapter(sample_book(), "\n\n".join([*parted, *places, text]), figures=figures)
        bodies = {each.name: chapter_to_typst(each, PROJECT.fonts) for each in book.chapters}
        folder = tmp_path / str(lines)
        folder.mkdir()
        floating = Typesetter(book, bodies, PROJECT, folder, lambda *_: Arrangement(tuple(figures)))
        pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(floating.pdf())).pages]
        start = next(number for number, page in enumerate(pages) if "Line 0." in page)
        end = max(number for number, page in enumerate(pages) if SAID.strip() in page)
        ends.add(end - start)
    assert 2 in ends  # behind the page of figures


def test_a_paragraph_that_announces_a_list_stays_with_it():
    alone = replace(sample_book(), chapters=())
    parted = [f"Line {number}." for number in range(40)]
    for lines in range(26, 40):  # for one of them the page ends at the colon
        text = "\n\n".join([*parted[:lines], "What was found:", "- a finding"])
        pages = [page.extract_text() for page in reader_of(with_chapter(alone, text)).pages]
        announced = next(page for page in pages if "What was found:" in page)
        assert "a finding" in announced, lines


def test_table_with_much_text_breaks_over_pages():
    rows = tuple((BodyCell(f"row{n}"), BodyCell("much text " * 60, "left")) for n in range(14))
    model = TableModel(((HeaderCell("Key"), HeaderCell("Meaning")),), rows)
    table = TableItem("tbl-x", "9.1", "Long", model, "", ())
    book = item("table:tbl-x", sample_book(), tables={"tbl-x": table})
    found = [
        page.extract_text() for page in reader_of(book).pages if "Extra" in page.extract_text()
    ]
    assert all(any(f"row{n}" in text for text in found) for n in range(14))
    assert sum("Meaning" in text for text in found) > 1


def test_heavy_text_of_pictures_gets_the_family_that_typst_knows():
    heavy = "<text style=\"font-family: 'IBM Plex Sans'; font-weight: 600\">"
    assert "'IBM Plex Sans SmBld'" in with_heavy_family(heavy)
    assert with_heavy_family('<tspan style="font-weight:bold">').count("SmBld") == 1
    plain = '<text font-family="IBM Plex Sans" font-weight="400">'
    assert with_heavy_family(plain) == plain
    named = '<text font-weight="600" font-family="IBM Plex Sans SmBld, IBM Plex Sans">'
    assert with_heavy_family(named) == named
