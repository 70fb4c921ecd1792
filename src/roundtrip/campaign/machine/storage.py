"""The file system of the recovery log: made for a run where the plan asks for one, and removed.

What is removed is only what a run has made. A note of it may be old, or somebody may have changed
it. So a name is never a path: everything lies in one folder of the project, a mount there is taken
away only when the kernel says that its file or its label is ours, and folders are removed only when
they are empty.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.campaign.machine.commands import run, succeeds
from roundtrip.campaign.machine.log_disk import block_for, write_test
from roundtrip.campaign.machine.mounts import Mount, backing_file, folder_above, mount_of, mounts
from roundtrip.campaign.names import LOG_DISK
from roundtrip.campaign.plan import BrokerSettings, Level
from roundtrip.campaign.processes import BrokerError
from roundtrip.campaign.settable import FOUND, GIVEN, TMPFS
from roundtrip.files import disk_errors

if TYPE_CHECKING:
    from roundtrip.campaign.bench import Bench

BROKERS = "roundtrip-broker"
"""Folder, in the project's cache or at the path that a plan names, for brokers' data."""
FOLDER = "storage"
FACTOR = "log_file_system"
_MAKERS: Mapping[str, tuple[str, ...]] = {
    "ext4": ("mkfs.ext4", "-q", "-F"), "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
}  # fmt: skip
_MIB = 1 << 20
_NAME = re.compile(r"(?:ext4|xfs|btrfs|tmpfs)-[0-9a-f]{8}")
_ATTEMPTS = 10
_PAUSE_SECONDS = 0.5


def lay(bench: Bench) -> None:
    """Put the brokers' data on the file system that the point asks for, and test its log writes.

    A point without the factor leaves everything as it is. What is made is noted first and removed
    with the bench; the bench then says which mount is in effect.
    """
    asked = bench.point.get(FACTOR)
    if asked is None:
        return
    own = bench.cleanup.path.parent
    if asked == GIVEN:
        folder = bench.folder
    elif asked == FOUND:
        folder = own / BROKERS
    else:
        folder = _make_file_system(bench, own, str(asked))
    bench.folder = folder
    bench.also["storage"] = effective_mount(folder, str(asked))
    block = block_for(int(bench.point["message_bytes"]))
    home = folder / "log-test"
    bench.make("home", str(home))
    with disk_errors(home):
        tested = write_test(home / "data", block, bench.plan.broker.log_test_seconds)
    bench.cleanup.remove("home", str(home))
    bench.raw.record("runner", event=LOG_DISK, **tested)


def _make_file_system(bench: Bench, own: Path, kind: str) -> Path:
    name = f"{kind}-{secrets.token_hex(4)}"
    bench.make("storage", name)
    point, image = point_of(own, name), image_of(own, name)
    with disk_errors(own):
        point.mkdir(parents=True)
    size = bench.plan.broker.file_system_mb
    if kind == TMPFS:
        options = f"size={size}m,mode=0700,nosuid,nodev"
        run("mount", "-t", "tmpfs", "-o", options, name, point, error=BrokerError)
    else:
        with disk_errors(image), image.open("xb") as stream:
            stream.truncate(size * _MIB)
        run(*_MAKERS[kind], image, error=BrokerError)
        options = "loop,nosuid,nodev,noexec"  # unmounting frees the loop device
        run("mount", "-t", kind, "-o", options, image, point, error=BrokerError)
    mount = mount_of(point)
    if mount is None or mount.point != point.resolve() or mount.type != kind:
        raise BrokerError(f"{kind} was mounted, but {mount.type if mount else 'nothing'} is there")
    return point


def effective_mount(folder: Path, asked: str) -> dict[str, Any]:
    """Say which mount holds a folder, as the kernel tells it; `asked` is a level of the factor.

    A loop device is called so, because its number differs from run to run.
    """
    mount = mount_of(folder)
    if mount is None:
        return {"asked": asked, "type": "not stated", "options": "", "device": "not stated"}
    loop = "loop device on an image in the project's cache"
    device = mount.source
    if asked in (*_MAKERS, TMPFS):
        device = TMPFS if mount.type == TMPFS else loop
    return {"asked": asked, "type": mount.type, "options": mount.options, "device": device}


def lacking(settings: BrokerSettings, folder: Path, level: Level) -> str | None:
    """Say why this machine cannot have a file system for the recovery log, or None.

    Parameters
    ----------
    folder : Path
        The project's own folder for what campaigns make.
    """
    reason = _reason(str(level), settings, folder)
    return reason and f"{FACTOR} {level}: {reason}"


def _reason(level: str, settings: BrokerSettings, folder: Path) -> str | None:
    if level == FOUND:
        return None
    if level == GIVEN:
        if settings.journal_path is None:
            return "no path is given (-p broker.journal_path FOLDER, such as a SAN or NFS mount)"
        return None if Path(settings.journal_path).is_dir() else "the given path is no folder"
    maker = _MAKERS.get(level, ("mount",))[0]
    for program in (maker, "mount", "umount"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    return mounting_refused(folder) or _unknown_to_kernel(level)


def _unknown_to_kernel(kind: str) -> str | None:
    try:
        known = Path("/proc/filesystems").read_text(encoding="utf-8").split()
    except OSError:
        return "the kernel does not say which file systems it knows"
    if kind in known:
        return None
    # It may be a module that is loaded on demand.
    found = succeeds("modprobe", "-n", "-q", kind)
    return None if found else f"the kernel does not know {kind}"


@lru_cache(maxsize=1)
def mounting_refused(folder: Path) -> str | None:
    """Try to mount, in a namespace of its own that ends with the trial, and say what refused it.

    None when this user may mount below the folder, which need not exist yet.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "only root may mount"
    if shutil.which("unshare") is None:
        return "unshare is not installed, without which the right to mount cannot be tried"
    place = str(folder_above(folder))
    may = succeeds("unshare", "--mount", "--", "mount", "-t", "tmpfs", "trial", place)
    return None if may else "mounting is not permitted here"


