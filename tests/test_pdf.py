"""The PDF: what it shows, what it refuses, and that it is the same every time."""

from __future__ import annotations

import io
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
import typst

from pdf_sample import (
    HA,
    SOURCES,
    blocks_of,
    curves,
    figure,
    sample_book,
    wide_table,
    with_chapter,
)
from roundtrip.errors import RenderError
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.project import PACKAGE, Project
from roundtrip.publish.book import Book, TableItem
from roundtrip.publish.pdf.blocks import quoted
from roundtrip.publish.pdf.characters import Printable
from roundtrip.publish.pdf.columns import face
from roundtrip.publish.pdf.destinations import Place, linked
from roundtrip.publish.pdf.render import render_pdfs
from roundtrip.publish.pdf.svg import with_clear_labels, with_heavy_family
from roundtrip.publish.pdf.writer import chapter_to_typst
from roundtrip.theme import Theme, typeface

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PROJECT = Project(ROOT)


def reader_of(book: Book) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(render_pdfs(book, PROJECT)["report.pdf"]))


@pytest.fixture(scope="module")
def reader() -> pypdf.PdfReader:
    return reader_of(sample_book())


@pytest.fixture(scope="module")
def pages(reader) -> list[str]:
    return [page.extract_text() for page in reader.pages]


def titles(outline) -> list:
    return [titles(entry) if isinstance(entry, list) else entry.title for entry in outline]


def spoiled(tmp_path: Path) -> Project:
    shutil.copytree(PACKAGE / "templates", tmp_path / "templates")
    return Project(tmp_path)


def item(place: str, book: Book, **changes) -> Book:
    """Add a chapter that holds one table of the given model."""
    return with_chapter(book, f"```{{=roundtrip}}\n{place}\n```", **changes)


# ---- What it shows --------------------------------------------------------------------------


