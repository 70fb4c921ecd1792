"""The site: markup, escaping, links, search, and what a browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
from base64 import b64encode
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import plotly
import plotly.graph_objects as go
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_notebook
from playwright.sync_api import expect

from roundtrip.errors import RenderError
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.params import ReportParameters
from roundtrip.project import PACKAGE, Project
from roundtrip.publish.book import Book, Chapter, FigureItem, Source, TableItem
from roundtrip.publish.html.assets import chart_library
from roundtrip.publish.html.items import embedded_json
from roundtrip.publish.html.review import write_review
from roundtrip.publish.html.search import search_entries
from roundtrip.publish.html.site import render_site
from roundtrip.publish.html.writer import chapter_inputs, chapter_to_html
from roundtrip.publish.pandoc import parse_markdown
from workshop import PATIENCE_MS

ROOT = Path(__file__).parents[1]
HOSTILE = """<img src=x onerror="alert(1)"> & </script>'\""""
CELL = "cell-mq-table-03-r1c1"
TABLE_3 = Source("mq", "Table 3", "MQ V9.4, Table 3", "cell-mq-table-03")
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="400" viewBox="0 0 760 400">'
    '<rect width="760" height="400" fill="#ffffff"/>'
    '<text x="9" y="20" fill="#161616">370,602</text>'
    "</svg>"
)


def chart() -> dict[str, Any]:
    figure = go.Figure(layout={"template": "none", "width": 760, "height": 400})
    figure.add_bar(x=["2 KB", "20 KB"], y=[370602, 261852], marker={"color": "#0062b1"})
    return dict(json.loads(figure.to_json()))


def figure(label: str, number: str, **changes: Any) -> FigureItem:
    item = FigureItem(
        label, number, "MQI leads", "Peak rates", "MQI reaches 370,602", SVG, chart(), "x,y\n1,2\n",
        (TABLE_3,),
    )  # fmt: skip
    return replace(item, **changes)


def table(label: str, number: str, **changes: Any) -> TableItem:
    header = (
        (HeaderCell("", align="left"), HeaderCell("MQI", 2, "center")),
        (HeaderCell("Size", align="left"), HeaderCell("Rate"), HeaderCell("Setting", align="left")),
    )
    rows = (
        (BodyCell("Non-persistent", "left", kind="group"),),
        (
            BodyCell("2 KB", "left", kind="label"),
            BodyCell("370,602", strong=True, anchor=CELL, link="cell-mq-table-03"),
            BodyCell("MaxChannels", "left", kind="code"),
        ),
        (BodyCell("TLS_AES_128", "left", kind="label"), BodyCell("1"), BodyCell("")),
    )
    item = TableItem(label, number, "Peaks", header, rows, "a\n", (TABLE_3,), ("Peaks only.",))
    return replace(item, **changes)


def placeholder(text: str) -> str:
    return f"\n\n``` {{=roundtrip}}\n{text}\n```\n\n"


def chapter(name: str, number: str, markdown: str, **parts: Any) -> Chapter:
    kind = "front" if not number else "chapter" if number.isdigit() else "appendix"
    blocks = parse_markdown(markdown)["blocks"]
    for block in blocks:
        if block["t"] == "Header" and number:
            block["c"][1][2].append(["number", f"{number}.1"])
    return Chapter(name, f"About {name}", f"sec-{name}", number, kind, blocks, **parts)


@pytest.fixture(scope="module")
def book() -> Book:
    front = chapter("index", "", "Read [the peaks](#fig-peaks).\n\n## Highlights {#sec-high}\n\nA.")
    filler = "\n\n".join(f"Paragraph {n} on round trips." for n in range(40))
    peaks = chapter(
        "20-peaks", "1",
        f"Text.\n\n## Published *peaks* {{#sec-published}}\n\nSee [Appendix A](#sec-90-data).\n\n"
        f"{filler}{placeholder('code:0')}{placeholder('figure:fig-peaks')}"
        f"{placeholder('table:tbl-peaks')}{placeholder('figure:fig-drawn')}",
        figures={
            "fig-peaks": figure("fig-peaks", "1.1"),
            "fig-drawn": figure("fig-drawn", "1.2", spec=None, csv="", sources=()),
        },
        tables={"tbl-peaks": table("tbl-peaks", "1.1")},
        codes=('peaks("<b>")',),
    )  # fmt: skip
    head = ((HeaderCell("Rate"),),)
    cells = ((BodyCell("370,602", anchor="cell-mq-table-03"),),)
    data = chapter(
        "90-data", "A", placeholder("table:tbl-03"),
        tables={"tbl-03": table("tbl-03", "A.1", header=head, rows=cells, notes=(), sources=())},
    )  # fmt: skip
    anchors = {
        "sec-index": "index", "sec-high": "index", "sec-20-peaks": "20-peaks",
        "sec-published": "20-peaks", "fig-peaks": "20-peaks", "fig-drawn": "20-peaks",
        "tbl-peaks": "20-peaks", CELL: "20-peaks", "sec-90-data": "90-data", "tbl-03": "90-data",
        "cell-mq-table-03": "90-data",
    }  # fmt: skip
    edition = ReportParameters(
        version="1.0", date="2026-11-21", title="Messaging performance", subtitle="A sample",
        authors=("A. Author",), notices=({"title": "Read this", "text": "First.\n\nSecond."},),
    )  # fmt: skip
    return Book(edition, "f543374", 1763694000, (front, peaks, data), anchors)


def with_table(
    book: Book,
    header: tuple[tuple[HeaderCell, ...], ...],
    rows: tuple[tuple[BodyCell, ...], ...],
    target: Path,
    *,
    as_printed: bool = False,
    **changes: Any,
) -> str:
    """Write a site of one chapter, with one table, tbl-one; give the address of its page."""
    item = table("tbl-one", "1.1", header=header, rows=rows, as_printed=as_printed,
                 notes=(), sources=())  # fmt: skip
    only = chapter("30-one", "1", placeholder("table:tbl-one"), tables={"tbl-one": item})
    render_site(replace(book, chapters=(only,), anchors={}, **changes), Project(ROOT), target)
    return (target / "30-one.html").as_uri()


def with_figure(book: Book, item: FigureItem) -> Book:
    """Give the book with another figure in the place of one."""
    front, peaks, data = book.chapters
    return replace(
        book, chapters=(front, replace(peaks, figures={**peaks.figures, item.label: item}), data)
    )


