"""What a chapter must be: its heading, its parameters, its cells, and what they may show."""

from __future__ import annotations

import ast
import html
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from roundtrip.cache import Cache
from roundtrip.errors import ChapterError, RenderError
from roundtrip.headings import headings_of
from roundtrip.outputs import PLOTLY, TABLE
from roundtrip.params import ReportParameters, parameter_model
from roundtrip.present import Chapter, Figure, Text, plain_table
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.present.repeats import repeat_margin
from roundtrip.project import Project
from roundtrip.publish import draft
from roundtrip.publish.assembly import chapters_of
from roundtrip.publish.book import Book
from roundtrip.publish.book_definition import BookDefinition, ChapterPlan, left_out
from roundtrip.publish.chapters.finalise import charts_of, finalise, outputs_of
from roundtrip.publish.chapters.lacking import without_lacking
from roundtrip.publish.chapters.notebooks import (
    declared_parameters,
    heading_of,
    options_of,
    read_notebook,
    read_options,
    static_labels,
    without_options,
)
from roundtrip.publish.draft import draft_chapter
from roundtrip.publish.html.review import write_review
from roundtrip.publish.pandoc import as_printed, parse_markdown, plain, walk
from roundtrip.publish.quarto.markdown import Addresses, staged_markdown
from workshop import ROOT, notebook, write_notebook

PLACE = Path("notebooks/10-x.ipynb")
MOST_LINES, LONGEST_CELL = 250, 25
KNOWN = {*parameter_model(ROOT / "params" / "parameters.yml").model_fields, "commit", "parameters"}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'


# --- the source ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb")))
def test_the_chapters_of_this_report_keep_the_rules(name: str) -> None:
    path = ROOT / "notebooks" / f"{name}.ipynb"
    chapter = read_notebook(path)
    title, label = heading_of(chapter, path)
    assert title
    assert label in static_labels(chapter)
    declared_parameters(chapter, path, KNOWN)
    for cell in chapter.cells:
        if cell.cell_type == "code":
            options_of(cell.source, name)
            assert "plotly" not in cell.source, "drawing belongs to roundtrip.present"
    tree = ast.parse("\n".join(cell.source for cell in chapter.cells if cell.cell_type == "code"))
    nodes = [*ast.walk(tree)]
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.asname or alias.name for node in imports for alias in node.names}
    bound = {
        one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    assert names.isdisjoint(bound), "a cell that is run again would find another thing by its name"
    lengths = [
        sum(bool(line.strip()) for line in cell.source.splitlines())
        for cell in chapter.cells
        if cell.cell_type == "code"
    ]
    assert sum(lengths) <= MOST_LINES, "what is long belongs into the chapter's module"
    assert max(lengths, default=0) <= LONGEST_CELL


def test_options_are_read_and_taken_off() -> None:
    source = '#| label: fig-a\n#| fig-cap: "A: b"\n#| fig-alt: What it shows\n\ndraw()\n#| x: y'
    options = {"label": "fig-a", "fig-cap": "A: b", "fig-alt": "What it shows"}
    assert options_of(source, "here") == options
    assert without_options(source) == "draw()\n#| x: y"
    assert options_of("draw()", "here") == {}


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("#| lable: fig-a", "unknown cell option 'lable' (did you mean 'label'?)"),
        ("#| echo: false", "unknown cell option 'echo'"),
        ("#| label: [a", "not valid YAML"),
        ("#| label: fig-a\n#| label: fig-b", "key 'label' is given twice"),
        ("#| just text", "must be 'key: value' lines"),
    ],
)
def test_wrong_options_are_refused(source: str, part: str) -> None:
    with pytest.raises(ChapterError) as caught:
        options_of(source, "10-x.ipynb: cell 4")
    assert str(caught.value).startswith("10-x.ipynb: cell 4")
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "first",
    ["Title", "## T {#sec-x}", "# T", "# {#sec-x}", "# T {#fig-x}", "\n# T {#sec-x}"],
)  # fmt: skip
def test_a_chapter_begins_with_its_heading(first: Any) -> None:
    with pytest.raises(ChapterError, match=r"cell 1: the first cell must begin with '# Title"):
        heading_of(notebook(first), PLACE)
    with pytest.raises(ChapterError):
        heading_of(notebook(), PLACE)
    with pytest.raises(ChapterError):
        heading_of(notebook(("code", "1")), PLACE)


