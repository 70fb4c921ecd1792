"""A build that goes on: chapters that are saved, mistakes that are mended, other parameters."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

import pytest

from roundtrip.project import Project
from roundtrip.publish.watch import next_change, stamps_of
from workshop import (
    change_yaml,
    children_of,
    environment,
    gone,
    peaks_chapter,
    small_project,
    until,
)
from workshop import write_notebook as write

LATER = ['chapter.text("The lowest rate is {least}.", least=smallest(chapter.quantities(points)))']
WAITING = "waiting for changes; press Ctrl-C to stop"


class Watched:
    """A running ``roundtrip build --watch``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: SimpleQueue[str] = SimpleQueue()
        for stream in (process.stdout, process.stderr):
            Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: Iterator[str]) -> None:
        for line in stream:
            self._lines.put(line.rstrip())

    def until_it_waits(self) -> str:
        """Give what it says until it waits, and whatever of its errors follows at once."""
        said = []
        while WAITING not in said:
            with suppress(Empty):
                said.append(self._lines.get(timeout=1))
            assert self.process.poll() is None, said
        with suppress(Empty):
            while True:
                said.append(self._lines.get(timeout=0.3))
        return "\n".join(said)


@contextmanager
def watching(project: Project) -> Iterator[Watched]:
    command = [sys.executable, "-m", "roundtrip", "--project", str(project.root), "build",
               "--engine", "embedded", "--watch"]  # fmt: skip
    process = subprocess.Popen(
        command, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield Watched(process)
    finally:
        process.kill()
        process.wait()


def chapter_saved(project: Project, sentence: str, *more: str) -> None:
    heading, *rest = peaks_chapter()
    write(project, "10-peaks", f"{heading} {sentence}", *rest, *(("code", code) for code in more))


def text_of_page(project: Project) -> str:
    page = project.reports / "0.1.0" / "html" / "10-peaks.html"
    return re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))


def test_every_change_is_built_until_ctrl_c(small_copy: Project) -> None:
    with watching(small_copy) as watched:
        watched.until_it_waits()
        before = text_of_page(small_copy)

        chapter_saved(small_copy, "See @tbl-nowhere.")
        said = watched.until_it_waits()
        assert "changed: notebooks/10-peaks.ipynb" in said
        assert "error: " in said
        assert "tbl-nowhere" in said
        assert "Traceback" not in said
        assert text_of_page(small_copy) == before  # the last good report stays

        chapter_saved(small_copy, "Said at last.")
        watched.until_it_waits()
        assert "Said at last." in text_of_page(small_copy)

        change_yaml(small_copy.params / "report.yml", {"title": "Another title"})
        assert "changed: params/report.yml" in watched.until_it_waits()
        page = small_copy.reports / "0.1.0" / "html" / "index.html"
        assert "Another title" in page.read_text(encoding="utf-8")

        waiting = children_of(watched.process.pid)
        assert waiting  # a kernel and a browser for the next build
        watched.process.send_signal(signal.SIGINT)
        assert watched.process.wait(60) == 0
    for process in waiting:
        until(lambda process=process: gone(process))


@pytest.mark.thorough
def test_remarks_that_are_saved_are_shown(small_copy: Project) -> None:
    change_yaml(small_copy.params / "report.yml", {"remarks": "review/remarks.json"})
    with watching(small_copy) as watched:
        assert "review/remarks.json" in watched.until_it_waits()  # there is none yet
        (small_copy.root / "review").mkdir()
        (small_copy.root / "review" / "remarks.json").write_text("{}")
        said = watched.until_it_waits()
        assert "changed: " in said
        assert "remarks.json" in said


@pytest.mark.thorough
def test_what_was_built_while_watching_is_what_a_build_gives(
    small_copy: Project, tmp_path: Path
) -> None:
    from workshop import roundtrip, tree_of

    with watching(small_copy) as watched:
        watched.until_it_waits()
        chapter_saved(small_copy, "Said later.", *LATER)
        watched.until_it_waits()
    watched_tree = tree_of(small_copy.reports / "0.1.0")
    other = small_project(tmp_path / "other")
    chapter_saved(other, "Said later.", *LATER)
    done = roundtrip("build", "--engine", "embedded", project=other)
    assert done.returncode == 0, done.stderr
    assert watched_tree == tree_of(other.reports / "0.1.0")


@pytest.mark.thorough
def test_an_edited_chart_is_all_that_is_made_again(small_copy: Project) -> None:
    def saved(words: str) -> None:
        drawn = 'chart(chapter, points, x="message_bytes", y="round_trip_rate", caption="Peaks", '
        heading, *rest = peaks_chapter()
        write(
            small_copy, "10-peaks", f"{heading} See @fig-one, @fig-other.", *rest,
            ("code", f'#| label: fig-one\n{drawn}title="{words}")'),
            ("code", f'#| label: fig-other\n{drawn}title="Not edited")'),
        )  # fmt: skip

    def kept() -> Counter[str]:
        return Counter(path.parent.name for path in small_copy.cache.rglob("*") if path.is_file())

    saved("Before")
    with watching(small_copy) as watched:
        watched.until_it_waits()
        before = kept()
        saved("After")
        watched.until_it_waits()
    page = (small_copy.reports / "0.1.0" / "html" / "10-peaks.html").read_text(encoding="utf-8")
    assert "After" in page
    assert "Not edited" in page
    assert kept() - before == Counter(
        dict.fromkeys(("executed", "html", "notebook", "pictures", "review", "typst"), 1)
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    for path in (project.notebooks / "a.ipynb", project.params / "report.yml"):
        path.parent.mkdir()
        path.write_text("1")
    return project


def test_a_file_is_awaited_until_it_rests(project: Project) -> None:
    steps = iter(range(6))

    def pause(_: float) -> None:
        step = next(steps)
        if 1 <= step <= 3:  # something writes it in pieces
            with (project.notebooks / "a.ipynb").open("a") as stream:
                stream.write("2")

    assert next_change(project, stamps_of(project), pause=pause) == {"notebooks/a.ipynb"}
    assert next(steps) == 5
    assert (project.notebooks / "a.ipynb").read_text() == "1222"


def test_new_and_removed_files_are_changes(project: Project) -> None:
    before = stamps_of(project)
    (project.params / "report.yml").unlink()
    (project.notebooks / "b.ipynb").write_text("1")
    (project.notebooks / ".ipynb_checkpoints").mkdir()
    (project.notebooks / ".ipynb_checkpoints" / "b-checkpoint.ipynb").write_text("1")
    changed = next_change(project, before, pause=lambda _: None)
    assert changed == {"params/report.yml", "notebooks/b.ipynb"}


def test_a_file_with_parameters_is_awaited_wherever_it_lies(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    given = tmp_path_factory.mktemp("elsewhere") / "mine.yml"
    before = stamps_of(project, [given])  # it need not be there yet
    given.write_text("title: Mine")
    assert next_change(project, before, [given], lambda _: None) == {str(given)}
