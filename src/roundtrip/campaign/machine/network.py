"""Which hosts are this machine, by its interfaces."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path

import psutil

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
