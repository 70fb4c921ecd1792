"""Which hosts are this machine, by its interfaces."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface
from pathlib import Path

import psutil

_INTERFACES = Path("/sys/class/net")


def is_this_machine(host: str) -> bool:
    """Say whether a host is this machine, or a container or a virtual machine on it.

    It is where one of its addresses is the machine's own, or in the network of a bridge that no
    wire leads to. A name that cannot be resolved is another host.
    """
    try:
        found = {ip_address(_bare(entry[4][0])) for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):  # no such host, or no name of one
        return False
    return any(
        address.is_loopback
        or address.is_unspecified
        or any(address == own.ip or (bridged and address in own.network) for own, bridged in _own())
        for address in found
    )


def _own() -> Iterator[tuple[IPv4Interface | IPv6Interface, bool]]:
    """Give the machine's addresses, and whether each is of a bridge that no wire leads to."""
    for name, entries in psutil.net_if_addrs().items():
        place = _INTERFACES / name
        bridged = (place / "bridge").is_dir() and not _leads_to_wire(place)
        for entry in entries:
            if entry.family in (socket.AF_INET, socket.AF_INET6):
                address = _bare(entry.address)
                bits = int(ip_address(entry.netmask)).bit_count() if entry.netmask else None
                yield ip_interface(address if bits is None else f"{address}/{bits}"), bridged


def _bare(address: object) -> str:
    """Leave out the interface of a link-local address."""
    return str(address).partition("%")[0]


def _leads_to_wire(interface: Path) -> bool:
    """Say whether an interface is one of a device, or rests on one, as a bridge of a LAN does."""
    return (interface / "device").exists() or any(
        _leads_to_wire(lower) for lower in interface.glob("lower_*")
    )
