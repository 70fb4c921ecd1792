"""Links: what clients cross to the broker, and what a probe sees of it before the load."""

from __future__ import annotations

import hmac
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from roundtrip.campaign.machine.network import HOST
from roundtrip.campaign.processes import BrokerError

PINGS, LEAST_PINGS = 60, 5
PING_SECONDS = 1.0
BULK_SECONDS = 0.2
BULK_ROUNDS = 3
_UNLIMITED_BYTES = 32 << 20
_LEAST_BYTES = 1 << 18
_BLOCK = 1 << 16
_PATIENCE_SECONDS = 30.0
PING, BULK = b"p", b"b"
SIZE = struct.Struct("!Q")


@dataclass(frozen=True)
class Probe:
    """What a probe has seen.

    Attributes
    ----------
    round_trip_ms : tuple of float
        Times of one byte there and back.
    gbps : tuple of float
        10^9 bit per second that arrived at the far end, of each bulk transfer.
    """

    round_trip_ms: tuple[float, ...]
    gbps: tuple[float, ...]


@contextmanager
def far_end(listener: socket.socket | None = None, word: bytes = b"") -> Iterator[int]:
    """Serve probes at a free port of this machine, and yield it: bytes come back, bulk is counted.

    Parameters
    ----------
    listener : socket.socket, optional
        Where to serve instead, such as behind a link between network namespaces; it is closed.
    word : bytes
        What a connection has to begin with to be served.
    """
    with listener or socket.create_server((HOST, 0)) as serving:
        threading.Thread(target=_serve, args=(serving, word), daemon=True).start()
        try:
            yield int(serving.getsockname()[1])
        finally:
            with suppress(OSError):
                serving.shutdown(socket.SHUT_RDWR)


def _serve(listener: socket.socket, word: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError, struct.error):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Somebody else who says nothing must not keep the prober waiting for long.
            patience = struct.pack("ll", int(_PATIENCE_SECONDS), 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, patience)
            head = connection.recv(len(word) + 1, socket.MSG_WAITALL)
            if not hmac.compare_digest(head[:-1], word):
                continue
            if head[-1:] == PING:
                while data := connection.recv(1):
                    connection.sendall(data)
            else:
                connection.sendall(_counted(connection))


def _counted(connection: socket.socket) -> bytes:
    """Read as much as is announced; say how much came after the first piece, and in what time.

    Through a proxy the sender cannot close its half of the connection to say that it is done: the
    proxy would close the whole.
    """
    head = connection.recv(SIZE.size, socket.MSG_WAITALL)
    left = int(SIZE.unpack(head)[0])
    buffer = bytearray(_BLOCK)
    left -= connection.recv_into(buffer)
    first = last = time.perf_counter()
    total = 0
    while left > 0 and (size := connection.recv_into(buffer)):
        left -= size
        total += size
        last = time.perf_counter()
    return f"{total} {last - first:.9f}\n".encode()


def probe(
    port: int, limit_gbps: float = 0, host: str = HOST, word: bytes = b"", source: str = ""
) -> Probe:
    """Measure a link that leads to `far_end`.

    Parameters
    ----------
    port, host
        Near end of the link.
    limit_gbps : float
        What the link is limited to, 0 for nothing: it decides how much is sent, so that the link
        is empty again soon.
    word : bytes
        What the far end serves.
    source : str
        Address of this machine to connect from, where not any will do.

    Raises
    ------
    BrokerError
        If nothing comes back.
    """
    size = int(limit_gbps * 1e9 / 8 * BULK_SECONDS) if limit_gbps else _UNLIMITED_BYTES
    begun = partial(connect, host, port, word=word, source=source)
    try:
        with begun(PING) as connection:
            times = pings(connection)
        rates = [_bulk(begun, max(_LEAST_BYTES, size)) for _ in range(BULK_ROUNDS)]
    except (OSError, ValueError) as problem:
        raise BrokerError(f"nothing comes back over the link: {problem}") from problem
    return Probe(tuple(times), tuple(rate for rate in rates if rate > 0))


def connect(
    host: str, port: int, kind: bytes, *, word: bytes = b"", source: str = ""
) -> socket.socket:
    """Connect to `far_end` for one kind of probe, from an address of this machine if one is given.

    Parameters
    ----------
    kind : bytes
        `PING`, after which single bytes come back, or `BULK`, after which a `SIZE` and so many
        bytes are counted.
    """
    connection = socket.create_connection(
        (host, port), _PATIENCE_SECONDS, (source, 0) if source else None
    )
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(word + kind)
    return connection


def pings(connection: socket.socket) -> list[float]:
    """Send single bytes there and back for a moment, and give what each took in milliseconds."""
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < PINGS:
        if len(times) >= LEAST_PINGS and time.perf_counter() - began > PING_SECONDS:
            break
        sent = time.perf_counter()
        connection.sendall(b".")
        if not connection.recv(1):
            raise ConnectionError("the connection was closed")
        times.append((time.perf_counter() - sent) * 1000)
    return times


def arrived(connection: socket.socket) -> float:
    """Give the rate at which bulk has arrived, as the far end says it, in 10^9 bit/s."""
    answer = b""
    while not answer.endswith(b"\n") and (data := connection.recv(64)):
        answer += data
    total, seconds = answer.split()
    return 8e-9 * int(total) / float(seconds) if float(seconds) > 0 else 0.0


def _bulk(begun: Callable[[bytes], socket.socket], size: int) -> float:
    block = bytes(_BLOCK)
    blocks = max(2, size // _BLOCK)
    with begun(BULK) as connection:
        connection.sendall(SIZE.pack(blocks * _BLOCK))
        for _ in range(blocks):
            connection.sendall(block)
        return arrived(connection)
