"""How chapters are settled: rounds that cost little, processes that end."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from pdf_sample import sample_book
from roundtrip.build.pdf_placement import (
    Arrangement,
    lay_out,
    write_arrangement,
    write_chapter,
    write_places,
)
from roundtrip.build.pdf_settling import Settlers, fonts_of
from roundtrip.build.pdf_typesetter import Typesetter
from roundtrip.build.typst_writer import chapter_to_typst
from roundtrip.errors import RenderError
from roundtrip.project import Project

ROOT = Path(__file__).parent.parent
PROJECT = Project(ROOT)
FONTS = PROJECT.fonts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder in which the sample's chapters can be laid out."""
    book = sample_book()
    bodies = {chapter.name: chapter_to_typst(chapter, FONTS) for chapter in book.chapters}
    Typesetter(book, bodies, PROJECT, tmp_path)
    for name, body in bodies.items():
        write_chapter(tmp_path, name, body)
        write_places(tmp_path, name, {})
    return tmp_path


def anchors_outside(name: str) -> list[str]:
    book = sample_book()
    return sorted(anchor for anchor, chapter in book.anchors.items() if chapter != name)


def test_items_are_placed_without_a_change_of_the_chapter_s_file(folder):
    chapter = next(chapter for chapter in sample_book().chapters if chapter.figures)
    label = next(iter(chapter.figures))
    file = folder / "chapters" / f"{chapter.name}.typ"
    source = file.read_bytes()
    places = []
    for floated in ((), (label,)):
        write_arrangement(folder, chapter.name, Arrangement(floated))
        layout = lay_out(folder, chapter.name, anchors_outside(chapter.name), fonts_of(FONTS))
        places.append(layout)
        assert file.read_bytes() == source
    assert places[0] != places[1]


def test_a_process_settles_one_chapter_after_the_other(folder):
    with Settlers(folder, FONTS) as settlers:
        for chapter in sample_book().chapters:
            elsewhere = anchors_outside(chapter.name)
            found = settlers.settle(chapter.name, elsewhere, chapter.kind == "appendix")
            kept = json.loads((folder / "chapters" / f"{chapter.name}.json").read_text())
            assert Arrangement(tuple(kept["floated"]), kept["tight"]) == found
        (process,) = settlers._all
    assert process.returncode == 0


def test_a_process_that_dies_is_reported(folder):
    with Settlers(folder, FONTS) as settlers:
        settlers._command = [sys.executable, "-c", "import os; os._exit(3)"]
        with pytest.raises(RenderError, match="status 3"):
            settlers.settle("10-x", [], in_order=False)


def test_processes_end_with_a_failure(folder):
    started = []

    def fail() -> None:
        with Settlers(folder, FONTS) as settlers:
            settlers.settle(sample_book().chapters[0].name, [], in_order=False)
            started.extend(settlers._all)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    (process,) = started
    assert process.returncode == -signal.SIGKILL