def test_the_heading_gives_title_and_label() -> None:
    labels = ("fig-a", "tbl-a", '"fig-b"', "'tbl-b'")
    cells = [("code", f"#| label: {label}\nx") for label in labels]
    text = "# TLS: cost & gain {#sec-tls}\n\nText\n\n## More {#sec-tls-more}"
    chapter = notebook(text, *cells)
    assert heading_of(chapter, PLACE) == ("TLS: cost & gain", "sec-tls")
    figures = {"fig-a", "tbl-a", "fig-b", "tbl-b"}
    assert static_labels(chapter) == {"sec-tls", "sec-tls-more"} | figures


def test_headings_are_found_with_and_without_labels_and_never_in_code() -> None:
    text = "\n".join([
        "# TLS: cost {#sec-TLS_cost}", "Text # no", "```", "## Code {#sec-code}", "```",
        "## Loose {.annex}", "### Both {.annex #sec-both}  ", "#### Ä {#sec-ä key=1}\r", "## Plain",
        "{#sec-no}", "## Odd {#sec-a.b}", "## Figure {#fig-a}", "#none {#sec-none}",
    ])  # fmt: skip
    assert [(one.level, one.title, one.label, one.line) for one in headings_of(text)] == [
        (1, "TLS: cost", "sec-TLS_cost", 1), (2, "Loose", "", 6), (3, "Both", "sec-both", 7),
        (4, "Ä", "sec-ä", 8), (2, "Plain", "", 9), (2, "Odd", "", 11), (2, "Figure", "", 12),
    ]  # fmt: skip


def test_parameters_are_literals_of_the_report() -> None:
    chapter = notebook(
        "# T {#sec-t}", ("parameters", 'variants = []\nrate_unit = "x"\ncommit = ""')
    )
    assert declared_parameters(chapter, PLACE, KNOWN) == ["variants", "rate_unit", "commit"]
    assert declared_parameters(notebook("# T {#sec-t}"), PLACE, KNOWN) == []


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("variant = []", "unknown parameter of the report 'variant' (did you mean 'variants'?)"),
        ("variants, chapters = [], []", "may only assign defaults"),
        ("import os", "may only assign defaults"),
        ("print(1)", "may only assign defaults"),
        ("variants: list = []", "may only assign defaults"),
        ("variants = [", "is not Python"),
    ],
)
def test_a_wrong_parameters_cell_is_refused(source: str, part: str) -> None:
    chapter = notebook("# T {#sec-t}", ("parameters", source))
    with pytest.raises(ChapterError) as caught:
        declared_parameters(chapter, PLACE, KNOWN)
    assert str(caught.value).startswith(f"{PLACE}: cell 2: ")
    assert part in str(caught.value)


def test_two_parameters_cells_are_refused() -> None:
    chapter = notebook("# T {#sec-t}", ("parameters", "variants = []"), ("parameters", ""))
    with pytest.raises(ChapterError, match="several cells are tagged 'parameters'"):
        declared_parameters(chapter, PLACE, KNOWN)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cells": 3}', b"\xff\xfe", b"null"])
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(content)
    with pytest.raises(ChapterError, match="is not a valid notebook") as caught:
        read_notebook(path)
    assert "\n  remedy: restore it from git" in str(caught.value)
    with pytest.raises(ChapterError, match="does not exist"):
        read_notebook(tmp_path / "b.ipynb")


