"""What is mounted where, and on which disk, as the kernel says it."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_BLOCKS = Path("/sys/block")
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
        return [
            Mount(Path(one.mountpoint), one.fstype, one.opts, one.device)
            for one in psutil.disk_partitions(all=True)
        ]
    return []


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
