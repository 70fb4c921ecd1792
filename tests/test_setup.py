"""Set-up: what it installs is pinned and in step, and what stops it says what mends it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from roundtrip import __version__
from roundtrip.cli import app
from roundtrip.setup.browser import NAMES, browser_remedy, find_browser, need_browser

ROOT = Path(__file__).resolve().parents[1]
LOCKS = (
    "requirements.lock", "requirements-hosts.lock", "requirements-dev.lock",
    "requirements-lab.lock",
)  # fmt: skip
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins(name: str) -> dict[str, tuple[str, str]]:
    """Version and marker of every package in a lock file, on any platform."""
    found = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if pin := re.match(r"([\w.-]+)==([^\s;]+)\s*(;[^\\]*)?", line):
            found[canonicalize_name(pin[1])] = (pin[2], (pin[3] or "").strip())
    return found


# What is pinned


@pytest.mark.parametrize("name", LOCKS)
def test_every_pinned_package_has_hashes_and_none_an_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[\w.-]+==)", text.split("\n", 2)[2])
    assert len(entries) > 80
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"://| @ |--(?:extra-)?index-url|--find-links|--trusted-host", text)


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("requirements.lock", ["build"]),
        ("requirements-hosts.lock", ["build", "hosts"]),
        ("requirements-dev.lock", ["build", "hosts", "dev"]),
        ("requirements-lab.lock", ["lab"]),
    ],
)
def test_locks_satisfy_the_project(name: str, groups: list[str]) -> None:
    wanted = [] if groups == ["lab"] else list(PROJECT["project"]["dependencies"])
    further = PROJECT["dependency-groups"] | PROJECT["project"]["optional-dependencies"]
    for group in groups:
        wanted += further[group]
    pinned = pins(name)
    for text in wanted:
        requirement = Requirement(text)
        version, _ = pinned[canonicalize_name(requirement.name)]
        assert version in requirement.specifier, f"{name}: {text}; run 'make lock'"


def test_what_builds_the_package_is_pinned() -> None:
    assert PROJECT["build-system"]["requires"] == PROJECT["dependency-groups"]["build"]


def test_the_locks_agree() -> None:
    base, hosts, dev, lab = (pins(name) for name in LOCKS)
    more = "the tests would run with other versions than a build"
    assert base.items() <= hosts.items() <= dev.items(), more
    for name in base.keys() & lab.keys():
        assert base[name][0] == lab[name][0], "the two would show figures with different versions"


@pytest.mark.parametrize("name", LOCKS[:3])
def test_jupyterlab_stays_out_of_the_kernels_environment(name: str) -> None:
    slow = {"jupyterlab", "jupyter-server", "jupyter-events", "rfc3987-syntax", "lark"}
    assert slow & pins(name).keys() == set()


# What must be in step


def test_conda_environment_is_in_step_with_the_project() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    conda = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    (with_pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert environment["channels"] == ["conda-forge"]
    assert sorted(with_pip) == sorted([*PROJECT["project"]["dependencies"], "--editable ."])
    python = next(Requirement(entry) for entry in conda if entry.startswith("python"))
    lower = PROJECT["project"]["requires-python"]
    assert lower in str(python.specifier).split(",")
    assert {"git", "make", "pip"} <= set(conda)
    assert any(entry.startswith("quarto>=") for entry in conda)


def test_one_version_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["project"]["version"] == citation["version"] == __version__
    pom = (ROOT / "harness" / "pom.xml").read_text(encoding="utf-8")
    assert f"<artifactId>roundtrip-harness</artifactId>\n  <version>{__version__}</version>" in pom
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("document", ["README.md", "docs/install.md", "environment.yml"])
def test_documents_name_only_targets_that_exist(document: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = (ROOT / document).read_text(encoding="utf-8")
    shown = re.findall(r"(?:^|`|')make ((?:[a-z][a-z-]* ?)+)", text, re.MULTILINE)
    assert {name for names in shown for name in names.split()} <= targets


def test_the_readme_names_only_commands_that_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`roundtrip ([a-z]+(?: [a-z]+)?)", text))
    assert len(shown) > 4
    for words in shown:
        done = CliRunner().invoke(app, [*words.split(), "--help"])
        assert done.exit_code == 0, f"roundtrip {words}: {done.output}"


def test_help_lists_every_target() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony, *_ = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(re.findall(r"^ +make ([a-z-]+)", done.stdout, re.MULTILINE)) == set(phony.split())


@pytest.mark.parametrize(("place", "anew"), [(None, False), ("/elsewhere", True)])
def test_an_environment_that_was_moved_is_made_anew(
    tmp_path: Path, place: str | None, anew: bool
) -> None:
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / ".venv" / "base").touch()
    (tmp_path / ".venv" / "package").write_text(f"{place or tmp_path}\n", "utf-8")
    done = subprocess.run(
        ["make", "--dry-run", "setup"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ("venv --clear" in done.stdout) == anew


def test_an_environment_behind_a_link_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept").touch()
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    (tmp_path / "requirements.lock").touch()
    (tmp_path / ".venv").symlink_to(other)
    done = subprocess.run(
        ["make", ".venv/base"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert ".venv is a link" in done.stderr
    assert (other / "kept").exists()


# What stops it


def test_without_browser_and_apt_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setattr("roundtrip.setup.browser.PLACES", ())
    with pytest.raises(SystemExit) as stopped:
        need_browser()
    line = str(stopped.value)
    assert "no Chrome, Chromium or Edge found" in line
    assert "sudo apt-get install chromium" in line


def test_the_browser_that_is_asked_for_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my-browser"
    monkeypatch.setenv("BROWSER_PATH", str(program))
    assert find_browser() is None
    assert str(program) in browser_remedy()
    program.touch(mode=0o755)
    assert find_browser() == program


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_a_browser_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / name).touch(mode=0o755)
    assert find_browser() == tmp_path / name


@pytest.mark.parametrize("version", [None, "3, 9"])
def test_without_a_new_enough_python_one_line_says_what_to_install(
    version: str | None, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in ("sh", "make"):
        (programs / tool).symlink_to(_which(tool))
    if version:
        old = programs / "python3"
        old.write_text(
            f"#!/bin/sh\nexec '{sys.executable}' -c \"import sys; sys.version_info = ({version})\n"
            '$2"\n',
            encoding="utf-8",
        )
        old.chmod(0o755)
    done = subprocess.run(
        ["make", "--always-make", "setup"],
        cwd=ROOT,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "no Python 3.11 to 3.14 that can make environments" in done.stderr.splitlines()[0]
    assert "sudo apt-get install python3 python3-venv" in done.stderr.splitlines()[0]


def _which(tool: str) -> Path:
    return next(
        Path(folder) / tool
        for folder in os.environ["PATH"].split(os.pathsep)
        if os.access(Path(folder) / tool, os.X_OK)
    )


def test_a_missing_library_is_named_with_its_remedy() -> None:
    hide = "import sys; sys.modules['typer'] = None; import roundtrip.__main__ as m; m.main()"
    done = subprocess.run([sys.executable, "-c", hide], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "the library typer is not installed" in done.stderr
    assert "make distclean setup" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_while_libraries_are_loaded_shows_no_traceback() -> None:
    end = """
import sys
class Loading:
    def __getattr__(self, name):
        raise KeyboardInterrupt
sys.modules["roundtrip.cli"] = Loading()
import roundtrip.__main__
roundtrip.__main__.main()
"""
    done = subprocess.run([sys.executable, "-c", end], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
