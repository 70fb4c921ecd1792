"""A project of one's own: ``roundtrip init``, and a chapter on what a plan measures."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import yaml

from roundtrip.errors import RoundtripError
from roundtrip.params.edition import ReportParameters
from roundtrip.project import Project
from roundtrip.publish.chapters.notebooks import read_notebook
from roundtrip.publish.chapters.typed_numbers import refuse_typed_numbers
from roundtrip.skeletons import SKELETONS, new_chapter, new_project
from workshop import ROOT, answer, change_yaml, refused, roundtrip

TITLE = 'Acme "Broker" 3.1: *fast* #set {x} [a](b) <script> @@TITLE@@ ' + "é" * 3
EXAMPLE = ROOT / "docs" / "examples" / "csv"
TOP = {"notebooks", "data", "params", "templates", "checks", "_quarto.yml", "environment.yml",
       "README.md"}  # fmt: skip


def test_a_new_project_has_the_top_level_of_this_one(tmp_path: Path) -> None:
    project = new_project(tmp_path / "my-report", TITLE, "Ann: O'Neil")
    assert {path.name for path in project.root.iterdir()} >= TOP
    assert {path.name for path in ROOT.iterdir()} >= TOP
    text = (project.params / "report.yml").read_text("utf-8")
    assert "ééé" in text  # as its author writes it
    said = yaml.safe_load(text)
    assert (said["title"], said["authors"]) == (TITLE, ["Ann: O'Neil"])
    assert ReportParameters.model_validate(said).made_with
    heading = (project.root / "README.md").read_text("utf-8").splitlines()[0]
    assert heading.startswith(r'# Acme "Broker" 3.1: \*fast\* \#set \{x\} \[a\](b) \<script\> ')
    assert (project.root / ".gitignore").is_file()
    lock = (project.root / "requirements.lock").read_text("utf-8")
    assert lock == (ROOT / "requirements.lock").read_text("utf-8")


def test_what_is_in_the_way_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name, what in (("full", "full is not empty"), ("file", "file is a file")):
        message = refused(answer("init", str(tmp_path / name), "--title", "T", "--author", "A"))
        assert what in message
        assert "a new or an empty folder" in message
    for title, said in (("T" * 201, "title"), (" ", "--title: is empty"),
                        ("T\x1b[1m", "--title: holds the hidden character")):  # fmt: skip
        message = refused(answer("init", str(tmp_path / "new"), "--title", title, "--author", "A"))
        assert said in message
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "mine.txt"]


@pytest.mark.parametrize("name", ["made/new", "."])
def test_the_next_step_begins_in_the_folder_that_init_was_run_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("roundtrip.cli.init._fill", lambda project: Path.cwd())  # measures
    done = answer("init", name, "--title", "T", "--author", "A", cwd=tmp_path)
    assert f"Next: cd {name} && roundtrip build " in done.stdout


def test_a_project_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    change_yaml(project.params / "report.yml", {"made_with": "99.1"})
    message = refused(answer("build", project=project))
    assert "params/report.yml" in message
    assert "99.1" in message
    assert "remedy: 'roundtrip docs install' says how to upgrade" in message


@pytest.mark.parametrize(
    ("factors", "call"),
    [
        ({}, 'measured_lines(\n    runs, "requesters",'),
        ({"requesters": [4], "delivery": ["nonpersistent", "persistent"]},
         'variants_figure(\n    runs, "delivery",'),
        ({"message_bytes": [256, 2048], "delivery": ["nonpersistent", "persistent"]},
         'Measured(chapter, "first", delivery=\'nonpersistent\')'),
    ],
)  # fmt: skip
def test_a_chapter_on_a_plan_shows_what_it_varies(
    tmp_path: Path, factors: dict[str, list[object]], call: str
) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    if factors:
        change_yaml(project.params / "campaigns" / "first.yml", {"factors": {
            "delivery": ["nonpersistent"], "message_bytes": [2048], "responders": [4],
            "requesters": [1, 4], **factors,
        }})  # fmt: skip
    path = new_chapter(project, "30-mine", plan="first")
    notebook = read_notebook(path)
    refuse_typed_numbers(notebook, path.name)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    for source in code:
        compile(source, path.name, "exec")
    assert call in "\n".join(code)
    assert ('runs, "requesters", split="message_bytes",' in "\n".join(code)) == (
        "message_bytes" in factors
    )
    lines = [line for source in code for line in source.splitlines()]
    assert len([line for line in lines if line and not line.startswith("#")]) <= 22


def code_of(path: Path) -> str:
    """Give the code of a chapter, compiled once; its text is free of typed numbers."""
    notebook = read_notebook(path)
    refuse_typed_numbers(notebook, path.name)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    compile(code, path.name, "exec")
    return code


def test_a_chapter_on_a_plan_of_parts_shows_what_these_vary(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    change_yaml(project.params / "campaigns" / "first.yml", {
        "factors": {"message_bytes": [2048], "responders": [4]}, "control": None,
        "parts": [{"delivery": ["nonpersistent"], "requesters": [1, 4]},
                  {"delivery": ["persistent"], "requesters": [4, 8]}],
    })  # fmt: skip
    code = code_of(new_chapter(project, "30-parts", plan="first"))
    assert 'runs, "requesters", split="delivery"' in code
    change_yaml(project.params / "campaigns" / "first.yml", {
        "factors": {"responders": [4]}, "control": None,
        "parts": [{"delivery": ["nonpersistent"], "requesters": [1, 4], "message_bytes": [256]},
                  {"delivery": ["persistent"], "requesters": [4, 8], "message_bytes": [512, 2048]}],
    })  # fmt: skip
    code = code_of(new_chapter(project, "35-parts", plan="first"))
    assert "Measured(chapter, \"first\", delivery='persistent')" in code
    assert 'runs, "message_bytes", split="requesters"' in code
    change_yaml(project.params / "campaigns" / "first.yml", {"parts": []})
    with pytest.raises(RoundtripError, match="requesters"):
        new_chapter(project, "40-none", plan="first")
    assert not (project.notebooks / "40-none.ipynb").exists()


def test_a_chapter_on_campaigns_names_one_or_compares_several(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    shutil.copytree(ROOT / "tests/data/campaigns/base-quick", project.campaigns / "base-quick")
    done = answer("ingest", str(EXAMPLE), "--campaign", "acme-3.0", project=project)
    assert done.returncode == 0, done.stderr
    one = code_of(new_chapter(project, "30-new", campaigns=["base-quick"]))
    assert 'campaigns=["base-quick"]' in one
    old = code_of(new_chapter(project, "40-old", campaigns=["acme-3.0"]))
    assert 'ingested_peaks(chapter, "acme-3.0")' in old
    both = code_of(new_chapter(project, "50-both", campaigns=["acme-3.0", "base-quick"]))
    assert '"acme-3.0",\n    "base-quick",' in both
    shutil.copytree(project.campaigns / "acme-3.0", project.campaigns / "logs")
    code = code_of(new_chapter(project, "55-logs", campaigns=["acme-3.0", "logs"]))
    assert "import Chapter, compare\n" in code
    assert "tested" not in code
    message = refused(answer("new", "chapter", "60-x", "--campaign", "acme-3.2", project=project))
    assert "unknown campaign 'acme-3.2' (did you mean 'acme-3.0'?)" in message
    assert not (project.notebooks / "60-x.ipynb").exists()


def test_a_comparison_of_campaigns_takes_one_level_of_what_else_they_vary(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    for name, levels in (("acme-3.1", [5, 10, 20]), ("acme-3.2", [10, 40])):
        folder = project.campaigns / name
        shutil.copytree(ROOT / "tests/data/campaigns/base-quick", folder)
        manifest = yaml.safe_load((folder / "manifest.yml").read_text("utf-8"))
        manifest["id"] = name
        manifest["plan"]["factors"]["link_rtt_ms"] = levels
        (folder / "manifest.yml").write_text(yaml.safe_dump(manifest), "utf-8")
    code = code_of(new_chapter(project, "50-both", campaigns=["acme-3.1", "acme-3.2"]))
    assert "kept = {'link_rtt_ms': 10}" in code
    assert '("acme-3.2", "base"),' in code  # how each was tested
    assert "disclosure(one)" in code


def test_a_comparison_of_campaigns_in_parts_takes_one_level_of_what_tells_the_parts_apart(
    tmp_path: Path,
) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    for name in ("acme-3.1", "acme-3.2"):
        folder = project.campaigns / name
        shutil.copytree(ROOT / "tests/data/campaigns/base-quick", folder)
        manifest = yaml.safe_load((folder / "manifest.yml").read_text("utf-8"))
        manifest["id"] = name
        manifest["plan"]["parts"] = [
            {"link_encrypted": [True], "link_rtt_ms": [5]},
            {"link_encrypted": [False], "link_rtt_ms": [5, 10]},
        ]
        (folder / "manifest.yml").write_text(yaml.safe_dump(manifest), "utf-8")
    code = code_of(new_chapter(project, "50-both", campaigns=["acme-3.1", "acme-3.2"]))
    assert "kept = {'link_encrypted': False, 'link_rtt_ms': 5}" in code


def test_every_page_of_the_skeleton_is_free_of_typed_numbers() -> None:
    for path in (SKELETONS / "project" / "notebooks").glob("*.ipynb"):
        refuse_typed_numbers(read_notebook(path), path.name)


def test_a_first_measurement_that_fails_leaves_every_chapter_of_the_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object, **__: object) -> None:
        raise RoundtripError("the disk is nearly full")

    monkeypatch.setattr("roundtrip.cli.init.run", run)
    folder = tmp_path / "my-report"
    done = answer("init", str(folder), "--title", "T", "--author", "A")
    assert done.returncode == 0, done.stderr
    assert "not completed: the disk is nearly full" in done.stderr
    book = yaml.safe_load((folder / "_quarto.yml").read_text("utf-8"))["book"]
    for name in (*book["chapters"], *book["appendices"]):
        assert (folder / name).is_file()


@pytest.mark.thorough
@pytest.mark.slow
def test_without_java_a_sample_is_ingested_and_the_report_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{java.parent}{os.pathsep}{os.environ['PATH']}")
    folder = tmp_path / "my-report"
    done = roundtrip("init", str(folder), "--title", TITLE, "--author", "A")
    assert done.returncode == 0, done.stderr
    assert "The first measurement was not completed" in done.stderr
    project = Project(folder)
    built = roundtrip("build", "--engine", "embedded", project=project)
    assert built.returncode == 0, built.stderr
    page = (project.reports / "0.1.0/html/20-first-measurement.html").read_text("utf-8")
    assert "16,582" in page  # the mean of the two steady intervals
    assert (project.reports / "0.1.0" / "report.pdf").is_file()
