"""The site of the whole report in a browser: what a reader does, on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import nbformat
import pytest

from conftest import Report
from workshop import PATIENCE_MS, V94, read_csv

# Texts of a chart that lie on one another: more than a stroke across, and a third of their height
TOUCHING = """figure => {
  const boxes = [...figure.querySelectorAll(".figure-live .main-svg text")]
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([words, box]) => words.trim() && box.width && box.height);
  return boxes.flatMap(([words, a], at) => boxes.slice(at + 1)
    .filter(([, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      return across > 1 && down > Math.min(a.height, b.height) / 3;
    })
    .map(([others]) => `${words} / ${others}`));
}"""


FRAMED = """figure => {
  const frame = figure.querySelector(".figure-frame");
  const live = figure.querySelector(".figure-live").getBoundingClientRect();
  return [frame.clientWidth, frame.scrollWidth, Math.round(live.width)];
}"""


class Visit:
    """A page of the browser, and everything that went wrong on it."""

    def __init__(self, chromium: Any, **settings: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light", **settings}
        self.context = chromium.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.problems: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("requestfailed", self._lost)
        self.page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _lost(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # as when a reader goes on before all is there
            self.problems.append(f"lost {request.url}: {request.failure}")

    def _request(self, request: Any) -> None:
        if urlparse(request.url).scheme not in ("file", "data", "blob"):
            self.problems.append(f"request to {request.url}")

    def open(self, path: Path, fragment: str = "") -> Any:
        self.page.goto(path.as_uri() + (f"#{fragment}" if fragment else ""))
        return self.page


@pytest.fixture
def visit(chromium: Any) -> Iterator[Visit]:
    made = Visit(chromium)
    yield made
    made.context.close()
    assert made.problems == []


def in_book_order(report: Report) -> list[str]:
    """Give the pages in the order of the navigation."""
    text = (report.html / "index.html").read_text(encoding="utf-8")
    nav = text[text.index('id="site-nav"') : text.index("</nav>")]
    names = [name for name in re.findall(r'href="([^"#]+)"', nav) if name.endswith(".html")]
    return [name for name in names if name != report.comparison.name]


def test_every_page_is_reached_by_next_and_by_the_sidebar(report: Report, visit: Visit) -> None:
    names = in_book_order(report)
    assert sorted(names) == [path.name for path in report.pages]
    page = visit.open(report.html / "index.html")
    for name in names[1:]:
        page.click("a.pager-next")
        page.wait_for_url(f"**/{name}")
    assert page.locator("a.pager-next").count() == 0
    for name in names[::-1]:
        page.click(f"#site-nav a[href='{name}']")
        page.wait_for_url(f"**/{name}")
        current = page.locator("#site-nav a[aria-current=page]")
        assert current.count() == 1
        assert current.get_attribute("href") == name
        assert page.locator("h1").count() == 1


def test_every_figure_of_every_page_comes_alive(report: Report, visit: Visit) -> None:
    alive = 0
    for name in in_book_order(report):
        page = visit.open(report.html / name)
        figures = page.locator("figure[data-interactive]")
        for position in range(figures.count()):
            figure = figures.nth(position)
            figure.scroll_into_view_if_needed()
            figure.locator(".figure-live .main-svg").first.wait_for()
            assert "is-interactive" in (figure.get_attribute("class") or "")
            assert figure.locator(".figure-live").get_attribute("aria-label")
            assert figure.evaluate(TOUCHING) == [], f"{name}, figure {position + 1}"
            alive += 1
    assert alive >= 12


# What of a chart's bars lies under its legend.
COVERED = """figure => {
  const legend = figure.querySelector(".figure-live .legend .bg")?.getBoundingClientRect();
  return [...figure.querySelectorAll(".figure-live .cartesianlayer .point path")]
    .map(bar => bar.getBoundingClientRect())
    .filter(bar => legend && Math.min(bar.right, legend.right) - Math.max(bar.left, legend.left) > 1
      && Math.min(bar.bottom, legend.bottom) - Math.max(bar.top, legend.top) > 1).length;
}"""


@pytest.mark.parametrize("width", [390, 1300])
def test_every_chart_fills_its_frame_and_no_more(report: Report, chromium: Any, width: int) -> None:
    visit = Visit(chromium, viewport={"width": width, "height": 844})
    pages = ("05-highlights", "50-tls", "60-high-availability", "84-legacy")
    for name in (f"{page}.html" for page in pages):
        page = visit.open(report.html / name)
        for figure in page.locator("figure[data-interactive]").all():
            figure.scroll_into_view_if_needed()
            figure.locator(".figure-live .main-svg").first.wait_for()
            frame, scrolled, live = figure.evaluate(FRAMED)
            assert frame < width, figure.get_attribute("id")
            # On a phone a frame may scroll rather than show texts too small to read.
            assert scrolled == live, figure.get_attribute("id")
            widest = 0.8 * 760 if width == 390 else frame
            assert frame <= live <= widest, figure.get_attribute("id")
            assert figure.evaluate(TOUCHING) == [], figure.get_attribute("id")
            assert figure.evaluate(COVERED) == 0, figure.get_attribute("id")
    visit.context.close()
    assert visit.problems == []


def test_a_chart_answers_the_pointer_and_the_toggle(report: Report, visit: Visit) -> None:
    page = visit.open(report.html / "20-compression.html")
    figure = page.locator("figure[data-interactive]").first
    figure.scroll_into_view_if_needed()
    figure.locator(".figure-live .main-svg").first.wait_for()
    assert not figure.locator(".figure-static").is_visible()
    figure.locator(".figure-live .point path").first.hover(force=True)
    figure.locator(".hoverlayer .hovertext").first.wait_for()
    assert "%" in (figure.locator(".hoverlayer").text_content() or "")
    figure.locator(".figure-toggle").click()
    assert figure.locator(".figure-static").is_visible()
    assert not figure.locator(".figure-live").is_visible()


def test_a_number_in_the_text_leads_to_its_marked_cell(report: Report, visit: Visit) -> None:
    page = visit.open(report.html / "30-nonpersistent.html")
    link = page.locator("main p a[href*='#cell-']").first
    number = link.inner_text().replace("\u00a0", " ").split(" ")[0]
    link.hover()
    assert "Table" in page.get_by_role("tooltip").inner_text()
    link.click()
    page.wait_for_url("**/95-source-tables.html#cell-*")
    anchor = unquote(urlparse(page.url).fragment)
    cell = page.locator(f"[id='{anchor}']")
    assert cell.is_visible()
    assert cell.inner_text().strip() == number
    assert page.evaluate("id => document.getElementById(id).matches(':target')", anchor)
    plain, marked = (
        page.evaluate("node => getComputedStyle(node).backgroundColor", handle.element_handle())
        for handle in (page.locator("td[id^='cell-']").last, cell)
    )
    assert plain != marked
    box = cell.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 800


def test_every_link_and_every_file_of_the_site_exists(report: Report, visit: Visit) -> None:
    """Follow each address of each page on the disk; anchors too."""
    anchors: dict[Path, set[str]] = {}

    def ids(path: Path) -> set[str]:
        if path not in anchors:
            text = path.read_text(encoding="utf-8")
            anchors[path] = set(re.findall(r'\sid="([^"]+)"', text))
        return anchors[path]

    counted = 0
    pages = [*report.pages, report.comparison, *report.html.glob("review/*.html")]
    for path in pages:
        text = re.sub(r"<script.*?</script>|<code.*?</code>|<pre.*?</pre>", "",
                      path.read_text(encoding="utf-8"), flags=re.DOTALL)  # fmt: skip
        for address in re.findall(r'\s(?:href|src)="([^"]*)"', text):
            parsed = urlparse(address.replace("&amp;", "&"))
            if parsed.scheme:
                assert parsed.scheme in ("https", "data", "mailto"), address
                continue
            assert not parsed.path.startswith("/"), "the site can be read wherever it lies"
            target = path.parent / unquote(parsed.path) if parsed.path else path
            assert target.is_file(), f"{path.name}: {address}"
            if parsed.fragment and target.suffix == ".html":
                assert unquote(parsed.fragment) in ids(target), f"{path.name}: {address}"
            counted += 1
    assert counted > 1000
    ids_of_page = re.findall(r'\sid="([^"]+)"', report.pages[0].read_text(encoding="utf-8"))
    assert len(ids_of_page) == len(set(ids_of_page))
    visit.open(report.html / "index.html")


def test_every_point_to_compare_leads_to_its_cell(report: Report, visit: Visit) -> None:
    page = visit.open(report.comparison)
    data = page.evaluate("() => window.roundtripComparison")
    texts = {path.name: path.read_text(encoding="utf-8") for path in report.pages}
    ids = {name: set(re.findall(r'\sid="([^"]+)"', text)) for name, text in texts.items()}
    assert len(data["series"]) > 100
    for each in data["series"]:
        for points in each["values"].values():
            assert {each["prefix"] + point[3] for point in points} <= ids[each["page"]]
    assert page.locator("[data-part=list] input").count() > 100


def test_downloads_notebooks_and_reviewers_pages(report: Report, visit: Visit) -> None:
    numbers = 0
    for path in report.html.glob("data/*.csv"):
        rows = read_csv(path.read_text(encoding="utf-8"))
        assert rows, path
        assert None not in rows[0].values(), path
        numbers += len(rows)
    assert numbers > 500
    for path in report.pages:
        name = "00-about" if path.stem == "index" else path.stem
        notebook = nbformat.read(report.html / "notebooks" / f"{name}.ipynb", as_version=4)
        nbformat.validate(notebook)
        assert any(cell.cell_type == "code" and cell.outputs for cell in notebook.cells)
        page = visit.open(report.html / "review" / f"{name}.html")
        assert page.locator("h1").count() >= 1
        assert page.locator("body > header a").get_attribute("href") == f"../{path.name}"
        assert page.locator("pre").count() >= 1
        captions = page.locator("figure .caption").all_inner_texts()
        assert captions == visit.open(path).locator("figure .caption").all_inner_texts()


def test_the_answer_stands_before_all_code(report: Report) -> None:
    answered = 0
    for path in report.pages:
        answer, found, _ = path.read_text(encoding="utf-8").partition(">The answer<")
        answered += bool(found)
        assert not found or '<details class="code">' not in answer, path
    assert answered > 10


def test_every_figure_and_table_of_a_chapter_is_mentioned_above_it(report: Report) -> None:
    lacking, found = [], 0
    for path in report.pages:
        if not path.name.startswith(tuple("012345678")):
            continue
        mentioned = {f"tbl-claims-in-{path.stem}", f"tbl-claims-here-{path.stem}"}
        for link, item in re.findall(
            r'<a href="#([^"]+)" class="ref"|<figure class="(?:figure|table)[^"]*" id="([^"]+)"',
            path.read_text(encoding="utf-8"),
        ):
            mentioned.add(link)
            found += bool(item)
            if item and item not in mentioned:
                lacking.append(item)
    # One sentence is on all drawings of the verdicts, however many there are.
    assert found > 200
    drawings = {f"fig-methodology-verdicts-{number}" for number in ("second", "third")}
    assert set(lacking) <= drawings | {"tbl-glossary"}


def test_without_scripts_all_pictures_and_tables_are_there(report: Report, chromium: Any) -> None:
    visit = Visit(chromium, java_script_enabled=False)
    pictures = 0
    for name in in_book_order(report):
        page = visit.open(report.html / name)
        static = page.locator("figure .figure-static:not(.figure-narrow) svg")
        for position in range(static.count()):
            box = static.nth(position).bounding_box()
            assert box is not None
            assert box["width"] > 200
            assert box["height"] > 100
            pictures += 1
        assert page.locator("main").is_visible()
        assert page.locator("#site-nav").count() == 1
    assert pictures >= 15
    visit.context.close()
    assert visit.problems == []


def test_every_printed_cell_has_its_permanent_anchor(report: Report) -> None:
    text = (report.html / "95-source-tables.html").read_text(encoding="utf-8")
    anchors = re.findall(r'id="(cell-[^"]+-r\d+c\d+)"', text)
    assert len(anchors) == len(set(anchors))
    assert len([anchor for anchor in anchors if anchor.startswith(f"cell-{V94}-")]) == 250


def test_the_first_page_is_light_and_charts_come_later(report: Report, visit: Visit) -> None:
    loaded: list[str] = []
    visit.page.on("request", lambda request: loaded.append(unquote(urlparse(request.url).path)))
    visit.open(report.html / "index.html")
    visit.page.wait_for_load_state("load")
    files = [Path(path) for path in loaded if path.startswith("/")]
    assert not [path.name for path in files if "plotly" in path.name]
    assert sum(path.stat().st_size for path in files) < 200_000


VERDICTS = re.compile(
    r"The two (agree|disagree)|The direction (agrees|differs)|Inconclusive|"
    r"reaches [\d,]+.%|differs significantly|"
    r"as computed|a difference|not significantly different|inconclusive|the same order|"
    r"be the limit|holds? the rate back"
)


def test_a_section_from_which_nothing_may_be_concluded_gives_no_verdict(report: Report) -> None:
    withheld = 0
    for page in sorted((report.folder / "html").glob("*.html")):
        text = re.sub(r"(?s)<(script|style|pre)\b.*?</\1>", "", page.read_text("utf-8"))
        # From the grade of a campaign to the next one, or to the next section.
        for part in re.split(r"(?=<h2\b)|(?=<p>Grade )", text):
            words = re.sub(r"<[^>]+>", "", re.sub(r'<svg[^>]*aria-label="([^"]*)"', r"\1", part))
            if words.startswith("Grade ") and "No conclusion here, because" in words:
                withheld += 1
                found = VERDICTS.search(words)
                assert found is None, f"{page.name}: {words[found.start() - 80 : found.end() + 40]}"
    assert withheld  # the edition has campaigns that fail a mandatory rule


def test_the_matrix_of_method_and_the_tally_are_on_their_page(report: Report) -> None:
    text = (report.folder / "html" / "88-methodology.html").read_text("utf-8")
    for name in ("fig-methodology-campaigns", "fig-methodology-sources"):
        assert f'id="{name}"' in text
    rules = (report.folder / "html" / "97-rules.html").read_text("utf-8")
    assert 'id="tbl-methodology-rules"' in rules
    assert re.search(
        r"Of \d+ comparisons, \d+ agrees?, [^<]*\. Pairs listed without a verdict: \d+\. "
        "The disagreements: ", text,
    )  # fmt: skip
    for page in (report.folder / "html").glob("*.html"):
        assert "<!--verdict" not in page.read_text("utf-8")