def test_a_raw_cell_is_refused_with_its_place(tmp_path: Path) -> None:
    chapter = notebook("# T {#sec-t}")
    chapter.cells.append(nbformat.v4.new_raw_cell("Words."))
    path = tmp_path / "a.ipynb"
    path.write_text(nbformat.writes(chapter), encoding="utf-8")
    with pytest.raises(ChapterError, match="cell 2: is a raw cell, which a report cannot hold"):
        read_notebook(path)


# --- outputs -------------------------------------------------------------------------------


def shown(source: str, *items: Any) -> nbformat.NotebookNode:
    """Give a code cell as papermill leaves it."""
    cell = nbformat.v4.new_code_cell(source)
    for item in items:
        if isinstance(item, dict):
            data = item
        elif isinstance(item, Text):
            data = {"text/markdown": item.markdown, "text/plain": "x"}
        else:
            data = json.loads(json.dumps(dict(item._repr_mimebundle_())))
        cell.outputs.append(nbformat.v4.new_output("display_data", data=data))
    return cell


def drawing(alt: str = "What it shows", **changes: Any) -> Figure:
    return Figure("Finding", "Caption", alt, svg=SVG, **changes)


def small_table(caption: str = "Words", **changes: Any) -> Any:
    table = plain_table(caption, ["a", "b"], [["x", "1"]])
    return type(table)(**{**vars(table), **changes})


def chapter_with(*cells: Any, heading: str = "# T {#sec-t}") -> nbformat.NotebookNode:
    made = notebook(heading)
    made.cells += cells
    return made


@pytest.mark.parametrize(
    ("cell", "part"),
    [
        (shown("draw()", drawing()), "shows a figure with the label ''"),
        (shown("#| label: tbl-a\ndraw()", drawing()), "shows a figure with the label 'tbl-a'"),
        (shown("x", small_table(label="tbl-../../out")), "a table with the label 'tbl-../../out'"),
        (shown("x", small_table(label="tbl-a\n```\n# B")), "allowed: tbl-name, of lower-case"),
        (shown("x", small_table(label="fig-a")), "shows a table with the label 'fig-a'"),
        (shown("list()", small_table()), "start the cell with '#| label: tbl-name'"),
        (shown("#| label: fig-a\nx", drawing(alt=" ")), "figure fig-a has no alt text"),
        (shown("#| label: fig-a\n#| fig-alt: ' '\nx", drawing()), "figure fig-a has no alt text"),
        (shown("1 + 1", {"text/plain": "2"}), "shows text/plain, which a report cannot hold"),
        (shown("frame", {"text/html": "<table>", "text/plain": ""}), "shows text/html, text/plain"),
        (shown("x", {}), "shows nothing, which a report cannot hold"),
        (shown("px()", {PLOTLY: {}}), "plotly_figure(…) takes a Plotly figure"),
    ],
)  # fmt: skip
def test_what_a_report_cannot_hold_is_refused(cell: Any, part: str) -> None:
    with pytest.raises(ChapterError) as caught:
        outputs_of(cell, "10-x.ipynb: cell 2")
    assert str(caught.value).startswith("10-x.ipynb: cell 2: ")
    assert part in str(caught.value)


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_printing_and_warnings_are_refused(name: str) -> None:
    cell = shown("print()")
    cell.outputs.append(nbformat.v4.new_output("stream", name=name, text="careful!\n"))
    with pytest.raises(ChapterError, match=f"prints to {name}: careful!"):
        outputs_of(cell, "here")


def test_a_chapter_without_output_is_refused() -> None:
    with pytest.raises(ChapterError, match="has code and no output"):
        finalise(chapter_with(shown("x = 1")), {}, "10-x.ipynb")