def test_bookmarks_follow_the_book(reader):
    assert titles(reader.outline) == [
        "About this report",
        ["How to read it"],
        "Notices",
        "Contents",
        "Tables",
        "Figures",
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
    assert "Notices" in contents
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


def test_long_tables_repeat_their_head(pages):
    carrying = [text for text in pages if "TLS_AES_256_GCM_SHA384" in text]
    assert len(carrying) == 2
    assert all("CipherSpec" in text and "Round trips/s" in text for text in carrying)
    assert ["Table 1.2 (continued)" in text for text in carrying] == [False, True]


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
    assert render_pdfs(book, PROJECT) == render_pdfs(book, PROJECT)


def in_two_volumes() -> dict[str, bytes]:
    joined = "[[Table A.1](#tbl-cells){.ref}]{} and [[Details](#sec-details){.ref}]{}"
    near = "[Chapter 1](#sec-ha){.ref} and [Table A.1](#tbl-cells){.ref}"
    text = f"See [Table A.1](#tbl-cells){{.ref}}. Compare {joined}. Then {near}."
    book = with_chapter(sample_book(), text)
    front, chapter, appendix, extra = book.chapters
    edition = book.edition.model_copy(update={"annex": (appendix.name,)})
    text = "Back to [Chapter 1](#sec-ha){.ref}, [Figure 1.2](#fig-ha-delay)."
    appendix = replace(appendix, blocks=[*appendix.blocks, *blocks_of(text)])
    detail = blocks_of("## Details {#sec-details .annex}\n\nHow [Chapter 1](#sec-ha){.ref} ran.")
    chapter = replace(chapter, blocks=[*chapter.blocks, *detail])
    chapters = (front, chapter, extra, appendix)
    anchors = {**book.anchors, "sec-extra": extra.name}
    book = replace(book, edition=edition, chapters=chapters, anchors=anchors)
    return render_pdfs(book, PROJECT)


def test_an_annex_and_the_report_lead_to_each_others_places():
    contents = in_two_volumes()
    assert contents == in_two_volumes(), "the same bytes twice"
    readers = {name: pypdf.PdfReader(io.BytesIO(pdf)) for name, pdf in contents.items()}
    assert list(readers) == ["report.pdf", "annex.pdf"]
    texts = {
        name: " ".join(" ".join(page.extract_text() for page in reader.pages).split())
        for name, reader in readers.items()
    }
    assert "See Table A.1 of the annex." in texts["report.pdf"]
    assert "Compare Table A.1 and Details of the annex." in texts["report.pdf"]
    assert "Then Chapter 1 and Table A.1 of the annex." in texts["report.pdf"]
    assert "Back to Chapter 1 of the report, Figure 1.2." in texts["annex.pdf"]
    front = "In the file annex.pdf and on the site. Numbers skipped here are used there."
    assert f"Annex {front} 1 High availability A Printed cells" in texts["report.pdf"]
    assert "1 High availability" in texts["annex.pdf"]
    assert "In the annex: Details." in texts["report.pdf"]
    assert "How Chapter 1 of the report ran." in texts["annex.pdf"]
    assert "No warranty" not in texts["annex.pdf"], "notices are printed once"
    title = sample_book().edition.title
    assert readers["annex.pdf"].metadata.title == f"{title}: Annex"
    wanted = {
        "report.pdf": {
            SOURCES[0].anchor,
            SOURCES[1].anchor,
            "tbl-cells",
            "sec-cells",
            "sec-details",
        },
        "annex.pdf": {"sec-ha", "fig-ha-delay", "sec-index"},
    }
    for (name, reader), other in zip(readers.items(), reversed(readers.values()), strict=True):
        actions = [
            note.get_object()["/A"]
            for page in reader.pages
            for note in page.get("/Annots", [])
            if "/A" in note.get_object()
        ]
        assert {a["/D"] for a in actions if a["/S"] == "/GoToR"} >= wanted[name]
        places = other.named_destinations
        assert wanted[name] <= set(places)
        assert all("annex.pdf#" not in str(action.get("/URI")) for action in actions)
    place = readers["report.pdf"].named_destinations["fig-ha-delay"]
    page = readers["report.pdf"].get_destination_page_number(place)
    assert "Figure 1.2" in readers["report.pdf"].pages[page].extract_text()
    assert 0 < float(place["/Top"]) < 842


def test_a_book_whose_annex_is_left_out_is_one_volume():
    book = sample_book()
    edition = book.edition.model_copy(update={"annex": ("99-none",)})
    assert render_pdfs(replace(book, edition=edition), PROJECT) == render_pdfs(book, PROJECT)


def test_a_pdf_in_another_form_is_refused():
    pdf = in_two_volumes()["report.pdf"]
    for broken in (
        pdf.replace(b"/Names<</Dests", b"/Names <</Dests"),
        pdf.replace(b"startxref\n", b"startxref\n1"),
        pdf + b"\n",
    ):
        with pytest.raises(RenderError, match="places cannot be named"):
            linked(broken, {"x": Place(1, 0, 0)}, ())
    with pytest.raises(RenderError, match="places cannot be named"):
        linked(b"/S/URI/URI(annex.pdf#\\(x\\))", {}, ["annex.pdf"])


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
    table = TableItem(
        "tbl-x", "9.1", NASTY,
        ((HeaderCell(NASTY, 1, "left"), HeaderCell(NASTY, 1, "right")),),
        ((BodyCell(NASTY, "group", kind="group"),), (BodyCell(NASTY, "left"), BodyCell(NASTY))),
        "", (), (NASTY,),
    )  # fmt: skip
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
        ("[x](#nowhere)", "nowhere"),
        ("## a\n\n#### b", "“b” of level 4"),
    ],
)
def test_what_cannot_be_printed_is_named(markdown, message):
    with pytest.raises(RenderError, match=message) as caught:
        render_pdfs(with_chapter(sample_book(), markdown), PROJECT)
    assert "99-extra" in (caught.value.where or "")


def test_characters_without_a_glyph_are_code_points_and_told():
    """In text, code, captions, pictures and the title; marks that no eye sees stay as they are."""
    table = replace(wide_table("9.1", "tbl-x"), caption="日, \N{RIGHT-TO-LEFT MARK}ש\u05bc")
    chart = sample_book().chapters[1].figures["fig-ha-peaks"]
    chart = replace(chart, label="fig-x", svg=chart.svg.replace("</text>", "℃</text>", 1))
    text = "✅ ⚠\ufe0f e\u0301 \u200b\u2060\ufeff\u00ad\U0001f600 `測`"
    for place in ("table:tbl-x", "figure:fig-x"):
        text += f"\n\n```{{=roundtrip}}\n{place}\n```"
    book = with_chapter(sample_book(), text, tables={"tbl-x": table}, figures={"fig-x": chart})
    book = replace(book, edition=book.edition.model_copy(update={"title": "題"}))
    said: list[str] = []
    content = render_pdfs(book, PROJECT, say=said.append)["report.pdf"]
    printed = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages)
    found = set(re.findall(r"‹U\+([0-9A-F]+)›", "".join(printed.split())))
    assert found == {
        "2705", "26A0", "1F600", "6E2C", "65E5", "05E9", "05BC", "2103", "984C"
    }  # fmt: skip
    chapter, front = said
    assert chapter.startswith("chapter 99-extra: no font of the report has ✅ (‹U+2705›), ⚠")
    assert front.startswith("the cover, contents or notices: no font of the report has 題")


