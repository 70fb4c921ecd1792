"""The book definition is read strictly, and what it may not hold is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from roundtrip.errors import RenderError
from roundtrip.publish.book_definition import appendix_letters, load_book_definition

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project(tmp_path):
    """Lay out the repository's own definition with empty chapters."""
    settings = yaml.safe_load((ROOT / "_quarto.yml").read_text("utf-8"))
    settings["execute"] = {"enabled": False}
    (tmp_path / "_quarto.yml").write_text(yaml.safe_dump(settings), "utf-8")
    book = settings["book"]
    for name in [*book["chapters"], *book["appendices"]]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def changed(project: Path, change) -> Path:
    path = project / "_quarto.yml"
    settings = yaml.safe_load(path.read_text("utf-8"))
    change(settings)
    path.write_text(yaml.safe_dump(settings, sort_keys=False), "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(RenderError) as caught:
        load_book_definition(path)
    return str(caught.value)


def test_a_definition_needs_only_type_and_chapters(project):
    path = project / "_quarto.yml"
    path.write_text("project: {type: book}\nbook: {chapters: [notebooks/00-about.ipynb]}\n")
    assert load_book_definition(path).chapters == ("notebooks/00-about.ipynb",)
    assert load_book_definition(path).echo


def test_a_definition_may_leave_the_code_out(project):
    path = changed(project, lambda settings: settings["execute"].update(echo=False))
    assert not load_book_definition(path).echo


def test_own_definition_is_read_in_order(project):
    definition = load_book_definition(project / "_quarto.yml")
    assert definition.chapters[0] == "notebooks/00-about.ipynb"
    assert list(definition.chapters) == sorted(definition.chapters)
    assert list(definition.appendices) == sorted(definition.appendices)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: s["book"].update(chapter=[]), "unknown key 'chapter' (did you mean 'chapters'?"),
        (lambda s: s.update(bibliography="a.bib"), "unknown key 'bibliography'"),
        (lambda s: s.update(format={"docx": {}}), "unknown key 'format'"),
        (lambda s: s["execute"].update(enabled=True), "execute.enabled"),
        (lambda s: s["execute"].update(echo="perhaps"), "execute.echo"),
        (lambda s: s["project"].update(type="website"), "project.type"),
        (lambda s: s["book"].update(chapters=[]), "book.chapters"),
        (lambda s: s["book"].update(appendices=None), "book.appendices: must be a list"),
        (lambda s: s["book"]["chapters"].append({"part": "Two"}), "must be text"),
        (lambda s: s["book"]["chapters"].append("a/b.qmd"), "'a/b.qmd' is not a notebook"),
        (lambda s: s["book"]["chapters"].append("a/b.ipynb"), "'a/b.ipynb' does not exist"),
        (lambda s: s["book"]["chapters"].append("../b.ipynb"), "outside the project"),
        (lambda s: s["book"]["chapters"].append("/b.ipynb"), "outside the project"),
        (lambda s: s["book"]["chapters"].append("a/index.ipynb"), "a page 'index' of its own"),
        (lambda s: s["book"]["chapters"].append("a/compare.ipynb"), "a page 'compare' of its own"),
        (
            lambda s: s["book"]["appendices"].append(s["book"]["chapters"][1]),
            "would be one page, 05-highlights.html",
        ),
        (
            lambda s: s["book"]["appendices"].append("other/10-workloads.ipynb"),
            "would be one page, 10-workloads.html",
        ),
    ],
)
def test_what_is_not_supported_is_refused_by_name(project, change, said):
    message = refused(changed(project, change))
    assert said in message
    assert re.search(r"_quarto\.yml:\d+: ", message), message


@pytest.mark.parametrize(
    ("position", "letters"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (702, "AAA")]
)
def test_appendices_beyond_the_alphabet_have_two_letters(position, letters):
    assert appendix_letters(position) == letters


def test_a_missing_definition_is_named(tmp_path):
    assert "the file is missing" in refused(tmp_path / "_quarto.yml")


def test_broken_yaml_is_located(tmp_path):
    path = tmp_path / "_quarto.yml"
    path.write_text("book:\n  chapters: [a\n", "utf-8")
    assert "not valid YAML" in refused(path)
