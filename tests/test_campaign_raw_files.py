"""Raw files of a campaign are what they were when they were measured, or they are refused."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from roundtrip.campaign import results
from roundtrip.campaign.folder import Folder
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.results import write_results
from roundtrip.errors import DataError, RoundtripError
from roundtrip.observations import load_observations
from roundtrip.project import Project
from roundtrip.publish.manifest import input_hashes
from roundtrip.publish.pipeline import _refuse_changed_raw_files
from workshop import ROOT, small_project, unprivileged

CAMPAIGN = "connections-quick"


def with_campaign(folder: Path) -> tuple[Project, Path]:
    """Give a project with a campaign, and one of its raw files."""
    project = small_project(folder)
    shutil.copytree(ROOT / "data" / "campaigns" / CAMPAIGN, project.campaigns / CAMPAIGN)
    return project, next((project.campaigns / CAMPAIGN / "raw").iterdir())


def test_what_was_not_changed_is_derived_again_with_the_same_bytes(tmp_path: Path) -> None:
    project, _ = with_campaign(tmp_path)
    folder = project.campaigns / CAMPAIGN
    before = {path.name: path.read_bytes() for path in folder.glob("*.*")}
    write_results(Folder(folder, folder), load_manifest(folder))
    assert {path.name: path.read_bytes() for path in folder.glob("*.*")} == before


def test_a_changed_raw_file_is_refused_by_name(tmp_path: Path) -> None:
    project, raw = with_campaign(tmp_path)
    content = bytearray(raw.read_bytes())
    content[len(content) // 2] ^= 1
    raw.write_bytes(content)
    folder = project.campaigns / CAMPAIGN
    with pytest.raises(DataError, match="changed after it was measured") as caught:
        write_results(Folder(folder, folder), load_manifest(folder))
    assert caught.value.where == str(raw)
    with pytest.raises(DataError, match="changed after it was measured") as caught:
        _refuse_changed_raw_files(load_observations(project), input_hashes(project))
    assert caught.value.where == f"data/campaigns/{CAMPAIGN}/raw/{raw.name}"


@pytest.mark.parametrize("what", ["closed", "file", "link to nothing", "link to a folder"])
def test_raw_files_that_cannot_be_listed_are_refused_by_name(what: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as place:  # where another user may look
        Path(place).chmod(0o755)
        project, raw = with_campaign(Path(place) / "project")
        observations = load_observations(project)
        folder, elsewhere = raw.parent, Path(place) / "elsewhere"
        if what == "closed":
            folder.chmod(0o000)
        else:
            folder.rename(elsewhere)
        if what == "file":
            folder.touch()
        elif what != "closed":
            folder.symlink_to(elsewhere if "folder" in what else "gone")
        with unprivileged(), pytest.raises(DataError) as caught:
            _refuse_changed_raw_files(observations, input_hashes(project))
        assert str(caught.value.where).endswith(f"data/campaigns/{CAMPAIGN}/raw")
        assert caught.value.remedy


def test_a_campaign_is_complete_only_with_its_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = with_campaign(tmp_path)
    folder = project.campaigns / CAMPAIGN
    manifest = load_manifest(folder)
    assert manifest.state == "complete"

    def full(*_: object) -> None:
        raise RoundtripError("the disk is full")

    monkeypatch.setattr(results, "write_atomically", full)
    with pytest.raises(RoundtripError, match="the disk is full"):
        write_results(Folder(folder, folder), manifest)
    assert load_manifest(folder).state == "running"
