"""A control group that limits what its processes write to a disk: made for a run, and removed.

It is made below the group that the runner is in, so that every limit set from outside goes on to
hold. Controllers are used where they are on already; none is switched on for it.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from roundtrip.campaign.machine.mounts import mounts

_OWN = Path("/proc/self/cgroup")
_NAME = re.compile(r"roundtrip-[0-9a-f]{8}")
_ATTEMPTS, _PAUSE_SECONDS = 20, 0.25


@dataclass(frozen=True)
class Groups:
    """Where groups with a limit of disk writes can be made.

    Attributes
    ----------
    parent : Path
        Folder of the runner's own group.
    version : int
        1 or 2.
    """

    parent: Path
    version: int

    @property
    def file(self) -> str:
        """Name of the file that holds the limit."""
        return "blkio.throttle.write_bps_device" if self.version == 1 else "io.max"

    def limit(self, disk: tuple[int, int], bytes_per_second: int) -> str:
        """Write a limit as the file takes it."""
        name = f"{disk[0]}:{disk[1]}"
        word = f"{bytes_per_second}" if self.version == 1 else f"wbps={bytes_per_second}"
        return f"{name} {word}"


def find_groups() -> Groups | str:
    """Find where groups can be made.

    Returns
    -------
    Groups or str
        The reason where they cannot.
    """
    own = _own_groups()
    every = mounts()
    for mount in every:
        if mount.type == "cgroup" and "blkio" in mount.options.split(",") and "blkio" in own:
            return _usable(Groups(_below(mount.point, own["blkio"]), 1))
    for mount in every:
        if mount.type == "cgroup2" and "" in own:
            parent = _below(mount.point, own[""])
            with suppress(OSError):
                if "io" in (parent / "cgroup.subtree_control").read_text().split():
                    return _usable(Groups(parent, 2))
            return (
                "the control group of this process does not hand on the io controller "
                "(cgroup.subtree_control)"
            )
    return "there are no control groups for disks"


def _usable(groups: Groups) -> Groups | str:
    if not groups.parent.is_dir():
        return "the control group of this process cannot be seen"
    if not os.access(groups.parent, os.W_OK):
        return "this user may not make control groups"
    return groups


def _below(mount: Path, path: str) -> Path:
    return mount if path == "/" else mount / path.lstrip("/")


def _own_groups() -> dict[str, str]:
    """Give the path of this process by controller; the one of version 2 under an empty name."""
    found: dict[str, str] = {}
    with suppress(OSError):
        for line in _OWN.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            for name in controllers.split(","):
                found[name] = path
    return found


def new_path(groups: Groups) -> Path:
    """Give the folder of a group that does not exist yet."""
    return groups.parent / f"roundtrip-{secrets.token_hex(4)}"


def read_limit(path: Path, groups: Groups, disk: tuple[int, int]) -> int | None:
    """Read the limit of a group back, in B/s; None where the kernel holds none."""
    key = "" if groups.version == 1 else "wbps="
    for line in (path / groups.file).read_text(encoding="utf-8").splitlines():
        name, *words = line.split()
        if name != f"{disk[0]}:{disk[1]}":
            continue
        for word in words:
            if word.startswith(key) and word.removeprefix(key).isdigit():
                return int(word.removeprefix(key))
    return None


def remove_group(name: str) -> bool:
    """Remove a group that a run has made, once its processes have ended.

    Parameters
    ----------
    name : str
        Its folder. Whatever is not a group of this name in the kernel's own tree is left alone; a
        group that holds processes or groups cannot be removed.

    Returns
    -------
    bool
        False when processes are in it still: it must be tried again.
    """
    path = Path(name)
    if _NAME.fullmatch(path.name) is None or path.is_symlink() or not path.is_dir():
        return True
    place = path.resolve()
    if not any(
        mount.type in ("cgroup", "cgroup2") and mount.point in place.parents for mount in mounts()
    ):
        return True
    for _ in range(_ATTEMPTS):
        with suppress(OSError):
            place.rmdir()
        if not place.is_dir():
            return True
        time.sleep(_PAUSE_SECONDS)
    return False
