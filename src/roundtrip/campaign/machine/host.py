"""What the machine is, as a report must disclose it, and which hosts are this machine.

A report never names it, nor its address.
"""

from __future__ import annotations

import platform
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
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


_INTERFACES = Path("/sys/class/net")
_Address = IPv4Address | IPv6Address


def is_this_machine(host: str) -> bool:
    """Say whether a host is this machine, or a container or a virtual machine on it.

    It is where one of its addresses is the machine's own, or in the network of a bridge that no
    wire leads to. A name that cannot be resolved is another host.
    """
    try:
        found = {ip_address(_bare(entry[4][0])) for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):  # no such host, or no name of one
        return False
    own = list(_own())
    ours = {address for address, _, _ in own}
    inside = [
        ip_network(f"{address}/{length}", strict=False)
        for address, length, interface in own
        if (_INTERFACES / interface / "bridge").is_dir()
        and not _leads_to_wire(_INTERFACES / interface)
    ]
    return any(
        address.is_loopback
        or address.is_unspecified
        or address in ours
        or any(address in network for network in inside)
        for address in found
    )


def _own() -> Iterator[tuple[_Address, int, str]]:
    """Give the machine's addresses with the length of their networks' prefix and the interface."""
    for interface, entries in psutil.net_if_addrs().items():
        for entry in entries:
            if entry.family in (socket.AF_INET, socket.AF_INET6):
                address = ip_address(_bare(entry.address))
                mask = ip_address(entry.netmask) if entry.netmask else None
                length = int(mask).bit_count() if mask else address.max_prefixlen
                yield address, length, interface


def _bare(address: object) -> str:
    """Leave out the interface of a link-local address."""
    return str(address).partition("%")[0]


def _leads_to_wire(interface: Path) -> bool:
    """Say whether an interface is one of a device, or rests on one, as a bridge of a LAN does."""
    return (interface / "device").exists() or any(
        _leads_to_wire(lower) for lower in interface.glob("lower_*")
    )
