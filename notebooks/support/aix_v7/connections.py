"""What the text says of the three kinds of connection, with V7."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.present import Quantity
from support.aix_v7.comparisons import peak_of
from support.aix_v7.printed import Printed

_USUAL, _LARGER, _LARGE = 2048, 20480, 2097152
_DOUBLED = ("DQ-Non_Persist (2.3.1)", "DQ-Non_Persist Non_Trusted (2.3.2)")
"""Printed names of tests on eight cores: trusted and standard channels."""


@dataclass(frozen=True)
class Local:
    """A local queue manager: rates, and the processors in use at them.

    Attributes
    ----------
    kept, kept_large : Quantity
        Persistent rate in percent of the non-persistent one, at 2 KB and at 2 MB.
    gain, old_gain : Quantity
        How much higher the rate is at 20 KB than at 2 KB, with V7 and with V6.
    """

    rate: Quantity
    cpu: Quantity
    persistent_cpu: Quantity
    persistent_requesters: Quantity
    kept: Quantity
    kept_large: Quantity
    gain: Quantity
    old_gain: Quantity


def local(printed: Printed) -> Local:
    """Give what the text says of a local queue manager."""
    rate = printed.v7("RR-BB", "nonpersistent")
    large = printed.v7("RR-BB", "nonpersistent", size=_LARGE)
    sizes = [printed.find("RR-BB", "nonpersistent", size) for size in (_LARGER, _USUAL)]
    old, old_usual = (peak_of(printed.chapter, item.base) for item in sizes)
    new, new_usual = (peak_of(printed.chapter, item.other) for item in sizes)
    return Local(
        rate=rate,
        cpu=printed.v7("RR-BB", "nonpersistent", "cpu"),
        persistent_cpu=printed.v7("RR-BB", "persistent", "cpu"),
        persistent_requesters=printed.v7("RR-BB", "persistent", "clients"),
        kept=printed.v7("RR-BB", "persistent").percent_of(rate),
        kept_large=printed.v7("RR-BB", "persistent", size=_LARGE).percent_of(large),
        gain=new.percent_above(new_usual),
        old_gain=old.percent_above(old_usual),
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
    """Distributed queuing: what the bindings change, and what persistence leaves.

    Attributes
    ----------
    trusted, standard, trusted_time, standard_time : Quantity
        Rates and core times of a round trip by binding.
    trusted_doubled, standard_doubled : Quantity
        Rates on eight cores.
    """

    trusted: Quantity
    standard: Quantity
    trusted_time: Quantity
    standard_time: Quantity
    trusted_doubled: Quantity
    standard_doubled: Quantity
    kept: Quantity
    persistent_cpu: Quantity


def distributed(printed: Printed) -> Distributed:
    """Give what the text says of distributed queuing."""
    test = ("RR-DQ-BB", "nonpersistent")
    rate = printed.v7(*test)
    doubled = printed.chapter.points("sec-6.3")
    return Distributed(
        trusted=rate,
        standard=printed.v7(*test, binding="non-trusted"),
        trusted_time=printed.core_time(*test),
        standard_time=printed.core_time(*test, binding="non-trusted"),
        trusted_doubled=printed.chapter.quantity(doubled, row_label=_DOUBLED[0]),
        standard_doubled=printed.chapter.quantity(doubled, row_label=_DOUBLED[1]),
        kept=printed.v7("RR-DQ-BB", "persistent").percent_of(rate),
        persistent_cpu=printed.v7("RR-DQ-BB", "persistent", "cpu"),
    )
