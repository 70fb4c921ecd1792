"""Every campaign in its smoke profile: it runs, leaves nothing behind, and becomes observations."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import psutil
import pytest

from conftest import made_once
from roundtrip.campaign.manifest import load_manifest
from roundtrip.dictionary import load_dictionary
from roundtrip.project import Project
from roundtrip.sources.measured import read_campaign
from workshop import ROOT, copy_project, roundtrip

pytestmark = pytest.mark.thorough

PLANS = sorted(path.stem for path in (ROOT / "params" / "campaigns").glob("*.yml"))
PARTS = ("_quarto.yml", "data/dictionary.yml", "data/payloads", "params/campaigns")


def mounted(project: Project) -> list[str]:
    """Give what is mounted inside a project."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if str(project.root) in line]


@pytest.fixture(scope="module")
def project(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project in which one command has run every plan."""

    def make(folder: Path) -> None:
        project = copy_project(folder, PARTS)
        (project.root / "harness").mkdir()
        (project.root / "harness" / "target").symlink_to(jar.parent)
        done = roundtrip("run", "--all", "--profile", "smoke", project=project)
        assert done.returncode == 0, done.stderr
        assert mounted(project) == []
        # Smoke results belong into no report: here they are looked at as if they did.
        project.campaigns.mkdir(parents=True)
        for name in PLANS:
            (project.cache / "smoke" / f"{name}-smoke").rename(project.campaigns / f"{name}-smoke")

    return Project(made_once(tmp_path_factory, "smoke", make))


@pytest.mark.parametrize("name", PLANS)
def test_smoke_campaign_is_complete(project: Project, name: str) -> None:
    folder = project.campaigns / f"{name}-smoke"
    manifest = load_manifest(folder)
    assert manifest.state == "complete"
    assert manifest.runs
    # On a busy machine a second may pass without a round trip over a slow link: it is tried again.
    finished = {entry.run for entry in manifest.runs}
    assert {entry.run for entry in manifest.failed} <= finished
    rows = read_campaign(folder, load_dictionary(project.dictionary), project.root)
    assert {row["row_label"] for row in rows} == {entry.run for entry in manifest.runs}
    assert all(math.isfinite(row["value"]) for row in rows)


def test_nothing_is_left_of_the_smoke_campaigns(project: Project) -> None:
    left = [
        process.info["cmdline"]
        for process in psutil.process_iter(["cmdline"])
        if str(project.root) in " ".join(process.info["cmdline"] or [])
    ]
    assert not left
    cache = project.cache / "campaigns"
    assert sorted(path.name for path in cache.iterdir() if path.is_dir()) == []
    assert not (cache / "cleanup.json").exists()
    loops = subprocess.run(["losetup", "-a"], capture_output=True, text=True, check=False).stdout
    assert str(project.root) not in loops
