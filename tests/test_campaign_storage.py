"""File systems of the recovery log: made, timed and taken away; others are never touched."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundtrip.campaign.leftovers import CleanupNote
from roundtrip.campaign.machine import storage
from roundtrip.campaign.machine.log_disk import block_for, write_test
from roundtrip.campaign.machine.mounts import Mount, disk_of, mount_of, mounts
from roundtrip.campaign.machine.own_mounts import (
    image_of,
    is_ours,
    point_of,
    remove_storage,
)
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.plan import BrokerSettings
from roundtrip.campaign.settable import ALLOWED
from roundtrip.campaign.values.drivers import log_disk_values
from roundtrip.project import Project
from workshop import ROOT, copy_project, environment, roundtrip

MAY_MOUNT = storage.mounting_refused(ROOT) is None
needs_mounts = pytest.mark.skipif(not MAY_MOUNT, reason="needs the right to mount")


@needs_mounts
def test_mounts_are_read_as_the_kernel_tells_them(tmp_path: Path) -> None:
    place = tmp_path / "a b"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "noatime", "a source", place], check=True)
    try:
        assert (found := mount_of(place / "file")) is not None
        assert (found.point, found.type, found.source) == (place, "tmpfs", "a source")
        assert {"rw", "noatime"} <= {*found.options.split(",")}
    finally:
        subprocess.run(["umount", place], check=True)


def test_the_mount_of_a_path_that_is_not_there_yet_is_that_of_its_parent(tmp_path: Path) -> None:
    assert mount_of(tmp_path / "a" / "b") == mount_of(tmp_path)
    if Path("/proc").is_dir():
        assert disk_of(Path("/proc")) is None


@pytest.mark.parametrize(
    ("size", "block"), [(1, 4096), (4096, 4096), (4097, 8192), (20480, 32768), (1 << 30, 4 << 20)]
)
def test_a_block_holds_one_message(size: int, block: int) -> None:
    assert block_for(size) == block


def test_log_writes_are_timed_and_nothing_stays(tmp_path: Path) -> None:
    tested = write_test(tmp_path, 4096, 0.1)
    assert list(tmp_path.iterdir()) == []
    assert tested["writes"] > 0
    assert tested["mode"] in ("O_DIRECT|O_DSYNC", "O_DSYNC")
    values = log_disk_values(tested)
    assert values["log_write_size", "mean"] == 4096
    assert 0 < values["log_write_latency", "mean"] <= values["log_write_latency", "maximum"]


def test_what_cannot_be_had_is_left_out_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    every = ALLOWED[storage.FACTOR] or ()
    found = {level: storage.lacking(BrokerSettings(), tmp_path, level) for level in every}
    assert found["as found"] is None
    assert "mkfs.xfs is not installed" in str(found["xfs"])
    assert "no path is given" in str(found["given path"])
    given_path = BrokerSettings(journal_path=str(tmp_path))
    assert storage.lacking(given_path, tmp_path, "given path") is None


@pytest.mark.parametrize(
    "name", ["../x", "/etc", "ext4-0123", "ext4-01234567/..", "", "zfs-01234567"]
)
def test_a_note_that_was_changed_leads_nowhere(tmp_path: Path, name: str) -> None:
    own = tmp_path / "campaigns"
    (own / "storage").mkdir(parents=True)
    kept = own / "storage" / "kept.img"
    kept.write_text("mine")
    assert remove_storage(own, name)
    assert kept.read_text() == "mine"


def test_folders_and_links_that_are_not_ours_stay(tmp_path: Path) -> None:
    own, other = tmp_path / "campaigns", tmp_path / "other"
    (other / "data").mkdir(parents=True)
    (other / "data" / "keep").write_text("mine")
    name = "ext4-01234567"
    point_of(own, name).mkdir(parents=True)
    (point_of(own, name) / "keep").write_text("mine")
    image_of(own, name).symlink_to(other / "data" / "keep")
    note = CleanupNote(own / "cleanup.json")
    note.path.write_text(json.dumps([["storage", name], ["home", str(other)], ["odd", "x"]]))
    note.remove_leftovers()
    assert (other / "data" / "keep").read_text() == "mine"
    assert (point_of(own, name) / "keep").read_text() == "mine"
    assert image_of(own, name).is_symlink()


def test_a_mount_that_was_there_is_disclosed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    san = Mount(Path("/srv/storage/san1"), "xfs", "rw", "/dev/mapper/san1")
    monkeypatch.setattr(storage, "mount_of", lambda folder: san)
    assert storage.effective_mount(san.point, storage.FOUND)["device"] == "/dev/mapper/san1"
    assert storage.effective_mount(san.point, "xfs")["device"].startswith("loop device")


def test_only_mounts_of_our_image_or_label_are_ours(tmp_path: Path) -> None:
    image, name = tmp_path / "a.img", "tmpfs-01234567"
    assert is_ours(Mount(tmp_path, "tmpfs", "rw", name), image, name)
    assert not is_ours(Mount(tmp_path, "tmpfs", "rw", "tmpfs"), image, name)
    assert not is_ours(Mount(tmp_path, "ext4", "rw", "/dev/sda1"), image, name)
    assert not is_ours(Mount(tmp_path, "ext4", "rw", "/dev/loop/../sda1"), image, name)


@needs_mounts
def test_a_mount_of_somebody_else_in_our_place_stays(tmp_path: Path) -> None:
    name = "tmpfs-01234567"
    point = point_of(tmp_path, name)
    point.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "theirs", str(point)], check=True)
    try:
        (point / "keep").write_text("theirs")
        assert remove_storage(tmp_path, name)
        assert (point / "keep").read_text() == "theirs"
    finally:
        subprocess.run(["umount", str(point)], check=True)


@pytest.fixture
def project(tmp_path: Path, jar: Path) -> Iterator[Project]:
    """Give a project that can measure, and see that no mount of it is left."""
    parts = ("_quarto.yml", "data/dictionary.yml", "params/campaigns")
    project = copy_project(tmp_path, parts)
    (project.root / "harness").mkdir()
    (project.root / "harness" / "target").symlink_to(jar.parent)
    yield project
    assert not [mount for mount in mounts() if mount.point.is_relative_to(tmp_path)]


@pytest.mark.thorough
@needs_mounts
@pytest.mark.skipif(shutil.which("mkfs.ext4") is None, reason="needs mkfs.ext4")
def test_what_a_killed_runner_has_mounted_is_removed_at_the_next_start(project: Project) -> None:
    words = ["run", "file-systems", "--profile", "smoke", "-p", "log_file_system", "ext4"]
    command = [sys.executable, "-m", "roundtrip", "--project", str(project.root), *words]
    own = project.cache / "campaigns"
    killed = subprocess.Popen(
        command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not any(mount.point.is_relative_to(own) for mount in mounts()):
        assert killed.poll() is None
        time.sleep(0.05)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert any(mount.point.is_relative_to(own) for mount in mounts())
    done = roundtrip(*words, project=project)
    assert done.returncode == 0, done.stderr
    assert "removed what a killed runner had left: storage ext4-" in done.stderr
    manifest = load_manifest(project.cache / "smoke" / "file-systems-smoke")
    assert manifest.configurations[0].effective["storage"]["type"] == "ext4"
    assert sorted(path.name for path in own.iterdir() if path.is_dir()) == []
    assert not (own / "cleanup.json").exists()
    loops = subprocess.run(["losetup", "-a"], capture_output=True, text=True, check=False).stdout
    assert str(project.root) not in loops