@pytest.mark.parametrize(
    ("paragraph", "stays"),
    [
        ("No item.", True),
        ("@fig-a shows it.", True),
        ("@fig-a shows what @fig-lacking does not.", True),
        ("@fig-other in another chapter.", True),
        ("@fig-lacking shows it.", False),
        ("- One (@fig-lacking)\n- and another (@tbl-lacking).", False),
        ("- One without any\n- and another (@tbl-lacking).", True),
        ("1. One without any\n2. and another (@tbl-lacking).", True),
        ("* One (@fig-lacking)\n  * without any", True),
        ("| Shown in |\n|---|\n| @fig-lacking |", True),
        ("## On it {#sec-it}\n@fig-lacking shows it.", True),
        ('::: {.callout-note title="The answer"}\nSee @fig-lacking.', True),
    ],
)
def test_a_paragraph_goes_with_the_items_that_an_edition_lacks(paragraph: str, stays: bool) -> None:
    source = chapter_with(
        nbformat.v4.new_markdown_cell(f"Before.\n\n{paragraph}\n\nAfter."),
        shown("#| label: fig-a\ndraw()", drawing()),
        shown("#| label: fig-lacking\ndraw()", Text("Not measured.")),
        shown("#| label: tbl-lacking\nNone"),
    )
    final = {"10-x": finalise(source, {}, "10-x.ipynb")}
    texts, lacking = without_lacking({"10-x": source}, final)
    assert lacking == {"fig-lacking": "Figure", "tbl-lacking": "Table"}
    (text,) = [one.source for one in texts["10-x"].cells if one.source.startswith("Before.")]
    assert text.split("\n\n") == ["Before.", *[paragraph] * stays, "After."]


def test_what_stands_beside_a_lacking_figure_stays() -> None:
    text = "See @fig-lacking.\n \nImportant.\n\nSee @fig-lacking:\n```\n@fig-lacking\n\nb\n```"
    figure = shown("#| label: fig-lacking\ndraw()", Text("Not measured."))
    source = chapter_with(nbformat.v4.new_markdown_cell(text), figure)
    final = {"10-x": finalise(source, {}, "10-x.ipynb")}
    found = without_lacking({"10-x": source}, final)[0]["10-x"].cells
    assert "Important.\n\n```\n@fig-lacking\n\nb\n```" in [cell.source for cell in found]


def test_a_chapter_of_text_alone_is_a_chapter() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Method\n\nText.")])
    assert finalise(notebook, {}, "10-x.ipynb").cells[0].source == "# Method\n\nText."


def test_every_item_gets_a_cell_with_caption_and_alt_text() -> None:
    tables = [small_table("One: 'a'", label="tbl-1"), small_table('Two "b"', label="tbl-2")]
    final = finalise(
        chapter_with(
            shown("both()", *tables), shown("#| label: fig-a\ndraw()", drawing()), shown("x = 1"),
            shown("text()", Text("**a**")),
        ),
        {}, "10-x.ipynb",
    )  # fmt: skip
    codes = [cell for cell in final.cells if cell.cell_type == "code"]
    assert [read_options(cell.source).get("label") for cell in codes] == [
        "tbl-1", "tbl-2", "fig-a", None, None,
    ]  # fmt: skip
    assert read_options(codes[0].source)["tbl-cap"] == "One: 'a'"
    assert read_options(codes[1].source)["tbl-cap"] == 'Two "b"'
    assert read_options(codes[2].source)["fig-alt"] == "What it shows"
    assert [without_options(cell.source) for cell in codes] == ["both()", "", "draw()", "x = 1",
                                                               "text()"]  # fmt: skip
    assert [len(cell.outputs) for cell in codes] == [1, 1, 1, 0, 1]
    assert len({cell["id"] for cell in final.cells}) == len(final.cells)
    nbformat.validate(final)


def test_options_of_the_cell_have_precedence_over_the_item() -> None:
    source = (
        "#| label: fig-a\n#| fig-cap: Other\n#| fig-alt: Said otherwise\ndraw()\n#| not an option"
    )
    final = finalise(chapter_with(shown(source, drawing())), {}, "x")
    options = read_options(final.cells[1].source)
    assert (options["fig-cap"], options["fig-alt"]) == ("Other", "Said otherwise")


