"""What tests share: the whole report, a small one, the load driver, a browser; and their marks.

Tests run in several processes at a time. What is costly is made by the first process that needs
it, in a folder that belongs to all of them; the others wait at a lock.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from roundtrip.campaign.harness import Harness, find_harness
from roundtrip.project import Project
from roundtrip.setup.browser import browser_remedy, find_browser
from roundtrip.setup.harness_build import JAR
from workshop import (
    PATIENCE_MS,
    ROOT,
    V94,
    commit_all,
    copy_project,
    roundtrip,
    share_cache,
    small_project,
    waive,
)

# A shell's background job ignores Ctrl-C, and so would the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# An ordinary run tries the same cases each time; 'make fuzz' looks for others.
settings.register_profile("ordinary", derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=500, deadline=None, print_blob=True)
settings.load_profile("ordinary")


Documents = Mapping[str, str]
"""Texts of the published documents, by number. They are no part of the project."""
DOCUMENTS = [
    Path(os.environ.get("ROUNDTRIP_SEEDS", place)) for place in (
        ROOT.parent / "shared" / "seeds", ROOT.parents[1] / "shared" / "seeds"
    )
]  # fmt: skip


def read_documents() -> Documents:
    """Read what is at hand of the published documents."""
    return {
        path.name.partition("_")[0]: path.read_text(encoding="utf-8")
        for folder in DOCUMENTS
        for path in folder.glob("*_*.txt")
    }


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they need, before some are chosen by their marks.

    Those that compare with what no set-up can bring here are chosen only where it is.
    """
    needs = {
        "report": "edition",
        "jar": "broker",
        "small": "slow",
        "chromium": "slow",
        "verapdf": "slow",
        "documents": "documents",
    }
    for item in items:
        for fixture in needs.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(needs[fixture])
    at_hand = {"documents": bool(read_documents()), "quarto": bool(shutil.which("quarto"))}
    left = [
        item
        for item in items
        if any(item.get_closest_marker(mark) and not here for mark, here in at_hand.items())
    ]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


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
        """The chapters' pages."""
        return sorted(set(self.html.glob("*.html")) - {self.comparison})

    @property
    def comparison(self) -> Path:
        """The page that compares points."""
        return self.html / "compare.html"


def made_once(temporary: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Give a folder that the first process to need it fills, and the others find filled."""
    common = temporary.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent
    done = common / f"{name}.done"
    with (common / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(common / name, ignore_errors=True)
            (common / name).mkdir()
            make(common / name)
            done.touch()
    return common / name


def build(project: Project) -> Report:
    """Build a report with the renderer of our own."""
    done = roundtrip("build", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    return Report(project, next(project.reports.iterdir()))


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The whole report of this checkout, built with an empty cache; not to be changed."""
    if find_browser() is None:
        pytest.fail(f"no Chrome-family browser: {browser_remedy()}")

    def make(folder: Path) -> None:
        project = copy_project(folder)
        commit_all(project)
        build(project)

    project = Project(made_once(tmp_path_factory, "whole", make))
    (folder,) = project.reports.iterdir()
    return Report(project, folder)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report of three chapters, quick to build again after a change."""
    origin = Project(made_once(tmp_path_factory, "small", lambda path: build(small_project(path))))
    # Each process has its own, as only one command at a time works in a project.
    project = small_project(tmp_path_factory.mktemp("small"))
    share_cache(origin, project)
    shutil.copytree(origin.reports, project.reports)
    return Report(project, next(project.reports.iterdir()))


@pytest.fixture
def small_copy(small: Report, tmp_path: Path) -> Project:
    """A project like the built one, with all that its build has kept; to be changed."""
    project = small_project(tmp_path / "project")
    share_cache(small.project, project)
    return project


@pytest.fixture(scope="session")
def documents() -> Documents:
    """Texts of the published documents."""
    return read_documents()


@pytest.fixture(scope="session")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The load driver and the broker, built if the set-up has not done so."""
    path = ROOT / JAR

    def make(_: Path) -> None:
        if not path.is_file():
            subprocess.run(
                ["mvn", "-q", "-f", str(ROOT / "harness"), "package", "-DskipTests"], check=True
            )

    made_once(tmp_path_factory, "jar", make)
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
def observations() -> Any:
    """What was published, and measured for this edition."""
    from roundtrip.observations import load_observations

    return load_observations(Project(ROOT))


Publish = Callable[[Path], Project]
"""Makes a project of all published reports in a folder."""


@pytest.fixture(scope="session")
def publish(tmp_path_factory: pytest.TempPathFactory) -> Publish:
    """What makes projects of all published reports, with what is kept of reading these once."""
    from roundtrip.observations import load_observations

    parts = ("_quarto.yml", "data/dictionary.yml", "data/published")

    def read(folder: Path) -> object:
        return load_observations(copy_project(folder, parts))

    origin = Project(made_once(tmp_path_factory, "published", read))

    def make(target: Path) -> Project:
        project = copy_project(target, parts)
        share_cache(origin, project)
        return project

    return make


@pytest.fixture
def published(publish: Publish, tmp_path: Path) -> Project:
    """A project of all published reports, to be changed."""
    return publish(tmp_path / "published")


@pytest.fixture(scope="session")
def base_chapter(publish: Publish, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Access to the published data and to a campaign from which anything may be concluded."""
    from roundtrip.present import Chapter

    project = publish(tmp_path_factory.mktemp("base"))
    shutil.copytree(ROOT / "tests/data/campaigns/base-quick", project.campaigns / "base-quick")
    waive(project)
    return Chapter(V94, folder=project.root)


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


@pytest.fixture(scope="module")
def context(chromium: Any) -> Iterator[Any]:
    """A window of the browser."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    context.new_page()  # Further pages take no process of their own beside this one.
    yield context
    context.close()


@pytest.fixture
def page(context: Any) -> Iterator[Any]:
    """A page in it, which says nothing on the console and asks no other host."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    problems: list[str] = []

    def asked(request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            problems.append(request.url)

    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", asked)
    yield page
    page.close()
    assert problems == []
