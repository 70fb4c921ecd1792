"""Control groups that hold brokers to a part of a processor, or to a rate of a disk.

They are made for a run below the group that the runner is in, so that every limit set from outside
goes on to hold, and removed after it. Controllers are used where they are on already; none is
switched on for them.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Mapping
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
class Limit:
    """A limit of a control group.

    Attributes
    ----------
    controller, called : str
        What enforces it; its name in the configuration that is told.
    amount : float
        Most that the group may use.
    files : mapping
        Of version 1 and 2: file of the group to what is written to it.
    """

    controller: str
    called: str
    amount: float
    files: Mapping[int, Mapping[str, str]]

    def holds(self, group: Path, version: int) -> bool:
        """Say whether the kernel tells of a group what was written."""
        return all(
            any(
                Counter(text.split()) <= Counter(line.split())
                for line in (group / name).read_text(encoding="utf-8").splitlines()
            )
            for name, text in self.files[version].items()
        )


def disk_limit(disk: tuple[int, int], amount: int) -> Limit:
    """Limit what is written to a disk, by its major and minor number, in B/s."""
    name = f"{disk[0]}:{disk[1]}"
    files = {
        1: {"blkio.throttle.write_bps_device": f"{name} {amount}"},
        2: {"io.max": f"{name} wbps={amount}"},
    }
    return Limit("io", "disk_write_limit", amount, files)


def processor_limit(amount: float) -> Limit:
    """Limit processor time, in processors: 0.5 is half the time of one."""
    period, quota = str(_PERIOD_US), str(round(amount * _PERIOD_US))
    files = {
        1: {"cpu.cfs_period_us": period, "cpu.cfs_quota_us": quota},
        2: {"cpu.max": f"{quota} {period}"},
    }
    return Limit("cpu", "processor_limit", amount, files)


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
