"""Errors, and files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from roundtrip.errors import ChapterError, DataError, RoundtripError, nearest
from roundtrip.files import (
    files_below,
    folder_atomically,
    sha256_of,
    sha256_of_file,
    sha256_of_tree,
    stream_atomically,
    write_atomically,
)
from roundtrip.project import Project, find_project
from roundtrip.publish.manifest import input_files
from workshop import ROOT, answer, environment, refused


def test_an_error_says_what_where_allowed_and_remedy() -> None:
    problem = DataError("is wrong", where=Path("a.csv"), allowed="this", remedy="do that")
    assert str(problem) == "a.csv: is wrong\n  allowed: this\n  remedy: do that"
    assert (problem.what, problem.where) == ("is wrong", "a.csv")
    assert str(ChapterError("is wrong")) == "is wrong"
    assert isinstance(problem, RoundtripError)


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("versoin", " (did you mean 'version'?)"), ("zzz", ""), ("", "")],
)
def test_the_nearest_name_is_suggested_only_when_it_is_near(name: str, suggestion: str) -> None:
    assert nearest(name, ["version", "title"]) == suggestion


@pytest.mark.parametrize(
    ("name", "known"),
    [("horse", "hosts"), ("gravity", "quantity"), ("delivery", "recovery"),
     ("persistence", "other-system"), ("no-such-factor", "message_factor")],
)  # fmt: skip
def test_a_name_that_only_shares_letters_is_not_suggested(name: str, known: str) -> None:
    assert nearest(name, [known]) == ""


def test_the_beginning_of_a_name_suggests_it() -> None:
    assert nearest("made", ["other", "made-full"]) == " (did you mean 'made-full'?)"


def test_a_file_gets_its_folder_its_content_and_no_companions(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "c.txt"
    write_atomically(target, "naïve\r\n")
    assert target.read_bytes() == "naïve\r\n".encode()
    write_atomically(target, b"second")
    assert target.read_bytes() == b"second"
    assert [path.name for path in target.parent.iterdir()] == ["c.txt"]
    assert target.stat().st_mode & 0o777 == 0o644


def limited(script: str, folder: Path, size: int) -> subprocess.CompletedProcess[str]:
    """Run Python that may not write files larger than `size`, as on a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(folder)],
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )


def test_a_full_disk_leaves_the_old_file_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    script = """
        import sys
        from pathlib import Path
        from roundtrip.errors import RoundtripError
        from roundtrip.files import write_atomically
        try:
            write_atomically(Path(sys.argv[1]) / "a.txt", "x" * 100_000)
        except RoundtripError as problem:
            print(problem)
    """
    done = limited(script, tmp_path, 10_000)
    assert "could not write: File too large" in done.stdout, done.stderr
    assert "remedy: free disk space" in done.stdout
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "old"}


def test_bytes_that_are_taken_one_after_another_are_a_file_at_the_end_or_nothing(
    tmp_path: Path,
) -> None:
    target = tmp_path / "a" / "b.txt"
    with stream_atomically(target, 0o600) as stream:
        stream.write(b"one ")
        stream.write(b"two")
        assert not target.exists()
        (work,) = target.parent.iterdir()
        assert work.stat().st_mode & 0o777 == 0o600
    assert target.read_bytes() == b"one two"
    assert target.stat().st_mode & 0o777 == 0o600
    # What the body could not read is no fault of the target.
    for problem in (KeyboardInterrupt(), PermissionError(errno.EACCES, "no", "other.txt")):
        with pytest.raises(type(problem)), stream_atomically(target) as stream:  # noqa: PT012
            stream.write(b"three")
            raise problem
    assert target.read_bytes() == b"one two"
    assert [path.name for path in target.parent.iterdir()] == ["b.txt"]


