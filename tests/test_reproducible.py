"""The same commit gives the same bytes, wherever it is built, and no trace of the machine."""

from __future__ import annotations

import getpass
import re
import socket
import zlib
from pathlib import Path

import pypdf
import pytest

from conftest import Report
from roundtrip.project import Project
from workshop import (
    ROOT,
    commit_all,
    copy_project,
    environment,
    git,
    manifest_of,
    roundtrip,
    small_project,
    tree_of,
)


@pytest.fixture(scope="module")
def elsewhere(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The same commit, cloned into another folder and built there with an empty cache."""
    folder = tmp_path_factory.mktemp("another place, with spaces & more") / "clone"
    git(report.project.root, "clone", "--quiet", ".", str(folder))
    project = Project(folder)
    done = roundtrip(
        "build", "--engine", "embedded", "--workers", "1", cwd=folder / "notebooks",
        env=other_environment(folder.parent),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Report(project, project.reports / report.folder.name)


def other_environment(home: Path) -> dict[str, str]:
    return environment(
        HOME=str(home), TZ="Asia/Tokyo", LC_ALL="C", PYTHONHASHSEED="7", LANG="de_DE.UTF-8"
    )


@pytest.mark.thorough
def test_two_builds_of_one_commit_are_the_same_bytes(report: Report, elsewhere: Report) -> None:
    first, second = tree_of(report.folder), tree_of(elsewhere.folder)
    assert first.keys() == second.keys()
    different = [name for name in first if first[name] != second[name]]
    assert different == []


def test_a_small_report_is_the_same_bytes_in_another_place(small: Report, tmp_path: Path) -> None:
    project = small_project(tmp_path / "another place, with spaces & more" / "clone")
    done = roundtrip("build", "--engine", "embedded", "--workers", "1",
                     cwd=project.root / "notebooks", env=other_environment(tmp_path))  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, second = tree_of(small.project.reports), tree_of(project.reports)
    assert [name for name in first | second if first.get(name) != second.get(name)] == []


def secrets(report: Report) -> list[bytes]:
    names = {str(report.project.root), str(ROOT), str(Path.home()), socket.gethostname()}
    names |= {f"/{getpass.getuser()}/", "/tmp/", "pytest-of", *(f"/{n}/" for n in ("home", "root"))}
    return sorted(name.encode() for name in names if len(name) > 3)


def unpacked(path: Path) -> bytes:
    """Give a file's bytes; of a PDF also what its streams hold."""
    data = path.read_bytes()
    if path.suffix != ".pdf":
        return data
    parts = [data]
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            parts.append(zlib.decompress(match[1]))
        except zlib.error:
            parts.append(match[1])
    return b"\n".join(parts)


def test_no_output_names_the_machine(report: Report) -> None:
    found = []
    for path in sorted(report.folder.rglob("*")):
        # The vendored libraries are what their makers shipped.
        if path.is_file() and "vendor" not in path.parts and path.suffix != ".woff2":
            content = unpacked(path)
            found += [f"{path.name}: {name!r}" for name in secrets(report) if name in content]
    assert found == []


def test_no_output_bears_another_time_than_the_commits(report: Report) -> None:
    # The commit of the checkout that was built is from 2 January 2026, 03:04:05 UTC.
    metadata = pypdf.PdfReader(report.pdf).metadata
    assert metadata is not None
    assert str(metadata.get("/CreationDate", "")).startswith("D:20260102030405")
    for path in report.folder.rglob("*"):
        if path.suffix in (".html", ".json", ".ipynb", ".csv") and "vendor" not in path.parts:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"20[2-9]\d-\d\d-\d\dT\d\d:\d\d", text), path


def test_a_report_outside_git_is_dated_by_its_edition(report: Report, tmp_path: Path) -> None:
    from roundtrip.publish.commit import find_commit

    project = copy_project(tmp_path / "bare")
    commit = find_commit(project.root, "2026-11-21")
    assert (commit.name, commit.timestamp) == ("", 1795219200)
    inside = find_commit(report.project.root, "2026-11-21")
    assert inside.name == manifest_of(report.folder)["report"]["commit"]
    assert inside.timestamp == 1767323045
    # A project inside another repository is not that repository.
    commit_all(project)
    nested = copy_project(project.root / ".cache" / "nested")
    assert find_commit(nested.root, "2026-11-21").name == ""
