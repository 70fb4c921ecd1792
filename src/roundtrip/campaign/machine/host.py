"""What the machine is, as a report must disclose it; never its name or address."""

from __future__ import annotations

import platform
import re
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from roundtrip import __version__
from roundtrip.campaign.machine.mounts import mount_of


def describe_host(journal: Path | None) -> dict[str, Any]:
    """Describe the machine that a campaign runs on, without host names, addresses or paths.

    Parameters
    ----------
    journal : Path or None
        Where the broker keeps its recovery log: its file system is disclosed. None for a broker
        that somebody else runs.
    """
    memory = psutil.virtual_memory()
    about_processors, release = _read("/proc/cpuinfo"), _read("/etc/os-release")
    processor = re.search(r"^model name\s*:\s*(.+)$", about_processors, re.MULTILINE)
    guest = re.search(r"^flags\s*:.*\bhypervisor\b", about_processors, re.MULTILINE)
    system = re.search(r'^PRETTY_NAME="?([^"\n]+)"?$', release, re.MULTILINE)
    mount = None if journal is None else mount_of(journal)
    log = {} if journal is None else {"journal_file_system": mount.type if mount else "not stated"}
    governor = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip()
    return {
        "processor": processor[1].strip() if processor else platform.processor() or "not stated",
        "architecture": platform.machine(),
        "logical_processors": psutil.cpu_count() or 1,
        "physical_cores": psutil.cpu_count(logical=False),
        "memory_mb": round(memory.total / 1e6),
        "swap_mb": round(psutil.swap_memory().total / 1e6),
        "operating_system": system[1] if system else f"{platform.system()} {platform.release()}",
        "kernel": platform.release(),
        "virtual_machine": bool(guest) if about_processors else None,
        "frequency_governor": governor or "not stated",
        **log,
        "network": "loopback: broker and drivers share the machine",
    }


def software() -> dict[str, str]:
    """Give the versions of the runner's own parts."""
    wanted = ("hdrhistogram", "numpy", "psutil", "scipy")
    found = {name: version(name) for name in wanted}
    return {"roundtrip": __version__, "python": platform.python_version(), **found}


def _read(path: str) -> str:
    with suppress(OSError):
        return Path(path).read_text(encoding="utf-8", errors="replace")
    return ""
