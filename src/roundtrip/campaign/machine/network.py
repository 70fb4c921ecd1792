"""Which hosts are this machine, by its interfaces, and which of its ports are free."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface
from pathlib import Path

import psutil

from roundtrip.campaign.processes import BrokerError

HOST = "127.0.0.1"
"""This machine, where what is started and its drivers are one machine."""
_FIRST_PORT, _LAST_PORT, _PORT_TRIES = 20_000, 32_000, 200
"""Below the ports that the system itself gives to outgoing connections."""
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


def free_ports(count: int, host: str = HOST) -> tuple[int, ...]:
    """Give ports that nobody listens on, for brokers that know each other's before they start.

    Parameters
    ----------
    host : str
        Address of this machine that they are for.

    Returns
    -------
    tuple of int
        All different. Another process may take one before it is used: whoever uses it then says
        that it cannot.

    Raises
    ------
    BrokerError
        If there are not enough.
    """
    found: list[int] = []
    with ExitStack() as held:
        for _ in range(_PORT_TRIES):
            if len(found) == count:
                return tuple(found)
            one = held.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port = _FIRST_PORT + secrets.randbelow(_LAST_PORT - _FIRST_PORT)
            try:
                one.bind((host, port))
            except OSError:
                continue
            found.append(port)
    raise BrokerError(f"no {count} free ports between {_FIRST_PORT} and {_LAST_PORT} on {host}")