@pytest.fixture(scope="module")
def site(book: Book, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("report") / "html"
    target.mkdir()
    render_site(replace(book, banner="Built although 2 checks failed"), Project(ROOT), target)
    return target


class Outline(HTMLParser):
    """Collects ids and addresses, and checks that elements are closed in order."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        self.addresses += [str(found[name]) for name in ("href", "src") if found.get(name)]
        if tag not in {"meta", "link", "input", "br", "hr", "col", "img", "wbr"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_page_is_well_formed_and_every_link_leads_somewhere(site: Path) -> None:
    pages = {page.name: Outline(page) for page in site.glob("*.html")}
    assert set(pages) == {"index.html", "20-peaks.html", "90-data.html", "compare.html"}
    elsewhere = ("../report.pdf", "../manifest.json", "notebooks/", "review/", "data:")
    for name, page in pages.items():
        assert not page.open
        assert len(page.ids) == len(set(page.ids))
        for address in page.addresses:
            file, _, anchor = address.partition("#")
            if address.startswith(elsewhere):
                continue
            assert (site / (file or name)).is_file(), address
            if anchor:
                assert anchor in pages[file or name].ids, address


def test_pages_name_no_other_host_and_forbid_all(site: Path) -> None:
    for page in site.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"https?://[^\s\"<]+", text)) <= {"http://www.w3.org/2000/svg"}
        assert "default-src &#39;none&#39;" in text
        assert "Built although 2 checks failed" in text


def test_the_first_page_is_light(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'(?:src|href)="(assets/[^"]+)"', page)
    fonts = ["assets/fonts/IBMPlexSans-Regular-Latin1.woff2",
             "assets/fonts/IBMPlexSans-SemiBold-Latin1.woff2"]  # fmt: skip
    size = len(page) + sum((site / name).stat().st_size for name in loaded + fonts)
    assert size < 150_000


def test_figures_carry_picture_chart_caption_sources_and_data(site: Path) -> None:
    page = (site / "20-peaks.html").read_text(encoding="utf-8")
    assert '<figure class="figure" id="fig-peaks" data-interactive>' in page
    assert '<svg role="img" aria-label="MQI reaches 370,602" xmlns=' in page
    assert '<span class="number">Figure 1.1</span> Peak rates' in page
    assert '<a href="90-data.html#cell-mq-table-03">MQ V9.4, Table 3</a>' in page
    assert 'href="data/fig-peaks.csv" download="fig-peaks.csv"' in page
    spec = re.search(r'class="figure-spec">(.*?)</script>', page)
    assert spec
    assert json.loads(spec[1])["layout"]["height"] == 400
    assert '<figure class="figure" id="fig-drawn">' in page
    assert page.count("figure-spec") == 1
    assert (site / "data" / "fig-peaks.csv").read_text() == "x,y\n1,2\n"
    assert not (site / "data" / "fig-drawn.csv").exists()


def test_tables_are_whole_with_scopes_groups_and_anchors(site: Path) -> None:
    page = (site / "20-peaks.html").read_text(encoding="utf-8")
    assert 'role="region" tabindex="0" aria-labelledby="tbl-peaks-caption"' in page
    assert '<th scope="colgroup" class="spanner" colspan="2"><span>MQI</span></th>' in page
    head = '<th scope="rowgroup" colspan="3"><span>Non-persistent</span></th>'
    assert f'<tr class="group">{head}</tr>' in page
    assert '<th scope="row" class="left short">2 KB</th>' in page
    assert (
        f'<td id="{CELL}"><a href="90-data.html#cell-mq-table-03"><strong>370,602</strong></a></td>'
    ) in page
    assert "<code>Max<wbr>Channels</code>" in page
    assert ">TLS_<wbr>AES_<wbr>128</th>" in page
    assert '<p class="table-note">Peaks only.</p>' in page


@pytest.mark.parametrize(
    ("name", "words", "numbers", "stacks"),
    [
        ("A statement", "holds", 1, False),
        ("A statement", "holds for most of the sizes printed", 1, True),
        ("The queue manager reuses log extents that it has", "holds", 1, True),
        ("persistent-2048b-0-asynchronous-namespaces-c8-r1", "holds", 5, False),
    ],
)
def test_rows_of_text_are_paragraphs_on_a_small_screen(
    book: Book, page: Any, tmp_path: Path, name: str, words: str, numbers: int, stacks: bool
) -> None:
    row = (
        BodyCell(name, "left", kind="label"), BodyCell(words, "left"),
        *[BodyCell("1.5")] * numbers,
    )  # fmt: skip
    heads = ("Statement", "Verdict", *["Ratio"] * numbers)
    _show(book, tuple(HeaderCell(each, align="left") for each in heads), row, page, tmp_path)
    shown = page.locator("#tbl-one td").last.evaluate(STYLE)
    assert shown == (["block", '"Ratio: "'] if stacks else ["table-cell", "none"])


@pytest.mark.parametrize(("name", "told"), [("4.1", '"Section: "'), ("Persistent", "none")])
def test_where_rows_are_paragraphs_a_name_that_is_a_number_has_its_head(
    book: Book, page: Any, tmp_path: Path, name: str, told: str
) -> None:
    header = tuple(HeaderCell(each, align="left") for each in ("Section", "Statement", "Verdict"))
    words = BodyCell("It holds for most of the sizes", "left")
    row = (BodyCell(name, "left", kind="label"), words, BodyCell("holds", "left"))
    _show(book, header, row, page, tmp_path)
    assert page.locator("#tbl-one tbody th").evaluate(STYLE) == ["block", told]


STYLE = "cell => [getComputedStyle(cell).display, getComputedStyle(cell, '::before').content]"


def _show(
    book: Book, heads: tuple[HeaderCell, ...], row: tuple[BodyCell, ...], page: Any, folder: Path
) -> None:
    """Open a page with one table on a small screen."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(with_table(book, (heads,), (row,), folder))


def test_headings_keep_number_anchor_and_permanent_link(site: Path) -> None:
    page = (site / "20-peaks.html").read_text(encoding="utf-8")
    assert (
        '<h2 id="sec-published"><span class="heading-number">1.1</span> Published <em>peaks</em> '
        '<a class="anchor" href="#sec-published" aria-label="Link to section Published peaks">#</a>'
    ) in page
    assert 'data-number="' not in page


def test_code_is_on_demand_with_notebook_and_reviewers_page(site: Path) -> None:
    page = (site / "20-peaks.html").read_text(encoding="utf-8")
    assert '<details class="code"><summary>Code</summary>' in page
    assert "&lt;b&gt;" in page
    assert 'href="notebooks/20-peaks.ipynb"' in page
    assert 'href="review/20-peaks.html"' in page


def test_the_cover_shows_the_edition_and_notices(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    for text in ("A sample", "21 November 2026", "A. Author", "f543374", "../manifest.json"):
        assert text in page
    assert "<p>First.</p>\n<p>Second.</p>" in page
    assert '<a href="20-peaks.html#fig-peaks">the peaks</a>' in page


def test_text_from_data_never_becomes_markup(book: Book, tmp_path: Path) -> None:
    blocks = [
        {
            "t": "Para",
            "c": [{"t": "Str", "c": HOSTILE}, {"t": "RawInline", "c": ["html", HOSTILE]}],
        },
        {"t": "RawBlock", "c": ["html", HOSTILE]},
        {"t": "Para", "c": [{"t": "Link", "c": [["", [], []], [], ["javascript:alert(1)", ""]]}]},
        {"t": "RawBlock", "c": ["roundtrip", "figure:fig-x"]},
        {"t": "RawBlock", "c": ["roundtrip", "table:tbl-x"]},
    ]
    said = {"header": ((HeaderCell(HOSTILE),),), "rows": ((BodyCell(HOSTILE, kind="code"),),),
            "notes": (HOSTILE,)}  # fmt: skip
    spec = {"data": [{"name": HOSTILE + "\u2028"}], "layout": {}}
    hostile = Chapter(
        "10-x", HOSTILE, "sec-x", "1", "chapter", blocks,
        {"fig-x": figure("fig-x", "1.1", caption=HOSTILE, alt=HOSTILE, spec=spec, sources=())},
        {"tbl-x": table("tbl-x", "1.1", caption=HOSTILE, sources=(), **said)},
    )  # fmt: skip
    edition = book.edition.model_copy(update={"title": HOSTILE, "authors": (HOSTILE,)})
    report = Book(edition, HOSTILE, 0, (hostile,), {}, HOSTILE)
    render_site(report, Project(ROOT), tmp_path)
    for page in tmp_path.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<img" not in text
        assert "javascript:" not in text
        Outline(page)
    assert json.loads(embedded_json(spec)) == spec
    index = (tmp_path / "assets" / "search-index.js").read_text(encoding="utf-8")
    json.loads(index.removeprefix("window.roundtripSearchIndex=").removesuffix(";\n"))


@pytest.mark.parametrize(
    ("svg", "message"),
    [
        ("<p>none</p>", "no picture"),
        (SVG.replace("<rect", "<script>1</script><rect"), "scripts"),
        (SVG.replace("<rect", '<rect onload="x()"'), "scripts"),
        # A quotation mark in a comment must not hide what follows.
        (SVG.replace("<rect", '<!--"--><script>1</script><!--"--><rect'), "comments"),
    ],
)
def test_a_picture_must_be_a_plain_drawing(book: Book, svg: str, message: str) -> None:
    drawn = with_figure(book, figure("fig-peaks", "1.1", svg=svg))
    with pytest.raises(RenderError, match=message):
        chapter_to_html(drawn.chapters[1], drawn)


def test_words_in_a_picture_are_not_taken_for_scripts(book: Book) -> None:
    svg = SVG.replace("370,602", "switched on = yes").replace("<rect", '<g data-x=" on=1"/><rect')
    drawn = with_figure(book, figure("fig-peaks", "1.1", svg=svg))
    assert "switched on = yes" in chapter_to_html(drawn.chapters[1], drawn)


def test_notes_and_tables_of_the_text_are_set(book: Book) -> None:
    markdown = (
        "| a | b |\n|--:|:--|\n| 1 | x |\n\n"
        '::: {.callout-warning title="Mind"}\nText.\n:::\n\n::: {.callout-note}\nB.\n:::\n'
    )
    html = chapter_to_html(chapter("10-x", "1", markdown), book)
    assert '<div class="table-scroll" role="region" tabindex="0" aria-label="Table">' in html
    assert '<div class="callout callout-warning" role="note">' in html
    assert re.findall(r'callout-title">\s*<p>(\w+)', html) == ["Mind", "Note"]


def test_no_line_ends_with_the_bracket_before_code(book: Book) -> None:
    html = chapter_to_html(chapter("10-x", "1", "Read the guide (`docs/x.md`), or `y`."), book)
    assert 'guide <span class="whole">(<code>docs/x.md</code></span>), or' in html


def test_no_line_ends_inside_an_interval(book: Book) -> None:
    html = chapter_to_html(chapter("10-x", "1", "It is 4.50 s (4.38–4.63); from A–B."), book)
    assert 's <span class="whole">(4.38–4.63);</span> from A–B.' in html


def test_a_name_in_code_stays_on_one_line_but_on_a_telephone(
    book: Book, page: Any, tmp_path: Path
) -> None:
    words = BodyCell("As many words as fill a line. " * 9, "left")
    rows = ((BodyCell("queue_manager_file_system_allocated", "left", kind="code"), words, words),)
    page.goto(with_table(book, (), rows, tmp_path))
    for width in (768, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.locator("#tbl-one code").bounding_box()["height"] < 30


def test_a_chapter_depends_on_itself_and_on_where_its_references_lead(book: Book) -> None:
    front, peaks, data = book.chapters
    before = chapter_inputs(front, book)
    elsewhere = replace(book, chapters=(front, replace(peaks, title="New"), data))
    assert chapter_inputs(front, elsewhere) == before
    assert chapter_inputs(elsewhere.chapters[1], elsewhere) != chapter_inputs(peaks, book)
    moved = replace(book, anchors={**book.anchors, "fig-peaks": "90-data"})
    assert chapter_inputs(front, moved) != before


def test_search_finds_sections_figures_tables_and_printed_numbers(book: Book) -> None:
    entries = list(search_entries(book.chapters[1]))
    assert [entry["kind"] for entry in entries] == [
        "section", "section", "figure", "table", "figure",
    ]  # fmt: skip
    assert entries[1]["href"] == "20-peaks.html#sec-published"
    assert entries[1]["title"] == "1.1 Published peaks"
    assert "370,602" in entries[3]["text"]


def test_a_page_is_where_its_address_leads_whatever_its_name(book: Book, tmp_path: Path) -> None:
    name = "30-Größe & mehr"
    more = chapter(name, "2", "See [the peaks](#fig-peaks).")
    chapters = (*book.chapters, more)
    render_site(
        replace(book, chapters=chapters, anchors={**book.anchors, f"sec-{name}": name}),
        Project(ROOT), tmp_path,
    )  # fmt: skip
    for page in (tmp_path / "index.html", tmp_path / f"{name}.html"):
        addresses = {unquote(each.partition("#")[0]) for each in Outline(page).addresses}
        pages = {each for each in addresses if each.endswith(".html") and "/" not in each}
        assert f"{name}.html" in pages
        assert [each for each in pages if not (tmp_path / each).is_file()] == []


def test_the_same_book_gives_the_same_bytes(book: Book, tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        render_site(book, Project(ROOT), tmp_path / name)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        contents.append([(p.relative_to(tmp_path / name), p.read_bytes()) for p in files])
    assert contents[0] == contents[1]


def test_bodies_can_come_from_a_cache(book: Book, tmp_path: Path) -> None:
    def kept(kind: str, content: Any, make: object) -> str:
        return f"<p>{content['chapter'].name}, kept</p>"

    render_site(book, Project(ROOT), tmp_path, kept)
    assert "<p>90-data, kept</p>" in (tmp_path / "90-data.html").read_text()


def test_a_template_of_the_project_takes_the_place_of_the_default(
    book: Book, tmp_path: Path
) -> None:
    for name, text in {
        "html/chapter.html": "Ours: {{ chapter.title }}", "css/site.css": "p { color: red }",
    }.items():  # fmt: skip
        (tmp_path / "templates" / name).parent.mkdir(parents=True)
        (tmp_path / "templates" / name).write_text(text)
    render_site(book, Project(tmp_path), tmp_path / "out")
    chapter = next(each for each in book.chapters if each.kind == "chapter")
    page = (tmp_path / "out" / chapter.page).read_text()
    assert page.startswith(f"Ours: {chapter.title}")
    assets = tmp_path / "out" / "assets" / "css"
    assert (assets / "site.css").read_text() == "p { color: red }"
    default = (PACKAGE / "templates" / "css" / "report.css").read_text()
    without = re.sub(r"(?s)[ \t]*/\*.*?\*/\n?", "", default)  # comments are not sent
    assert (assets / "report.css").read_text().startswith(without)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{% if %}", "cannot be filled: Expected an expression"),
        ("{{ nothing.here }}", "cannot be filled: 'nothing' is undefined"),
        ('{% extends "other.html" %}', "cannot be filled: 'other.html' not found"),
    ],
)
def test_a_broken_template_is_named(book: Book, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "templates" / "html").mkdir(parents=True)
    (tmp_path / "templates" / "html" / "chapter.html").write_text(f"\n{text}")
    with pytest.raises(RenderError, match=message) as caught:
        render_site(book, Project(tmp_path), tmp_path / "out")
    assert str(caught.value.where).startswith("templates/html/chapter.html")


def test_a_broken_template_of_pages_for_reviewers_is_named(book: Book, tmp_path: Path) -> None:
    (tmp_path / "templates" / "html").mkdir(parents=True)
    (tmp_path / "templates" / "html" / "review.html").write_text("\n{% if %}")
    notebooks = dict.fromkeys((chapter.name for chapter in book.chapters), NotebookNode())
    with pytest.raises(RenderError, match="cannot be filled: Expected") as caught:
        write_review(book, notebooks, Project(tmp_path), tmp_path / "out", lambda *_: "")
    assert caught.value.where == "templates/html/review.html:2"


def test_charts_on_pages_for_reviewers_come_alive_beside_the_site(
    book: Book, page: Any, tmp_path: Path
) -> None:
    render_site(book, Project(ROOT), tmp_path)
    notebooks = dict.fromkeys((each.name for each in book.chapters), new_notebook())
    write_review(book, notebooks, Project(ROOT), tmp_path)
    page.goto((tmp_path / "review" / "20-peaks.html").as_uri())
    figure = page.locator("#fig-peaks")
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_class(re.compile("is-interactive"))
    assert figure.locator(".figure-static").is_hidden()


def test_a_chart_comes_alive_when_seen_and_follows_the_mode(site: Path, page: Any) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url.rpartition("/")[2]))
    page.goto((site / "20-peaks.html").as_uri())
    assert "plotly.min.js" not in requested
    figure = page.locator("#fig-peaks")
    figure.scroll_into_view_if_needed()
    page.wait_for_selector("#fig-peaks.is-interactive")
    assert requested.count("plotly.min.js") == 1
    assert page.locator("#fig-peaks .figure-static").is_hidden()
    buttons = page.locator("#fig-peaks .modebar-btn").evaluate_all(
        "buttons => buttons.map(button => button.dataset.title)"
    )
    assert not [title for title in buttons if re.search("share|cloud|plotly", title, re.I)]

    bar = "getComputedStyle(document.querySelector('#fig-peaks .points path')).fill"
    assert page.evaluate(bar) == "rgb(0, 98, 177)"
    page.locator(".theme-toggle").click()
    page.wait_for_function(f"() => {bar} !== 'rgb(0, 98, 177)'")
    page.locator("#fig-peaks .figure-toggle").click()
    assert page.locator("#fig-peaks .figure-static").is_visible()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator(".theme-toggle").get_attribute("aria-pressed") == "true"


