"""The file system of the recovery log: made for a run where the plan asks for one, and tested."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from roundtrip.campaign.bench import Bench
from roundtrip.campaign.machine.commands import run, succeeds
from roundtrip.campaign.machine.log_disk import block_for, write_test
from roundtrip.campaign.machine.mounts import folder_above, mount_of
from roundtrip.campaign.machine.own_mounts import BROKERS, image_of, point_of
from roundtrip.campaign.names import LOG_DISK
from roundtrip.campaign.plan import BrokerSettings, Level
from roundtrip.campaign.processes import BrokerError
from roundtrip.campaign.settable import FOUND, GIVEN, TMPFS
from roundtrip.files import disk_errors

FACTOR = "log_file_system"
_MAKERS: Mapping[str, tuple[str, ...]] = {
    "ext4": ("mkfs.ext4", "-q", "-F"), "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
}  # fmt: skip
_MIB = 1 << 20


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
