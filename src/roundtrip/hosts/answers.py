"""What a host answers: what it is and has, and how its links to others are.

A station or a worker of Dask is asked. It listens only while links are measured, on the address
that it is told.
"""

from __future__ import annotations

import base64
import hmac
import os
import re
import shutil
import socket
import statistics
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from roundtrip.campaign.arrangements import free_ports
from roundtrip.campaign.links.probe import far_end, probe
from roundtrip.campaign.machine.guard import read_noise
from roundtrip.errors import RoundtripError
from roundtrip.files import sha256_of_tree, write_atomically
from roundtrip.hosts.workers import facts
from roundtrip.setup.harness_build import PACKAGED, find_tool

_CAPABILITIES = {"real-time": 23, "mounts": 21, "tbf": 12}
"""Numbers in Linux of the right to set priorities, to mount, and to shape traffic."""
_WORD, _ECHO, _SINK = 32, b"e", b"s"
_ECHOES, _FIRST, _MESSAGE = 60, 10, b"x" * 64
_BLOCK, _SECONDS, _MOST = b"x" * (1 << 18), 0.5, 1 << 29
_PATIENCE_S = 10.0
_listening: dict[str, socket.socket] = {}
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


def _listen(address: str, word: str) -> int:
    """Begin to listen, and give the port."""
    server = socket.socket()
    server.bind((address, 0))
    server.listen()
    _listening[address] = server
    threading.Thread(target=_serve, args=(server, word.encode()), daemon=True).start()
    return int(server.getsockname()[1])


def _serve(server: socket.socket, word: bytes) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return  # closed by `_hush`
        with connection:
            connection.settimeout(_PATIENCE_S)
            try:
                head = _received(connection, _WORD + 1)
                if hmac.compare_digest(head[:_WORD], word):
                    _play(connection, head[_WORD:])
            except OSError:
                continue


def _play(connection: socket.socket, part: bytes) -> None:
    """Send back what comes, or count it."""
    if part == _ECHO:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while data := connection.recv(len(_MESSAGE)):
            connection.sendall(data)
    elif part == _SINK:
        count, room = 0, bytearray(len(_BLOCK))
        while length := connection.recv_into(room):
            count += length
        connection.sendall(count.to_bytes(8, "big"))


def _received(connection: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = connection.recv(length - len(data))
        if not part:
            raise ConnectionError("the other side has closed the connection")
        data += part
    return data


def _link(here: str, there: str, port: int, word: str) -> dict[str, float]:
    """Measure the way to another host and back: round trip time, and bytes sent there."""
    times = []
    with socket.create_connection((there, port), _PATIENCE_S, (here, 0)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(word.encode() + _ECHO)
        for _ in range(_ECHOES):
            began = time.perf_counter()
            connection.sendall(_MESSAGE)
            _received(connection, len(_MESSAGE))
            times.append(1e3 * (time.perf_counter() - began))
    with socket.create_connection((there, port), _PATIENCE_S, (here, 0)) as connection:
        connection.sendall(word.encode() + _SINK)
        began, sent = time.perf_counter(), 0
        while time.perf_counter() - began < _SECONDS and sent < _MOST:
            connection.sendall(_BLOCK)
            sent += len(_BLOCK)
        connection.shutdown(socket.SHUT_WR)
        count = int.from_bytes(_received(connection, 8), "big")
        seconds = time.perf_counter() - began
    settled = times[_FIRST:]
    return {
        "round_trip_ms": statistics.median(settled), "least_ms": min(settled),
        "most_ms": max(settled), "gbit_per_s": 8e-9 * count / seconds,
    }  # fmt: skip


def _far_end(address: str) -> int:
    """Begin to serve probes of a link of a campaign, and give the port."""
    return _far_ends.enter_context(far_end(socket.create_server((address, 0))))


def _hush() -> None:
    """Listen no more."""
    _far_ends.close()
    while _listening:
        _, server = _listening.popitem()
        server.shutdown(socket.SHUT_RDWR)
        server.close()


_QUESTIONS: dict[str, Callable[..., Any]] = {
    "host": _host, "harness": harness_hash, "take": _take, "clock": time.time,
    "noise": lambda: read_noise().content(),
    "listen": _listen, "link": _link, "hush": _hush,
    "far end": _far_end,
    "probe": lambda host, port, limit_gbps: asdict(probe(port, limit_gbps, host)),
    "ports": lambda address, count: free_ports(count, address),
}  # fmt: skip


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Answer a question.

    Parameters
    ----------
    question : dict
        ``ask`` names it; the rest is what it needs.

    Returns
    -------
    dict
        ``answer``, or ``problem`` in words.
    """
    given = dict(question)
    try:
        return {"answer": _QUESTIONS[given.pop("ask")](**given)}
    except OSError as problem:
        return {"problem": problem.strerror or str(problem) or type(problem).__name__}
    except RoundtripError as problem:
        return {"problem": problem.what}