FILLS = """() => {
  const frame = document.querySelector("#fig-peaks .figure-frame");
  const live = document.querySelector("#fig-peaks .figure-live");
  const shown = live.getBoundingClientRect();
  return Number(live.dataset.frame) === frame.clientWidth && frame.scrollWidth === frame.clientWidth
    && frame.scrollHeight === frame.clientHeight
    && Math.abs(shown.width - frame.clientWidth) < 1
    && live.querySelector(".main-svg").clientWidth === live.clientWidth;
}"""


def test_a_chart_fills_its_frame_whenever_the_window_changes(site: Path, page: Any) -> None:
    page.goto((site / "20-peaks.html").as_uri())
    page.locator("#fig-peaks").scroll_into_view_if_needed()
    page.wait_for_selector("#fig-peaks.is-interactive")
    for width in (1700, 1300, 390, 768, 320):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function(FILLS)


def test_a_layout_that_fails_stops_no_later_one(site: Path, chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(PATIENCE_MS)
    page.goto((site / "20-peaks.html").as_uri())
    page.locator("#fig-peaks").scroll_into_view_if_needed()
    page.wait_for_selector("#fig-peaks.is-interactive")
    page.evaluate(
        """() => {
          const { react } = Plotly;
          Plotly.react = () => {
            Plotly.react = react;
            throw new Error("no room");
          };
        }"""
    )
    with page.expect_console_message(lambda message: "no room" in message.text):
        page.locator(".theme-toggle").click()
    page.set_viewport_size({"width": 700, "height": 844})
    page.wait_for_function(FILLS)
    page.close()


def test_a_narrow_chart_breaks_its_title_and_keeps_it_off_the_legend(
    book: Book, page: Any, tmp_path: Path
) -> None:
    spec = chart()
    title = "A finding that needs far more than one line where there is room for little"
    spec["layout"] |= {
        "title": {"text": title, "x": 0, "xref": "container", "font": {"size": 15}},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"}, "showlegend": True,
        "margin": {"t": 64, "r": 24, "b": 52, "l": 84},
    }  # fmt: skip
    spec["data"] = [
        {**spec["data"][0], "text": None, "name": f"series of number {n}"} for n in range(5)
    ]
    made = with_figure(book, figure("fig-peaks", "1.1", spec=spec))
    render_site(made, Project(ROOT), tmp_path)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((tmp_path / "20-peaks.html").as_uri())
    page.locator("#fig-peaks").scroll_into_view_if_needed()
    page.wait_for_selector("#fig-peaks.is-interactive")
    box = "selector => document.querySelector(`#fig-peaks ${selector}`).getBoundingClientRect()"
    heading, legend, frame = (
        page.evaluate(f"selector => ({box})(selector).toJSON()", selector)
        for selector in (".gtitle", ".legend", ".figure-frame")
    )
    assert heading["right"] <= frame["right"]
    assert heading["bottom"] <= legend["top"]


def base(height: int = 400, **changes: Any) -> dict[str, Any]:
    """Give the layout of a chart as chapters have it."""
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    margin = {"t": 64, "r": 24, "b": 52, "l": 84}
    return {"width": 760, "height": height, "margin": margin, "legend": legend} | changes


def named_curves() -> go.Figure:
    made = go.Figure(layout=base(showlegend=False, xaxis={"range": [0, 28]}))
    for place, name in enumerate(("a queue that is read in order", "a queue that is searched")):
        made.add_scatter(x=[0, 10, 20], y=[1, 2, 3 + place], name=name)
        made.add_annotation(
            x=20, y=3 + place, text=name, showarrow=False, xanchor="left", xshift=10
        )
    return made


def named_rows() -> go.Figure:
    names = [f"A row with a name that takes half of a page, {n}" for n in "ABC"]
    made = go.Figure(layout=base(300, bargap=0.28))
    made.update_layout(margin_l=340, xaxis_range=[0, 4])
    made.update_yaxes(type="category", categoryarray=names, autorange="reversed")
    return made.add_bar(
        x=[1, 2, 3], y=names, orientation="h", text=["1.1", "2.2", "3.3"], textposition="outside"
    )


def panels_beside() -> go.Figure:
    made = go.Figure(layout={"template": "none"})
    made.set_subplots(cols=4, subplot_titles=[f"Panel of case {n}" for n in "ABCD"])
    made.update_layout(base())
    made.update_xaxes(title_text="Requesters in the test", tickformat=",d")
    for column in range(1, 5):
        made.add_scatter(x=[0, 100_000, 200_000], y=[1, 2, column], col=column, row=1)
    return made.update_layout(showlegend=False)


def many_bars() -> go.Figure:
    made = go.Figure(layout=base(yaxis={"range": [0, 120]}))
    for each in range(3):
        values = [100.5 + each] * 4
        made.add_bar(
            x=["2 KB", "20 KB", "200 KB", "2 MB"], y=values, text=[f"{v:.1f}" for v in values],
            textposition="outside", constraintext="none", textangle=0, name=f"series {each}",
        )  # fmt: skip
    return made


@pytest.mark.parametrize("drawn", [named_curves, named_rows, panels_beside, many_bars])
def test_a_wide_chart_fits_a_phone_with_all_its_words(
    book: Book, page: Any, tmp_path: Path, drawn: Any
) -> None:
    spec = json.loads(drawn().to_json())
    spec["layout"].pop("template", None)
    made = with_figure(book, figure("fig-peaks", "1.1", spec=spec))
    render_site(made, Project(ROOT), tmp_path)
    words = """() => {
      const live = document.querySelector("#fig-peaks .figure-live");
      const texts = [...live.querySelectorAll(".main-svg text")].filter(text => text.textContent);
      return {
        words: [...new Set(texts.filter(text => !text.closest("[class$=tick]"))
          .map(text => text.textContent))].sort(),
        least: Math.min(...texts.map(text => parseFloat(getComputedStyle(text).fontSize)))
          * live.getBoundingClientRect().width / live.offsetWidth,
        annotations: live.querySelectorAll(".annotation-text").length,
        upright: live.querySelectorAll(".bartext-outside[transform*=rotate]").length,
      };
    }"""
    found = {}
    for width in (1300, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto((tmp_path / "20-peaks.html").as_uri())
        page.locator("#fig-peaks").scroll_into_view_if_needed()
        page.wait_for_selector("#fig-peaks.is-interactive")
        assert page.evaluate(FILLS), width
        found[width] = page.evaluate(words)
    wide, phone = found[1300], found[390]
    names = [*wide["words"], *spec["layout"].get("yaxis", {}).get("categoryarray", [])]
    assert set(names) <= {*phone["words"]}
    assert phone["least"] >= 9.5
    if drawn is named_curves:
        assert (wide["annotations"], phone["annotations"]) == (2, 0)
    if drawn is many_bars:
        assert (wide["upright"], phone["upright"]) == (0, 12)


@pytest.mark.parametrize("margin", [70, 130])
def test_the_legend_stands_just_below_the_title_also_on_the_whole_screen(
    book: Book, page: Any, tmp_path: Path, margin: int
) -> None:
    title = {"text": "A finding", "x": 0, "y": 0.975, "yanchor": "top"}
    drawn = many_bars().update_layout(title=title, margin_t=margin)
    spec = json.loads(drawn.to_json())
    spec["layout"].pop("template", None)
    made = with_figure(book, figure("fig-peaks", "1.1", spec=spec))
    render_site(made, Project(ROOT), tmp_path)
    below_title = """least => {
      const part = name => document.querySelector(`#fig-peaks ${name}`);
      const bottom = part(".gtitle").getBoundingClientRect().bottom;
      const apart = part(".legend .bg").getBoundingClientRect().top - bottom;
      return part(".figure-live").offsetHeight > least && apart > 4 && apart < 18;
    }"""
    page.set_viewport_size({"width": 1300, "height": 844})
    page.goto((tmp_path / "20-peaks.html").as_uri())
    page.locator("#fig-peaks").scroll_into_view_if_needed()
    page.wait_for_selector("#fig-peaks.is-interactive")
    page.wait_for_function(below_title, arg=300)
    page.locator("#fig-peaks").get_by_role("button", name="Full screen").click()
    page.wait_for_function(below_title, arg=500)


def test_a_drawing_for_phones_stands_for_the_wide_one(
    book: Book, page: Any, tmp_path: Path
) -> None:
    narrow = SVG.replace("760", "300").replace("370,602", "narrow")
    drawn = replace(book.chapters[1].figures["fig-drawn"], narrow=narrow)
    render_site(with_figure(book, drawn), Project(ROOT), tmp_path)
    page.goto((tmp_path / "20-peaks.html").as_uri())
    for width, shown in ((1300, [True, False]), (390, [False, True])):
        page.set_viewport_size({"width": width, "height": 844})
        pictures = page.locator("#fig-drawn .figure-static svg")
        assert [picture.is_visible() for picture in pictures.all()] == shown
    frame = page.locator("#fig-drawn .figure-frame")
    assert frame.evaluate("frame => frame.scrollWidth === frame.clientWidth")


WHOLE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def test_the_smallest_library_that_knows_every_chart_is_taken(book: Book, tmp_path: Path) -> None:
    basic = chart_library(book, Project(ROOT))
    assert basic is not None
    assert basic.stat().st_size < 1_300_000
    spec = {"data": [{"type": "heatmap", "z": [[1]]}], "layout": {}}
    mapped = with_figure(book, figure("fig-map", "1.1", spec=spec))
    assert chart_library(mapped, Project(ROOT)) == WHOLE
    assert chart_library(replace(book, chapters=book.chapters[:1]), Project(ROOT)) is None


def test_the_small_library_is_of_the_same_version_as_the_whole_one() -> None:
    small = PACKAGE / "templates" / "html" / "vendor" / "plotly-basic.min.js"
    versions = [
        re.search(r"plotly\.js \(?[a-z -]*\)?\s*v([\d.]+)", path.read_text("utf-8")[:300])
        for path in (small, WHOLE)
    ]
    assert versions[0]
    assert versions[1]
    assert versions[0][1] == versions[1][1], "npm pack plotly.js-basic-dist-min@VERSION"


def test_search_is_used_by_keyboard(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("370,602 peaks")
    page.wait_for_selector("#search-results [role=option]")
    page.keyboard.press("ArrowDown")
    assert page.locator("#search").get_attribute("aria-activedescendant") == "search-result-0"
    page.keyboard.press("Escape")
    assert page.locator(".search-panel").is_hidden()
    page.keyboard.type(" mqi")
    page.wait_for_selector("#search-results [role=option]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/20-peaks.html#*")


def test_enter_leads_to_what_was_typed_last(site: Path, page: Any) -> None:
    page.goto((site / "90-data.html").as_uri())
    page.locator("#search").evaluate(
        """box => {  // all at once: the index is not loaded yet
          box.value = "370,602";
          box.dispatchEvent(new Event("input"));
          box.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
        }"""
    )
    page.wait_for_url("**/20-peaks.html#*")
    found = page.url
    # Results of other words are in the list, which Enter must not follow.
    page.fill("#search", "round trips")
    page.locator("#search-results [role=option]").first.wait_for()
    page.keyboard.press("Escape")
    page.fill("#search", "qqqqqqqq")
    page.keyboard.press("Enter")
    page.get_by_text("Nothing found").wait_for()
    assert page.locator("#search-results [role=option]").count() == 0
    assert page.url == found


def test_search_knows_numbers_however_written_and_things_by_their_names(
    book: Book, page: Any, tmp_path: Path
) -> None:
    row = (BodyCell("CRR", "left", kind="label", anchor="term-crr"), BodyCell("Sends a log."))
    spec = (BodyCell("CipherSpec", "left", kind="label", anchor="term-cipherspec"), BodyCell("x"))
    terms = table("tbl-terms", "B.1", header=(), rows=(row, spec), notes=(), csv="", sources=())
    other = table("tbl-other", "B.42", header=(), rows=(row,), notes=(), csv="", sources=())
    other = replace(other, caption="Of 42 messages, Table 80 of M2003 with M2003A, which M2003 has")
    own = table("tbl-own", "B.43", header=(), rows=(row,), notes=(), csv="", sources=())
    own = replace(own, caption="Appliance M2003, Table 8: one of many tables with a long name")
    text = (
        "## CRR and CRR {#sec-crr}\n\nSelf-signed CRR over shared file systems."
        f"{placeholder('table:tbl-terms')}{placeholder('table:tbl-other')}"
        f"{placeholder('table:tbl-own')}"
        "\n\n## One rate of others {#sec-share}\n\nSharing a CipherSpec leaves 42\u00a0% of it."
    )
    tables = {"tbl-terms": terms, "tbl-other": other, "tbl-own": own}
    words_of = chapter("91-words", "B", text, tables=tables)
    costs = chapter(
        "30-costs", "2",
        "## First {#sec-first}\n\nThe protocol of others has a cost that is not measured here.\n\n"
        "## Second {#sec-second}\n\nThe cost is that of protocol 2.1, which is measured here.",
    )  # fmt: skip
    render_site(replace(book, chapters=(*book.chapters, words_of, costs)), Project(ROOT), tmp_path)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((tmp_path / "index.html").as_uri())
    targets = {
        "370602": "#fig-peaks", "370 602": "#fig-peaks", "370.602": "#fig-peaks",
        "Figure 1.2": "#fig-drawn",
        "table A.1": "#tbl-03", "crr": "#term-crr", "Chapter 1": "20-peaks.html#sec-20-peaks",
        "appendix a": "#sec-90-data", "selfsigned": "#sec-crr", "section 1.1": "#sec-published",
        "filesystem": "#sec-crr", "shared filesystems": "#sec-crr",
        "cipher specs": "#term-cipherspec", "cipher spec sharing": "#sec-share",
        "42%": "#sec-share", "42 %": "#sec-share", "Table 8 M2003": "#tbl-own",
        "cost of protocol 2.1": "#sec-second", "what does protocol 2.1 cost": "#sec-second",
        "section 2.1": "#sec-first",
    }  # fmt: skip
    first = page.locator("#search-results [role=option] a").first
    for words, target in targets.items():
        page.fill("#search", words)
        expect(first).to_have_attribute("href", re.compile(f"{target}$"), timeout=PATIENCE_MS)
        panel = page.locator(".search-panel").bounding_box()
        assert panel["x"] >= 0
        assert panel["x"] + panel["width"] <= 390


@pytest.fixture(scope="module")
def long_table(book: Book, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with a table of forty rows in two groups."""
    sizes = ("20 KB", "256 B", "2 MB", "2 KB")
    rows = [
        row
        for group in ("first", "second")
        for row in (
            (BodyCell(group, "left", kind="group"),),
            *(
                (BodyCell(f"{group} {n} {'x' * 60}", "left", kind="label"), BodyCell(sizes[n % 4]),
                 BodyCell(f"{n * 777:,}"))
                for n in range(20)
            ),
        )
    ]  # fmt: skip
    header = ((HeaderCell("Row", align="left"), HeaderCell("Size"), HeaderCell("Rate")),)
    return with_table(book, header, tuple(rows), tmp_path_factory.mktemp("long"))


def test_the_head_of_a_group_is_read_whole_on_a_small_screen(
    book: Book, page: Any, tmp_path: Path
) -> None:
    header = ((HeaderCell("Row", align="left"), *(HeaderCell("Rate") for _ in range(9))),)
    group = (BodyCell("Persistent messages without TLS " * 3, "left", kind="group"),)
    row = (BodyCell("a", "left", kind="label"), *(BodyCell("123,456") for _ in range(9)))
    address = with_table(book, header, (group, row), tmp_path)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    region = page.locator("#tbl-one .table-scroll")
    for left, shift in ((0, 0), (999, 1)):
        region.evaluate("(region, left) => { region.scrollLeft = left; }", left)
        assert min(1, region.evaluate("region => region.scrollLeft")) == shift
        head = page.locator("#tbl-one tr.group span").bounding_box()
        assert head["x"] >= 0
        assert head["x"] + head["width"] <= 390


def test_words_in_heads_of_ten_columns_stay_whole_on_paper(
    book: Book, page: Any, tmp_path: Path
) -> None:
    header = ((HeaderCell("Campaign", align="left"), *(HeaderCell("Rate") for _ in range(9))),)
    row = (
        BodyCell("a", "left", kind="label"),
        *(BodyCell("1,234 of 56,789 runs") for _ in "123456789"),
    )
    address = with_table(book, header, (row,), tmp_path)
    page.set_viewport_size({"width": 400, "height": 1000})
    page.goto(address)
    page.emulate_media(media="print")
    lines = """head => {
      const text = document.createRange();
      text.selectNodeContents(head);
      return new Set([...text.getClientRects()].map(box => box.top)).size;
    }"""
    assert page.locator("#tbl-one thead th").first.evaluate(lines) == 1


def test_a_long_table_is_whole_and_gives_its_numbers_room_on_a_small_screen(
    long_table: str, page: Any
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(long_table)
    region = page.locator("#tbl-one .table-scroll")
    assert region.evaluate("e => e.scrollHeight == e.clientHeight")
    number = page.locator("#tbl-one tbody td").last.bounding_box()
    assert number["x"] + number["width"] <= 390
    page.emulate_media(media="print")
    assert page.locator("#tbl-one tbody tr").first.is_visible()
    assert region.evaluate("e => e.scrollHeight == e.clientHeight")


def test_a_long_table_is_sorted_within_its_groups_and_filtered(long_table: str, page: Any) -> None:
    page.goto(long_table)

    def column(number: int) -> list[str]:
        cells = page.locator(f"#tbl-one tbody:first-of-type tr:not(.group) > :nth-child({number})")
        return list(dict.fromkeys(cells.all_inner_texts()))

    before = column(3)
    head = page.locator("#tbl-one thead th").nth(1)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(2) == ["256 B", "2 KB", "20 KB", "2 MB"]
    head.get_by_role("button").click()
    assert column(2) == ["2 MB", "20 KB", "2 KB", "256 B"]
    head.get_by_role("button").click()
    assert column(3) == before
    page.locator("#tbl-one input").fill("second 14,763")
    assert page.locator("#tbl-one tbody tr:not(.group):visible").count() == 1
    assert page.get_by_text("1 of 40 rows").is_visible()
    assert page.locator("#tbl-one .group:visible").count() == 1


def test_rows_are_found_by_the_name_of_their_group_and_their_own(
    long_table: str, page: Any
) -> None:
    page.goto(long_table)
    groups = page.locator("#tbl-one .group").all_inner_texts()
    names = page.locator("#tbl-one tbody:last-of-type tr:not(.group) th").all_inner_texts()
    page.locator("#tbl-one input").fill(f"{groups[-1]}-{names[0]}")
    assert page.locator("#tbl-one .group:visible").all_inner_texts() == groups[-1:]
    page.locator("#tbl-one input").fill("no such row")
    assert page.locator("#tbl-one .group:visible").count() == 0


def test_a_table_of_sentences_is_filtered_on_a_small_screen(
    book: Book, page: Any, tmp_path: Path
) -> None:
    rows = tuple(
        (
            BodyCell(f"rule {n}", "left", kind="label"),
            BodyCell("As many words as fill it. " * 9, "left"),
            BodyCell("", "left"),
        )
        for n in range(40)
    )
    address = with_table(book, (), rows, tmp_path)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    assert page.locator("#tbl-one table.stacked").count() == 1
    page.locator("#tbl-one input").fill("rule 39")
    assert page.locator("#tbl-one tbody tr:visible").count() == 1


def test_a_long_table_of_words_and_many_columns_is_scrolled_and_not_its_page(
    book: Book, page: Any, tmp_path: Path
) -> None:
    row = [BodyCell("ECDHE_RSA_AES_128_CBC_SHA256", "left") for _ in range(8)]
    rows = tuple((BodyCell(f"point {n}", "left", kind="label"), *row) for n in range(40))
    address = with_table(book, (), rows, tmp_path)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(address)
    assert page.locator("#tbl-one table.stacked.many-columns").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_what_search_shows_of_a_text_begins_where_the_words_stand_together(
    book: Book, page: Any, tmp_path: Path
) -> None:
    text = (
        f"## Rates {{#sec-rates}}\n\n{'That statement rests on another rate. ' * 9} A log at rest."
    )
    words_of = chapter("91-words", "B", text)
    render_site(replace(book, chapters=(*book.chapters, words_of)), Project(ROOT), tmp_path)
    page.goto((tmp_path / "index.html").as_uri())
    page.fill("#search", "log at rest")
    found = page.locator("#search-results .search-snippet mark")
    expect(found).to_contain_text(["log", "at", "rest"], timeout=PATIENCE_MS)
    assert page.locator("#search-results mark").all_inner_texts()[-3:] == ["log", "at", "rest"]


def test_sorting_and_search_read_numbers_as_the_edition_writes_them(
    book: Book, page: Any, tmp_path: Path
) -> None:
    numbers = ["1.234", "98,5", "100", "-2,25", *(f"{n}.000.000" for n in range(9, 40))]
    rows = tuple((BodyCell(f"row {at}", "left", kind="label"), BodyCell(text))
                 for at, text in enumerate(numbers))  # fmt: skip
    header = ((HeaderCell("Row", align="left"), HeaderCell("Rate")),)
    edition = ReportParameters(version="1.0", number_format="1.234,5")
    page.goto(with_table(book, header, rows, tmp_path, edition=edition))
    page.locator("#tbl-one thead th").nth(1).get_by_role("button").click()
    cells = page.locator("#tbl-one tbody td").all_inner_texts()
    assert cells[:5] == ["-2,25", "98,5", "100", "1.234", "9.000.000"]
    status = page.locator(".search-status")
    for words in ("1.234", "1234", "1 234", "98,5"):
        page.fill("#search", words)
        expect(status).to_have_text("1 result", timeout=PATIENCE_MS)


@pytest.mark.parametrize(
    ("number_format", "as_printed", "cells"),
    [
        ("1.234,5", True, ["97.69", "(1,234)", "370,602*"]),
        ("1 234,5", False, ["<0,5", "20ms", "1\u202f234,5", "2\u00a0KB", "9.10"]),
        ("1,234.5", False, ["9.3.12", "9.4", "9.4.0", "9.10", "9.10.2"]),
        ("1,234.5", False, ["c8-r1", "c16-r1", "c128-r1"]),
        ("1,234.5", False, ["2026-02-28", "2026-11-03", "2026-11-21"]),
    ],
)
def test_sorting_knows_numbers_as_printed_and_what_is_more_than_a_number(
    book: Book, page: Any, tmp_path: Path, number_format: Any, as_printed: bool, cells: list[str]
) -> None:
    rows = tuple((BodyCell(str(at), "left", kind="label"), BodyCell(text))
                 for at, text in enumerate([*cells[1::2], *cells[::2][::-1]] * 10))  # fmt: skip
    header = ((HeaderCell("Row", align="left"), HeaderCell("Value")),)
    edition = ReportParameters(version="1.0", number_format=number_format)
    address = with_table(book, header, rows, tmp_path, as_printed=as_printed, edition=edition)
    page.goto(address + "?tbl-one.sort=2-up")
    assert list(dict.fromkeys(page.locator("#tbl-one tbody td").all_inner_texts())) == cells


def test_a_row_that_is_named_is_marked_whole(book: Book, page: Any, tmp_path: Path) -> None:
    row = (BodyCell("6.1", "left", kind="label", anchor="claim-x"), BodyCell("Holds", "left"))
    address = with_table(book, (), (row,), tmp_path)
    style = "node => [getComputedStyle(node).backgroundColor, getComputedStyle(node).outlineStyle]"
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{address}#claim-x")
        marked = page.locator("#claim-x").evaluate(style)[0]
        assert marked == page.locator("#claim-x ~ td").evaluate(style)[0] != "rgba(0, 0, 0, 0)"
        assert page.locator("tr:has(#claim-x)").evaluate(style)[1] == "solid"


def test_the_state_of_a_table_is_in_the_address(long_table: str, page: Any) -> None:
    page.goto(f"{long_table}#tbl-one")
    page.locator("#tbl-one thead th").nth(1).get_by_role("button").click(click_count=2)
    page.locator("#tbl-one input").fill("second 2")
    shown = page.locator("#tbl-one tbody tr:not(.group):visible").all_inner_texts()
    address = page.url
    assert "tbl-one.sort=2-down" in address
    assert address.endswith("#tbl-one")
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("#tbl-one thead th").nth(1).get_attribute("aria-sort") == "descending"
    assert page.locator("#tbl-one input").input_value() == "second 2"
    rows = page.locator("#tbl-one tbody tr:not(.group):visible")
    assert 0 < rows.count() < 40
    assert rows.all_inner_texts() == shown
    page.locator("#tbl-one thead th").nth(1).get_by_role("button").click()
    page.locator("#tbl-one input").fill("")
    assert page.url == f"{long_table}#tbl-one"


def test_a_state_that_cannot_be_is_passed_over(long_table: str, page: Any) -> None:
    for state in ("0-up", "999-down", "2-sideways", "%00", "<b>", "77-up&x=%E0"):
        page.goto(f"{long_table}?tbl-one.sort={state}")
        assert page.locator("#tbl-one tbody tr:not(.group):visible").count() == 40, state
        assert page.locator("#tbl-one [aria-sort]").count() == 0, state


def test_a_link_leads_to_what_is_filtered_out_and_one_that_cannot_be_read_nowhere(
    book: Book, page: Any, tmp_path: Path
) -> None:
    long = [(BodyCell(f"row {n}", "left", kind="label", anchor=f"row-{n}"),) for n in range(40)]
    parts: dict[str, tuple[Any, Any]] = {
        "tbl-one": ((tuple(long[0]),), ("rows", "One")),
        "tbl-two": ((tuple(long[1]),), ("rows", "Two")),
        "tbl-long": (tuple(long[2:]), None),
    }
    tables = {
        name: table(name, "1.1", header=(), rows=rows, notes=(), filter=of, sources=())
        for name, (rows, of) in parts.items()
    }
    body = "".join(placeholder(f"table:{name}") for name in tables)
    filtered = chapter("30-rows", "1", body, tables=tables)
    render_site(replace(book, chapters=(filtered,), anchors={}), Project(ROOT), tmp_path)
    page.goto(f"{(tmp_path / '30-rows.html').as_uri()}#50%")
    inputs = page.locator("main input[type=search]")
    assert inputs.count() == 2
    for target in ("row-1", "tbl-two", "row-20"):
        for at in range(2):
            inputs.nth(at).fill("no such row")
        assert page.locator(f"#{target}").is_hidden()
        page.evaluate("id => { location.hash = id; }", target)
        page.locator(f"#{target}").wait_for()


def test_plain_numbers_stand_right_without_naming_it(long_table: str, page: Any) -> None:
    page.goto(long_table)
    numbers = page.locator("#tbl-one tbody td:not([class])")
    assert numbers.count() >= 40
    looks = "e => { const s = getComputedStyle(e); return [s.textAlign, s.whiteSpace] }"
    assert numbers.first.evaluate(looks) == ["right", "nowrap"]


def test_a_number_says_its_source_before_it_leads_there(
    book: Book, chromium: Any, tmp_path: Path
) -> None:
    said = f'A rate of [370,602](#{CELL} "MQ V9.4, Table 3, row 1"){{.cell}}.'
    first = chapter("10-said", "1", said)
    render_site(replace(book, chapters=(first, *book.chapters[1:])), Project(ROOT), tmp_path)
    context = chromium.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto((tmp_path / "10-said.html").as_uri())
    link, note = page.locator("a.cell"), page.locator(".origin")
    assert note.is_hidden()
    link.tap()
    assert note.inner_text().startswith("MQ V9.4, Table 3, row 1")
    assert link.get_attribute("aria-describedby") == note.get_attribute("id")
    assert page.url.endswith("10-said.html")
    box = note.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    link.tap()
    page.wait_for_url(f"**/20-peaks.html#{CELL}")
    context.close()


def test_runs_of_one_point_are_said_in_one_go(book: Book, page: Any, tmp_path: Path) -> None:
    runs = [f"campaign a, run {run}, Rate (mean)" for run in ("p-c1-r1", "p-c1-r3", "q-c1-r1")]
    said = f'A share of [32\u00a0%](#{CELL} "{"; ".join(runs)}"){{.cell}}.'
    first = chapter("10-said", "1", said)
    render_site(replace(book, chapters=(first, *book.chapters[1:])), Project(ROOT), tmp_path)
    page.goto((tmp_path / "10-said.html").as_uri())
    page.locator("a.cell").hover()
    note = page.locator(".origin").inner_text()
    assert note == "campaign a, Rate (mean): runs p-c1-r1, r3; q-c1-r1"


@pytest.mark.parametrize("item", ["fig-peaks", "fig-drawn", "tbl-peaks"])
def test_a_figure_or_table_is_cited_with_its_address_and_edition(
    site: Path, page: Any, item: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((site / "20-peaks.html").as_uri())
    button = page.locator(f"#{item} [data-tool=cite]")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_label("Address").input_value().endswith(f"20-peaks.html#{item}")
    cited = dialog.get_by_label("Citation").input_value()
    name = page.locator(f"#{item} .number").inner_text()
    assert cited.startswith("A. Author: Messaging performance, version 1.0, 21 November 2026, ")
    assert f"commit f543374. {name}: Peak" in cited
    assert cited.endswith(f". 20-peaks.html#{item}")  # no place on the reader's own disk
    dialog.get_by_role("button", name="Copy citation").click()
    page.get_by_text(re.compile(r"Copied\.|Selected: copy it")).wait_for()
    assert dialog.get_by_label("Citation").evaluate("e => e.value.length === e.selectionEnd")
    box = dialog.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    assert dialog.is_hidden()
    assert button.evaluate("button => button === document.activeElement")


def test_a_saved_picture_carries_source_edition_and_fonts(
    site: Path, page: Any, tmp_path: Path
) -> None:
    page.goto((site / "20-peaks.html").as_uri())
    saved = {}
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.locator(f"#fig-peaks [data-tool={kind}]").click()
        assert download.value.suggested_filename == f"fig-peaks.{kind}"
        download.value.save_as(tmp_path / f"picture.{kind}")
        saved[kind] = (tmp_path / f"picture.{kind}").read_bytes()
    text = saved["svg"].decode()
    words = " ".join("".join(ElementTree.fromstring(text).itertext()).split())
    for part in (
        "370,602", "Figure 1.1: Peak rates.", "Source: MQ V9.4, Table 3.",
        "Messaging performance, version 1.0, 21 November 2026, commit f543374.",
    ):  # fmt: skip
        assert part in words
    assert text.count("url(&quot;data:font/woff2;base64,") + text.count('url("data:font/woff2') == 4
    assert not re.search(r"url\((?!\W*data:)", text)
    assert saved["png"].startswith(b"\x89PNG")
    assert int.from_bytes(saved["png"][16:20]) == 2 * 760
    # What the text under the picture is drawn on is white, and the text is there.
    dark = page.evaluate(
        """async address => {
          const picture = new Image();
          picture.src = address;
          await picture.decode();
          const canvas = Object.assign(document.createElement("canvas"),
                                       {width: picture.width, height: picture.height});
          const pen = canvas.getContext("2d");
          pen.drawImage(picture, 0, 0);
          const {data} = pen.getImageData(0, 800, picture.width, picture.height - 800);
          let count = 0;
          for (let at = 0; at < data.length; at += 4) count += data[at] < 128;
          return [data[0], count];
        }""",
        "data:image/png;base64," + b64encode(saved["png"]).decode(),
    )
    assert dark[0] == 255
    assert dark[1] > 500


@pytest.mark.parametrize("item", ["fig-peaks", "fig-drawn", "tbl-peaks"])
def test_a_figure_or_table_takes_the_whole_screen(site: Path, page: Any, item: str) -> None:
    page.goto((site / "20-peaks.html").as_uri())
    page.locator(f"#{item}").scroll_into_view_if_needed()
    if item == "fig-peaks":
        page.wait_for_selector("#fig-peaks.is-interactive")
    button = page.locator(f"#{item} [data-tool=screen]")
    button.click()
    page.wait_for_function("() => document.fullscreenElement")
    assert page.evaluate("document.fullscreenElement.id") == item
    if item == "fig-peaks":  # the chart takes the room that is there
        page.wait_for_function(
            "() => document.querySelector('#fig-peaks .figure-live').clientHeight > 430"
        )
    assert button.is_visible()
    button.click()
    page.wait_for_function("() => !document.fullscreenElement")
    if item == "fig-peaks":
        page.wait_for_function(
            "() => document.querySelector('#fig-peaks .figure-live').clientHeight === 400"
        )


def test_tools_move_nothing_and_are_not_printed(site: Path, chromium: Any, page: Any) -> None:
    for scripts in (True, False):
        context = chromium.new_context(java_script_enabled=scripts)
        plain = context.new_page()
        plain.goto((site / "20-peaks.html").as_uri())
        tools = plain.locator("#tbl-peaks button:visible").count()
        assert tools == (2 if scripts else 0)
        context.close()
    page.goto((site / "20-peaks.html").as_uri())
    foot = page.locator("#fig-peaks .item-foot")
    before = foot.bounding_box()["height"]
    page.locator("#fig-peaks").scroll_into_view_if_needed()
    page.wait_for_selector("#fig-peaks.is-interactive")
    assert foot.bounding_box()["height"] == before
    page.emulate_media(media="print")
    assert page.locator(".actions:visible").count() == 0


def test_pages_lead_from_one_to_the_next_on_a_small_screen(site: Path, page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((site / "20-peaks.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".nav-toggle").click()
    page.locator(".site-nav a[href='90-data.html']").click()
    page.wait_for_url("**/90-data.html")
    page.locator(".pager-previous").click()
    page.wait_for_url("**/20-peaks.html")


def test_without_the_chart_library_the_picture_stays(
    site: Path, tmp_path: Path, chromium: Any
) -> None:
    shutil.copytree(site, tmp_path / "html")
    (tmp_path / "html" / "assets" / "vendor" / "plotly.min.js").unlink()
    page = chromium.new_page()
    with page.expect_console_message(lambda message: "static picture" in message.text):
        page.goto((tmp_path / "html" / "20-peaks.html").as_uri())
        page.locator("#fig-peaks").scroll_into_view_if_needed()
    assert page.locator("#fig-peaks .figure-static svg").is_visible()
    assert page.locator("#fig-peaks .figure-toggle").is_hidden()
    page.close()


def test_without_scripts_everything_can_be_read(site: Path, chromium: Any) -> None:
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    page.goto((site / "20-peaks.html").as_uri())
    assert page.locator("#fig-peaks svg").is_visible()
    assert page.locator("#site-nav a[href='90-data.html']").is_visible()
    assert page.locator(".theme-toggle").is_hidden()
    assert page.locator(".site-search").is_hidden()
    context.close()


def test_print_shows_the_static_picture(site: Path, page: Any) -> None:
    page.goto((site / "20-peaks.html").as_uri())
    page.locator("#fig-peaks").scroll_into_view_if_needed()
    page.wait_for_selector("#fig-peaks.is-interactive")
    page.emulate_media(media="print")
    assert page.locator("#fig-peaks .figure-static").is_visible()
    assert page.locator("#fig-peaks .figure-live").is_hidden()
    assert page.locator(".site-header").is_hidden()
