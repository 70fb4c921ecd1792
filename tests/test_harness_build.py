"""The load driver is built where a JDK and Maven are, once, and is not missed elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roundtrip.campaign.harness import find_harness
from roundtrip.errors import SetupError
from roundtrip.project import Project
from roundtrip.setup.doctor import needs_of_campaigns
from roundtrip.setup.harness_build import (
    JAR,
    PACKAGED,
    build_harness,
    find_tool,
    is_current,
    sources_digest,
)

ROOT = Path(__file__).resolve().parents[1]
needs_java = pytest.mark.skipif(not shutil.which("java"), reason="no Java here")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A checkout with the sources of the harness and nothing built."""
    shutil.copytree(ROOT / "harness", tmp_path / "harness", ignore=shutil.ignore_patterns("target"))
    return tmp_path


class Maven:
    """A program that stands for Maven: it makes the jar, or fails."""

    def __init__(self, root: Path) -> None:
        self.root, self.program, self.log = root, root / "bin" / "mvn", root / "runs"
        self.program.parent.mkdir()
        javac = self.program.with_name("javac")
        javac.write_text("#!/bin/sh\necho javac 17.0.1\n", encoding="utf-8")
        javac.chmod(0o755)
        self.works(True)

    def works(self, whether: bool) -> None:
        jar = self.root / JAR
        made = f"mkdir -p {jar.parent} && touch {jar}" if whether else "exit 1"
        self.program.write_text(
            f'#!/bin/sh\ncase "$1" in --version) echo Maven 3.8.7;; '
            f"*) echo run >>{self.log}; {made};; esac\n",
            encoding="utf-8",
        )
        self.program.chmod(0o755)

    @property
    def runs(self) -> int:
        return len(self.log.read_text(encoding="utf-8").splitlines())


@pytest.fixture
def maven(sources: Path, monkeypatch: pytest.MonkeyPatch) -> Maven:
    monkeypatch.setenv("PATH", f"{sources / 'bin'}:/bin:/usr/bin")
    return Maven(sources)


def test_the_jar_is_built_once_for_the_same_sources(sources: Path, maven: Maven) -> None:
    assert not is_current(sources)
    build_harness(sources, asked=False)
    build_harness(sources, asked=True)
    assert is_current(sources)
    assert maven.runs == 1
    (sources / "harness" / "src" / "main" / "Added.java").write_text("class Added {}")
    assert not is_current(sources)
    build_harness(sources, asked=False)
    assert maven.runs == 2


def test_a_jar_that_is_gone_is_built_again(sources: Path, maven: Maven) -> None:
    build_harness(sources, asked=False)
    (sources / JAR).unlink()
    build_harness(sources, asked=False)
    assert maven.runs == 2


def test_tests_do_not_change_the_jar(sources: Path) -> None:
    before = sources_digest(sources)
    (sources / "harness" / "src" / "test" / "Added.java").write_text("class Added {}")
    assert sources_digest(sources) == before
    pom = sources / "harness" / "pom.xml"
    pom.write_text(pom.read_text(encoding="utf-8") + "<!-- -->", encoding="utf-8")
    assert sources_digest(sources) != before


def test_what_failed_is_not_tried_at_every_command(
    sources: Path, maven: Maven, capsys: pytest.CaptureFixture[str]
) -> None:
    maven.works(False)
    build_harness(sources, asked=False)
    build_harness(sources, asked=False)
    assert maven.runs == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert "make harness" in said
    with pytest.raises(SystemExit, match="not built"):
        build_harness(sources, asked=True)
    maven.works(True)
    build_harness(sources, asked=True)
    assert is_current(sources)


def test_without_tools_nothing_is_built_and_only_who_asks_is_told(
    sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(sources))
    build_harness(sources, asked=False)
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit, match="no JDK 17"):
        build_harness(sources, asked=True)
    assert not (sources / JAR).exists()
    monkeypatch.setattr("roundtrip.setup.doctor.PACKAGED", sources / JAR)
    names = {finding.name: finding for finding in needs_of_campaigns(Project(sources))}
    assert set(names) == {"Java 17", "JDK", "Maven", "Load driver"}
    assert all(finding.state == "missing" and not finding.blocks for finding in names.values())
    assert "openjdk-17" in names["Maven"].remedy


@pytest.mark.parametrize(
    ("prints", "version", "feature"),
    [
        ("openjdk 17.0.15 2025-04-15", "17.0.15", 17),
        ("openjdk 21 2023-09-19", "21", 21),
        ("javac 11.0.2", "11.0.2", 11),
        ("\x1b[1mApache Maven 3.8.7\x1b[m", "3.8.7", 3),
        ("something else", "", 0),
    ],
)
def test_versions_are_read(
    prints: str, version: str, feature: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "javac"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{prints}\nEND\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    tool = find_tool("javac")
    assert (tool.version, tool.feature) == (version, feature)


def test_a_tool_that_does_not_run_has_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mvn").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert find_tool("mvn").version == ""
    assert find_tool("no-such-tool").program is None


@needs_java
def test_projects_without_sources_use_the_packaged_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "package" / JAR.name
    monkeypatch.setattr("roundtrip.campaign.harness.PACKAGED", jar)
    monkeypatch.setattr("roundtrip.setup.doctor.PACKAGED", jar)
    project = Project(tmp_path / "project")
    with pytest.raises(SetupError, match="install a wheel"):
        find_harness(project)
    jar.parent.mkdir()
    jar.write_bytes(b"jar")
    assert find_harness(project).jar == jar
    found = {finding.name: finding for finding in needs_of_campaigns(project)}
    assert set(found) == {"Java 17", "Load driver"}
    assert found["Load driver"].state == "present"
    # So do those whose own is not built yet.
    (project.root / "harness" / "pom.xml").parent.mkdir(parents=True)
    (project.root / "harness" / "pom.xml").touch()
    assert find_harness(project).jar == jar
    # It is known by the sources that it was made from, as if the project had built it.
    (jar.parent / "built-from.sha256").write_text(f"{sources_digest(project.root)}\n")
    assert find_harness(project).sources == sources_digest(project.root)
    driver = needs_of_campaigns(project)[-1]
    assert (driver.name, driver.state) == ("Load driver", "present")
    assert "make harness builds this project's" in driver.found
    # What a checkout has built comes first.
    (project.root / JAR).parent.mkdir(parents=True)
    (project.root / JAR).touch()
    assert find_harness(project).jar == project.root / JAR


@pytest.mark.parametrize("command", ["drive", "broker", "proxy", "queues"])
def test_the_documents_show_the_options_as_they_are(jar: Path, command: str) -> None:
    printed = subprocess.run(
        ["java", "-jar", jar, command, "--help"], capture_output=True, text=True, check=True
    ).stdout.strip()
    document = (ROOT / "docs" / "harness.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(.*?)\n```", document, re.DOTALL)
    assert printed in blocks, f"docs/harness.md: put in what '{command} --help' prints"


def test_the_documents_name_the_jar_of_this_installation() -> None:
    document = (ROOT / "docs" / "harness.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^jar=\$\(python -c '(.*)'\)$", document, re.MULTILINE)
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert printed == str(PACKAGED)
    assert set(re.findall(r"java -jar (\S+)", document)) == {'"$jar"'}