def test_what_only_has_the_name_of_a_font_is_none(tmp_path):
    folder = tmp_path / "templates" / "fonts"
    (folder / "x.ttf").mkdir(parents=True)
    (folder / "y.otf").symlink_to(tmp_path / "gone")
    (folder / "z.ttf").write_text("no font")
    assert Printable(Project(tmp_path)).lacking("ä測") == ["測"]


def test_broken_picture_is_named():
    figure = sample_book().chapters[1].figures["fig-ha-peaks"]
    chapter = {"fig-x": replace(figure, label="fig-x", svg="<svg><oops")}
    with pytest.raises(RenderError, match="SVG") as caught:
        render_pdfs(item("figure:fig-x", sample_book(), figures=chapter), PROJECT)
    assert caught.value.where == "figure fig-x, line 1"


def test_ragged_table_is_refused():
    header, rows = ((HeaderCell("a"), HeaderCell("b")),), ((BodyCell("1"),),)
    table = TableItem("tbl-x", "9.1", "Ragged", header, rows, "", ())
    with pytest.raises(RenderError, match="row 1 of table 'tbl-x' has 1 cells"):
        render_pdfs(item("table:tbl-x", sample_book(), tables={"tbl-x": table}), PROJECT)


def test_typst_warning_stops_the_build(tmp_path):
    project = spoiled(tmp_path)
    look = project.templates / "typst" / "look.typ"
    look.write_text(look.read_text().replace('"IBM Plex Mono"', '"No Such Font"'))
    with pytest.raises(RenderError, match="warning: unknown font family: no such font") as caught:
        render_pdfs(sample_book(), project)
    assert caught.value.where.startswith("templates/typst/")


# ---- Parts ----------------------------------------------------------------------------------


def test_chapter_source_depends_on_the_chapter_only():
    chapter = sample_book().chapters[1]
    source = chapter_to_typst(chapter, typeface(PROJECT))
    assert source == chapter_to_typst(sample_book(banner="x").chapters[1], typeface(PROJECT))
    assert SOURCES[0].anchor in source


@pytest.mark.parametrize("heading", ["- Delay", "+ Load", "= Sum", "/ Slash: more"])
def test_a_heading_that_begins_with_the_mark_of_a_list_is_words(heading):
    text = f"## {heading} {{#sec-mark}}\n\nWords."
    book = with_chapter(replace(sample_book(), chapters=()), text)
    assert any(heading in page.extract_text() for page in reader_of(book).pages)


def test_an_apostrophe_after_a_digit_is_no_prime():
    text = "V7's rate does not reach that of the publisher's V6."
    pages = reader_of(with_chapter(replace(sample_book(), chapters=()), text)).pages
    assert any("V7\u2019s rate" in page.extract_text() for page in pages)


@pytest.mark.parametrize(
    ("following", "begins"),
    [("- a finding", "a finding"), ("```{=roundtrip}\ntable:tbl-x\n```", "Table 9.1")],
)
def test_a_paragraph_that_announces_a_list_or_table_stays_with_it(following, begins):
    alone = replace(sample_book(), chapters=())
    row = (BodyCell("MIQM", "left", kind="label"), BodyCell("64,249"))
    table = replace(wide_table("9.1", "tbl-x"), header=(), rows=(row,) * 6, sources=())
    parted = [f"Line {number}." for number in range(40)]
    for lines in range(20, 40):  # for one of them the page would end at the colon
        text = "\n\n".join([*parted[:lines], "What was found:", following])
        book = with_chapter(alone, text, tables={"tbl-x": table})
        pages = [page.extract_text() for page in reader_of(book).pages]
        announced = next(page for page in pages if "What was found:" in page)
        assert begins in announced, lines


def test_a_list_behind_figures_can_stand_anywhere_on_a_page():
    alone = replace(sample_book(), chapters=())
    svg = curves("Rates", {"A": (1.0, 2.0, 3.0), "B": (2.0, 3.0, 5.0)})
    figures = {
        f"fig-{n}": replace(figure(f"fig-{n}", f"9.{n}", svg, "Rates", "Rates."), sources=())
        for n in (1, 2, 3)
    }
    drawn = [f"```{{=roundtrip}}\nfigure:{label}\n```" for label in figures]
    items = [f"- Item {n}: " + "a finding in words that fill the line. " * 5 for n in range(9)]
    for lines in range(0, 26, 4):
        parted = [f"Line {number}." for number in range(lines)]
        text = "\n\n".join([*parted, *drawn, "\n".join(items)])
        pages = reader_of(with_chapter(alone, text, figures=figures)).pages
        assert "Item 8" in "".join(page.extract_text() for page in pages), lines


