"""Control groups that limit disk writes and processor time: made for a run, and removed.

They are made below the group that the runner is in, so that every limit set from outside goes on to
hold. Controllers are used where they are on already; none is switched on for them.
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
_VERSION_1 = {"io": "blkio", "cpu": "cpu"}

# Short, so that a broker that has used its time waits for milliseconds and not for a tenth second.
_PERIOD_US = 10_000


@dataclass(frozen=True)
class DiskLimit:
    """Most that a group writes to a disk, by its major and minor number, in B/s."""

    disk: tuple[int, int]
    amount: int
    controller = "io"
    called = "disk_write_limit"

    def written(self, version: int) -> dict[str, str]:
        """Give what is written to which file of a group."""
        name = f"{self.disk[0]}:{self.disk[1]}"
        if version == 1:
            return {"blkio.throttle.write_bps_device": f"{name} {self.amount}"}
        return {"io.max": f"{name} wbps={self.amount}"}

    def read(self, group: Path, version: int) -> int | None:
        """Read the limit of a group back; None where the kernel holds none."""
        (file,) = self.written(version)
        before = "" if version == 1 else ".*wbps="
        line = rf"^{self.disk[0]}:{self.disk[1]} {before}(\d+)\b"
        found = re.search(line, (group / file).read_text(encoding="utf-8"), re.MULTILINE)
        return int(found[1]) if found else None


@dataclass(frozen=True)
class ProcessorLimit:
    """Most processor time that a group takes, in processors: 0.5 is half the time of one."""

    amount: float
    controller = "cpu"
    called = "processor_limit"

    def written(self, version: int) -> dict[str, str]:
        """Give what is written to which file of a group."""
        quota = round(self.amount * _PERIOD_US)
        if version == 1:
            return {"cpu.cfs_period_us": f"{_PERIOD_US}", "cpu.cfs_quota_us": f"{quota}"}
        return {"cpu.max": f"{quota} {_PERIOD_US}"}

    def read(self, group: Path, version: int) -> float | None:
        """Read the limit of a group back; None where the kernel holds none."""
        names = reversed(self.written(version))
        text = " ".join((group / name).read_text(encoding="utf-8") for name in names)
        quota, period = text.split()
        return int(quota) / int(period) if quota.isdigit() else None


Limit = DiskLimit | ProcessorLimit


@dataclass(frozen=True)
class Groups:
    """Where groups can be made: below the runner's own group, of version 1 or 2."""

    parent: Path
    version: int

    def new_path(self) -> Path:
        """Give the folder of a group that does not exist yet."""
        return self.parent / f"roundtrip-{secrets.token_hex(4)}"


def find_groups(controller: str) -> Groups | str:
    """Find where groups with a controller (``io``, ``cpu``) can be made, or why they cannot."""
    own = _own_groups()
    every = mounts()
    first = _VERSION_1[controller]
    for mount in every:
        if mount.type == "cgroup" and first in mount.options.split(",") and first in own:
            return _usable(Groups(_below(mount.point, own[first]), 1))
    for mount in every:
        if mount.type == "cgroup2" and "" in own:
            parent = _below(mount.point, own[""])
            with suppress(OSError):
                if controller in (parent / "cgroup.subtree_control").read_text().split():
                    return _usable(Groups(parent, 2))
            return (
                f"the control group of this process does not hand on the {controller} controller "
                "(cgroup.subtree_control)"
            )
    return f"there are no control groups with the {controller} controller"


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


def remove_group(name: str) -> bool:
    """Remove a group that a run has made, once its processes have ended; say whether it is gone.

    Whatever is not a group of such a name in the kernel's own tree is left alone; a group that
    holds processes or groups cannot be removed and must be tried again.
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
