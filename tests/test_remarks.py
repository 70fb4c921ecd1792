"""Remarks: written on the site by keyboard alone, exported, found again, answered."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from conftest import Report
from roundtrip.errors import ParameterError
from roundtrip.packet.contents import contents_of
from roundtrip.packet.pack import pack
from roundtrip.packet.verify import has_failed, verify
from roundtrip.project import Project
from roundtrip.remarks.chapter import remarks_writer
from test_accessibility import AXE, FINDINGS, RULES
from test_report_site import Visit
from workshop import (
    answer,
    change_yaml,
    copy_project,
    edit,
    manifest_of,
    read_csv,
    refused,
    roundtrip,
    tree_of,
)

Content = dict[str, Any]
SCRIPT = "<script>document.title = 'taken'</script>"


@pytest.fixture
def visit(chromium: Any) -> Iterator[Visit]:
    made = Visit(chromium)
    yield made
    made.context.close()
    assert made.problems == []


def press(page: Any, *keys: str) -> None:
    for each in keys:
        page.keyboard.press(each)


def opened(visit: Visit, report: Report, name: str) -> Any:
    """Open a page and, by keyboard, the panel of remarks."""
    page = visit.open(report.html / name)
    page.locator(".remarks-toggle").focus()
    press(page, "Enter")
    page.locator(".remarks").wait_for()
    return page


def chosen(page: Any) -> str:
    return str(page.locator(".remarks blockquote").text_content())


def choose(page: Any, key: str, wanted: Callable[[str], bool]) -> str:
    """Press an arrow key until what is wanted is chosen."""
    seen: list[str] = []
    while len(set(seen[-9:])) != 1 or len(seen) < 9:  # the end of the page
        press(page, key)
        seen.append(chosen(page))
        if wanted(seen[-1]):
            return seen[-1]
    return pytest.fail(f"never chosen: {dict.fromkeys(seen).keys()}")


def exported(page: Any, folder: Path) -> Path:
    """Export by keyboard, and give the file."""
    page.get_by_role("button", name="Export").focus()
    with page.expect_download() as download:
        press(page, "Enter")
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    return Path(target)


def test_nothing_is_loaded_until_remarks_are_asked_for(small: Report, visit: Visit) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    page = opened(visit, small, "10-peaks.html")
    loaded = [url for url in asked if "remarks" in url]
    assert len(loaded) == 2
    page.reload()  # stays open in this tab
    page.locator(".remarks").wait_for()
    press(page, "Escape")
    page.get_by_role("button", name="Close").focus()
    press(page, "Enter")
    assert page.locator(".remarks").is_hidden()
    assert page.evaluate("document.activeElement.className").endswith("remarks-toggle")
    asked.clear()
    page.reload()
    page.wait_for_load_state()
    assert not [url for url in asked if "remarks" in url]


def test_choosing_begins_with_enter(small: Report, visit: Visit) -> None:
    page = opened(visit, small, "10-peaks.html")
    press(page, "Enter")
    first = chosen(page)
    assert first
    press(page, "ArrowDown")
    assert chosen(page) != first
    press(page, "Enter")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"


def test_an_open_panel_follows_the_header_on_the_next_page(small: Report, visit: Visit) -> None:
    page = opened(visit, small, "10-peaks.html")
    page.reload()  # the panel stays open, and nothing has the focus
    page.locator(".remarks").wait_for()
    page.locator(".theme-toggle").focus()
    press(page, "Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('.remarks'))")


def test_a_reviewer_remarks_on_a_sentence_a_cell_and_a_figure_by_keyboard_alone(
    small: Report, visit: Visit, tmp_path: Path
) -> None:
    page = opened(visit, small, "10-peaks.html")
    choose(page, "ArrowDown", lambda text: text.startswith("The highest rate is"))
    press(page, "Enter")
    page.keyboard.type(f"Highest of what? {SCRIPT}")
    press(page, "Tab")
    page.keyboard.type("R. Viewer")
    press(page, "Tab", "Enter")
    page.get_by_text("Saved.").wait_for()
    page.get_by_role("button", name="Choose").focus()
    number = choose(page, "ArrowDown", lambda text: re.fullmatch(r"[\d,]{5,}", text) is not None)
    press(page, "Enter")
    page.keyboard.type("Round it.")
    press(page, "Tab", "Tab", "Enter")
    page.locator(".remarks-list li").nth(1).wait_for()
    page.get_by_role("button", name="Choose").focus()
    choose(page, "ArrowRight", lambda text: text.startswith("Figure"))
    press(page, "Enter")
    page.keyboard.type("Which link is this?")
    press(page, "Tab", "Tab", "Enter")
    page.locator(".remarks-list li").nth(2).wait_for()
    assert page.title() != "taken"
    file = exported(page, tmp_path)

    content = json.loads(file.read_text("utf-8"))
    assert (content["type"], content["total"]) == ("AnnotationCollection", 3)
    sentence, cell, figure = content["first"]["items"]
    assert sentence["body"][0]["value"] == f"Highest of what? {SCRIPT}"
    assert sentence["creator"]["name"] == "R. Viewer"
    assert sentence["target"]["selector"]["value"] == "sec-peaks"
    assert sentence["target"]["source"]["schema:version"] == small.folder.name
    assert cell["target"]["selector"]["value"] == "tbl-peaks"
    assert cell["target"]["selector"]["refinedBy"]["exact"] == number
    assert figure["target"]["selector"]["value"] == "fig-rr"

    done = answer("remarks", str(file), "--edition", str(small.folder), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert [row["status"] for row in json.loads(done.stdout)] == ["same"] * 3

    # Another reviewer, whose browser has nothing yet, reads the file and the answer in it.
    done = answer("remarks", str(file), "--answer", sentence["id"][9:17], "Of all sizes.")
    assert done.returncode == 0, done.stderr
    other = Visit(visit.context.browser)
    page = opened(other, small, "index.html")
    assert page.locator(".remarks-list li").count() == 0
    page.locator(".remarks input[type=file]").set_input_files(file)
    page.get_by_text("Imported 3.").wait_for()
    assert page.get_by_text("Answer: Of all sizes.").is_visible()
    page.reload()  # kept
    page.locator(".remarks-list li").nth(2).wait_for()
    link = page.locator(".remarks-list a").nth(1)
    link.focus()
    press(page, "Enter")
    page.wait_for_url("**/10-peaks.html#tbl-peaks")
    page.locator(".remarks-list li").nth(2).wait_for()
    page.locator(".remarks-list a").nth(1).focus()
    press(page, "Enter")
    assert page.evaluate("getSelection().toString()").strip() == number
    page.locator(".remarks-list li").nth(0).get_by_role("button", name="Delete").focus()
    press(page, "Enter")
    page.get_by_text("Deleted.").wait_for()
    assert page.locator(".remarks-list li").count() == 2
    other.context.close()
    assert other.problems == []


def test_words_selected_by_a_pointer_and_a_remark_that_is_edited(
    small: Report, visit: Visit
) -> None:
    page = opened(visit, small, "10-peaks.html")
    page.locator("main p", has_text="The highest rate is").dblclick(position={"x": 8, "y": 10})
    page.wait_for_function(
        "() => document.querySelector('.remarks blockquote').textContent === 'The'"
    )
    page.get_by_label("Remark", exact=True).fill("Which?")
    page.get_by_role("button", name="Save the remark").click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Remark", exact=True).fill("Which one?")
    page.get_by_role("button", name="Save the remark").click()
    assert page.locator(".remarks-list .remarks-text").all_text_contents() == ["Which one?"]
    # Where a filter hides the place, its address shows it again.
    page.locator("main p", has_text="The highest rate is").evaluate("p => { p.hidden = true; }")
    page.locator(".remarks-list a").click()
    page.wait_for_url("**/10-peaks.html#sec-peaks")


def save(page: Any, words: str) -> None:
    page.get_by_label("Remark", exact=True).fill(words)
    page.get_by_role("button", name="Save the remark").click()
    page.get_by_text("Saved.").wait_for()


def said_on(page: Any) -> list[str]:
    return list(page.locator(".remarks-list .remarks-text").all_text_contents())


def test_an_edited_remark_takes_its_own_place_whatever_another_tab_did(
    small: Report, visit: Visit
) -> None:
    page = opened(visit, small, "10-peaks.html")
    press(page, "Enter")
    save(page, "first")
    page.get_by_role("button", name="Edit").click()
    other = visit.context.new_page()
    other.goto(page.url)
    other.locator(".remarks-toggle").click()
    other.locator(".remarks").wait_for()
    press(other, "Enter")
    save(other, "second")
    page.locator(".remarks-list li").nth(1).wait_for()
    save(page, "first, edited")
    assert sorted(said_on(page)) == ["first, edited", "second"]
    # What an older page kept twice, or cannot be read, spoils nothing else.
    page.evaluate(
        """() => {
          const [[key, value]] = Object.entries(localStorage)
            .filter(([key]) => key.startsWith("roundtrip-remarks:"));
          const { remarks } = JSON.parse(value);
          const kept = JSON.stringify({ remarks: [...remarks, remarks[0], { id: "damaged" }] });
          localStorage.setItem(key, kept);
        }"""
    )
    page.reload()
    page.locator(".remarks-list li").nth(1).wait_for()
    assert sorted(said_on(page)) == ["first, edited", "second"]


def test_remarks_stay_where_a_server_leaves_out_the_end_of_addresses(
    small: Report, chromium: Any
) -> None:
    context = chromium.new_context()
    page = context.new_page()

    def serve(route: Any) -> None:
        name = route.request.url.partition("http://report.test/")[2]
        route.fulfill(path=small.html / (name if "." in name else f"{name}.html"))

    page.route("http://report.test/**", serve)
    page.goto("http://report.test/10-peaks")
    page.locator(".remarks-toggle").click()
    page.locator(".remarks").wait_for()
    press(page, "Enter")
    save(page, "Kept?")
    page.goto("http://report.test/index")
    page.locator(".remarks-list li").wait_for()
    link = page.locator(".remarks-list a").get_attribute("href")
    assert str(link).startswith("10-peaks.html#")
    context.close()


def test_what_is_exported_is_taken_whatever_was_typed_or_cut(
    small: Report, visit: Visit, tmp_path: Path
) -> None:
    newer = Report(small.project, Path(shutil.copytree(small.folder, tmp_path / "newer")))
    face = "\U0001f600"
    words = f"{face}{'x' * 62} Quoted {'y' * 62}{face}"
    edit(newer.html / "10-peaks.html", "<p>The highest rate is", f"<p>{words}</p><p>The highest")
    page = opened(visit, newer, "10-peaks.html")
    page.locator("main p", has_text="Quoted").evaluate(
        """node => {
          const at = node.firstChild.data.indexOf("Quoted");
          getSelection().setBaseAndExtent(node.firstChild, at, node.firstChild, at + 6);
        }"""
    )
    page.wait_for_function(
        "() => document.querySelector('.remarks blockquote').textContent === 'Quoted'"
    )
    page.get_by_label("Your name").fill("R.\u200f Viewer")
    save(page, f"Pasted: \u200e21/11/2026\x07 {face}")
    file = exported(page, tmp_path)
    done = answer("remarks", str(file), "--edition", str(newer.folder), "--format", "json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert found["status"] == "same"
    (kept,) = json.loads(file.read_text("utf-8"))["first"]["items"]
    assert kept["body"][0]["value"] == f"Pasted: 21/11/2026 {face}"
    assert kept["creator"]["name"] == "R. Viewer"


def test_links_to_files_of_a_chapter_are_no_place_for_a_remark(small: Report, visit: Visit) -> None:
    page = opened(visit, small, "10-peaks.html")
    chosen = """(node) => {
      getSelection().selectAllChildren(node);
      document.dispatchEvent(new Event("selectionchange"));
    }"""
    page.locator(".chapter-files a").first.evaluate(chosen)
    assert page.locator(".remarks blockquote").text_content() == ""
    page.locator("main p", has_text="The highest rate is").first.evaluate(chosen)
    assert page.locator(".remarks blockquote").text_content() != ""


def test_the_panel_is_accessible(small: Report, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.goto((small.html / "10-peaks.html").as_uri())
    page.locator(".remarks-toggle").click()
    page.locator(".remarks").wait_for()
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(FINDINGS, RULES) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


# ---- files ----

PEAK = "The highest rate is"


def remark(small: Report, exact: str, anchor: str = "sec-peaks", **around: str) -> Content:
    """Make a remark as the site does."""
    manifest = manifest_of(small.folder)["report"]
    number = f"{abs(hash((exact, anchor))) % 16**12:012x}"
    return {
        "id": f"urn:uuid:00000000-0000-4000-8000-{number}",
        "type": "Annotation",
        "motivation": "commenting",
        "created": "2026-11-21T10:00:00.000Z",
        "body": [
            {"type": "TextualBody", "format": "text/plain", "purpose": "commenting",
             "value": "Is that so?"}
        ],
        "target": {
            "source": {"id": "10-peaks.html", "schema:name": manifest["title"],
                       "schema:version": manifest["version"]},
            "selector": {
                "type": "FragmentSelector",
                "conformsTo": "http://tools.ietf.org/rfc/rfc3236",
                "value": anchor,
                "refinedBy": {"type": "TextQuoteSelector", "exact": exact,
                              "prefix": around.get("prefix", ""),
                              "suffix": around.get("suffix", "")},
            },
        },
    }  # fmt: skip


def test_a_secret_in_a_remark_is_for_its_author_to_take_out(small: Report, tmp_path: Path) -> None:
    said = remark(small, "The highest rate")
    said["body"][0]["value"] = "It runs with password=Tr0ub4dor&3xyz9"
    file = tmp_path / "remarks.json"
    file.write_text(json.dumps(collection(said)), "utf-8")
    with pytest.raises(ParameterError, match="looks like a secret") as refusal:
        remarks_writer(file, "Any", "1.0.0")
    assert "ask its author" in str(refusal.value)
    assert "ROUNDTRIP_PASSWORD" not in str(refusal.value)


def collection(*remarks: Content) -> Content:
    page = {
        "id": "urn:uuid:00000000-0000-4000-8000-000000000001", "type": "AnnotationPage",
        "startIndex": 0, "items": list(remarks),
    }  # fmt: skip
    return {
        "@context": ["http://www.w3.org/ns/anno.jsonld", {"schema": "https://schema.org/"}],
        "id": "urn:uuid:00000000-0000-4000-8000-000000000000",
        "type": "AnnotationCollection",
        "label": "Remarks",
        "total": len(remarks),
        "first": page,
    }


def written(folder: Path, content: Content) -> Path:
    path = folder / "remarks.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_places_in_a_newer_edition_are_same_moved_changed_or_gone(
    small: Report, tmp_path: Path
) -> None:
    newer = Path(shutil.copytree(small.folder, tmp_path / "newer"))
    page = newer / "html" / "10-peaks.html"
    moved = "This sentence about queue managers stands elsewhere in the new edition."
    edit(page, "<p>The highest rate is", "<p>In this edition the highest rate is")
    index = newer / "html" / "index.html"
    edit(index, "</main>", f"<p>{moved}</p></main>")
    title = "The printed cells are in"
    file = written(
        tmp_path,
        collection(
            remark(small, title),
            remark(small, moved),
            remark(small, PEAK, suffix=" 370,602 round trips/s."),
            remark(small, "Nothing like this was ever printed in any edition.", "sec-gone"),
        ),
    )
    done = answer("remarks", str(file), "--edition", str(newer), "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["status"] for row in rows] == ["same", "moved", "changed", "gone"]
    assert rows[1]["page_now"] == "index.html"
    assert rows[2]["now"].endswith("the highest rate is")
    table = answer("remarks", str(file), "--edition", str(newer)).stdout
    assert "Is that so?" in table


def test_a_changed_cell_is_told_from_the_same_number_elsewhere(
    small: Report, tmp_path: Path
) -> None:
    newer = Path(shutil.copytree(small.folder, tmp_path / "newer"))
    page = newer / "html" / "10-peaks.html"
    text = page.read_text("utf-8")
    row = re.search(r'<tr><th scope="row"[^>]*>([^<]+)</th><td[^>]*>(?:<[^>]+>)*([\d,]+)', text)
    assert row is not None
    page.write_text(text[: row.start(2)] + "123,456" + text[row.end(2) :], "utf-8")
    label = " ".join(row[1].split())
    file = written(tmp_path, collection(remark(small, row[2], "tbl-peaks", prefix=f"{label} ")))
    done = answer("remarks", str(file), "--edition", str(newer), "--format", "json")
    (found,) = json.loads(done.stdout)
    assert (found["status"], found["now"]) == ("changed", "123,456")


def test_text_of_a_remark_cannot_steer_a_terminal(small: Report, tmp_path: Path) -> None:
    one = remark(small, PEAK)
    one["body"][0]["value"] = "[bold]markup[/bold] \u200b and <script>"
    done = answer(
        "remarks", str(written(tmp_path, collection(one))), "--edition", str(small.folder)
    )
    assert done.returncode == 0, done.stderr
    assert "[bold]markup[/bold] \\u200b and <script>" in done.stdout


def spoilt(small: Report, change: Callable[[Content, Content], object]) -> Content:
    one = remark(small, PEAK)
    content = collection(one)
    change(content, one)
    return content


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda all_, one: one["body"][0].update(value="\x1b[2J"), "hidden character U+001B"),
        (lambda all_, one: one["body"][0].update(value="a\u202eb"), "RIGHT-TO-LEFT OVERRIDE"),
        (lambda all_, one: one["body"][0].update(value="a\u200fb"), "RIGHT-TO-LEFT MARK"),
        (lambda all_, one: one["body"][0].update(value="a\rb"), "a carriage return"),
        (lambda all_, one: one["body"][0].update(valu="x"), "unknown key 'valu'"),
        (lambda all_, one: one["body"][0].update(format="text/html"), "text/plain"),
        (lambda all_, one: one["body"][0].update(value="x" * 10_001), "10000 characters"),
        (lambda all_, one: one["target"]["source"].update(id="../../x.html"),
         "must be the name of a page of the site, such as index.html (it is '../../x.html')"),
        (lambda all_, one: one.update(id="urn:uuid:x"), "must be urn:uuid: and the 36 characters"),
        (lambda all_, one: one.update(created="today"), "must be a time in UTC, such as"),
        (lambda all_, one: one["target"]["source"].update({"schema:version": 2}), "version"),
        (lambda all_, one: one["target"]["source"].update({"schema:name": "Another"}),
         "is about another report: 'Another'"),
        (lambda all_, one: all_.update({"@context": "https://example.org"}), "context"),
        (lambda all_, one: all_.update(total=7), "says 7 remarks and holds 1"),
        (lambda all_, one: all_.update(totl=1), "did you mean 'total'"),
        (lambda all_, one: all_.update(total=2) or all_["first"]["items"].append(one),
         "occurs twice"),
        (lambda all_, one: one["body"][0].update(purpose="replying"), "then the answers"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_the_site_exports_it_is_refused_with_the_reason(
    change: Callable[[Content, Content], object], says: str, small: Report, tmp_path: Path
) -> None:
    file = written(tmp_path, spoilt(small, change))
    refused(answer("remarks", str(file), "--edition", str(small.folder)), "remarks.json", says)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"[]", "must be a mapping"),
        (b'{"cells": [], "nbformat": 4}', "is missing"),
        (b'{"x": NaN}', "is no JSON"),
        (b'"' + b"x" * 5_000_000 + b'"', "holds more than any collection"),
    ],
    ids=["broken", "deep", "list", "notebook", "nan", "huge"],
)
def test_what_is_no_file_of_remarks_is_refused(
    content: bytes, says: str, small: Report, tmp_path: Path
) -> None:
    file = tmp_path / "remarks.json"
    file.write_bytes(content)
    done = answer("remarks", str(file), "--edition", str(small.folder))
    refused(done, "remarks.json", says, "remedy: name what 'Export' on the site saved")


def test_a_project_without_its_report_says_how_to_name_another(
    small: Report, tmp_path: Path
) -> None:
    file = written(tmp_path, collection(remark(small, PEAK)))
    project = copy_project(tmp_path / "project", ("_quarto.yml", "params"))
    done = answer("remarks", str(file), project=project)
    refused(done, "is not built", "with --edition")


def test_an_answer_names_one_remark_or_is_refused(small: Report, tmp_path: Path) -> None:
    file = written(tmp_path, collection(remark(small, PEAK)))
    before = file.read_bytes()
    refused(answer("remarks", str(file), "--answer", "ffff", "No."), "no remarks begin with 'ffff'")
    refused(answer("remarks", str(file), "--answer", "0000", " "), "the answer is empty")
    assert file.read_bytes() == before
    assert answer("remarks", str(file), "--answer", "0000", "Yes.").returncode == 0
    shown = answer("remarks", str(file), "--edition", str(small.folder)).stdout
    assert "Answer: Yes." in shown


def test_the_site_says_why_it_does_not_import_a_file(
    small: Report, visit: Visit, tmp_path: Path
) -> None:
    cases: dict[str, Callable[[Content, Content], object]] = {
        "Not imported: it is about another report: Another.":
            lambda all_, one: one["target"]["source"].update({"schema:name": "Another"}),
        "Not imported: it is about version 0.0.9":
            lambda all_, one: one["target"]["source"].update({"schema:version": "0.0.9"}),
        "Not imported: a remark lacks a part.": lambda all_, one: one.pop("target"),
        "Not imported: a remark names no page.":
            lambda all_, one: one["target"]["source"].update(id="javascript:alert(1)"),
        "Not imported: it is no collection": lambda all_, one: all_.update(type="Other"),
    }  # fmt: skip
    page = opened(visit, small, "10-peaks.html")
    for says, change in cases.items():
        page.set_input_files(".remarks input[type=file]", written(tmp_path, spoilt(small, change)))
        page.get_by_text(says).wait_for()
        assert page.locator(".remarks-list li").count() == 0, says


# ---- pages of a report ----


@pytest.fixture(scope="module")
def again(small: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A second edition, with a page of changes since the first, and one of remarks on it."""
    project = Project(tmp_path_factory.mktemp("again") / "project")
    shutil.copytree(small.project.root, project.root)
    for table in project.published.glob("*/table-0[36].csv"):  # one repeats the other
        edit(table, "370,602", "371,602")
    one = remark(small, PEAK, suffix=" 370,602")
    one["body"][0]["value"] = f"Is *that* so?\n\n{SCRIPT} #panic() $x$ [a](https://example.org)"
    one["body"].append({**one["body"][0], "purpose": "replying", "value": "It is `so`."})
    two = remark(small, "Nothing like this was ever printed in any edition.", "sec-gone")
    (project.root / "remarks.json").write_text(json.dumps(collection(one, two)), "utf-8")
    change_yaml(
        project.params / "report.yml",
        {"version": "0.2.0", "remarks": "remarks.json",
         "changes_since": f"reports/{small.folder.name}"},
    )  # fmt: skip
    done = roundtrip("build", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    return Report(project, project.reports / "0.2.0")


def words_of(page: Path) -> str:
    text = page.read_text("utf-8")
    main = text[text.index("<main") : text.index("</main>")]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main)).split())


