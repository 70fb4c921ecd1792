"""Ports that are free now, for brokers that must know each other's before they start."""

from __future__ import annotations

import secrets
import socket
from contextlib import ExitStack

from roundtrip.campaign.brokers import BrokerError

_FIRST, _LAST = 20_000, 32_000
"""Below the ports that the system itself gives to outgoing connections."""
_TRIES = 200


def free_ports(count: int, host: str = "127.0.0.1") -> tuple[int, ...]:
    """Give ports that nobody listens on.

    Parameters
    ----------
    count : int
    host : str

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
        for _ in range(_TRIES):
            if len(found) == count:
                return tuple(found)
            one = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port = _FIRST + secrets.randbelow(_LAST - _FIRST)
            try:
                one.bind((host, port))
            except OSError:
                continue
            found.append(port)
    raise BrokerError(f"no {count} free ports between {_FIRST} and {_LAST} on {host}")
