"""The browser that draws charts: what it does when Chromium does not get ready."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roundtrip.errors import RenderError
from roundtrip.project import Project
from roundtrip.publish.chapters import pictures

pytestmark = pytest.mark.slow  # a browser is started

CHART = {"data": [{"type": "bar", "x": [1], "y": [2]}], "layout": {"width": 300, "height": 200}}


def drawn(folder: Path) -> str:
    with pictures.PictureMaker(Project(folder)) as maker:
        maker.add({"fig-a": CHART})
        return maker.pictures()["fig-a"]


def test_a_picture_is_drawn_anew_when_the_code_that_cleans_it_changed(tmp_path, monkeypatch):
    opened: list[object] = []
    open_ = pictures.PictureMaker._open

    def recorded(self):
        opened.append(self)
        return open_(self)

    monkeypatch.setattr(pictures.PictureMaker, "_open", recorded)

    def drawn_anew() -> bool:
        opened.clear()
        assert drawn(tmp_path).startswith("<svg")
        return bool(opened)

    assert [drawn_anew(), drawn_anew()] == [True, False]
    changed = tmp_path / "pictures.py"
    changed.write_bytes(Path(pictures.__file__).read_bytes() + b"# other code\n")
    monkeypatch.setattr(pictures, "__file__", str(changed))
    assert drawn_anew()


def test_fonts_are_the_browsers_alone(tmp_path, monkeypatch):
    mine = dict(os.environ, FONTCONFIG_FILE="mine.conf")
    monkeypatch.setenv("FONTCONFIG_FILE", "mine.conf")
    seen: list[dict[str, str]] = []
    opened = pictures._opened

    async def recorded(fonts):
        seen.append(dict(os.environ))
        return await opened(fonts)

    monkeypatch.setattr(pictures, "_opened", recorded)
    assert drawn(tmp_path).startswith("<svg")
    assert [*seen, dict(os.environ)] == [mine, mine]


def test_a_browser_whose_page_does_not_get_ready_is_opened_again(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "_OPENING", (0.05, *pictures._OPENING[1:]))
    assert drawn(tmp_path).startswith("<svg")


def test_a_browser_that_never_gets_ready_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "_OPENING", (0.05, 0.05))
    with pytest.raises(RenderError, match="did not get ready"):
        drawn(tmp_path)
