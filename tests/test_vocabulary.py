"""The vocabulary fits on a page, each name has an example that runs, and the page is true."""

import importlib.util
import inspect
import re
import sys

import pytest

import roundtrip.present
from workshop import ROOT

FOLDER = ROOT / "docs" / "vocabulary"


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("vocabulary_page", FOLDER / "make.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_vocabulary_fits_on_a_page_and_every_name_has_an_example(maker):
    names = set(roundtrip.present.__all__)
    assert len(names) <= 30
    assert set(maker.cells()) - {"setup"} == names
    for name in names:
        assert inspect.getdoc(getattr(roundtrip.present, name)), name


@pytest.mark.slow
def test_the_page_is_what_docstrings_and_examples_give(maker, monkeypatch):
    monkeypatch.chdir(ROOT)
    examples = maker.cells()
    shown = maker.shown_by(examples)
    assert maker.PAGE.read_text("utf-8") == maker.page(examples, shown), "run `make docs`"
    figures = [n for n, v in shown.items() if isinstance(v, roundtrip.present.Figure)]
    missing = [n for n in figures if shown[n].chart and not (FOLDER / f"{n}.svg").is_file()]
    assert missing == []


def test_what_the_guide_to_chapters_lists_can_be_imported():
    guide = (ROOT / "docs" / "chapters.md").read_text(encoding="utf-8")
    calls = re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE)
    assert calls
    assert set(calls) <= set(roundtrip.present.__all__)
