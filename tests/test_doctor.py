"""``roundtrip doctor``: what is missing is named, with what it is needed for and what mends it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from roundtrip.cli import app
from roundtrip.project import Project, find_project
from roundtrip.setup import doctor
from roundtrip.setup.doctor import Finding, examine
from roundtrip.versions import read_pins

pytestmark = pytest.mark.slow  # programs are started and asked for their versions

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def here() -> Project:
    return find_project(ROOT)


@pytest.fixture
def bare(tmp_path: Path) -> Project:
    """A project that has nothing but what makes it one."""
    (tmp_path / "data").mkdir()
    (tmp_path / "_quarto.yml").touch()
    shutil.copy(ROOT / "data" / "dictionary.yml", tmp_path / "data")
    return Project(tmp_path)


def named(findings: list[Finding], name: str) -> Finding:
    return next(finding for finding in findings if finding.name == name)


def test_this_checkout_can_build(here: Project) -> None:
    findings = examine(lambda: here)
    assert [finding for finding in findings if finding.blocks] == []
    for name in ("Python", "Roundtrip", "Python libraries", "Pandoc", "Typst"):
        assert named(findings, name).found


def test_what_is_missing_has_a_remedy_and_a_purpose(
    bare: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    findings = examine(lambda: bare)
    for finding in findings:
        assert finding.needed_for
        assert bool(finding.remedy) == (finding.state != "present"), finding
    assert named(findings, "Chrome or Chromium").blocks
    assert not named(findings, "Quarto").blocks


def test_outside_a_project_the_machine_is_examined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    findings = examine()
    project = named(findings, "Report project")
    assert project.state == "missing"
    assert not project.blocks, "a project can be begun here"
    assert "roundtrip init DIR" in project.remedy
    for name in ("Roundtrip", "Python libraries", "Disk space", "Pandoc", "Typst"):
        assert named(findings, name).state == "present", name
    assert {"Java 17", "Load driver"} <= {finding.name for finding in findings}


def test_a_project_that_was_named_must_be_one(tmp_path: Path) -> None:
    found = named(examine(lambda: find_project(tmp_path)), "Report project")
    assert found.blocks
    assert str(tmp_path) in found.found


def test_other_versions_than_the_pinned_ones_differ_but_do_not_block(bare: Project) -> None:
    lock = bare.root / "requirements.lock"
    lock.write_text("pandas==0.0.1 \\\n    --hash=sha256:0\nnone-such==1.0\n", encoding="utf-8")
    libraries = named(examine(lambda: bare), "Python libraries")
    assert libraries.state == "differs"
    assert not libraries.blocks
    assert "(pinned 0.0.1)" in libraries.found
    assert "and 1 more" in libraries.found


def test_a_missing_library_blocks(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.metadata, "requires", lambda _: ["pandas>=999", "none-such>=1"])
    libraries = named(examine(lambda: here), "Python libraries")
    assert libraries.blocks
    assert "pandas>=999, none-such>=1" in libraries.found


def test_pins_are_read_for_this_python_only() -> None:
    lock = """\
# This file was made by a tool
Duck_DB==2.0.0 \\
    --hash=sha256:00
    # via roundtrip
old==1 ; python_full_version < '3.8' \\
    --hash=sha256:00
new==1 ; python_full_version >= '3.8' \\
    --hash=sha256:00
"""
    assert read_pins(lock) == {"duck-db": "2.0.0", "new": "1"}


def test_a_program_that_does_not_start_counts_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bare: Project
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(broken))
    browser = named(examine(lambda: bare), "Chrome or Chromium")
    assert browser.blocks
    assert "does not run" in browser.found


@pytest.mark.parametrize("columns", ["80", pytest.param("200", marks=pytest.mark.thorough)])
def test_the_table_shows_every_finding(
    here: Project, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = CliRunner().invoke(app, ["--project", str(ROOT), "doctor"])
    assert shown.exit_code == 0
    for finding in examine(lambda: here):
        assert finding.name in shown.output
    assert "Everything that a build needs is installed." in shown.output
    assert max(len(line) for line in shown.output.splitlines() if "present" in line) <= int(columns)


def test_json_and_the_exit_status_tell_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = CliRunner().invoke(app, ["--project", str(ROOT), "doctor", "--format", "json"])
    assert shown.exit_code == 0
    assert json.loads(shown.output)["complete"] is True
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    shown = CliRunner().invoke(app, ["--project", str(ROOT), "doctor", "--format", "json"])
    assert shown.exit_code == 1
    content = json.loads(shown.output)
    assert content["complete"] is False
    browser = next(f for f in content["findings"] if f["name"] == "Chrome or Chromium")
    assert browser["state"] == "missing"
