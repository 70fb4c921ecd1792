"""What is mounted where, as ``/proc/self/mountinfo`` says it, and taking away what is ours.

File systems that runs have made are taken away, and nothing that they have not. A note of one may
be old, or somebody may have changed it. So a name is never a path: everything lies in one folder of
the project, a mount there is taken away only when the kernel says that its file or its label is
ours, and folders are removed only when they are empty.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from roundtrip.campaign.machine.commands import succeeds

_MOUNTS = Path("/proc/self/mountinfo")
_BLOCKS = Path("/sys/block")
_ESCAPED = re.compile(r"\\([0-7]{3})")
_DELETED = " (deleted)"


@dataclass(frozen=True)
class Mount:
    """One mounted file system.

    Attributes
    ----------
    point : Path
        Where it is mounted.
    options : str
        Those of the mount and of the file system, in this order, each once.
    source : str
        Device, or whatever was given in its place.
    """

    point: Path
    type: str
    options: str
    source: str


def mounts() -> list[Mount]:
    """Read all mounts, in the kernel's order: of several at one place the last one counts.

    There are none where the kernel tells nothing.
    """
    with suppress(OSError):
        return parse_mounts(_MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))
    return []


def parse_mounts(text: str) -> list[Mount]:
    """Read the text of ``mountinfo``; proc(5) describes its fields. Other lines are left out."""
    found = []
    for line in text.splitlines():
        head, dash, tail = line.partition(" - ")
        place, kind = head.split(), tail.split()
        if not dash or len(place) < 6 or len(kind) < 3:
            continue
        options = dict.fromkeys([*place[5].split(","), *kind[2].split(",")])
        found.append(
            Mount(Path(_plain(place[4])), kind[0], ",".join(map(_plain, options)), _plain(kind[1]))
        )
    return found


def folder_above(path: Path) -> Path:
    """Give a folder itself, or the nearest one above it where it does not exist yet."""
    place = path.resolve()
    return next(one for one in (place, *place.parents) if one.is_dir())


def mount_of(path: Path) -> Mount | None:
    """Give the mount that holds a path, which need not exist yet."""
    place = path.resolve()
    best: Mount | None = None
    for mount in mounts():
        if place.is_relative_to(mount.point) and (
            best is None or len(mount.point.parts) >= len(best.point.parts)
        ):
            best = mount
    return best


def backing_file(device: str) -> Path | None:
    """Give the file behind a loop device, or None for any other device."""
    name = Path(device).name
    if not re.fullmatch(r"loop\d{1,6}", name):
        return None
    with suppress(OSError):
        text = (_BLOCKS / name / "loop" / "backing_file").read_text(encoding="utf-8").strip("\n")
        return Path(text.removesuffix(_DELETED))
    return None


def loops_of(image: Path) -> list[str]:
    """Give the loop devices whose file is this one, such as ``/dev/loop0``."""
    return [
        f"/dev/{folder.name}"
        for folder in sorted(_BLOCKS.glob("loop*"))
        if backing_file(folder.name) == image
    ]


def disk_of(path: Path) -> tuple[int, int] | None:
    """Give the whole disk that holds a path that exists, as major and minor number.

    None where no disk of this machine holds it: tmpfs, NFS, overlays.
    """
    number = path.stat().st_dev
    if os.major(number) == 0:
        mount = mount_of(path)
        with suppress(OSError):
            number = Path(mount.source).stat().st_rdev if mount is not None else 0
    node = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if os.major(number) == 0 or not node.exists():
        return None
    if (node / "partition").exists():
        major, _, minor = (node.resolve().parent / "dev").read_text().strip().partition(":")
        return int(major), int(minor)
    return os.major(number), os.minor(number)


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), text)


FOLDER = "storage"
_NAME = re.compile(r"(?:ext4|xfs|btrfs|tmpfs)-[0-9a-f]{8}")
_ATTEMPTS = 10
_PAUSE_SECONDS = 0.5


def new_name(kind: str) -> str:
    """Make a name that no other file system has."""
    return f"{kind}-{secrets.token_hex(4)}"


def point_of(own: Path, name: str) -> Path:
    """Give where a file system is mounted; `own` is the project's folder for campaigns."""
    return own.resolve() / FOLDER / name


def image_of(own: Path, name: str) -> Path:
    """Give the image that it lies in."""
    return own.resolve() / FOLDER / f"{name}.img"


def remove_storage(own: Path, name: str) -> bool:
    """Unmount a file system that a run has made, and remove its image and its folder.

    What has another name than `new_name` makes is left alone, and what is gone already does no
    harm. False when a process still holds something of ours, so that it must be tried again.
    """
    folder = own.resolve() / FOLDER
    if _NAME.fullmatch(name) is None or folder.is_symlink():
        return True
    point, image = point_of(own, name), image_of(own, name)
    if not _unmounted(point, image, name):
        return not any(m.point == point and is_ours(m, image, name) for m in mounts())
    for device in loops_of(image):
        succeeds("losetup", "--detach", device)
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