@pytest.mark.thorough
def test_the_page_of_changes_begins_with_what_is_to_be_unlearned(again: Report) -> None:
    words = words_of(again.html / "changes-since.html")
    assert "What to unlearn" in words
    first = words.index("Verdicts on claims that differ from version 0.1.0: 0.")
    assert re.search(r"; without an interval: [1-9]\d*\. Other changes: [1-9]", words)
    row = words.index("370,602 371,602 +0.3 %")
    assert first < row < words.rindex("What the report was built from")
    assert "remarks.json" not in words
    assert "Table A.2" in words
    assert "Changes since 0.1.0" in (again.html / "index.html").read_text("utf-8")
    rows = read_csv((again.html / "data" / "tbl-changes-since-unlearn.csv").read_text("utf-8"))
    found = {(place, row["old"], row["new"]) for row in rows for place in row["where"].split("; ")}
    assert ("tbl-peaks: 2048, round_trip_rate", "370602", "371602") in found


@pytest.mark.thorough
def test_changed_cells_say_what_they_were(again: Report) -> None:
    page = (again.html / "10-peaks.html").read_text("utf-8")
    marked = re.findall(r'<t[dh][^>]*class="[^"]*changed"[^>]*title="([^"]*)"[^>]*>', page)
    assert marked == ["Was 370,602 in version 0.1.0"]


