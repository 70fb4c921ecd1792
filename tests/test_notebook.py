"""What an author sees in JupyterLab: values in the text, tables, charts, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from roundtrip.outputs import PLOTLY, BodyCell, HeaderCell
from roundtrip.present import Table
from workshop import OPEN, small_project

OWN = """from roundtrip.present import Chapter

def asked(chapter):
    return chapter.points("table-99")
"""


def outputs(folder: Path, *code: str) -> list[nbformat.NotebookNode]:
    """Run code cells one after another and give the output of the last."""
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, code)])
    place = {"metadata": {"path": str(folder / "notebooks")}}
    NotebookClient(notebook, allow_errors=True, resources=place).execute()
    return list(notebook.cells[-1].outputs)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ['Chapter(rate_unit="x")', "support.asked(Chapter())"])
def test_a_refusal_shows_the_lines_of_the_author_alone(tmp_path: Path, wrong: str) -> None:
    project = small_project(tmp_path)
    (project.notebooks / "support.py").write_text(OWN, encoding="utf-8")
    (error,) = outputs(
        project.root, f"import support\nfrom roundtrip.present import Chapter\n\n{wrong}"
    )
    shown = "\n".join(error.traceback)
    assert error.ename == "ChapterError"
    assert "line 4" in shown
    assert ("support.py" in shown) == ("support" in wrong)
    assert "arguments.py" not in shown
    assert "chapter.py" not in shown


@pytest.mark.slow
def test_a_kernel_shows_numbers_in_one_format(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    (error,) = outputs(project.root, OPEN[1], 'Chapter(number_format="1.234,5")')
    assert "values here are already shown as '1,234.5'" in error.evalue


@pytest.mark.slow
def test_a_text_and_a_chart_are_shown_as_they_read(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    (text,) = outputs(project.root, OPEN[1], "size_label(2048)")
    assert text.data["text/plain"] == '"2\u00a0KB"'
    drawn = 'chart(chapter, chapter.points("table-03"), x="message_bytes", y="round_trip_rate", '
    (shown,) = outputs(project.root, OPEN[1], drawn + 'title="T", caption="C")')
    assert shown.data[PLOTLY]["layout"]["paper_bgcolor"] == "#ffffff"
    (drawn,) = outputs(project.root, OPEN[1], 'chapter.topology("rr-cc")')
    assert drawn.data["text/html"].startswith('<div style="background: #ffffff"><svg')


LAB = ":not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon :is(td, th) { text-align: right }"
"""The rule of JupyterLab 4.5 for all tables that a cell shows."""


@pytest.mark.slow
def test_a_table_has_its_alignment_caption_and_notes(chromium: Any) -> None:
    table = Table(
        "Rates & <shares>",
        ((HeaderCell("Cipher", align="left"), HeaderCell("Rate")),),
        (
            (BodyCell("Persistent", kind="group"),),
            (BodyCell("AES", "left", kind="label"), BodyCell("1 \u2020")),
        ),
        notes=("\u2020 The run was disturbed.",),
    )
    shown = table._repr_mimebundle_()["text/html"]
    page = chromium.new_page()
    page.set_content(f"<style>{LAB}</style><div class='jp-RenderedHTMLCommon'>{shown}</div>")
    aligned = {
        text: page.get_by_text(text, exact=True).evaluate("e => getComputedStyle(e).textAlign")
        for text in ("Rates & <shares>", "Cipher", "Rate", "Persistent", "AES", "1 \u2020")
    }
    right = [text for text, side in aligned.items() if side == "right"]
    assert right == ["Rate", "1 \u2020"]
    assert page.get_by_text("\u2020 The run was disturbed.").is_visible()
    page.close()