def point_of(own: Path, name: str) -> Path:
    """Give where a file system is mounted; `own` is the project's folder for campaigns."""
    return own.resolve() / FOLDER / name


def image_of(own: Path, name: str) -> Path:
    """Give the image that it lies in."""
    return own.resolve() / FOLDER / f"{name}.img"


def remove_storage(own: Path, name: str) -> bool:
    """Unmount a file system that a run has made, and remove its image and its folder.

    What has another name than a run gives is left alone, and what is gone already does no
    harm. False when a process still holds something of ours, so that it must be tried again.
    """
    folder = own.resolve() / FOLDER
    if _NAME.fullmatch(name) is None or folder.is_symlink():
        return True
    point, image = point_of(own, name), image_of(own, name)
    if not _unmounted(point, image, name):
        return not any(m.point == point and is_ours(m, image, name) for m in mounts())
    with suppress(OSError):
        if stat.S_ISREG(image.lstat().st_mode):
            image.unlink()
    for place in (point, folder):
        with suppress(OSError):
            place.rmdir()
    return True


def _unmounted(point: Path, image: Path, name: str) -> bool:
    """Unmount what of ours is mounted at a place; say whether nothing is left there."""
    for attempt in range(_ATTEMPTS):
        there = [mount for mount in mounts() if mount.point == point]
        if not there:
            return True
        if not is_ours(there[-1], image, name):
            return False
        if attempt:
            time.sleep(_PAUSE_SECONDS)  # a process that was ended may still hold it
        succeeds("umount", str(point))
    return not any(mount.point == point for mount in mounts())


def is_ours(mount: Mount, image: Path, name: str) -> bool:
    """Say whether a mount is of an image of ours or, if it is a tmpfs, has our label."""
    if mount.type == "tmpfs":
        return mount.source == name and name.startswith("tmpfs-")
    return backing_file(mount.source) == image