def test_a_chart_is_its_picture_with_its_data_beside_it() -> None:
    import plotly.graph_objects as go

    chart = Figure("F", "C", 'Alt "<b>"', chart=go.Figure(go.Bar(x=["</script>"], y=[1])))
    executed = chapter_with(shown("#| label: fig-a\ndraw()", chart))
    assert list(charts_of(executed, "x")) == ["fig-a"]
    bundle = finalise(executed, {"fig-a": SVG}, "x").cells[1].outputs[0].data
    assert bundle["image/svg+xml"] == SVG


def ratios(label: str, report: str = "ibm-mq-v9.4-linux", table: str = "table-03") -> Any:
    """A table of ratios, made with a Chapter of its own."""
    chapter = Chapter(report)
    points = chapter.points(table).head(2)
    rates = chapter.quantities(points)
    rows = [Row("Ratio", (rates[0].over(rates[1]),))]
    made = quantity_table(chapter, rows, caption=label, header=["", "x"], notes=["A note."])
    return replace(made, label=label)


def stated(*cells: Any) -> list[str]:
    """Give what is said of each figure and table of a chapter beside what its author wrote."""
    said = []
    for cell in finalise(chapter_with(*cells), {}, "x").cells:
        options = read_options(cell.source) if cell.cell_type == "code" else {}
        if "fig-cap" in options:
            said.append(options["fig-cap"].removeprefix("Drawn").removeprefix(". "))
        elif "tbl-cap" in options:
            assert cell.outputs[0].data[TABLE]["notes"][0] == "A note."
            said.append(" ".join(cell.outputs[0].data[TABLE]["notes"][1:]))
    return said


def test_a_chapter_states_each_margin_once_with_the_first_output_it_shows() -> None:
    first, again = ratios("tbl-a"), ratios("tbl-b")
    (margin,) = first.margins
    assert margin.startswith("Rates of MQ V9.4 printed twice on the same hosts differ by up to ")
    assert stated(shown("a", first), shown("b", again)) == [margin, ""]
    assert stated(shown("b", again), shown("a", first)) == [margin, ""]
    assert stated(shown("a"), shown("b", again)) == [margin]  # the first is made, and not shown
    assert stated(shown("both()", again, first)) == [margin, ""]
    other = ratios("tbl-c", "mq-appliance-m2003", "table-01")
    (unknown,) = other.margins
    both = drawing(margins=(margin, unknown))
    figure = shown("#| label: fig-a\n#| fig-cap: Drawn\ndraw()", both)
    assert stated(shown("c", other), figure) == [unknown, margin]
    assert stated(figure, shown("b", again), figure) == [f"{margin} {unknown}", "", ""]


@pytest.mark.parametrize("report", ["ibm-mq-v9.4-linux", "mq-appliance-m2003"])
def test_a_margin_that_the_text_of_a_chapter_states_is_stated_nowhere_else(report: str) -> None:
    table = ratios("tbl-a", report, "table-03" if "linux" in report else "table-01")
    said = repeat_margin(Chapter(report), [report])
    answer = nbformat.v4.new_markdown_cell("*Valid for* peaks. {eval}`margin`")
    value = {"data": {"text/plain": repr(said)}, "metadata": {}, "status": "ok"}
    answer.metadata["user_expressions"] = [{"expression": "margin", "result": value}]
    text = shown("text()", Chapter(report).text("{m}", m=said))
    for first in (answer, text):
        assert stated(first, shown("a", table)) == stated(shown("a", table), first) == [""]
    other = nbformat.v4.new_markdown_cell("No margin.")
    assert stated(other, shown("a", table)) == [*table.margins]


# --- text ----------------------------------------------------------------------------------


def test_text_is_read_again_only_when_it_or_the_code_that_prints_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def recorded(blocks: Any) -> Any:
        asked.append(blocks)
        return as_printed(blocks)

    monkeypatch.setattr(draft, "as_printed", recorded)

    def read_anew(text: str) -> bool:
        asked.clear()
        (chapter,) = drafted(tmp_path, chapter_with(say(text)))
        assert "broker\u2019s 2\u00a0KB" in plain(chapter.blocks)
        return bool(asked)

    assert [read_anew("The broker's 2 KB"), read_anew("The broker's 2 KB")] == [True, False]
    assert read_anew("Another broker's 2 KB")
    changed = tmp_path / "typography.py"
    changed.write_text("# other code\n", encoding="utf-8")
    monkeypatch.setattr(draft, "_PRINTING", [changed])
    assert read_anew("The broker's 2 KB")


