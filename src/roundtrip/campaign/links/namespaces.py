"""A network namespace with a bandwidth limit on the way to it: another host, on this machine.

A pair of virtual interfaces joins it to the machine's own network. Names and addresses are made
from the project's place, so that two projects do not meet and nothing of anybody else is touched;
the addresses are of the range that RFC 2544 keeps for tests.
"""

from __future__ import annotations

import ctypes
import hashlib
import ipaddress
import json
import re
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from roundtrip.campaign.machine import commands
from roundtrip.campaign.machine.readings import repeated
from roundtrip.campaign.plan import Level
from roundtrip.campaign.raw import RawFile
from roundtrip.campaign.settable import NAMESPACES
from roundtrip.errors import SetupError

KIND = "namespace"
_RANGE = ipaddress.ip_network("198.18.0.0/15")
_TRIES = 64
_NAME = re.compile(r"roundtrip-([0-9a-f]{8})")
_LEAST_BURST = 1 << 16
_BURST_SECONDS = 0.01
_QUEUE_MS = 100
_PLACE = Path("/run/netns")
_CLONE_NEWNET = 0x40000000
_run = partial(commands.run, error=SetupError)
_TRIAL = """
mount -t tmpfs tmpfs /run
ip netns add trial
ip link add trial0 type veth peer name trial1 netns trial
tc qdisc add dev trial0 root tbf rate 1mbit burst 64kb latency 100ms
ip netns exec trial true
"""


@dataclass(frozen=True)
class Namespace:
    """A namespace and the link to it.

    Attributes
    ----------
    near, far : str
        Interfaces: in the machine's own network, in the namespace.
    far_address : str
        Of the interface in the namespace.
    """

    name: str
    near: str
    far: str
    far_address: str

    @property
    def prefix(self) -> list[str]:
        """Words that start a command inside."""
        return ["ip", "netns", "exec", self.name]


def name_for(place: Path) -> str:
    """Give a project's namespace its name, from a place that only this project has."""
    digest = hashlib.sha256(str(place.resolve()).encode()).hexdigest()
    return f"roundtrip-{digest[:8]}"


def make(name: str, gbps: float, note: Callable[[], None]) -> Namespace:
    """Make a namespace, and a link to it.

    Parameters
    ----------
    gbps : float
        Bandwidth of each direction in 10^9 bit/s; 0: no limit.
    note : callable
        Notes that the namespace is about to be made; called only when the name is free.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        raise SetupError(f"'{name}' is no name of a namespace of ours")
    near, far = f"rt{found[1]}n", f"rt{found[1]}f"
    spaces = [line.split()[:1] for line in _run("ip", "netns", "list").splitlines()]
    links = json.loads(_run("ip", "-j", "link") or "[]")
    if [name] in spaces or any(link["ifname"] == near for link in links):
        raise SetupError(
            f"the network namespace {name} or its interface {near} exists already",
            remedy=f"no note says who made it; if nobody needs it: ip netns del {name}",
        )
    here, there = _free_addresses(found[1])
    note()
    _run("ip", "netns", "add", name)
    _run("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
    _run("ip", "addr", "add", f"{here}/30", "dev", near)
    _run("ip", "link", "set", near, "up")
    _run("ip", "-n", name, "addr", "add", f"{there}/30", "dev", far)
    _run("ip", "-n", name, "link", "set", far, "up")
    _run("ip", "-n", name, "link", "set", "lo", "up")
    if gbps > 0:
        _limit(("tc",), near, gbps)
        _limit(("tc", "-n", name), far, gbps)
    return Namespace(name, near, far, str(there))


def remove(name: str) -> bool:
    """Remove a namespace of ours and the link to it; any other name is left alone."""
    found = _NAME.fullmatch(name)
    if found is not None:
        # The interface by name as well: a process that still runs inside would keep it.
        commands.succeeds("ip", "link", "del", f"rt{found[1]}n")
        commands.succeeds("ip", "netns", "del", name)
    return True


def refusal() -> str | None:
    """Say why this machine and user cannot have namespaces, or None.

    It is tried in a namespace of mounts and networks that goes with the trial, so that nothing is
    left however it ends.
    """
    for tool in ("ip", "tc"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed (apt-get install iproute2)"
    try:
        _run("unshare", "--net", "--mount", "sh", "-e", "-c", _TRIAL)
    except SetupError as problem:
        return f"network namespaces cannot be made here: {problem.what}"
    return None


def lacking(link: Level) -> str | None:
    """Say why this machine cannot have a replication link, or None."""
    problem = refusal() if link == NAMESPACES else None
    return problem and f"replication_link {link}: {problem}"


def listener(space: Namespace) -> socket.socket:
    """Listen at a free port inside a namespace.

    A socket belongs to the namespace of the thread that makes it, wherever it is used.
    """
    found: list[socket.socket] = []
    problems: list[OSError] = []

    def enter() -> None:
        try:
            with (_PLACE / space.name).open("rb") as handle:
                if ctypes.CDLL(None, use_errno=True).setns(handle.fileno(), _CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            found.append(socket.create_server((space.far_address, 0)))
        except OSError as problem:
            problems.append(problem)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if problems:
        raise SetupError(f"the network namespace {space.name} cannot be entered: {problems[0]}")
    return found[0]


def counted(near: str, raw: RawFile, source: str) -> Callable[[], None]:
    """Write the bytes that cross the near interface into a raw file, until what is given is called.

    The events are those of the delay proxy; `source` is the link's name in the raw file.
    """
    folder = Path("/sys/class/net") / near / "statistics"

    def count() -> None:
        with suppress(OSError, ValueError):
            sent, got = (int((folder / f"{way}_bytes").read_text()) for way in ("tx", "rx"))
            raw.record(source, event="counters", bytes_to_host=sent, bytes_from_host=got)

    return repeated(count)


def _limit(tc: tuple[str, ...], device: str, gbps: float) -> None:
    burst = max(_LEAST_BURST, int(gbps * 1e9 / 8 * _BURST_SECONDS))
    _run(
        *tc, "qdisc", "add", "dev", device, "root", "tbf", "rate", f"{gbps * 1e9:.0f}bit",
        "burst", f"{burst}b", "latency", f"{_QUEUE_MS}ms",
    )  # fmt: skip


def _free_addresses(token: str) -> tuple[ipaddress.IPv4Address, ipaddress.IPv4Address]:
    taken = list(_networks())
    blocks = _RANGE.num_addresses // 4
    for number in range(_TRIES):
        block = (int(token, 16) + number) % blocks
        net = ipaddress.IPv4Network((int(_RANGE.network_address) + 4 * block, 30))
        if not any(net.overlaps(other) for other in taken):
            return net[1], net[2]
    raise SetupError(f"addresses of {_RANGE} are in use on this machine")


def _networks() -> Iterator[ipaddress.IPv4Network]:
    """Give the networks that this machine knows a way to, but for the default one."""
    for route in json.loads(_run("ip", "-j", "-4", "route", "show", "table", "all") or "[]"):
        with suppress(ValueError, KeyError):
            net = ipaddress.ip_network(route["dst"], strict=False)
            if isinstance(net, ipaddress.IPv4Network) and net.prefixlen:
                yield net
