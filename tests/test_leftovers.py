"""Temporary folders of killed builds, ingests and browsers, and two builds at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from roundtrip.dictionary import load_dictionary
from roundtrip.files import temporary_files
from roundtrip.ingest import session, tables
from roundtrip.project import Project
from workshop import ROOT, environment, refused, roundtrip, small_project, write_notebook

BROWSER = """
import sys, time
from pathlib import Path
from roundtrip.files import temporary_files
from roundtrip.project import Project
from roundtrip.publish.chapters.pictures import PictureMaker
with temporary_files(), PictureMaker(Project(Path(sys.argv[1]))) as maker:
    maker.expect_charts().result()
    time.sleep(10_000)
"""

PACKET = """
import sys, time
from pathlib import Path
from roundtrip.packet.archive import opened
with opened(Path(sys.argv[1])) as folder:
    time.sleep(float(sys.argv[2]))
"""

MANY = """
from roundtrip.files import temporary_files
for _ in range(200):
    with temporary_files() as folder:
        (folder / "one").touch()
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """The place for temporary files; its path is short, as that of sockets has to be."""
    with tempfile.TemporaryDirectory(prefix="t-") as name:
        yield Path(name)


def start(place: Path, *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *command],
        env=environment(TMPDIR=str(place)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill_when(process: subprocess.Popen[bytes], ready: Callable[[], bool]) -> None:
    """Kill a process, as the system does where memory is short, and wait for its children's end."""
    while not ready():
        assert process.poll() is None
        time.sleep(0.01)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait()
    _, living = psutil.wait_procs(children)
    assert living == []


@pytest.mark.slow
def test_a_killed_build_leaves_nothing_that_the_next_one_does_not_remove(
    tmp_path: Path, place: Path
) -> None:
    project = small_project(tmp_path / "project")
    wait = ("code", "import time\n\ntime.sleep(10_000)")
    slow = write_notebook(project, "10-peaks", "# Peaks {#sec-peaks}", wait)
    command = ["-m", "roundtrip", "--project", str(project.root), "build", "--engine", "embedded"]
    process = start(place, *command)
    kill_when(process, lambda: any(place.glob(".roundtrip-tmp-*/.roundtrip-tmp-*/*")))
    assert any(place.iterdir())
    slow.write_text("{", encoding="utf-8")  # the next one ends early, and that is enough
    done = roundtrip("build", project=project, env=environment(TMPDIR=str(place)))
    refused(done, "10-peaks")
    assert list(place.iterdir()) == []


@pytest.mark.slow
def test_a_killed_ingest_leaves_nothing_that_the_next_one_does_not_remove(
    tmp_path: Path, place: Path
) -> None:
    log = tmp_path / "vmstat.log"
    sample = ROOT / "tests" / "data" / "ingest" / "os-tools" / "vmstat_1_long_ubuntu18.txt"
    lines = sample.read_text(encoding="utf-8")
    log.write_text(lines + (lines.splitlines()[-1] + "\n") * 1_000_000, encoding="utf-8")
    process = start(place, "-m", "roundtrip", "--project", str(ROOT), "ingest", str(log))
    kill_when(process, lambda: any(place.glob(".roundtrip-tmp-*/.roundtrip-tmp-*")))
    assert any(place.iterdir())
    log.write_text(lines, encoding="utf-8")
    env = environment(TMPDIR=str(place))
    done = roundtrip("ingest", str(log), project=Project(ROOT), env=env)
    assert done.returncode == 0, done.stderr
    assert list(place.iterdir()) == []


def test_a_killed_check_of_a_packet_leaves_nothing_that_the_next_one_does_not_remove(
    tmp_path: Path, place: Path
) -> None:
    (tmp_path / "packet.json").write_text("{}", encoding="utf-8")
    process = start(place, "-c", PACKET, str(tmp_path), "10_000")
    kill_when(process, lambda: any(place.rglob("packet.json")))
    assert start(place, "-c", PACKET, str(tmp_path), "0").wait() == 0
    assert list(place.iterdir()) == []


@pytest.mark.slow
def test_a_killed_browser_leaves_nothing_that_the_next_start_does_not_remove(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start(place, "-c", BROWSER, str(ROOT))
    kill_when(process, lambda: any(place.glob(".roundtrip-tmp-*/*/Default")))
    assert any(place.iterdir())
    monkeypatch.setattr("tempfile.tempdir", str(place))
    with temporary_files():
        pass
    assert list(place.iterdir()) == []


def test_an_ingest_keeps_its_folder_while_another_command_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = session.read_input

    def disturbed(*given: Any) -> Any:
        with temporary_files():  # what every command begins with
            return read(*given)

    monkeypatch.setattr(session, "read_input", disturbed)
    monkeypatch.setattr(tables, "_IN_MEMORY", 100)  # rows go to files
    log = tmp_path / "a.log"
    log.write_text("[Requester0] START\n" + "rate=100.00,threads=8\n" * 1000, "utf-8")
    dictionary = load_dictionary(ROOT / "data" / "dictionary.yml")
    (reading,) = session.ingest_paths([log], dictionary=dictionary).readings
    assert reading.entry.problem is None
    assert reading.entry.intervals == 1000


def test_folders_of_the_living_and_of_others_stay(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(place))
    (place / "roundtrip-projects").mkdir()  # empty, and as long as a name that is drawn
    (place / "roundtrip-of-a-person").mkdir()
    (place / "roundtrip-of-a-person" / "notes.txt").touch()
    (place / "shared").mkdir()
    (place / ".roundtrip-tmp-link").symlink_to(place / "shared")
    with temporary_files() as first:
        monkeypatch.setattr("tempfile.tempdir", str(place))
        with temporary_files() as second:
            assert first.exists()
        assert not second.exists()
        assert os.environ["TMPDIR"] == str(first)
    names = {".roundtrip-tmp-link", "roundtrip-of-a-person", "roundtrip-projects", "shared"}
    assert {path.name for path in place.iterdir()} == names
    assert (place / "roundtrip-of-a-person" / "notes.txt").exists()


def test_processes_that_start_and_end_at_the_same_time_do_not_clear_up_after_each_other(
    place: Path,
) -> None:
    processes = [start(place, "-c", MANY) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert list(place.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.slow
def test_two_builds_at_a_time(tmp_path: Path, place: Path) -> None:
    project = small_project(tmp_path / "project")
    begin = ("code", 'from pathlib import Path\n\nPath("../begun").touch()')
    wait = ("code", "import time\n\ntime.sleep(10_000)")
    slow = write_notebook(project, "10-peaks", "# Peaks {#sec-peaks}", begin, wait)
    command = ["-m", "roundtrip", "--project", str(project.root), "build", "--engine", "embedded"]
    process = start(place, *command)
    while not (project.root / "begun").exists():
        assert process.poll() is None
        time.sleep(0.01)
    refused(roundtrip("build", project=project), f"process {process.pid} is at work here")
    process.kill()
    process.wait()
    slow.write_text("{", encoding="utf-8")
    refused(roundtrip("build", project=project), "10-peaks")
