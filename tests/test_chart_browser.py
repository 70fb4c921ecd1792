"""The browser that draws charts: what it does when Chromium does not get ready."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roundtrip.errors import RenderError
from roundtrip.project import Project
from roundtrip.publish.chapters import pictures
from workshop import ROOT

pytestmark = pytest.mark.slow  # a browser is started

CHART = {"data": [{"type": "bar", "x": [1], "y": [2]}], "layout": {"width": 300, "height": 200}}


def drawn() -> str:
    kept: list[str] = []
    browser = pictures.Browser(Project(ROOT).template_folders("fonts"))
    try:
        browser.draw(CHART, kept.append).result()
    finally:
        browser.close()
    return kept[0]


def test_a_picture_is_drawn_anew_when_the_code_that_cleans_it_changed(tmp_path, monkeypatch):
    asked: list[object] = []
    draw = pictures.Browser.draw

    def recorded(self, chart, keep):
        asked.append(chart)
        return draw(self, chart, keep)

    monkeypatch.setattr(pictures.Browser, "draw", recorded)

    def drawn_anew() -> bool:
        asked.clear()
        with pictures.PictureMaker(Project(tmp_path)) as maker:
            maker.add({"fig-a": CHART})
            assert maker.pictures()["fig-a"].startswith("<svg")
        return bool(asked)

    assert [drawn_anew(), drawn_anew()] == [True, False]
    changed = tmp_path / "pictures.py"
    changed.write_bytes(Path(pictures.__file__).read_bytes() + b"# other code\n")
    monkeypatch.setattr(pictures, "__file__", str(changed))
    assert drawn_anew()


def test_fonts_are_the_browsers_alone(monkeypatch):
    mine = dict(os.environ, FONTCONFIG_FILE="mine.conf")
    monkeypatch.setenv("FONTCONFIG_FILE", "mine.conf")
    seen: list[dict[str, str]] = []
    opened = pictures._opened

    async def recorded(fonts):
        seen.append(dict(os.environ))
        return await opened(fonts)

    monkeypatch.setattr(pictures, "_opened", recorded)
    assert drawn().startswith("<svg")
    assert [*seen, dict(os.environ)] == [mine, mine]


def test_a_browser_whose_page_does_not_get_ready_is_opened_again(monkeypatch):
    monkeypatch.setattr(pictures, "_OPENING", (0.05, *pictures._OPENING[1:]))
    assert drawn().startswith("<svg")


def test_a_browser_that_never_gets_ready_is_given_up(monkeypatch):
    monkeypatch.setattr(pictures, "_OPENING", (0.05, 0.05))
    with pytest.raises(RenderError, match="did not get ready"):
        drawn()
