"""What is kept carries its hash: a changed byte is never published."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Report
from roundtrip.cache import Cache
from roundtrip.project import PACKAGE, Project
from workshop import answer, environment, refused, roundtrip, share_cache, small_project, tree_of


def changed(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


def test_what_was_put_is_given_and_made_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.get("kind", "key") is None
    assert cache.text("kind", "key", lambda: "é\n") == "é\n"
    assert cache.text("kind", "key", lambda: pytest.fail("made again")) == "é\n"
    assert cache.text_once("kind", "key", lambda: pytest.fail("made again")) == "é\n"
    assert Cache(tmp_path).get("kind", "key") == "é\n".encode()


def test_every_changed_byte_counts_as_missing(tmp_path: Path) -> None:
    cache, path = Cache(tmp_path), tmp_path / "kind" / "key"
    assert cache.mapped("kind", "key") is None
    cache.put("kind", "key", b"12.5 round trips/s")
    assert bytes(cache.mapped("kind", "key") or b"") == b"12.5 round trips/s"
    whole = path.read_bytes()
    for position in range(len(whole)):
        path.write_bytes(changed(whole, position))
        assert cache.get("kind", "key") is cache.mapped("kind", "key") is None
    for damaged in (b"", whole[:-1], whole + b"0", whole[:40]):
        path.write_bytes(damaged)
        assert cache.get("kind", "key") is cache.mapped("kind", "key") is None
    assert cache.text("kind", "key", lambda: "anew") == "anew"


def test_a_file_in_the_place_of_another_counts_as_missing(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("kind", "one", b"1")
    for kind, key in (("kind", "other"), ("other", "one")):
        (tmp_path / kind).mkdir(exist_ok=True)
        shutil.copy(tmp_path / "kind" / "one", tmp_path / kind / key)
        assert cache.get(kind, key) is None


KEYS = """
import json, sys
from pathlib import Path
from roundtrip.checks import checks_key
from roundtrip.claims import claims_key
from roundtrip.observations import load_observations
from roundtrip.partitions import sources_of
from roundtrip.project import Project
from roundtrip.publish.manifest import chapter_fingerprint
project = Project(Path(sys.argv[1]))
known = load_observations(project)
keys = [checks_key(project, known), claims_key(known), chapter_fingerprint({})]
print(json.dumps([*(source.fingerprint for source in sources_of(project)), *keys]))
"""


def test_what_is_kept_depends_on_all_code_that_computes_and_on_no_other(tmp_path: Path) -> None:
    project, package = small_project(tmp_path / "project"), tmp_path / "code" / "roundtrip"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("templates", "__pycache__"))

    def keys_after(changed: str = "", text: str = "") -> list[str]:
        if changed:
            with (package / changed).open("a", encoding="utf-8") as file:
                file.write(text)
        command = [sys.executable, "-c", KEYS, str(project.root)]
        variables = environment(PYTHONPATH=str(package.parent))
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
        keys: list[str] = json.loads(done.stdout)
        return keys

    first = keys_after()
    assert len(first) > 3
    assert keys_after("publish/html/site.py", "# other code\n") == first
    for name in ("campaign/method.py", "yamlfile.py", "dictionary.yml", "table_html.jinja"):
        last, first = first, keys_after(name, "# other code\n")
        assert all(map(str.__ne__, last, first)), name


@pytest.fixture(scope="module")
def closed(small: Report, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project whose cache nobody can write, root neither: a file is in its place."""
    project = small_project(tmp_path_factory.mktemp("closed") / "project")
    project.cache.write_text("no folder")
    workload = project.params / "workloads" / "mine.yml"
    workload.write_text("messages: [{bytes: 2048}]\nrate: 100\n", encoding="utf-8")
    return project


@pytest.fixture(scope="module")
def open_(small: Report, closed: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give the same project with a cache, which a build has filled."""
    project = Project(tmp_path_factory.mktemp("open") / "project")
    shutil.copytree(closed.root, project.root)
    project.cache.unlink()
    share_cache(small.project, project)
    return project


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(words.split(), id=words, marks=() if usual else pytest.mark.thorough)
        for words, usual in {
            "check": False, "claims": True, "errata": False, "errata --proposed": False,
            "review": False, "data cells": True, "size mine": False,
        }.items()
    ],
)  # fmt: skip
def test_what_only_reads_works_without_a_cache(
    closed: Project, open_: Project, command: list[str]
) -> None:
    shown = answer(*command, project=closed)
    assert shown.returncode == 0, shown.stderr
    assert shown.stderr == ""
    assert shown.stdout == answer(*command, project=open_).stdout


def test_what_writes_names_the_cache_that_it_cannot_write(closed: Project) -> None:
    for command in (["build"], ["run", "base", "--yes"]):
        refused(roundtrip(*command, project=closed), str(closed.cache), "could not write")


@pytest.mark.thorough
def test_no_changed_byte_of_the_cache_is_published(small: Report, small_copy: Project) -> None:
    kept = [path for path in small_copy.cache.rglob("*") if path.is_file() and path.stat().st_size]
    for path in kept:
        content = path.read_bytes()
        path.unlink()  # it is a link to what other tests share
        path.write_bytes(changed(content, len(content) * 2 // 3))
    kinds = {path.parent.name for path in kept}
    assert kinds >= {
        "blocks",
        "checks",
        "claims",
        "executed",
        "html",
        "observations",
        "review",
        "typst",
    }
    done = roundtrip("build", "--engine", "embedded", project=small_copy)
    assert done.returncode == 0, done.stderr
    assert tree_of(small_copy.reports) == tree_of(small.project.reports)