@pytest.mark.parametrize("length", [100, 1_000_000], ids=["at its end", "before its end"])
def test_a_disk_that_is_full_for_a_stream_is_told_of_its_file(tmp_path: Path, length: int) -> None:
    (tmp_path / "a.txt").write_text("old")
    script = f"""
        import sys
        from pathlib import Path
        from roundtrip.errors import RoundtripError
        from roundtrip.files import stream_atomically
        try:
            with stream_atomically(Path(sys.argv[1]) / "a.txt") as stream:
                stream.write(b"x" * {length})
        except RoundtripError as problem:
            print(problem)
    """
    done = limited(script, tmp_path, 50)
    assert f"{tmp_path / 'a.txt'}: could not write: File too large" in done.stdout, done.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "old"}


def test_a_folder_that_another_process_has_just_moved_is_nobodys_leftover(tmp_path: Path) -> None:
    # Listed, and gone when it is opened.
    (tmp_path / ".report.new-other").symlink_to(tmp_path / "moved")
    with folder_atomically(tmp_path / "report") as work:
        (work / "a.txt").write_text("new")
    assert (tmp_path / "report" / "a.txt").read_text() == "new"


def test_a_full_disk_leaves_the_old_folder(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "a.txt").write_text("old")
    script = """
        import sys
        from pathlib import Path
        from roundtrip.errors import RoundtripError
        from roundtrip.files import folder_atomically
        try:
            with folder_atomically(Path(sys.argv[1]) / "report") as work:
                (work / "a.txt").write_text("new")
                (work / "b.txt").write_text("x" * 100_000)
        except RoundtripError as problem:
            print(problem)
    """
    done = limited(script, tmp_path, 10_000)
    assert "could not write" in done.stdout, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    assert (tmp_path / "report" / "a.txt").read_text() == "old"


def test_a_folder_appears_whole_and_replaces_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "reports" / "1.0"
    with folder_atomically(target) as work:
        (work / "a.txt").write_text("one")
        assert not target.exists()
    with folder_atomically(target) as work:
        (work / "b.txt").write_text("two")
        assert (target / "a.txt").read_text() == "one"
    assert [path.name for path in target.iterdir()] == ["b.txt"]
    assert [path.name for path in target.parent.iterdir()] == ["1.0"]


def test_an_exception_leaves_the_old_folder(tmp_path: Path) -> None:
    target = tmp_path / "1.0"
    target.mkdir()
    (target / "a.txt").write_text("old")

    def interrupted() -> None:
        with folder_atomically(target) as work:
            (work / "a.txt").write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["1.0"]
    assert (target / "a.txt").read_text() == "old"


def test_other_failures_of_the_system_are_not_called_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="busy") as caught, folder_atomically(tmp_path / "a"):
        raise OSError(errno.EBUSY, "busy")
    assert not isinstance(caught.value, RoundtripError)


HALFWAY = """
    import sys, time
    from pathlib import Path
    from roundtrip.files import folder_atomically
    with folder_atomically(Path(sys.argv[1]) / "1.0") as work:
        (work / "a.txt").write_text("half")
        print("half", flush=True)
        time.sleep(10_000)
"""


