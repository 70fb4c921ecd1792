"""The calculator: the answers of Python in the browser, its address, its refusals, its look."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import nbformat
import pytest

from roundtrip.cache import Cache
from roundtrip.errors import ChapterError
from roundtrip.observations import load_observations
from roundtrip.outputs import CALCULATOR
from roundtrip.params import ReportParameters
from roundtrip.present import Chapter
from roundtrip.present.calculator import Calculator
from roundtrip.project import Project
from roundtrip.publish.assembly import chapters_of
from roundtrip.publish.book import Book
from roundtrip.publish.book import Chapter as Page
from roundtrip.publish.book_definition import ChapterPlan
from roundtrip.publish.chapters.finalise import finalise
from roundtrip.publish.draft import draft_chapter
from roundtrip.publish.html.review import review_body
from roundtrip.publish.html.site import render_site
from roundtrip.publish.pandoc import parse_markdown
from roundtrip.publish.pdf.writer import chapter_to_typst
from roundtrip.publish.quarto.stage import stage_book
from roundtrip.sizing.answer import OTHER_MACHINE_NOTE, Answer, Answers, Sizing
from roundtrip.sizing.workload import CROSSINGS, Workload, load_workload, names_of
from roundtrip.theme import typeface
from support.sizing.sized import Sized
from test_accessibility import AXE, FINDINGS, RULES
from test_reading_conditions import CELLS, CONTROLS, CUT, PAPER, SCREENS, TYPESET
from workshop import PATIENCE_MS, ROOT

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "params" / "workloads" / "order-service.yml"
SHOWN = """() => ({
  status: document.querySelector(".calculator-status").textContent,
  rows: [...document.querySelectorAll(".calculator tbody")].map((body) => [
    body.querySelector("th").firstChild.textContent,
    ...[...body.querySelectorAll("td")].map((cell) => cell.textContent)]),
  notes: [...document.querySelectorAll(".calculator tbody th")].map((head) =>
    [...head.querySelectorAll(".note")].map((note) => note.textContent)),
  unanswered: [...document.querySelectorAll(".calculator dt")].map((reason) => {
    const names = [];
    for (let next = reason.nextSibling; next?.tagName === "DD"; next = next.nextSibling) {
      names.push(next.textContent);
    }
    return [reason.textContent, names];
  }),
})"""
# The page's own listener came first.
WITH = f"""(state) => new Promise((done) => {{
  addEventListener("hashchange", () => done(({SHOWN})()), {{ once: true }});
  location.hash = state;
}})"""


@pytest.fixture(scope="module")
def sizing() -> Sizing:
    return Sizing(load_observations(Project(ROOT)))


@pytest.fixture(scope="module")
def calculator(sizing: Sizing) -> Calculator:
    return Calculator(Chapter(folder=ROOT), sizing, load_workload(EXAMPLE, sizing.observations))


@pytest.fixture(scope="module")
def address(calculator: Calculator, tmp_path_factory: pytest.TempPathFactory) -> str:
    return written_page(calculator, tmp_path_factory.mktemp("calculator"))


def written_page(calculator: Calculator, target: Path) -> str:
    """Write the site of a chapter with a calculator, and give the address of its page."""
    content = json.loads(json.dumps(calculator._repr_mimebundle_(), allow_nan=False))[CALCULATOR]
    blocks = parse_markdown("``` {=roundtrip}\ncalculator:form\n```")["blocks"]
    page = Page("87-mine", "Mine", "sec-mine", "1", "chapter", blocks, calculator=content)
    edition = ReportParameters(version="1.0", title="Messaging performance")
    render_site(Book(edition, "", 0, (page,), {"sec-mine": page.name}), Project(ROOT), target)
    return (target / "87-mine.html").as_uri()


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.goto(address)
    yield page
    context.close()
    assert problems == []


def written(sized: Sized, answer: Answer) -> list[str]:
    """What the page shows of one system."""
    response = answer.no_response
    if answer.response is not None:
        milliseconds = answer.response.scaled(1000)
        response = sized.written(milliseconds)
        if answer.at_peak:
            response = f"{response.partition(' ')[0]} at peak"
    kinds = (answer.cores, answer.highest, answer.headroom)
    return [answer.model.system.label, *map(sized.written, kinds), response, answer.limited_by]


def expected(calculator: Calculator, workload: Workload) -> dict[str, Any]:
    """What the page has to show of a workload, by what Python computes and writes."""
    found: Answers = calculator.sizing.answers(workload)
    sized = Sized(calculator.chapter, calculator.sizing, workload, found)
    notes = []
    for one in found.answers:
        beyond = [f"beyond what was measured, which is {'; '.join(one.beyond)}"]
        memory = []
        if one.memory:
            least, most = (calculator.chapter.write(sized.quantity(each)) for each in one.memory)
            memory = [f"memory for {workload.connections} connections: {least}–{most} MB"]
        notes.append([*(beyond if one.beyond else []), *memory])
    reasons: dict[str, list[str]] = {}
    for name, why in found.unanswered.items():
        reasons.setdefault(why, []).append(name)
    return {
        **({} if found.answers else {"status": "No source supports an answer."}),
        "rows": [written(sized, one) for one in found.answers],
        "notes": notes,
        "unanswered": [[why, names] for why, names in reasons.items()],
    }


def random_workload(draw: random.Random, names: dict[str, list[str]]) -> dict[str, Any]:
    """A workload as a file may hold it, by dotted keys: most of them can be answered."""

    def number(low: float, high: float) -> float:
        return float(f"{low * (high / low) ** draw.random():.4g}")

    def often(usual: Any, other: Any) -> Any:
        return usual if draw.random() < 0.7 else other

    cut = draw.randint(1, 99)
    sizes = draw.sample(range(100, 200_000), 2)
    if draw.random() < 0.2:
        sizes = [2048, int(number(20, 50_000_000))]
    chosen = {
        "messages": often([(sizes[0], 100)], [(sizes[0], cut), (sizes[1], 100 - cut)]),
        "rate": number(1, 100_000),
        "rate_in_two_years": often(None, number(1, 100_000)),
        "connections": int(number(1, 20_000)),
        "workload": often("RR-CC", draw.choice([*CROSSINGS])),
        "delivery": draw.choice(["persistent", "nonpersistent"]),
        "syncpoint": often(None, draw.choice(names["syncpoint"])),
        "tls": often("none", draw.choice(names["tls"])),
        "compression": "none" if draw.random() < 0.95 else draw.choice(names["compression"]),
        "cores": often(None, draw.randint(1, 200)),
        "core_speed": often(1.0, number(0.1, 10)),
        "target_utilisation": number(0.05, 1),
        "client_gbps": often(None, number(0.01, 100)),
    }
    if chosen["rate_in_two_years"]:
        rates = sorted((chosen["rate"], chosen["rate_in_two_years"]))
        chosen["rate"], chosen["rate_in_two_years"] = rates
    for kind in ("ha", "replication"):
        chosen[kind] = often("none", draw.choice(names[kind]))
        if chosen[kind] != "none":
            chosen[f"{kind}_link.rtt_ms"] = often(0.0, number(0.1, 200))
            chosen[f"{kind}_link.gbps"] = often(None, number(0.01, 100))
    if chosen["delivery"] != "nonpersistent":
        chosen["log.mb_per_second"] = often(None, number(1, 5000))
        chosen["log.write_ms"] = often(0.0, number(0.01, 20))
        chosen["log.writes"] = often(4.0, number(0.5, 8))
    return chosen


def as_address(chosen: dict[str, Any]) -> str:
    texts = {key: "" if value is None else str(value) for key, value in chosen.items()}
    texts["messages"] = ", ".join(f"{size} {share}%" for size, share in chosen["messages"])
    return urlencode(texts, quote_via=quote)


def as_workload(chosen: dict[str, Any]) -> Workload:
    content: dict[str, Any] = {}
    for key, value in chosen.items():
        part, _, name = key.rpartition(".")
        (content.setdefault(part, {}) if part else content)[name] = value
    content["messages"] = [
        {"bytes": size, "share": share / 100} for size, share in chosen["messages"]
    ]
    return Workload.model_validate(content)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.thorough)])
def test_the_browser_answers_any_workload_as_python_does(
    page: Any, calculator: Calculator, number: int
) -> None:
    draw = random.Random(20)
    names = names_of(calculator.sizing.observations)
    answered = beyond = refused = 0
    for _ in range(number):
        chosen = random_workload(draw, names)
        shown = page.evaluate(WITH, as_address(chosen))
        wanted = expected(calculator, as_workload(chosen))
        assert {name: shown[name] for name in wanted} == wanted, chosen
        answered += bool(wanted["rows"])
        beyond += any("beyond" in note for notes in wanted["notes"] for note in notes)
        refused += any(": " in name for _, names in wanted["unanswered"] for name in names)
    assert min(answered, beyond, refused) > number / 6


def test_sizes_in_reasons_are_written_as_the_edition_writes_numbers(
    page: Any, calculator: Calculator, tmp_path: Path
) -> None:
    chapter = Chapter(folder=ROOT, number_format="1.234,5")
    page.goto(written_page(replace(calculator, chapter=chapter), tmp_path))
    reasons = [
        reason
        for cipher in names_of(calculator.sizing.observations)["tls"]
        for reason, _ in page.evaluate(WITH, f"messages=1000000&tls={cipher}")["unanswered"]
    ]
    assert any(" at 2.048 B only" in reason for reason in reasons)


def test_it_begins_with_the_workload_of_the_chapter(page: Any, calculator: Calculator) -> None:
    shown = page.evaluate(SHOWN)
    wanted = expected(calculator, calculator.workload)
    assert {name: shown[name] for name in wanted} == wanted
    assert shown["status"].startswith(f"Systems with an answer: {len(wanted['rows'])}. ")
    assert wanted["rows"][0][0] in shown["status"]
    assert page.evaluate("location.hash") == ""


def test_of_another_machine_it_says_what_is_not_known(page: Any) -> None:
    notes = page.locator(".calculator-results > .table-note")
    assert OTHER_MACHINE_NOTE not in notes.all_text_contents()
    page.get_by_label("Processor cores").fill("8")
    assert OTHER_MACHINE_NOTE in notes.all_text_contents()
    for row in page.evaluate(SHOWN)["rows"]:
        assert row[4] == "other machine"
        assert "requesters" not in row[5]


def test_the_address_keeps_what_was_changed(page: Any, calculator: Calculator) -> None:
    page.get_by_label("Rate now (round trips/s)").fill("1000")
    page.get_by_label("Sizes (B)").fill("2048 50%, 4096 50%")
    page.get_by_label("CipherSpec").select_option("none")
    page.get_by_label("High availability").select_option("none")
    assert page.get_by_label("Bandwidth of the HA link (Gb/s)").is_disabled()
    shown = page.evaluate(SHOWN)
    other = page.context.new_page()
    other.goto(page.url)
    assert other.evaluate(SHOWN) == shown
    assert other.get_by_label("Sizes (B)").input_value() == "2048 50%, 4096 50%"
    content = calculator.workload.model_dump(exclude={"tls", "ha", "ha_link"})
    halves = [{"bytes": 2048, "share": 0.5}, {"bytes": 4096, "share": 0.5}]
    workload = Workload.model_validate(content | {"messages": halves, "rate": 1000.0})
    wanted = expected(calculator, workload)
    assert {name: shown[name] for name in wanted} == wanted
    other.close()
    page.get_by_role("button", name="Start again").click()
    assert page.evaluate("location.hash") == "#calculator"
    assert page.get_by_label("Rate now (round trips/s)").input_value() == "800"


WRONG = [
    ("Rate now (round trips/s)", "-5", "Rate now: a number above 0 is needed."),
    ("Rate now (round trips/s)", "", "Rate now: a number above 0 is needed."),
    ("Rate now (round trips/s)", "1e9", "are above every rate that was measured."),
    ("Rate now (round trips/s)", "0x10", "Rate now: a number above 0 is needed."),
    ("Rate in two years (round trips/s)", "700", "Rate in two years: below the rate now;"),
    ("Processor cores", "1.5", "Processor cores: a whole number of 1 at least and"),
    ("Target utilisation (of the highest rate)", "2", "a number above 0 and of 1 at most"),
    ("Sizes (B)", "2048 60%", "Sizes: the shares add up to 60 %, not to 100 %."),
    ("Sizes (B)", "9 50%, 9 50%", "Sizes: a size is given twice."),
    ("Sizes (B)", "2 KB", "Sizes: sizes are needed, such as 2048 60%, 12288 40%."),
    ("Sizes (B)", "0", "Sizes: a whole number of 1 at least"),
    ("Sizes (B)", "1 0%, 2 100%", "Sizes: a share must be above 0."),
    ("Extra log write time over the source (ms)", "<img src=x>", "a number of 0 at least"),
]
HOSTILE = [
    "rate=-1", "rate=NaN", "rate=Infinity", "rate=1e999", "rate=", "tls=__proto__",
    "tls=constructor", "workload=toString", "ha=%3Cimg src=x onerror=alert(1)%3E",
    "messages=%3Cscript%3Ealert(1)%3C/script%3E", "messages=1 " + "9" * 5000 + "%25,",
    "cores=1.5&cores=2", "connections=99999999", "__proto__=1&rate=%00",
]  # fmt: skip


def test_a_wrong_value_is_said_and_nothing_is_computed(page: Any) -> None:
    for label, text, problem in WRONG:
        field = page.get_by_label(label)
        good, address = field.input_value(), page.evaluate("location.hash")
        field.fill(text)
        shown = page.evaluate(SHOWN)
        assert problem in shown["status"], text
        assert shown["rows"] == [], text
        assert field.get_attribute("aria-invalid") == "true", text
        beside = page.locator(f"[id='{field.get_attribute('aria-describedby')}']").inner_text()
        assert beside, text
        assert f": {beside}." in shown["status"], text
        assert page.evaluate("location.hash") == address, text
        field.fill(good)
        assert page.evaluate(SHOWN)["rows"], text


def test_values_in_the_address_that_are_wrong_are_told_and_ignored(page: Any) -> None:
    before = page.evaluate(SHOWN)
    for state in HOSTILE:
        shown = page.evaluate(WITH, state)
        told, _, status = shown.pop("status").partition(" The example’s values stand instead. ")
        assert told.startswith("Ignored in the address: ‘"), state
        assert {**shown, "status": status} == before, state
        assert page.locator(".calculator :is(img, script)").count() == 0, state


def test_the_page_says_which_values_of_an_address_it_ignores(page: Any) -> None:
    said = page.evaluate(WITH, "rate=abc&tls=NOPE&foo=1&cores=4")["status"]
    assert "‘foo=1’ (an unknown name); ‘rate=abc’ (a number above 0 is needed); ‘tls=NOPE’ " in said
    assert page.evaluate("location.hash") == "#cores=4"
    page.get_by_label("Rate now (round trips/s)").fill("900")
    assert page.evaluate(SHOWN)["status"].startswith("Systems with an answer")


def test_a_rate_above_the_later_rate_of_the_example_is_the_later_rate_too(page: Any) -> None:
    later = page.get_by_label("Rate in two years (round trips/s)")
    shown = page.evaluate(WITH, "rate=2000")
    assert shown["rows"]
    assert shown["status"].startswith("Rate in two years: as now, because the example’s is below")
    assert later.input_value() == ""
    assert page.evaluate("location.hash") == "#rate=2000&rate_in_two_years="
    assert page.evaluate(WITH, "rate=2000&rate_in_two_years=1500")["rows"] == []
    page.get_by_role("button", name="Start again").click()
    assert later.input_value() == "1500"
    page.get_by_label("Rate now (round trips/s)").fill("2000")
    assert page.evaluate(SHOWN) == shown
    later.fill("2500")
    assert page.evaluate(SHOWN)["status"].startswith("Systems with an answer")


@pytest.mark.parametrize(("width", "mode"), [(1360, "light"), (390, "dark")])
def test_axe_finds_nothing_and_nothing_runs_over_the_edge(
    chromium: Any, address: str, width: int, mode: str
) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=mode, bypass_csp=True
    )
    page = context.new_page()
    page.goto(address)
    page.evaluate(AXE.read_text("utf-8"))
    for rate in ("800", "none"):
        page.get_by_label("Rate now (round trips/s)").fill(rate)
        page.evaluate("document.querySelector('.calculator details')?.setAttribute('open', '')")
        assert page.evaluate(FINDINGS, RULES) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_is_cut_in_a_narrow_window_or_with_large_letters(
    chromium: Any, address: str, screen: str
) -> None:
    width, letters = SCREENS[screen]
    context = chromium.new_context(viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    sizes = {"standard": letters, "fixed": letters * 13 // 16}
    context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})
    page.goto(address)
    page.evaluate(TYPESET)
    assert page.evaluate(CUT, letters) == []
    context.close()


def test_on_paper_stand_the_answers_and_what_was_asked(page: Any) -> None:
    page.set_viewport_size({"width": PAPER, "height": 1000})
    page.get_by_label("High availability").select_option("none")
    asked = page.locator(".calculator .asked")
    assert not asked.is_visible()
    page.emulate_media(media="print")
    page.evaluate(TYPESET)
    assert asked.is_visible()
    said = asked.text_content()
    for part in ("Asked: Sizes: 2048 60%, 12288 40% B;", "Rate now: 800 round trips/s;",
                 "Syncpoint: as in each source;", "High availability: none;"):  # fmt: skip
        assert part in said
    assert "HA link" not in said
    assert page.locator(".calculator tbody tr").first.is_visible()
    assert page.evaluate(CELLS) == []
    assert page.evaluate(CONTROLS) == []


# --- in the other renderers ----------------------------------------------------------------------


def notebook(calculator: Calculator, times: int = 1) -> nbformat.NotebookNode:
    bundle = json.loads(json.dumps(calculator._repr_mimebundle_()))
    output = nbformat.v4.new_output("execute_result", bundle, execution_count=1)
    cells = [nbformat.v4.new_markdown_cell("# Mine {#sec-mine}")]
    cells += [nbformat.v4.new_code_cell("form", outputs=[output]) for _ in range(times)]
    return nbformat.v4.new_notebook(cells=cells)


def test_elsewhere_it_is_a_sentence(calculator: Calculator, tmp_path: Path) -> None:
    final = finalise(notebook(calculator), {}, "87-mine")
    draft = draft_chapter(
        final, ChapterPlan(Path("87-mine.ipynb"), "chapter", "1"), Cache(tmp_path / "cache")
    )
    chapters, _ = chapters_of([draft], {}, {}, {})
    typst = chapter_to_typst(chapters[0], typeface(Project(ROOT)))
    assert 'on #link("html/87-mine.html")[this chapter\'s page] of the site.' in typst
    assert "coefficients" not in typst
    book = Book(ReportParameters(version="1.0"), "", 0, chapters, {"sec-mine": "87-mine"})
    link = '<a href="../87-mine.html#calculator">the chapter’s page</a>'
    assert f"A calculator for other workloads is on {link}." in review_body(chapters[0], book)
    staged = tmp_path / "quarto"
    staged.mkdir()
    stage_book(Project(ROOT), book, {"87-mine": final}, staged, {})
    written = (staged / "87-mine.ipynb").read_text("utf-8")
    assert "calculator-data" in written
    assert "html/87-mine.html" in written
    for name in ("calculator.js", "css/calculator.css"):
        assert (staged / "assets" / name).is_file()


def test_a_second_calculator_on_a_page_is_refused(calculator: Calculator, tmp_path: Path) -> None:
    final = finalise(notebook(calculator, 2), {}, "87-mine")
    with pytest.raises(ChapterError, match="a second calculator"):
        draft_chapter(final, ChapterPlan(Path("87-mine.ipynb"), "chapter", "1"), Cache(tmp_path))
