"""How brokers and links are put together for a point."""

from __future__ import annotations

from collections.abc import Callable

from roundtrip.campaign.arrangements import (
    bindings,
    clients,
    high_availability,
    mirror,
    several,
    single,
)
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.machine import confinement, storage
from roundtrip.campaign.pairs import is_pair


def arrange(bench: Bench) -> Endpoints:
    """Start brokers and links as the bench's point asks for them.

    Raises
    ------
    BrokerError
        If a part does not start; what was started is stopped with the bench.
    """
    storage.lay(bench)
    confinement.confine(bench)
    return confinement.confine_drivers(bench, _how(bench)(bench))


def _how(bench: Bench) -> Callable[[Bench], Endpoints]:
    if is_pair(bench.point):
        return high_availability.arrange
    if bench.point.get("replication", "none") != "none":
        return mirror.arrange
    if several.count(bench) > 1:
        return several.arrange
    if bindings.concerns(bench.point):
        return bindings.arrange
    if clients.FACTORS & bench.point.keys():
        return clients.arrange
    return single.arrange