def killed_halfway(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HALFWAY), str(folder)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def test_a_killed_process_leaves_the_old_folder_and_the_next_one_clears_up(tmp_path: Path) -> None:
    target = tmp_path / "1.0"
    target.mkdir()
    (target / "a.txt").write_text("old")
    killed_halfway(tmp_path)
    assert (target / "a.txt").read_text() == "old"
    with folder_atomically(target) as work:
        (work / "a.txt").write_text("new")
    assert (target / "a.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["1.0"]


def test_a_folder_that_is_being_filled_by_a_living_process_is_left_alone(tmp_path: Path) -> None:
    with folder_atomically(tmp_path / "1.0") as first:
        (first / "a.txt").write_text("first")
        with folder_atomically(tmp_path / "1.0") as second:
            (second / "a.txt").write_text("second")
        assert (first / "a.txt").read_text() == "first"
    assert (tmp_path / "1.0" / "a.txt").read_text() == "first"


def test_a_folder_moved_aside_by_a_killed_process_comes_back(tmp_path: Path) -> None:
    # As after a kill between the two moves that replace a folder; no process has the number 0.
    aside = tmp_path / ".1.0.old-0-abcdefgh"
    aside.mkdir()
    (aside / "a.txt").write_text("old")
    with pytest.raises(RuntimeError), folder_atomically(tmp_path / "1.0"):
        raise RuntimeError
    assert (tmp_path / "1.0" / "a.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["1.0"]


def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    user = os.geteuid()
    if user == 0:  # root may write everywhere
        os.seteuid(65534)
    try:
        with pytest.raises(RoundtripError, match="could not write: Permission denied"):
            write_atomically(tmp_path / "a.txt", "x")
    finally:
        os.seteuid(user)
        tmp_path.chmod(0o700)


def test_a_file_where_a_folder_belongs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file")
    with pytest.raises(RoundtripError, match="could not write"):
        write_atomically(tmp_path / "reports" / "a.txt", "x")


def test_a_tree_is_hashed_by_names_and_contents(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder / "tree").mkdir(parents=True)
        (tmp_path / folder / "tree" / "a").write_text("a")
        (tmp_path / folder / "tree" / "b").write_text("b")
    first, second = (tmp_path / folder / "tree" for folder in ("one", "two"))
    assert sha256_of_tree(first) == sha256_of_tree(second)
    (second / "__pycache__").mkdir()
    (second / "__pycache__" / "x.pyc").write_text("x")
    assert sha256_of_tree(first) == sha256_of_tree(second)
    (second / "a").rename(second / "c")
    assert sha256_of_tree(first) != sha256_of_tree(second)
    assert sha256_of_file(first / "a") == sha256_of("a") == sha256_of(b"a")


def test_what_is_hashed_of_data_is_what_a_report_is_built_from(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "campaigns" / "x"
    being_measured = ("../.x.new/raw/a.part", "../y/manifest.yml", "../y/raw/a.part")
    for name in ("points.csv", "raw/driver.jar", ".ipynb_checkpoints/a-checkpoint.csv",
                 *being_measured):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("1")
    inputs = [path for path in input_files(Project(tmp_path)).values() if tmp_path in path.parents]
    assert inputs == files_below(folder) == [folder / "points.csv", folder / "raw" / "driver.jar"]


def test_files_below_a_folder_are_listed_or_what_hides_them_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "data"
    assert files_below(place) == []
    (place / "b").mkdir(parents=True)
    (place / "b" / "x").touch()
    (place / "a").touch()
    (place / ".#a").symlink_to("user@host.1")  # the lock of an editor
    assert files_below(place) == [place / "a", place / "b" / "x"]
    assert files_below(place / "a") == [place / "a"]
    link = place / "b" / "link"
    for target, says in (("gone", "a link to nothing"), (str(place), "a link to a folder")):
        link.symlink_to(target)
        for read in (files_below, sha256_of_tree):
            with pytest.raises(DataError, match=says) as caught:
                read(place)
            assert caught.value.where == str(link)
        link.unlink()


@pytest.mark.parametrize("name", ["checks", "params", "data", "templates", "notebooks"])
@pytest.mark.parametrize("link", [False, True])
def test_a_folder_of_the_project_that_is_none_is_named(
    tmp_path: Path, name: str, link: bool
) -> None:
    (tmp_path / "_quarto.yml").write_text("book: {}\n")
    if link:
        (tmp_path / name).symlink_to("gone")
    else:
        (tmp_path / name).touch()
    says = "a link to nothing" if link else "no folder"
    refused(answer("check", project=Project(tmp_path)), f"{tmp_path / name}: is {says}")


def test_the_project_is_found_from_below_and_named_without_the_machine(tmp_path: Path) -> None:
    project = find_project(ROOT / "notebooks")
    assert project == Project(ROOT)
    assert project.relative(ROOT / "data" / "dictionary.yml") == "data/dictionary.yml"
    assert project.relative(tmp_path / "elsewhere.yml") == "elsewhere.yml"
    assert project.shown(ROOT / "data" / "dictionary.yml") == "data/dictionary.yml"
    assert project.shown(tmp_path / "elsewhere.yml") == str(tmp_path / "elsewhere.yml")
    with pytest.raises(RoundtripError, match="no report project") as caught:
        find_project(tmp_path)
    assert "--project" in str(caught.value)
