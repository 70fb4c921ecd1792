"""What the text says of the three kinds of connection, with V7."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.present import Quantity
from support.aix_v7.printed import Printed

_LARGE = 2097152


@dataclass(frozen=True)
class Local:
    """A local queue manager: rates, and the processors in use at them.

    Attributes
    ----------
    kept, kept_large : Quantity
        Persistent rate in percent of the non-persistent one, at 2 KB and at 2 MB.
    """

    rate: Quantity
    cpu: Quantity
    persistent_cpu: Quantity
    persistent_requesters: Quantity
    kept: Quantity
    kept_large: Quantity


def local(printed: Printed) -> Local:
    """Give what the text says of a local queue manager."""
    rate = printed.v7("RR-BB", "nonpersistent")
    large = printed.v7("RR-BB", "nonpersistent", size=_LARGE)
    return Local(
        rate=rate,
        cpu=printed.v7("RR-BB", "nonpersistent", "cpu"),
        persistent_cpu=printed.v7("RR-BB", "persistent", "cpu"),
        persistent_requesters=printed.v7("RR-BB", "persistent", "clients"),
        kept=printed.v7("RR-BB", "persistent").percent_of(rate),
        kept_large=printed.v7("RR-BB", "persistent", size=_LARGE).percent_of(large),
    )


@dataclass(frozen=True)
class Clients:
    """Clients: V7 in percent of V6 by the way of sharing sockets, and what trusted channels save.

    Attributes
    ----------
    own, default, own_persistent, default_persistent : Quantity
        With a socket for each client, and with the default sharing.
    standard, trusted, standard_cpu, trusted_cpu : Quantity
        Rates by the binding of the channels, without sharing, and processors in use.
    """

    own: Quantity
    default: Quantity
    own_persistent: Quantity
    default_persistent: Quantity
    standard: Quantity
    trusted: Quantity
    standard_cpu: Quantity
    trusted_cpu: Quantity


def clients(printed: Printed) -> Clients:
    """Give what the text says of client channels."""

    def share(delivery: str, sharing: str) -> Quantity:
        return printed.find("RR-CB", delivery, sharing=sharing).share(printed.chapter)

    def own(metric: str, binding: str) -> Quantity:
        return printed.v7("RR-CB", "nonpersistent", metric, binding=binding, sharing="0")

    return Clients(
        own=share("nonpersistent", "0"),
        default=share("nonpersistent", "default"),
        own_persistent=share("persistent", "0"),
        default_persistent=share("persistent", "default"),
        standard=own("round_trip_rate", "non-trusted"),
        trusted=own("round_trip_rate", "normal"),
        standard_cpu=own("cpu", "non-trusted"),
        trusted_cpu=own("cpu", "normal"),
    )


@dataclass(frozen=True)
class Distributed:
    """Distributed queuing: rates by binding, and what persistence leaves of them."""

    trusted: Quantity
    standard: Quantity
    kept: Quantity
    persistent_cpu: Quantity


def distributed(printed: Printed) -> Distributed:
    """Give what the text says of distributed queuing."""
    rate = printed.v7("RR-DQ-BB", "nonpersistent")
    return Distributed(
        trusted=rate,
        standard=printed.v7("RR-DQ-BB", "nonpersistent", binding="non-trusted"),
        kept=printed.v7("RR-DQ-BB", "persistent").percent_of(rate),
        persistent_cpu=printed.v7("RR-DQ-BB", "persistent", "cpu"),
    )
