"""The browser that draws charts: what it does when Chromium does not get ready."""

from __future__ import annotations

import pytest

from roundtrip.errors import RenderError
from roundtrip.project import Project
from roundtrip.publish.chapters import chart_browser
from workshop import ROOT

CHART = {"data": [{"type": "bar", "x": [1], "y": [2]}], "layout": {"width": 300, "height": 200}}


def drawn() -> str:
    kept: list[str] = []
    browser = chart_browser.Browser(Project(ROOT).template_folders("fonts"))
    try:
        browser.draw(CHART, kept.append).result()
    finally:
        browser.close()
    return kept[0]


def test_a_browser_whose_page_does_not_get_ready_is_opened_again(monkeypatch):
    monkeypatch.setattr(chart_browser, "_OPENING", (0.05, *chart_browser._OPENING[1:]))
    assert drawn().startswith("<svg")


def test_a_browser_that_never_gets_ready_is_given_up(monkeypatch):
    monkeypatch.setattr(chart_browser, "_OPENING", (0.05, 0.05))
    with pytest.raises(RenderError, match="did not get ready"):
        drawn()
