"""Text cells name values, and chapters import modules that lie beside them."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Quantity
from roundtrip.project import Project
from roundtrip.publish.book_definition import ChapterPlan
from roundtrip.publish.chapters.execute import (
    Execution,
    execute_all,
    plan_chapters,
    plan_execution,
)
from roundtrip.publish.chapters.inline import expressions_of, with_values
from roundtrip.publish.chapters.notebooks import modules_of
from roundtrip.publish.chapters.strip import strip
from roundtrip.sections import named_sections
from workshop import OPEN, ROOT, small_project, write_notebook

HEADING = "# Title {#sec-a}"
VALUES = """class Rates:
    best = "LZ4 *fast*"
    count = 3
    by_size = {2048: "small"}

    def above(self, limit, *, unit="MB"):
        return f"{limit} {unit}"

rates = Rates()"""


def plan(folder: Path, *cells: str | tuple[str, str]) -> Execution:
    source = write_notebook(Project(folder), "10-a", *cells)
    return plan_execution(Project(folder), source, {}, "fingerprint")


def run(folder: Path, *cells: str | tuple[str, str]) -> Execution:
    execution = plan(folder, *cells)
    execute_all([execution], lambda _: None)
    return execution


def texts(execution: Execution) -> list[str]:
    """Give the text cells as renderers get them."""
    cells = with_values(execution.result()).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def beside(folder: Path, name: str, text: str) -> Path:
    path = folder / "notebooks" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- values --------------------------------------------------------------------------------


@pytest.mark.slow
def test_values_are_those_at_their_place_and_are_escaped(tmp_path):
    execution = run(
        tmp_path, HEADING, ("code", VALUES),
        "Best: {eval}`rates.best`, {eval}`rates.count`, {eval}`rates.by_size[2048]`, "
        "{eval}`rates.above(2, unit='KB')`.",
        ("code", "rates.count = 4"), "Now {eval}`rates.count`; `{eval}` and ``{eval}`x` `` stay.",
    )  # fmt: skip
    assert texts(execution) == [
        HEADING,
        r"Best: LZ4 \*fast\*, 3, small, 2 KB.",
        "Now 4; `{eval}` and ``{eval}`x` `` stay.",
    ]


@pytest.mark.slow
def test_an_executed_chapter_keeps_results_where_jupyterlab_looks_for_them(tmp_path):
    execution = run(tmp_path, HEADING, ("code", VALUES), "{eval}`rates.count`")
    cell = execution.result().cells[-1]
    assert cell.source == "{eval}`rates.count`"
    (entry,) = cell.metadata["user_expressions"]
    assert entry["expression"] == "rates.count"
    assert entry["result"]["data"]["text/plain"] == "3"
    nbformat.validate(execution.result())


@pytest.mark.slow
def test_results_hold_no_address_in_memory(tmp_path):
    words = (
        "class Words:\n    def _repr_markdown_(self):\n        return 'so *much*'\n\nsaid = Words()"
    )
    execution = run(tmp_path, HEADING, ("code", words), "It is {eval}`said`.")
    assert " at 0x" not in nbformat.writes(execution.result())
    assert texts(execution)[-1] == "It is so *much*."


@pytest.mark.slow
def test_quantities_link_to_their_cells(tmp_path):
    project = small_project(tmp_path)
    source = write_notebook(
        project, "20-b", HEADING, OPEN,
        ("code", 'points = chapter.points("table-03")\nbest = largest(chapter.quantities(points))'),
        "The peak is {eval}`best`, that is {eval}`best.number`, of {eval}`points.cpu.count()`.",
    )  # fmt: skip
    execution = plan_execution(project, source, {}, "fingerprint")
    execute_all([execution], lambda _: None)
    said = texts(execution)[-1]
    assert said.count("](#cell-ibm-mq-v9.4-linux-table-03-") == 2
    assert "round trips/s](#" in said.replace("\\", "")
    assert said.endswith(", of 4.")  # a whole number of NumPy


@pytest.mark.slow
def test_other_words_around_a_value_execute_nothing(tmp_path):
    code = ("code", VALUES)
    before = run(tmp_path, HEADING, code, "A {eval}`rates.count`.", "B {eval}`rates.best`.")
    after = plan(tmp_path, HEADING, code, "B {eval}`rates.best`, then", "{eval}`rates.count`!")
    assert after.key == before.key
    assert texts(after)[1:] == [r"B LZ4 \*fast\*, then", "3!"]


@pytest.mark.parametrize(
    "cells",
    [
        (("code", VALUES), "{eval}`rates.best`"),
        ("{eval}`rates.count`", ("code", VALUES)),
        (("code", VALUES), "none"),
    ],
)
def test_another_value_or_place_is_evaluated(tmp_path, cells):
    before = plan(tmp_path, HEADING, ("code", VALUES), "{eval}`rates.count`")
    assert plan(tmp_path, HEADING, *cells).key != before.key


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{eval}`ratse.count`", "NameError: name 'ratse' is not defined (did you mean 'rates'?)"),
        ("{eval}`rates.cuont`", "has no attribute 'cuont' (did you mean 'count'?)"),
        ("{eval}`rates.by_size['2047']`", "KeyError: '2047'"),
        ("{eval}`rates.above()`", "TypeError"),
        ("{eval}`rates`", "which a sentence cannot hold"),
        ("{eval}`rates.by_size`", "which a sentence cannot hold"),
    ],
)
def test_a_value_that_cannot_be_had_is_named_with_its_cell(tmp_path, text, part):
    with pytest.raises(ChapterError) as caught:
        run(tmp_path, HEADING, ("code", VALUES), f"So {text} is it.")
    assert str(caught.value.where).endswith("10-a.ipynb: cell 3")
    assert caught.value.what.startswith(text)
    assert part in caught.value.what


@pytest.mark.slow
def test_where_a_value_that_may_be_none_belongs_is_said(tmp_path):
    with pytest.raises(ChapterError, match="None, which a sentence cannot hold") as caught:
        run(tmp_path, HEADING, ("code", VALUES), "So {eval}`rates.by_size.get(1)` is it.")
    assert "end a code cell with it" in caught.value.remedy


@pytest.mark.parametrize(
    "text",
    ["{eval}`a = 1`", "{eval}`a + 1`", "{eval}`lambda: 1`", "{eval}`[x for x in y]`", "{eval}`a(`",
     "{eval}`f'{a}'`", "{eval}`(a := 1)`", "{eval} a", "{eval}`a\nb`", "{eval}``a``"],
)  # fmt: skip
def test_what_computes_is_refused_before_anything_runs(tmp_path, text):
    with pytest.raises(ChapterError) as caught:
        plan(tmp_path, HEADING, f"So {text} is it.")
    assert str(caught.value.where) == "notebooks/10-a.ipynb: cell 2"
    assert "{eval}" in caught.value.what


def test_code_shows_the_form_without_being_evaluated():
    text = "`{eval}` and ``{eval}`a` ``\n\n```\n{eval}`b`\n```\n\n{eval}`c.d`, {eval}`c.d`"
    assert expressions_of(text, "here") == ["c.d"]


def test_a_number_alone_shows_no_unit_and_keeps_it():
    alone = Quantity(2, "ms", ("a",)).number
    assert Chapter(folder=ROOT).write(alone) == "2"
    with pytest.raises(ChapterError, match="no ratio of ms and %"):
        alone.over(Quantity(2, "%", ("a",)).number)


@pytest.mark.slow
def test_stripping_leaves_a_chapter_without_results(tmp_path):
    execution = run(tmp_path, HEADING, ("code", "count = 3\ncount"), "{eval}`count`")
    clean = execution.source.read_bytes()
    full = execution.result()
    full.metadata["language_info"]["version"] = "3.99"  # JupyterLab notes it whenever it saves
    for cell, own in zip(full.cells, nbformat.read(execution.source, 4).cells, strict=True):
        cell["id"] = own["id"]
    execution.source.write_text(nbformat.writes(full) + "\n")
    assert plan_execution(Project(tmp_path), execution.source, {}, "fingerprint").key == (
        execution.key
    )
    strip(execution.source)
    stripped = nbformat.read(execution.source, 4)
    assert stripped.cells == nbformat.reads(clean, 4).cells
    assert stripped.metadata["language_info"] == {"name": "python"}


@pytest.mark.slow
def test_the_example_of_the_documentation_works(tmp_path):
    text = (ROOT / "docs" / "chapters.md").read_text("utf-8")
    (module,) = re.findall(r"```python\n([^`]*def spread[^`]*)```", text)
    calls, sentence = re.search(
        r"The chapter calls `(.*?)` and writes \"(.*?)\"", text, re.DOTALL
    ).groups()
    small_project(tmp_path)
    beside(tmp_path, "support/rates", module)
    execution = run(
        tmp_path, HEADING, OPEN, ("code", f"from support.rates import spread\n{calls}"), sentence
    )
    said = texts(execution)[-1]
    assert said.startswith("from [")
    assert said.count("](#cell-") == 2


# --- modules beside the chapters -----------------------------------------------------------


@pytest.mark.slow
def test_a_chapter_imports_a_module_beside_it(tmp_path):
    beside(tmp_path, "support/one", "from support import two\nanswer = two.answer")
    beside(tmp_path, "support/two", "answer = 'yes'")
    execution = run(tmp_path, HEADING, ("code", "from support.one import answer"), "{eval}`answer`")
    assert texts(execution)[-1] == "yes"


def test_only_modules_that_are_imported_are_in_the_key(tmp_path):
    beside(tmp_path, "support/__init__", "")
    one = beside(tmp_path, "support/one", "from .two import answer")
    two = beside(tmp_path, "support/two", "answer = 'yes'")
    other = beside(tmp_path, "support/other", "")
    cells = (HEADING, ("code", "import json\nfrom support.one import answer"))
    before = plan(tmp_path, *cells)
    assert {path.name for path in before.modules} == {"__init__.py", "one.py", "two.py"}
    other.write_text("changed = 1")
    assert plan(tmp_path, *cells).key == before.key
    two.write_text("answer = 'no'")
    changed = plan(tmp_path, *cells)
    assert changed.key != before.key
    one.write_text("answer = 1")
    assert plan(tmp_path, *cells).key not in (before.key, changed.key)


def test_an_import_from_beyond_every_folder_leads_to_no_module(tmp_path):
    beside(tmp_path, "support/__init__", f"from {'.' * 99} import other")
    cells = (HEADING, ("code", "from support import other"))
    assert {path.name for path in plan(tmp_path, *cells).modules} == {"__init__.py"}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import support.one", {"__init__.py", "one.py"}),
        ("from support import one", {"__init__.py", "one.py"}),
        ("import helper", {"helper.py"}),
        ("import json", set()),
        ("from .. import setup", set()),
        ("%matplotlib inline", {"__init__.py", "one.py", "helper.py"}),
    ],
)
def test_every_form_of_import_is_found(tmp_path, code, names):
    for name in ("support/__init__", "support/one", "helper"):
        beside(tmp_path, name, "")
    (tmp_path / "setup.py").touch()  # no module of chapters
    found = modules_of(tmp_path / "notebooks", [code])
    assert {path.name for path in found} == names


def test_a_module_that_is_not_python_is_named(tmp_path):
    beside(tmp_path, "support/one", "x = 1\ny = (\n")
    with pytest.raises(ChapterError, match="is not Python") as caught:
        plan(tmp_path, HEADING, ("code", "import support.one"))
    assert str(caught.value.where).endswith("one.py:2")


def test_a_number_typed_into_a_module_is_refused(tmp_path):
    beside(tmp_path, "support/one", 'def draw(c):\n    return c.text("It is 40 % faster.")\n')
    source = write_notebook(Project(tmp_path), "10-a", HEADING, ("code", "import support.one"))
    plans = [ChapterPlan(source, "chapter", "1")]
    with pytest.raises(ChapterError, match="'40 % faster'") as caught:
        plan_chapters(Project(tmp_path), plans, {}, "fingerprint")
    assert str(caught.value.where).endswith("support/one.py:2")


def test_a_label_of_another_chapter_is_refused_before_any_runs(tmp_path):
    one = write_notebook(Project(tmp_path), "10-a", "# A {#sec-a}", ("code", "#| label: fig-x\n1"))
    two = write_notebook(Project(tmp_path), "20-b", "# B {#sec-b}", ("code", "#| label: fig-x\n2"))
    plans = [ChapterPlan(one, "chapter", "1"), ChapterPlan(two, "chapter", "2")]
    with pytest.raises(ChapterError, match="'fig-x' is used twice, in 10-a and 20-b") as caught:
        plan_chapters(Project(tmp_path), plans, {}, "fingerprint")
    assert caught.value.where == "notebooks/10-a.ipynb"


def test_sections_that_chapters_name_are_those_of_the_book(tmp_path):
    project = Project(tmp_path)
    assert named_sections(project) == {}
    files = "chapters: [notebooks/10-a.ipynb], appendices: [notebooks/90-b.ipynb, none.ipynb]"
    project.book.write_text(f"book: {{{files}}}", encoding="utf-8")
    about = "See @sec-methodology and `{#sec-claims-x}`."
    write_notebook(project, "10-a", "# A {#sec-a}", "## Claims {#sec-claims-10-a .annex}", about)
    write_notebook(project, "20-new", "# New {#sec-new}", "## Claims {#sec-claims-20-new}")
    write_notebook(project, "90-b", "# Method {#sec-methodology}")
    assert named_sections(project) == {"sec-claims-10-a": "A", "sec-methodology": "Method"}


def test_a_section_that_others_name_comes_or_goes_and_all_are_run_again(tmp_path):
    project = Project(tmp_path)
    source = write_notebook(project, "10-a", HEADING, ("code", "1"))
    files = "chapters: [notebooks/10-a.ipynb, notebooks/20-b.ipynb]"
    project.book.write_text(f"book: {{{files}}}", encoding="utf-8")

    def key(text):
        write_notebook(project, "20-b", "# Other {#sec-b}", text)
        plans = [ChapterPlan(source, "chapter", "1")]
        (execution,) = plan_chapters(project, plans, {}, "fingerprint")
        return execution.key

    before = key("Words.")
    assert key("Other words.") == before
    assert key("## What the sources claim {#sec-claims-20-b}") != before
