"""How long a link takes to the broker behind it and back, by the broker's greeting.

A broker that speaks AMQP 1.0 answers the protocol header of whoever connects with its own
(AMQP 1.0, part 2.2). The header crosses the link like any other data, so the time until the answer
is a round trip of the link and what the broker takes for eight bytes.
"""

from __future__ import annotations

import socket
import time

from roundtrip.campaign.brokers import BrokerError

_SASL_HEADER = b"AMQP\x03\x01\x00\x00"
_TIMEOUT = 20.0


def round_trips_ms(host: str, port: int, times: int = 5) -> list[float]:
    """Greet a broker several times, each over a connection of its own.

    Parameters
    ----------
    host : str
    port : int
        Of the broker, or of a link that leads to it.
    times : int
        How many; one more comes first and does not count.

    Returns
    -------
    list of float
        Milliseconds.

    Raises
    ------
    BrokerError
        If nothing answers, or something else does.
    """
    return [_greet(host, port) for _ in range(times + 1)][1:]


def _greet(host: str, port: int) -> float:
    try:
        with socket.create_connection((host, port), timeout=_TIMEOUT) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A proxy accepts before it has connected on: the first exchange waits for that too.
            first = time.perf_counter()
            connection.sendall(_SASL_HEADER)
            answer = b""
            while len(answer) < len(_SASL_HEADER):
                part = connection.recv(64)
                if not part:
                    break
                answer += part
            taken = time.perf_counter() - first
    except OSError as problem:
        raise BrokerError(f"the second broker does not answer over its link: {problem}") from None
    if not answer.startswith(b"AMQP"):
        raise BrokerError("what answers over the replication link does not speak AMQP")
    return 1000 * taken