# --- references ----------------------------------------------------------------------------


def drafted(tmp_path: Path, *chapters: nbformat.NotebookNode) -> list[Any]:
    return [
        draft_chapter(
            finalise(chapter, {}, "x"),
            ChapterPlan(Path(f"{number}0-x.ipynb"), "chapter", str(number)),
            Cache(tmp_path),
        )
        for number, chapter in enumerate(chapters, start=1)
    ]


def say(text: str) -> Any:
    return shown("text()", Text(text))


def test_references_read_as_what_they_lead_to(tmp_path: Path) -> None:
    first = chapter_with(
        say("See @sec-two, @fig-a, @tbl-b and [@sec-part]."),
        shown("#| label: fig-a\nx", drawing()),
    )
    second = chapter_with(
        say("## Part {#sec-part}\n\n### Deep {#sec-deep}\n\n## Next {#sec-next}\n\nBack: @fig-a."),
        shown("#| label: tbl-b\nx", small_table()), heading="# Two {#sec-two}",
    )  # fmt: skip
    chapters, targets = chapters_of(drafted(tmp_path, first, second), {}, {}, {})
    text = plain([b["c"] for b in chapters[0].blocks if b["t"] == "Para"]).replace("\u00a0", " ")
    assert text == "See Chapter 2, Figure 1.1, Table 2.1 and Section 2.1."
    assert targets["sec-deep"].number == "2.1.1"
    assert targets["sec-next"].number == "2.2"
    links = [e["c"][2][0] for e in walk(chapters[0].blocks) if e["t"] == "Link"]
    assert links == ["#sec-two", "#fig-a", "#tbl-b", "#sec-part"]
    assert chapters[1].tables["tbl-b"].number == "2.1"


def test_references_to_a_chapter_left_out_name_it(tmp_path: Path) -> None:
    drafts = drafted(tmp_path, chapter_with(say("See @sec-tls and @fig-gone.")))
    left_out = {"sec-tls": "TLS", "fig-gone": "TLS"}
    chapters, _ = chapters_of(drafts, left_out, {}, {})
    assert plain(chapters[0].blocks[-1]["c"]) == (
        "See TLS [not in this edition] and TLS [not in this edition]."
    )


def test_a_label_of_a_chapter_left_out_may_have_capitals_and_underscores(tmp_path: Path) -> None:
    project = Project(tmp_path)
    write_notebook(project, "20-high", "# High {#sec-HA}", "## Load {#sec-HA_load .annex}")
    definition = BookDefinition(("notebooks/10-x.ipynb", "notebooks/20-high.ipynb"), (), True)
    plans = [ChapterPlan(project.notebooks / "10-x.ipynb", "chapter", "1")]
    labels = left_out(project, definition, plans)
    drafts = drafted(tmp_path, chapter_with(say("See @sec-HA_load.")))
    chapters, _ = chapters_of(drafts, labels, {}, {})
    assert plain(chapters[0].blocks[-1]["c"]) == "See High [not in this edition]."
    staged = staged_markdown("See @sec-HA_load.", "10-x.ipynb", Addresses({}, {}, labels))
    assert staged == "See *High \\[not in this edition\\]*."


