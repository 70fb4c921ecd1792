"""What a host answers: what it is and has, and how its links to others are.

A station or a worker of Dask is asked. It listens only while links are measured, on the address
that it is told.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import socket
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from roundtrip.campaign.arrangements import free_ports
from roundtrip.campaign.links.probe import (
    BULK,
    PING,
    SIZE,
    arrived,
    connect,
    far_end,
    pings,
    probe,
)
from roundtrip.campaign.machine.guard import read_noise
from roundtrip.errors import RoundtripError
from roundtrip.files import sha256_of_tree, write_atomically
from roundtrip.hosts.workers import facts
from roundtrip.setup.harness_build import PACKAGED, find_tool

_CAPABILITIES = {"real-time": 23, "mounts": 21, "tbf": 12}
"""Numbers in Linux of the right to set priorities, to mount, and to shape traffic."""
_BLOCK, _SECONDS, _MOST = bytes(1 << 18), 0.5, 1 << 29
_far_ends = ExitStack()


def _host(folder: str, java: str, load: str | None) -> dict[str, Any]:
    """Say what the host is and has."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    rights = int(status.partition("CapEff:")[2].split()[0], 16)
    return {
        "facts": facts(),
        "processors": len(os.sched_getaffinity(0)),
        "harness": harness_hash(),
        "java": find_tool(java).feature,
        "free_gb": shutil.disk_usage(folder).free / 1e9 if Path(folder).is_dir() else None,
        "writable": os.access(folder, os.W_OK),
        "has_address": load is None or _has(load),
        "may": [name for name, bit in _CAPABILITIES.items() if rights >> bit & 1],
    }


def _has(address: str) -> bool:
    """Whether an address is one of this host."""
    with socket.socket() as trial:
        try:
            trial.bind((address, 0))
        except OSError:
            return False
    return True


def harness_hash() -> str | None:
    """Hash the load driver and its libraries, None where it is not installed."""
    if not PACKAGED.is_file():
        return None
    return sha256_of_tree(PACKAGED, PACKAGED.parent / "lib", pattern="*.jar")


def harness_parts() -> dict[str, Path]:
    """Name the files of the load driver; its own comes last, without which there is none."""
    libraries = sorted((PACKAGED.parent / "lib").glob("*.jar"))
    return {path.relative_to(PACKAGED.parent).as_posix(): path for path in (*libraries, PACKAGED)}


def _take(part: str, content: str) -> None:
    """Keep a file of the load driver, where there is none."""
    if PACKAGED.is_file() or not re.fullmatch(r"(?:lib/)?[\w.-]+\.jar", part):
        raise RoundtripError(f"{part} is no file that is missing here")
    write_atomically(PACKAGED.parent / part, base64.b64decode(content))


def _link(here: str, there: str, port: int, word: str) -> dict[str, float]:
    """Measure the way to another host and back, and what one connection carries there."""
    begun = partial(connect, there, port, word=word.encode(), source=here)
    with begun(PING) as connection:
        times = pings(connection)
    with begun(BULK) as connection:
        connection.sendall(SIZE.pack(_MOST))
        began, sent = time.perf_counter(), 0
        while time.perf_counter() - began < _SECONDS and sent < _MOST:
            connection.sendall(_BLOCK)
            sent += len(_BLOCK)
        connection.shutdown(socket.SHUT_WR)
        rate = arrived(connection)
    settled = times[len(times) // 6 :]
    return {
        "round_trip_ms": statistics.median(settled), "least_ms": min(settled),
        "most_ms": max(settled), "gbit_per_s": rate,
    }  # fmt: skip


def _far_end(address: str, word: str = "") -> int:
    """Begin to serve probes of a link, and give the port."""
    listener = socket.create_server((address, 0))
    return _far_ends.enter_context(far_end(listener, word.encode()))


_QUESTIONS: dict[str, Callable[..., Any]] = {
    "host": _host, "harness": harness_hash, "take": _take, "clock": time.time,
    "noise": lambda: asdict(read_noise()),
    "far end": _far_end, "link": _link, "hush": _far_ends.close,
    "probe": lambda host, port, limit_gbps: asdict(probe(port, limit_gbps, host)),
    "ports": lambda address, count: free_ports(count, address),
}  # fmt: skip


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Answer a question, which ``ask`` names, with ``answer`` or with a ``problem`` in words."""
    given = dict(question)
    try:
        return {"answer": _QUESTIONS[given.pop("ask")](**given)}
    except OSError as problem:
        return {"problem": problem.strerror or str(problem) or type(problem).__name__}
    except RoundtripError as problem:
        return {"problem": problem.what}
