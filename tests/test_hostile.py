"""Hostile texts, full disks, folders without permission and clocks that go backwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pypdf
import pytest
import yaml

from conftest import Report
from hostile import (
    HIDDEN,
    TEXTS,
    Markup,
    captions,
    formulas,
    path_with,
    plant,
    quarto_that_keeps,
    shape_of_stage,
)
from roundtrip.csvfile import without_formula
from roundtrip.errors import DataError
from roundtrip.files import temporary_files
from roundtrip.project import Project
from roundtrip.yamlfile import hidden_character, parse_yaml
from workshop import (
    V94,
    answer,
    edit,
    environment,
    refused,
    roundtrip,
    share_cache,
    small_project,
    tree_of,
)

pytestmark = pytest.mark.slow
BUILD = ("build", "--engine", "embedded", "--overwrite")


@pytest.fixture
def project(small_copy: Project) -> Project:
    return small_copy


@pytest.mark.thorough
def test_texts_are_words_in_the_site_and_in_the_pdf(project: Project) -> None:
    label = " ".join(TEXTS)
    plant(project, label)
    done = roundtrip(*BUILD, project=project)
    assert done.returncode == 0, done.stderr
    folder = project.reports / "0.1.0"
    for page in folder.glob("html/**/*.html"):
        assert not Markup(page.read_text(encoding="utf-8")).foreign, page
    shown = Markup((folder / "html" / "10-peaks.html").read_text(encoding="utf-8")).text
    assert shown.count(label) >= 4
    tables = folder / "html" / "95-source-tables.html"
    assert label in Markup(tables.read_text(encoding="utf-8")).text
    pages = pypdf.PdfReader(folder / "report.pdf").pages
    printed = "".join("".join(page.extract_text() for page in pages).split())
    for text in TEXTS:
        assert "".join(text.split()) in printed, text


@pytest.mark.thorough
def test_texts_are_words_in_what_quarto_gets(small: Report, tmp_path: Path) -> None:
    shapes = []
    for name, text in (("plain", "So many plain words"), ("hostile", " ".join(TEXTS))):
        other = small_project(tmp_path / name / "project")
        share_cache(small.project, other)
        plant(other, text)
        place = quarto_that_keeps(tmp_path / name)
        env = environment(PATH=path_with(place))
        done = roundtrip("build", "--engine", "quarto", project=other, env=env)
        refused(done, "kept")
        stage = tmp_path / name / "stage"
        for chapter in stage.rglob("*.ipynb"):
            for cell in nbformat.read(chapter, as_version=4).cells:
                read = [str(output.get("data")) for output in cell.get("outputs", [])]
                assert not any("{{<" in text for text in (*read, *captions(cell.source)))
        book = yaml.safe_load((stage / "_quarto.yml").read_text(encoding="utf-8"))["book"]
        assert set(book) >= {"title", "author", "chapters"}
        shapes.append((sorted(book), shape_of_stage(stage)))
    assert shapes[0] == shapes[1]


@pytest.mark.thorough
def test_no_exported_table_holds_a_formula(project: Project) -> None:
    plant(project, "=HYPERLINK(A0)")
    done = roundtrip(*BUILD, project=project)
    assert done.returncode == 0, done.stderr
    files = list((project.reports / "0.1.0" / "html").rglob("*.csv"))
    texts = [path.read_text(encoding="utf-8") for path in files]
    texts += [roundtrip("data", kind, project=project).stdout for kind in ("cells", "observations")]
    assert [formulas(text) for text in texts] == [[]] * len(texts)
    assert any("'=HYPERLINK(A0)" in text for text in texts)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m,mode=755", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("only root can mount a disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path, left: int) -> None:
    """Leave so many bytes of a disk free."""
    status = os.statvfs(disk)
    (disk / "filler").write_bytes(bytes(status.f_bavail * status.f_frsize - left))


@pytest.mark.thorough
def test_a_full_disk_and_one_that_is_read_only(
    small: Report, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = small_project(disk / "project")
    shutil.copytree(small.project.cache, project.cache, dirs_exist_ok=True)
    shutil.copytree(small.project.reports, project.reports)
    before = tree_of(project.reports)
    edit(project.notebooks / "10-peaks.ipynb", "The highest rate is", "The best rate is")
    temporary = disk / "t"
    temporary.mkdir()
    env = environment(TMPDIR=str(temporary))
    for left in (0, 60_000, 1_000_000):
        fill(disk, left)
        done = roundtrip(*BUILD, project=project, env=env)
        refused(done, "No space left on device", "remedy: free disk space")
        assert tree_of(project.reports) == before
        (disk / "filler").unlink()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    refused(roundtrip(*BUILD, project=project), "could not write: Read-only file system")
    assert roundtrip("claims", project=project).returncode == 0
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    done = roundtrip(*BUILD, project=project, env=env)
    assert done.returncode == 0, done.stderr
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with temporary_files():  # what a child still wrote to goes at the next start
        pass
    assert list(temporary.rglob("*")) == []


@pytest.mark.thorough
def test_files_from_the_future_and_from_the_past(small: Report, project: Project) -> None:
    """As after a clock went backwards, or forwards: contents decide, not times."""
    shutil.copytree(small.project.reports, project.reports)
    for path in (project.root, *project.root.rglob("*")):
        os.utime(path, (4e9, 4e9), follow_symlinks=False)
    done = roundtrip(*BUILD, project=project)
    assert "nothing changed" in done.stdout, done.stderr
    notebook = project.notebooks / "10-peaks.ipynb"
    edit(notebook, "The highest rate is", "The greatest rate: ")
    os.utime(notebook, (0, 0))
    done = roundtrip(*BUILD, project=project)
    assert done.returncode == 0, done.stderr
    page = project.reports / "0.1.0" / "html" / "10-peaks.html"
    assert "The greatest rate" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=1+1", "'=1+1"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("\t=1", "'\t=1"),
        ("-1+1", "'-1+1"), ("+1,5|x", "'+1,5|x"), ("-5", "-5"), ("+4.5 %", "+4.5 %"), ("-", "-"),
        ("-1.2e-3", "-1.2e-3"), ("a=b", "a=b"), ("", ""), (-5.0, -5.0), (None, None),
    ],
)  # fmt: skip
def test_a_text_that_begins_as_formulas_do_gets_an_apostrophe(value: object, shown: object) -> None:
    assert without_formula(value) == shown


def test_what_steers_a_terminal_or_turns_text_round_is_refused(project: Project) -> None:
    character = HIDDEN[0]
    text = f"a {character} b"
    places = {
        project.params / "report.yml": ("title: ", f"title: {yaml.safe_dump(text)}#"),
        project.published / V94 / "report.yml": ("title: ", f"title: {yaml.safe_dump(text)}#"),
        project.published / V94 / "table-03.csv": ("RR-CC (2K", f"{text}RR-CC (2K"),
        project.notebooks / "10-peaks.ipynb": ("# Peaks", f"# Peaks \\u{ord(character[0]):04x}"),
    }
    for path, (old, new) in places.items():
        before = path.read_bytes()
        edit(path, old, new)
        said = refused(answer(*BUILD, project=project), path.name, "character")
        assert "\x1b" not in said
        path.write_bytes(before)


@pytest.mark.parametrize("character", HIDDEN)
def test_hidden_characters_are_named(character: str) -> None:
    assert hidden_character(f"a{character}b") is not None
    with pytest.raises(DataError, match=r"x\.yml:2: not valid YAML: holds the hidden character"):
        parse_yaml(f"a: b\nc: {json.dumps(character)}\n", "x.yml", DataError)


@pytest.mark.parametrize("text", ["Grüße\n\tTür", "日本語", "نص", "a\u00a0b\u202f%\u2028"])
def test_letters_of_any_language_are_none(text: str) -> None:
    assert hidden_character(text) is None
