"""The report is built once for all tests that look at it, in a checkout of its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from roundtrip.browser import browser_remedy, find_browser
from roundtrip.campaign.harness import Harness, find_harness
from roundtrip.harness_build import JAR
from roundtrip.project import Project
from workshop import ROOT, V94, commit_all, copy_project, roundtrip, small_project

# A shell's background job ignores Ctrl-C, and so would the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Report:
    """A built report, and the project that it was built in."""

    project: Project
    folder: Path

    @property
    def html(self) -> Path:
        return self.folder / "html"

    @property
    def pdf(self) -> Path:
        return self.folder / "report.pdf"

    @property
    def pages(self) -> list[Path]:
        return sorted(self.html.glob("*.html"))


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The whole report of this checkout, built with an empty cache."""
    if find_browser() is None:
        pytest.fail(f"no Chrome-family browser: {browser_remedy()}")
    project = copy_project(tmp_path_factory.mktemp("whole"))
    commit_all(project)
    done = roundtrip("build", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    folders = list(project.reports.iterdir())
    assert len(folders) == 1
    return Report(project, folders[0])


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report of three chapters, quick to build again after a change."""
    project = small_project(tmp_path_factory.mktemp("small"))
    done = roundtrip("build", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    return Report(project, next(project.reports.iterdir()))


@pytest.fixture(scope="session")
def jar() -> Path:
    """The load driver and the broker, built if the set-up has not done so."""
    path = ROOT / JAR
    if not path.is_file():
        subprocess.run(
            ["mvn", "-q", "-f", str(ROOT / "harness"), "package", "-DskipTests"], check=True
        )
    return path


@pytest.fixture(scope="session")
def harness(jar: Path) -> Harness:
    """What starts the load driver and the broker."""
    return find_harness(Project(ROOT))


@pytest.fixture(scope="session")
def chapter() -> Any:
    """Access to the published data, as chapters have it."""
    from roundtrip.present import Chapter

    return Chapter(V94, folder=ROOT)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    executable = find_browser()
    if executable is None:
        pytest.fail(f"no Chrome-family browser: {browser_remedy()}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(executable),
            args=["--no-sandbox", "--disable-background-networking"],
        )
        yield browser
        browser.close()
