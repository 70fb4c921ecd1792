"""What a run has mounted below the project's folder for campaigns, and how it is taken away.

Only what a run has made is removed. A note of it may be old, or somebody may have changed it. So a
name is never a path: everything lies in one folder of the project, a mount there is taken away only
when the kernel says that its file or its label is ours, and folders are removed only when they are
empty.
"""

from __future__ import annotations

import re
import stat
import time
from contextlib import suppress
from pathlib import Path

from roundtrip.campaign.machine.commands import succeeds
from roundtrip.campaign.machine.mounts import Mount, backing_file, mounts

BROKERS = "roundtrip-broker"
"""Folder, in the project's cache or at the path that a plan names, for brokers' data."""
FOLDER = "storage"
_NAME = re.compile(r"(?:ext4|xfs|btrfs|tmpfs)-[0-9a-f]{8}")
_ATTEMPTS, _PAUSE_SECONDS = 10, 0.5


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