@pytest.mark.thorough
def test_remarks_are_text_on_their_page_and_lead_to_their_places(again: Report) -> None:
    page = (again.html / "remarks-and-answers.html").read_text("utf-8")
    words = words_of(again.html / "remarks-and-answers.html")
    assert f"Is *that* so? {SCRIPT} #panic() $x$ [a](https://example.org)" in words
    assert "<script>document" not in page
    assert 'example.org"' not in page
    assert "Remarks: 2, of which 1 answered." in words
    assert "Answer. It is `so`." in words
    assert "It is gone." in words
    assert "as version 0.1.0 had it. It is gone." in words
    assert "Not answered." in words
    assert 'href="10-peaks.html#sec-peaks"' in page


@pytest.mark.thorough
def test_both_pages_are_in_the_pdf(again: Report) -> None:
    text = " ".join("".join(page.extract_text() for page in PdfReader(again.pdf).pages).split())
    assert "What to unlearn" in text
    assert "371,602" in text
    assert "#panic()" in text


@pytest.mark.thorough
def test_a_report_with_both_pages_is_built_the_same_again_and_goes_into_a_packet(
    again: Report,
) -> None:
    done = roundtrip("build", "--engine", "embedded", project=again.project)
    assert "nothing changed" in done.stdout, done.stderr
    before = tree_of(again.folder)
    shutil.rmtree(again.folder)
    done = roundtrip("build", "--engine", "embedded", project=again.project)
    assert done.returncode == 0, done.stderr
    assert tree_of(again.folder) == before
    findings = verify(pack(again.project, contents_of(again.project, "0.2.0")), most=None)
    assert not has_failed(findings), [one for one in findings if one.outcome.value == "fail"]


@pytest.mark.parametrize(
    ("parameters", "parts"),
    [
        (["changes_since", "../elsewhere"], ["changes_since", "within the project"]),
        (["remarks", "/etc/passwd"], ["remarks", "within the project"]),
        (["changes_since", "reports/none"], ["reports/none", "no such archive or folder"]),
        (["changes_since", "notebooks"], ["neither a packet nor a built report"]),
        (["changes_since", "reports/0.1.0"], ["has the version of this one, 0.1.0"]),
        (
            ["changes_since", "reports/0.1.0", "-p", "version", "2", "-p", "title", "Other"],
            ["changes_since: is no edition of 'Other' but of another report, '", "diff OLD NEW"],
        ),
        (["remarks", "params/report.yml"], ["report.yml", "is no JSON"]),
    ],
)
def test_what_a_page_cannot_be_written_from_is_refused_before_anything_runs(
    parameters: list[str], parts: list[str], small: Report
) -> None:
    refused(answer("build", "-p", *parameters, project=small.project), *parts)