def test_another_pandoc_of_the_user_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPANDOC_PANDOC", shutil.which("false") or "")
    assert parse_markdown("Text.")["blocks"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("See @fig-a.", "unresolved reference @fig-a"),
        ("See @sec-x.", "unresolved reference @sec-x (did you mean 'sec-t'?)"),
        ("[there](#cell-x)", "a link to '#cell-x' leads nowhere"),
        ("# Second", "a second first-level heading: 'Second'"),
        ("[there](other.html)", "link to 'other.html'"),
        ("[there](javascript:alert(1))", "link to 'javascript:alert(1)'"),
        ("[there](file:///etc/passwd)", "link to 'file:///etc/passwd'"),
        ("a <b>bold</b>", "does not support raw html text: <b>"),
        ("<div onclick='x'>\n\nx\n\n</div>", "does not support raw html blocks"),
        ("a \\textbf{x}", "does not support raw tex text: \\textbf{x}"),
        ("![picture](x.png)", "does not support images from files"),
        ("$x^2$", "does not support formulas"),
        ("```{=html}\n<script></script>\n```", "does not support raw html blocks"),
        ("```{=roundtrip}\nfigure:fig-none\n```", "does not support raw roundtrip blocks"),
        ("::: {.panel-tabset}\nx\n:::", "does not support blocks of class 'panel-tabset'"),
        ("## Two {.anex}", "does not support headings of class 'anex' (allowed: annex)"),
        ("{{< include x.qmd >}}", "does not support shortcodes"),
        ("## A {#sec-t}", "label 'sec-t' is used twice"),
    ],
)
def test_what_cannot_be_rendered_is_refused_by_name(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises((RenderError, ChapterError)) as caught:
        chapters_of(drafted(tmp_path, chapter_with(say(text))), {}, {}, {})
    assert part in str(caught.value)
    assert str(caught.value).startswith("notebooks/10-x.ipynb: ")


def test_a_fence_that_is_not_closed_is_refused(tmp_path: Path) -> None:
    chapter = chapter_with(say("```\nx"), shown("#| label: fig-a\nx", drawing()))
    final = finalise(chapter, {}, "x")
    with pytest.raises(ChapterError, match="code of a cell, 1, stands inside a code") as caught:
        draft_chapter(final, ChapterPlan(Path("10-x.ipynb"), "chapter", "1"), Cache(tmp_path))
    assert "10-x.ipynb" in str(caught.value)


def test_a_label_of_two_chapters_is_refused(tmp_path: Path) -> None:
    one = chapter_with(shown("#| label: fig-a\nx", drawing()))
    two = chapter_with(shown("#| label: fig-a\nx", drawing()), heading="# U {#sec-u}")
    with pytest.raises(ChapterError, match="'fig-a' is used twice, in 10-x and 20-x") as caught:
        chapters_of(drafted(tmp_path, one, two), {}, {}, {})
    assert caught.value.where == "notebooks/10-x.ipynb"
    assert "rename it there" in (caught.value.remedy or "")


def test_a_label_given_twice_in_one_chapter_is_refused(tmp_path: Path) -> None:
    cell = "#| label: fig-a\nx"
    chapter = chapter_with(shown(cell, drawing(alt="one")), shown(cell, drawing(alt="two")))
    with pytest.raises(ChapterError, match="'fig-a' is used twice"):
        chapters_of(drafted(tmp_path, chapter), {}, {}, {})


def test_table_cells_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    from roundtrip.outputs import BodyCell

    table = small_table(rows=((BodyCell("x", link="cell-none"), BodyCell("y")),))
    with pytest.raises(RenderError, match="a link to '#cell-none' leads nowhere"):
        chapters_of(drafted(tmp_path, chapter_with(shown("#| label: tbl-a\nx", table))), {}, {}, {})


@pytest.mark.parametrize("item", [drawing(cells=("a/t/r",)), small_table(cells=("a/t/r",))])
def test_cells_of_a_table_that_no_source_has_are_refused(tmp_path: Path, item: Any) -> None:
    label = "fig-a" if isinstance(item, Figure) else "tbl-a"
    drafts = drafted(tmp_path, chapter_with(shown(f"#| label: {label}\nx", item)))
    with pytest.raises(RenderError, match=f"{label} names cells of 'a/t', a table that no source"):
        chapters_of(drafts, {}, {}, {})


def review_of(tmp_path: Path, final: nbformat.NotebookNode, **settings: Any) -> str:
    """Write the reviewers' page of a book of one chapter."""
    chapters, targets = chapters_of(drafted(tmp_path, final), {}, {}, {})
    anchors = {label: target.chapter for label, target in targets.items()}
    book = Book(ReportParameters(version="1.0"), "", 0, chapters, anchors, **settings)
    write_review(book, {"10-x": finalise(final, {}, "10-x")}, Project(ROOT), tmp_path / "html")
    return (tmp_path / "html" / "review" / "10-x.html").read_text("utf-8")


def test_titles_are_plain_words_on_pages_for_reviewers(tmp_path: Path) -> None:
    title = "<img src=x onerror=alert(1)> *A* ](https://evil.example) `b`{=html}"
    said = review_of(tmp_path, chapter_with(heading=f"# {title} {{#sec-t}}\n\nSee @sec-t."))
    assert "<img" not in said
    assert f"</span> {html.escape(title)}</h1>" in said
    assert '<a href="#sec-t" class="ref">Chapter\xa01</a>' in said


def test_pages_for_reviewers_stand_alone_in_the_mode_that_was_chosen_on_the_site(
    tmp_path: Path, chromium: Any
) -> None:
    wide, short = f"#| label: fig-a\nx = {list(range(90))}", "#| label: fig-b\ny = 1"
    said = review_of(tmp_path, chapter_with(shown(wide, drawing()), shown(short, drawing())))
    assert " src=" not in said
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    address = (tmp_path / "html" / "review" / "10-x.html").as_uri()
    page.goto(address)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.evaluate("localStorage.setItem('roundtrip-theme', 'dark')")

    def is_dark() -> bool:
        page.goto(address)
        found = bool(page.evaluate(ground) != light)
        page.wait_for_timeout(0 if found else 250)
        return found

    assert any(is_dark() for _ in range(100)), "what is stored may reach the next page late"
    code = page.locator("pre")
    code.first.and_(page.locator("[tabindex]")).wait_for()
    page.locator("pre:not([tabindex])").wait_for()
    assert [code.nth(at).get_attribute("tabindex") for at in range(2)] == ["0", None]
    shades = code.first.evaluate("node => getComputedStyle(node).backgroundAttachment")
    assert "local" in shades
    page.close()
    assert [each for each in problems if "ERR_FILE_NOT_FOUND" not in each] == []  # fonts


def test_pages_for_reviewers_show_items_as_the_chapter_does_and_all_code(tmp_path: Path) -> None:
    table = plain_table("Rates", ["a", "b"], [["c", "1†"]], notes=["† Once."])
    cells = [
        *notebook(("parameters", "n = 'few'"), ("injected-parameters", "n = 'many'")).cells,
        shown("#| label: tbl-a\nrates()", table),
        shown("#| label: fig-a\ndrawn()", drawing()),
        say("See @fig-a."),
    ]
    text = "::: {.callout-note}\n### Own\nNoted.\n:::\n\n`@sec-t`\n\n```\n@sec-t\n```"
    final = chapter_with(*cells, heading=f"# T {{#sec-t}}\n\n{text}")
    said = review_of(tmp_path, final, echo=False, banner="Built although it failed.")
    assert '<span class="number">Table 1.1</span> Rates' in said
    assert '<p class="table-note">† Once.</p>' in said
    assert '<span class="number">Figure 1.1</span>' in said
    assert '<a href="../10-x.html#fig-a">In the chapter</a>' in said
    assert '<a href="../10-x.html">Back to the chapter</a>' in said
    assert '<a href="#fig-a" class="ref">Figure\xa01.1</a>' in said
    assert "<button" not in said
    assert 'tabindex="0" class="sourceCode python"' in said
    assert "drawn()" in said
    assert "many" in said
    assert "few" not in said
    assert "<p>Own</p>" in said
    assert "<code>@sec-t</code>" in said
    assert "Built although it failed." in said
    assert "--page: light-dark(#ffffff, #161616);" in said