def test_table_with_much_text_breaks_over_pages():
    rows = tuple((BodyCell(f"row{n}"), BodyCell("much text " * 60, "left")) for n in range(14))
    header = ((HeaderCell("Key"), HeaderCell("Meaning")),)
    table = TableItem("tbl-x", "9.1", "Long", header, rows, "", ())
    book = item("table:tbl-x", sample_book(), tables={"tbl-x": table})
    found = [
        page.extract_text() for page in reader_of(book).pages if "Extra" in page.extract_text()
    ]
    assert all(any(f"row{n}" in text for text in found) for n in range(14))
    assert sum("Meaning" in text for text in found) > 1


def test_labels_stand_on_the_colour_of_the_page():
    letters = face(typeface(PROJECT).bold)

    def grounds(svg: str) -> list[tuple[str, str, str]]:
        found = re.findall(
            r'<rect x="(\S+)" y="(\S+)" width="(\S+)"', with_clear_labels(svg, letters)
        )
        return [(x, y, width) for x, y, width in found]

    place, size = 'transform="translate(70,132)"', 'style="font-size: 10px;"'
    value = (
        f'<text class="bartext bartext-outside" text-anchor="middle" x="0" y="0" {size} {place}>'
        "96</text>"
    )
    assert grounds(f"<svg>{value}</svg>") == [("-7.5", "-9.5", "15")]
    assert with_clear_labels(value, letters).endswith(f' fill="#fff" {place}/>{value}')
    assert grounds(value.replace(">96", ">\u200296")) == [("-5", "-9.5", "15")]  # beside its bar
    point = f'<g class="textpoint" {place}><text x="5" y="6" text-anchor="end" {size}>96</text></g>'
    assert grounds(point) == [("-8.5", "-3.5", "15")]
    line = '<tspan class="line" dy="{}em" x="2"><tspan>9</tspan>6</tspan>'
    name = (
        f'<text class="annotation-text" text-anchor="start" x="2" y="13" {size}>'
        f"{line.format(0)}{line.format(1.3)}</text>"
    )
    assert grounds(name) == [("0.5", "3.5", "15"), ("0.5", "16.5", "15")]
    other = f"<text {size} {place}>96</text>"
    assert with_clear_labels(other, letters) == other


def test_heavy_text_of_pictures_gets_the_family_that_typst_knows():
    heavy = "<text style=\"font-family: 'IBM Plex Sans'; font-weight: 600\">"
    assert "'IBM Plex Sans SmBld'" in with_heavy_family(heavy)
    assert with_heavy_family('<tspan style="font-weight:bold">').count("SmBld") == 1
    plain = '<text font-family="IBM Plex Sans" font-weight="400">'
    assert with_heavy_family(plain) == plain
    named = '<text font-weight="600" font-family="IBM Plex Sans SmBld, IBM Plex Sans">'
    assert with_heavy_family(named) == named
    other = '<text font-family="Helvetica" font-weight="bold">'
    assert with_heavy_family(other) == '<text font-weight="bold" font-family="IBM Plex Sans SmBld">'


@pytest.mark.parametrize("chapters", [7, 8, 9, 10, 11])
def test_no_heading_of_a_list_stands_alone_at_the_foot_of_a_page(
    chapters: int, tmp_path: Path
) -> None:
    """With so many chapters, the list of figures begins about where the page of contents ends."""
    for name in ("look.typ", "table.typ", "report.typ"):
        shutil.copy(PROJECT.template(f"typst/{name}"), tmp_path)
    (tmp_path / "book.json").write_text('{"elsewhere": []}')
    (tmp_path / "theme.typ").write_text(Theme().typst(), "utf-8")
    source = """
#import "/report.typ": *
#show: report.with(
  title: "T", authors: ("A",), description: "", edition: "", banner: "", paper: "a4", lang: "en",
)
#contents()
#list-of(table, [Tables], same-page: true)
#list-of(image, [Figures], same-page: true)
#let item(kind, name, body) = figure(
  kind: kind, numbering: (..) => name, caption: [About #name], body,
)
#for n in range(1, CHAPTERS + 1).map(str) {
  section(1, n, "", [Chapter])
  section(2, n + ".1", "", [Section])
  item(image, n + ".1", box(height: 3mm))
  if int(n) < 4 { item(table, n + ".1", table([cell])) }
}
#metadata(none)<end-of-chapters>
""".replace("CHAPTERS", str(chapters))
    (tmp_path / "main.typ").write_text(source)
    file = tmp_path / "lists.pdf"
    typst.compile(
        str(tmp_path / "main.typ"), output=str(file), font_paths=[PACKAGE / "templates" / "fonts"]
    )
    texts = [page.extract_text() for page in pypdf.PdfReader(file).pages]
    for name in ("Tables", "Figures"):
        page = next(text for text in texts if f"\n{name}\n" in f"\n{text}\n")
        assert f"{name}\n1.1" in page, page[-200:]
